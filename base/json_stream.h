/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_stream: JSON text token by token, for documents too large to hold.
 *
 *	struct nx_json_stream s;
 *	nx_json_stream_init(&s, next_piece, source);
 *	while ((token = nx_json_stream_next(&s)) > NX_TOKEN_DONE)
 *		if (token == NX_TOKEN_KEY && !nx_slice_is(s.text, "wanted"))
 *			nx_json_stream_skip(&s);
 *
 * The text comes in pieces of any size from a function; memory is the struct. Texts are unescaped
 * and cut to NX_JSON_STREAM_TEXT_BYTES between characters; numbers keep their text.
 *
 * Accepted beyond RFC 8259, because programs write it: control characters in strings, unknown
 * escapes (the backslash is dropped), a comma before a closing bracket, NaN and infinities. Skipped
 * values are only checked for balanced brackets.
 */
#ifndef NX_BASE_JSON_STREAM_H
#define NX_BASE_JSON_STREAM_H

#include "base/bare/slice.h"

#define NX_JSON_STREAM_TEXT_BYTES 4096
#define NX_JSON_STREAM_DEPTH 64

/* The first three end the text for good. */
enum nx_json_token {
	NX_TOKEN_CUT,	 /* it ends inside a value */
	NX_TOKEN_BROKEN, /* what follows is not JSON, or nested too deeply */
	NX_TOKEN_DONE,	 /* the value is complete */
	NX_TOKEN_OBJECT,
	NX_TOKEN_OBJECT_END,
	NX_TOKEN_ARRAY,
	NX_TOKEN_ARRAY_END,
	NX_TOKEN_KEY,
	NX_TOKEN_TEXT,
	NX_TOKEN_NUMBER,
	NX_TOKEN_WORD, /* true, false, null, NaN, Infinity */
};

/* Gets the next piece, possibly empty, valid until the next call; false at the end, every time. */
typedef bool (*nx_json_piece_fn)(void *context, struct nx_slice *piece);

struct nx_json_stream {
	struct nx_slice text; /* of KEY, TEXT, NUMBER, WORD; until the next call */
	bool text_is_short;   /* it was longer */
	unsigned depth;	      /* containers that are open */
	uint64_t token_at;    /* offset of the last token */

	/* The rest is the reader's own. */
	nx_json_piece_fn next_piece;
	void *context;
	const uint8_t *piece, *at, *end;
	uint64_t piece_at; /* offset of piece */
	uint64_t objects;  /* a bit per open container, the innermost lowest */
	enum nx_json_token last;
	uint8_t expected;
	uint32_t high_half; /* of a pair of \u escapes, until the low one comes */
	size_t held_len;
	uint8_t held[NX_JSON_STREAM_TEXT_BYTES]; /* a text that is not in one piece */
};

void nx_json_stream_init(struct nx_json_stream *stream, nx_json_piece_fn next_piece, void *context);
enum nx_json_token nx_json_stream_next(struct nx_json_stream *stream);

/* After KEY: reads past its value. After OBJECT or ARRAY: past its end. Any depth. */
void nx_json_stream_skip(struct nx_json_stream *stream);

/* How many bytes of text have been read. */
uint64_t nx_json_stream_offset(const struct nx_json_stream *stream);

#endif
