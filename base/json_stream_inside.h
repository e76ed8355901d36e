/* SPDX-License-Identifier: Apache-2.0 */
/* json_stream_inside: what the two halves of the token reader share; for base/json_stream*.c only.
 */
#ifndef NX_BASE_JSON_STREAM_INSIDE_H
#define NX_BASE_JSON_STREAM_INSIDE_H

#include "base/json_stream.h"

/* After the last byte of a piece: starts the next one; false at the end. */
bool nx_json_stream_refill(struct nx_json_stream *s);

/* At a quote, and at any other byte that does not start a container. */
enum nx_json_token nx_json_stream_read_text(struct nx_json_stream *s, enum nx_json_token token);
enum nx_json_token nx_json_stream_read_scalar(struct nx_json_stream *s);

/* The next byte, taken; -1 at the end. */
static inline int nx_json_stream_take(struct nx_json_stream *s)
{
	if (s->at == s->end && !nx_json_stream_refill(s))
		return -1;
	return *s->at++;
}

static inline enum nx_json_token nx_json_stream_stop(struct nx_json_stream *s,
						     enum nx_json_token why)
{
	s->text = (struct nx_slice){0};
	return why;
}

#endif
