/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A token that lies in one piece is borrowed from it; only what straddles two
 * pieces or has escapes is put together in `held`. A borrowed text must not be
 * followed by a refill in the same call, which is why the colon behind a key is
 * left to the call after it.
 */
#include "base/bare/text.h"
#include "base/json_stream_inside.h"
#include "base/json_text.h"

/* Where the last whole character of a text that was cut ends. */
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
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = len; i-- > 1; c >>= 6)
		bytes[i] = (uint8_t)(0x80 | (c & 0x3f));
	bytes[0] = (uint8_t)(lead[len] | c);
	hold_bytes(s, bytes, len);
}

/* Half of a pair that stands alone has no UTF-8. */
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

/* What is not a digit stays in the text, after a replacement character. */
static bool hold_hex_escape(struct nx_json_stream *s)
{
	uint32_t unit = 0;

	for (int i = 0; i < 4; i++) {
		int digit;

		if (s->at == s->end && !nx_json_stream_refill(s))
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
	int c = nx_json_stream_take(s);
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
			if (!nx_json_stream_refill(s))
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

enum nx_json_token nx_json_stream_read_text(struct nx_json_stream *s, enum nx_json_token token)
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
		return nx_json_stream_stop(s, NX_TOKEN_CUT);
	show_text(s, s->held, s->held_len);
	return token;
}

/* --- numbers and words -------------------------------------------------- */

static bool is_scalar_byte(uint8_t c)
{
	uint8_t lower = c | 0x20;

	return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z') || c == '.' || c == '-' ||
	       c == '+';
}

static const uint8_t *scalar_end(const uint8_t *at, const uint8_t *end)
{
	while (at < end && is_scalar_byte(*at))
		at++;
	return at;
}

/* False when the text ends before the scalar does, as far as one can know. */
static bool hold_scalar(struct nx_json_stream *s)
{
	s->held_len = 0;
	for (;;) {
		hold_plain(s, scalar_end(s->at, s->end));
		if (s->at < s->end)
			return true;
		if (!nx_json_stream_refill(s))
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

enum nx_json_token nx_json_stream_read_scalar(struct nx_json_stream *s)
{
	const uint8_t *start = s->at;
	const uint8_t *end = scalar_end(start, s->end);

	s->text_is_short = false;
	if (end == start)
		return nx_json_stream_stop(s, NX_TOKEN_BROKEN);
	if (end < s->end) {
		s->at = end;
		show_text(s, start, (size_t)(end - start));
	} else if (hold_scalar(s)) {
		show_text(s, s->held, s->held_len);
	} else {
		return nx_json_stream_stop(s, NX_TOKEN_CUT);
	}
	if (s->text.data[0] == '-' || (s->text.data[0] >= '0' && s->text.data[0] <= '9'))
		return NX_TOKEN_NUMBER;
	return is_word(s->text) ? NX_TOKEN_WORD : nx_json_stream_stop(s, NX_TOKEN_BROKEN);
}
