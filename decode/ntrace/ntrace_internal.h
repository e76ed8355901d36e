/* SPDX-License-Identifier: Apache-2.0 */
/* ntrace_internal: what the scans of the three streams share. */
#ifndef NX_DECODE_NTRACE_NTRACE_INTERNAL_H
#define NX_DECODE_NTRACE_NTRACE_INTERNAL_H

#include "decode/ntrace/ntrace_decoder.h"

enum nx_ntrace_stream_kind { NX_STREAM_EVENTS, NX_STREAM_CPU, NX_STREAM_MEMORY };

/* A stream may be scanned again; the total must not count it twice. */
static inline void nx_ntrace_set_unreadable(struct nx_ntrace_decoder *decoder,
					    enum nx_ntrace_stream_kind stream, uint64_t count)
{
	uint64_t *counts = decoder->unreadable_counts;

	counts[stream] = count;
	decoder->loss.unreadable_count = counts[0] + counts[1] + counts[2];
}

static inline uint64_t nx_ntrace_torn_bytes(const struct nx_ntrace_stream *stream)
{
	return stream->is_torn ? stream->file.len - stream->torn_at : 0;
}

#endif
