/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A token that lies in one piece is borrowed from it; only one that straddles two pieces or has
 * escapes is copied to `held`. A refill ends what was borrowed, so the colon after a key is left
 * to the next call.
 */
#include "base/json_stream.h"

#include <assert.h>

#include "base/bare/text.h"
#include "base/json_text.h"
#include "base/utf8.h"

static_assert(NX_JSON_STREAM_DEPTH <= 64, "a bit per open container");

enum expected {
	EXPECT_VALUE,
	EXPECT_ITEM, /* after an opening bracket or a comma */
	EXPECT_COLON,
	EXPECT_COMMA, /* or a closing bracket; outside of everything, the end */
};

void nx_json_stream_init(struct nx_json_stream *s, nx_json_piece_fn next_piece, void *context)
{
	static const uint8_t nothing[1];

	assert(next_piece);
	memset(s, 0, offsetof(struct nx_json_stream, held));
	s->next_piece = next_piece;
	s->context = context;
	s->piece = s->at = s->end = nothing;
	s->last = NX_TOKEN_WORD;
	s->expected = EXPECT_VALUE;
}

uint64_t nx_json_stream_offset(const struct nx_json_stream *s)
{
	return s->piece_at + (uint64_t)(s->at - s->piece);
}

/* After the last byte of a piece: starts the next one; false at the end. */
static bool refill(struct nx_json_stream *s)
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

/* The next byte, taken; -1 at the end. */
static inline int take(struct nx_json_stream *s)
{
	if (s->at == s->end && !refill(s))
		return -1;
	return *s->at++;
}

static enum nx_json_token stop(struct nx_json_stream *s, enum nx_json_token why)
{
	s->text = (struct nx_slice){0};
	return why;
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
	} while (refill(s));
	return -1;
}

/* The next byte that is not white space, not taken; -1 at the end. */
static inline int peek(struct nx_json_stream *s)
{
	if (s->at<s->end && * s->at> ' ')
		return *s->at;
	return peek_behind_spaces(s);
}

/* --- texts -------------------------------------------------------------- */

/* The length without an incomplete last character. */
static size_t whole_characters(const uint8_t *text, size_t len)
{
	size_t tail = 0;
	size_t need;
	uint8_t lead;

	while (tail < 3 && tail < len && (text[len - 1 - tail] & 0xc0) == 0x80)
		tail++;
	if (tail == len)
		return len;
	lead = text[len - 1 - tail];
	need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	return need > tail + 1 ? len - tail - 1 : len;
}

static void show_text(struct nx_json_stream *s, const uint8_t *text, size_t len)
{
	if (len > NX_JSON_STREAM_TEXT_BYTES) {
		len = NX_JSON_STREAM_TEXT_BYTES;
		s->text_is_short = true;
	}
	if (s->text_is_short)
		len = whole_characters(text, len);
	s->text = nx_slice_of(text, len);
}

static void hold_bytes(struct nx_json_stream *s, const uint8_t *bytes, size_t len)
{
	size_t room = NX_JSON_STREAM_TEXT_BYTES - s->held_len;

	if (s->text_is_short)
		return;
	if (len > room) {
		len = room;
		s->text_is_short = true;
	}
	memcpy(s->held + s->held_len, bytes, len);
	s->held_len += len;
}

static void hold_utf8(struct nx_json_stream *s, uint32_t c)
{
	uint8_t bytes[4];

	hold_bytes(s, bytes, nx_utf8_put(bytes, c));
}

/* A lone half of a pair has no UTF-8. */
static void hold_lone_half(struct nx_json_stream *s)
{
	if (s->high_half)
		hold_utf8(s, 0xfffd);
	s->high_half = 0;
}

static void hold_code_unit(struct nx_json_stream *s, uint32_t unit)
{
	if (s->high_half && unit >= 0xdc00 && unit <= 0xdfff) {
		hold_utf8(s, 0x10000 + ((s->high_half - 0xd800) << 10) + (unit - 0xdc00));
		s->high_half = 0;
		return;
	}
	hold_lone_half(s);
	if (unit >= 0xd800 && unit <= 0xdbff)
		s->high_half = unit;
	else
		hold_utf8(s, unit >= 0xdc00 && unit <= 0xdfff ? 0xfffd : unit);
}

/* A byte that is not a digit stays in the text, after a replacement character. */
static bool hold_hex_escape(struct nx_json_stream *s)
{
	uint32_t unit = 0;

	for (int i = 0; i < 4; i++) {
		int digit;

		if (s->at == s->end && !refill(s))
			return false;
		digit = nx_hex_value(*s->at);
		if (digit < 0) {
			hold_code_unit(s, 0xfffd);
			return true;
		}
		s->at++;
		unit = unit << 4 | (uint32_t)digit;
	}
	hold_code_unit(s, unit);
	return true;
}

