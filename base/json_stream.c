/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_stream.h"
#include "base/json_stream_inside.h"
#include "base/json_text.h"

enum expected {
	EXPECT_VALUE,
	EXPECT_ITEM, /* after an opening bracket or a comma */
	EXPECT_COLON,
	EXPECT_COMMA, /* or a closing bracket; outside of everything, the end */
};

void nx_json_stream_init(struct nx_json_stream *s, nx_json_piece_fn next_piece, void *context)
{
	static const uint8_t nothing[1];

	s->text = (struct nx_slice){0};
	s->text_is_short = false;
	s->depth = 0;
	s->token_at = 0;
	s->next_piece = next_piece;
	s->context = context;
	s->piece = s->at = s->end = nothing;
	s->piece_at = 0;
	s->objects = 0;
	s->last = NX_TOKEN_WORD;
	s->expected = EXPECT_VALUE;
	s->high_half = 0;
	s->held_len = 0;
}

uint64_t nx_json_stream_offset(const struct nx_json_stream *s)
{
	return s->piece_at + (uint64_t)(s->at - s->piece);
}

bool nx_json_stream_refill(struct nx_json_stream *s)
{
	struct nx_slice piece;

	while (s->next_piece(s->context, &piece)) {
		if (!piece.len)
			continue;
		s->piece_at += (uint64_t)(s->end - s->piece);
		s->piece = s->at = piece.data;
		s->end = piece.data + piece.len;
		return true;
	}
	return false;
}

static int peek_behind_spaces(struct nx_json_stream *s)
{
	do {
		const uint8_t *at = s->at;

		while (at < s->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
			at++;
		s->at = at;
		if (at < s->end)
			return *at;
	} while (nx_json_stream_refill(s));
	return -1;
}

/* The next byte that is not white space, not taken; -1 at the end. */
static inline int peek(struct nx_json_stream *s)
{
	if (s->at<s->end && * s->at> ' ')
		return *s->at;
	return peek_behind_spaces(s);
}

/* --- structure ---------------------------------------------------------- */

static enum nx_json_token open_container(struct nx_json_stream *s, bool is_object)
{
	if (s->depth == NX_JSON_STREAM_DEPTH)
		return nx_json_stream_stop(s, NX_TOKEN_BROKEN);
	s->at++;
	s->depth++;
	s->objects = s->objects << 1 | is_object;
	s->expected = EXPECT_ITEM;
	return is_object ? NX_TOKEN_OBJECT : NX_TOKEN_ARRAY;
}

static enum nx_json_token close_container(struct nx_json_stream *s)
{
	bool is_object = s->objects & 1;

	s->depth--;
	s->objects >>= 1;
	s->expected = EXPECT_COMMA;
	return is_object ? NX_TOKEN_OBJECT_END : NX_TOKEN_ARRAY_END;
}

static bool may_close(const struct nx_json_stream *s, int c)
{
	return s->depth && (s->expected == EXPECT_ITEM || s->expected == EXPECT_COMMA) &&
	       c == (s->objects & 1 ? '}' : ']');
}

static enum nx_json_token read_value(struct nx_json_stream *s, int c)
{
	s->expected = EXPECT_COMMA;
	switch (c) {
	case '{':
		return open_container(s, true);
	case '[':
		return open_container(s, false);
	case '"':
		return nx_json_stream_read_text(s, NX_TOKEN_TEXT);
	default:
		return nx_json_stream_read_scalar(s);
	}
}

/* Reads past the comma or colon that is due and returns what follows, -1 at the end. */
static int peek_item(struct nx_json_stream *s)
{
	int c = peek(s);

	if (s->expected == EXPECT_COMMA && c == ',' && s->depth) {
		s->at++;
		s->expected = EXPECT_ITEM;
		return peek(s);
	}
	if (s->expected == EXPECT_COLON && c == ':') {
		s->at++;
		s->expected = EXPECT_VALUE;
		return peek(s);
	}
	return c;
}

static enum nx_json_token read_token(struct nx_json_stream *s)
{
	int c = peek_item(s);

	s->token_at = nx_json_stream_offset(s);
	if (c < 0)
		return nx_json_stream_stop(
			s, s->depth || s->expected == EXPECT_VALUE ? NX_TOKEN_CUT : NX_TOKEN_DONE);
	if (may_close(s, c)) {
		s->at++;
		return close_container(s);
	}
	if (s->expected == EXPECT_COMMA || s->expected == EXPECT_COLON)
		return nx_json_stream_stop(s, NX_TOKEN_BROKEN);
	if (s->expected == EXPECT_VALUE || !(s->objects & 1))
		return read_value(s, c);
	if (c != '"')
		return nx_json_stream_stop(s, NX_TOKEN_BROKEN);
	s->expected = EXPECT_COLON;
	return nx_json_stream_read_text(s, NX_TOKEN_KEY);
}

enum nx_json_token nx_json_stream_next(struct nx_json_stream *s)
{
	if (s->last > NX_TOKEN_DONE)
		s->last = read_token(s);
	return s->last;
}

/* --- skipping ----------------------------------------------------------- */

/* The first quote or bracket from at on, eight bytes at a time; else end. */
static const uint8_t *find_structure(const uint8_t *at, const uint8_t *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t word = nx_load64(at);
		uint64_t quote = word ^ NX_BYTES_OF('"');
		uint64_t opening = (word | NX_BYTES_OF(0x20)) ^ NX_BYTES_OF('{');
		uint64_t closing = (word | NX_BYTES_OF(0x20)) ^ NX_BYTES_OF('}');
		uint64_t hit = (quote - NX_BYTES_OF(1)) & ~quote;

		hit |= (opening - NX_BYTES_OF(1)) & ~opening;
		hit |= (closing - NX_BYTES_OF(1)) & ~closing;
		hit &= NX_BYTES_OF(0x80);
		if (hit)
			return at + __builtin_ctzll(hit) / 8;
	}
	while (at < end && *at != '"' && (*at | 0x20) != '{' && (*at | 0x20) != '}')
		at++;
	return at;
}

static bool skip_text(struct nx_json_stream *s)
{
	for (;;) {
		s->at = nx_json_plain_end(s->at, s->end, false);
		if (s->at == s->end) {
			if (!nx_json_stream_refill(s))
				return false;
			continue;
		}
		switch (*s->at++) {
		case '"':
			return true;
		case '\\':
			if (nx_json_stream_take(s) < 0)
				return false;
			break;
		default:
			break;
		}
	}
}

/* Reads past the bracket that closes the container just opened. */
static bool skip_container(struct nx_json_stream *s)
{
	uint64_t open_count = 1;

	for (;;) {
		s->at = find_structure(s->at, s->end);
		if (s->at == s->end) {
			if (!nx_json_stream_refill(s))
				return false;
			continue;
		}
		switch (*s->at++) {
		case '"':
			if (!skip_text(s))
				return false;
			break;
		case '{':
		case '[':
			open_count++;
			break;
		default:
			if (!--open_count)
				return true;
			break;
		}
	}
}

void nx_json_stream_skip(struct nx_json_stream *s)
{
	if (s->last == NX_TOKEN_KEY)
		nx_json_stream_next(s);
	if (s->last != NX_TOKEN_OBJECT && s->last != NX_TOKEN_ARRAY)
		return;
	s->last = skip_container(s) ? close_container(s) : nx_json_stream_stop(s, NX_TOKEN_CUT);
}