static bool hold_escape(struct nx_json_stream *s)
{
	static const uint8_t controls[128] = {
		['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
	int c = take(s);
	uint8_t byte;

	if (c < 0)
		return false;
	if (c == 'u')
		return hold_hex_escape(s);
	byte = c < 128 && controls[c] ? controls[c] : (uint8_t)c;
	hold_lone_half(s);
	hold_bytes(s, &byte, 1);
	return true;
}

static void hold_plain(struct nx_json_stream *s, const uint8_t *end)
{
	if (end > s->at) {
		hold_lone_half(s);
		hold_bytes(s, s->at, (size_t)(end - s->at));
	}
	s->at = end;
}

static bool hold_text(struct nx_json_stream *s)
{
	s->held_len = 0;
	for (;;) {
		hold_plain(s, nx_json_plain_end(s->at, s->end, false));
		if (s->at == s->end) {
			if (!refill(s))
				return false;
		} else if (*s->at == '"') {
			hold_lone_half(s);
			s->at++;
			return true;
		} else if (*s->at == '\\') {
			s->at++;
			if (!hold_escape(s))
				return false;
		} else {
			hold_plain(s, s->at + 1);
		}
	}
}

static enum nx_json_token read_text(struct nx_json_stream *s, enum nx_json_token token)
{
	const uint8_t *start = ++s->at;
	const uint8_t *end = nx_json_plain_end(start, s->end, false);

	s->text_is_short = false;
	if (end < s->end && *end == '"') {
		s->at = end + 1;
		show_text(s, start, (size_t)(end - start));
		return token;
	}
	if (!hold_text(s))
		return stop(s, NX_TOKEN_CUT);
	show_text(s, s->held, s->held_len);
	return token;
}

/* --- numbers and words -------------------------------------------------- */

static const uint8_t *scalar_end(const uint8_t *at, const uint8_t *end)
{
	while (at < end &&
	       ((*at >= '0' && *at <= '9') || ((*at | 0x20) >= 'a' && (*at | 0x20) <= 'z') ||
		*at == '.' || *at == '-' || *at == '+'))
		at++;
	return at;
}

/* False if the text may have been cut inside the scalar. */
static bool hold_scalar(struct nx_json_stream *s)
{
	s->held_len = 0;
	for (;;) {
		hold_plain(s, scalar_end(s->at, s->end));
		if (s->at < s->end)
			return true;
		if (!refill(s))
			return s->depth == 0;
	}
}

static bool is_word(struct nx_slice text)
{
	static const char *const words[] = {"true", "false",	"null", "NaN",
					    "nan",  "Infinity", "inf"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (nx_slice_is(text, words[i]))
			return true;
	return false;
}

static enum nx_json_token read_scalar(struct nx_json_stream *s)
{
	const uint8_t *start = s->at;
	const uint8_t *end = scalar_end(start, s->end);

	s->text_is_short = false;
	if (end == start)
		return stop(s, NX_TOKEN_BROKEN);
	if (end < s->end) {
		s->at = end;
		show_text(s, start, (size_t)(end - start));
	} else if (hold_scalar(s)) {
		show_text(s, s->held, s->held_len);
	} else {
		return stop(s, NX_TOKEN_CUT);
	}
	if (s->text.data[0] == '-' || (s->text.data[0] >= '0' && s->text.data[0] <= '9'))
		return NX_TOKEN_NUMBER;
	return is_word(s->text) ? NX_TOKEN_WORD : stop(s, NX_TOKEN_BROKEN);
}

/* --- structure ---------------------------------------------------------- */

static enum nx_json_token open_container(struct nx_json_stream *s, bool is_object)
{
	if (s->depth == NX_JSON_STREAM_DEPTH)
		return stop(s, NX_TOKEN_BROKEN);
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

static enum nx_json_token read_value(struct nx_json_stream *s, int c)
{
	s->expected = EXPECT_COMMA;
	switch (c) {
	case '{':
		return open_container(s, true);
	case '[':
		return open_container(s, false);
	case '"':
		return read_text(s, NX_TOKEN_TEXT);
	default:
		return read_scalar(s);
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
		return stop(s,
			    s->depth || s->expected == EXPECT_VALUE ? NX_TOKEN_CUT : NX_TOKEN_DONE);
	if (s->depth && (s->expected == EXPECT_ITEM || s->expected == EXPECT_COMMA) &&
	    c == (s->objects & 1 ? '}' : ']')) {
		s->at++;
		return close_container(s);
	}
	if (s->expected == EXPECT_COMMA || s->expected == EXPECT_COLON)
		return stop(s, NX_TOKEN_BROKEN);
	if (s->expected == EXPECT_VALUE || !(s->objects & 1))
		return read_value(s, c);
	if (c != '"')
		return stop(s, NX_TOKEN_BROKEN);
	s->expected = EXPECT_COLON;
	return read_text(s, NX_TOKEN_KEY);
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
			if (!refill(s))
				return false;
			continue;
		}
		switch (*s->at++) {
		case '"':
			return true;
		case '\\':
			if (take(s) < 0)
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
			if (!refill(s))
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
	s->last = skip_container(s) ? close_container(s) : stop(s, NX_TOKEN_CUT);
}
