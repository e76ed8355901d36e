/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_writer.h"
#include "base/bare/text.h"
#include "base/json_text.h"
#include "base/number.h"
#include "base/utf8.h"
#include <assert.h>

/* Text is escaped in pieces, so that the worst case (six bytes for one) of a
 * piece fits the output's buffer. */
#define PIECE_BYTES ((size_t)4096)
#define ESCAPED_MAX(len) (6 * ((len) + 4))
/* comma, line break and indent before an item; quotes, colon and space around a key */
#define FRAME_MAX (2 * NX_JSON_MAX_DEPTH + 8)

void nx_json_init_output(struct nx_json_writer *w, struct nx_output *out, bool pretty)
{
	assert(out);
	*w = (struct nx_json_writer){.out = out, .pretty = pretty};
}

void nx_json_init_bytes(struct nx_json_writer *w, struct nx_bytes *bytes, bool pretty)
{
	assert(bytes);
	*w = (struct nx_json_writer){.bytes = bytes, .pretty = pretty};
}

/* Room for need bytes at the end of the text; finish() takes the used part. */
static inline uint8_t *room(struct nx_json_writer *w, size_t need)
{
	if (w->out)
		return nx_output_reserve(w->out, need);
	nx_vec_reserve(w->bytes, w->bytes->len + need);
	return w->bytes->items + w->bytes->len;
}

static inline void finish(struct nx_json_writer *w, const uint8_t *end)
{
	if (w->out)
		nx_output_advance(w->out, (size_t)(end - (w->out->buffer + w->out->used)));
	else
		w->bytes->len = (size_t)(end - w->bytes->items);
}

static uint8_t *put_line_break(uint8_t *p, unsigned depth)
{
	*p++ = '\n';
	memset(p, ' ', 2 * (size_t)depth);
	return p + 2 * (size_t)depth;
}

static_assert(FRAME_MAX + ESCAPED_MAX(PIECE_BYTES) <= NX_OUTPUT_BUFFER_BYTES, "a piece fits");

/* Writes the separator before an item; room for need bytes follows. */
static inline uint8_t *begin_item(struct nx_json_writer *w, size_t need)
{
	uint8_t *p = room(w, FRAME_MAX + need);

	if (w->after_key) {
		w->after_key = false;
		return p;
	}
	if (!w->depth)
		return p;
	if (w->has_item[w->depth - 1])
		*p++ = ',';
	w->has_item[w->depth - 1] = true;
	return w->pretty ? put_line_break(p, w->depth) : p;
}

static void open_container(struct nx_json_writer *w, char bracket)
{
	uint8_t *p = begin_item(w, 1);

	assert(w->depth < NX_JSON_MAX_DEPTH);
	*p++ = (uint8_t)bracket;
	w->has_item[w->depth++] = false;
	finish(w, p);
}

static void close_container(struct nx_json_writer *w, char bracket)
{
	uint8_t *p = room(w, FRAME_MAX);

	assert(w->depth > 0 && !w->after_key);
	w->depth--;
	if (w->pretty && w->has_item[w->depth])
		p = put_line_break(p, w->depth);
	*p++ = (uint8_t)bracket;
	finish(w, p);
}

void nx_json_begin_object(struct nx_json_writer *w)
{
	open_container(w, '{');
}

void nx_json_end_object(struct nx_json_writer *w)
{
	close_container(w, '}');
}

void nx_json_begin_array(struct nx_json_writer *w)
{
	open_container(w, '[');
}

void nx_json_end_array(struct nx_json_writer *w)
{
	close_container(w, ']');
}

static uint8_t *put_escape(uint8_t *p, uint8_t byte)
{
	static const char letters[0x20] = {
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};

	*p++ = '\\';
	if (byte >= 0x20) {
		*p++ = byte;
	} else if (letters[byte]) {
		*p++ = (uint8_t)letters[byte];
	} else {
		memcpy(p, "u00", 3);
		nx_hex_encode((char *)p + 3, nx_slice_of(&byte, 1));
		p += 5;
	}
	return p;
}

/* Escapes from at to soft_end; a sequence that begins before it may end after it. */
static uint8_t *put_piece(uint8_t *p, const uint8_t **at, const uint8_t *soft_end,
			  const uint8_t *end)
{
	const uint8_t *c = *at;

	while (c < soft_end) {
		const uint8_t *plain_end = nx_json_plain_end(c, soft_end, true);
		size_t len = (size_t)(plain_end - c);

		memcpy(p, c, len);
		p += len;
		c = plain_end;
		if (c == soft_end)
			break;
		if (*c < 0x80) {
			p = put_escape(p, *c++);
			continue;
		}
		len = nx_utf8_length(c, end);
		memcpy(p, len ? (const void *)c : "\xef\xbf\xbd", len ? len : 3);
		p += len ? len : 3;
		c += len ? len : 1;
	}
	*at = c;
	return p;
}

static inline size_t piece_of(size_t len)
{
	return len < PIECE_BYTES ? len : PIECE_BYTES;
}

/* Quoted text at p, which has room for the first piece; returns the new end. */
static uint8_t *put_quoted(struct nx_json_writer *w, uint8_t *p, struct nx_slice text)
{
	const uint8_t *at = text.data;
	const uint8_t *end = at + text.len;

	*p++ = '"';
	p = put_piece(p, &at, at + piece_of(text.len), end);
	while (at < end) {
		size_t len = piece_of((size_t)(end - at));

		finish(w, p);
		p = room(w, FRAME_MAX + ESCAPED_MAX(len));
		p = put_piece(p, &at, at + len, end);
	}
	*p++ = '"';
	return p;
}

void nx_json_key_slice(struct nx_json_writer *w, struct nx_slice key)
{
	uint8_t *p;

	assert(w->depth > 0 && !w->after_key);
	p = begin_item(w, ESCAPED_MAX(piece_of(key.len)));
	p = put_quoted(w, p, key);
	*p++ = ':';
	if (w->pretty)
		*p++ = ' ';
	w->after_key = true;
	finish(w, p);
}

void nx_json_key(struct nx_json_writer *w, const char *key)
{
	nx_json_key_slice(w, nx_slice_text(key));
}

void nx_json_slice(struct nx_json_writer *w, struct nx_slice text)
{
	uint8_t *p;

	if (!text.len)
		text = nx_slice_text("");
	p = begin_item(w, ESCAPED_MAX(piece_of(text.len)));
	finish(w, put_quoted(w, p, text));
}

void nx_json_text(struct nx_json_writer *w, const char *text)
{
	nx_json_slice(w, nx_slice_text(text));
}

void nx_json_u64(struct nx_json_writer *w, uint64_t value)
{
	uint8_t *p = begin_item(w, NX_NUMBER_MAX);

	finish(w, p + nx_format_u64((char *)p, value));
}

void nx_json_i64(struct nx_json_writer *w, int64_t value)
{
	uint8_t *p = begin_item(w, NX_NUMBER_MAX);

	finish(w, p + nx_format_i64((char *)p, value));
}

void nx_json_f64(struct nx_json_writer *w, double value)
{
	uint8_t *p = begin_item(w, NX_NUMBER_MAX);

	finish(w, p + nx_format_f64((char *)p, value));
}

void nx_json_f32(struct nx_json_writer *w, float value)
{
	uint8_t *p = begin_item(w, NX_NUMBER_MAX);

	finish(w, p + nx_format_f32((char *)p, value));
}

void nx_json_digits(struct nx_json_writer *w, struct nx_slice digits)
{
	uint8_t *p = begin_item(w, digits.len);

	memcpy(p, digits.data, digits.len);
	finish(w, p + digits.len);
}

void nx_json_bool(struct nx_json_writer *w, bool value)
{
	nx_json_digits(w, nx_slice_text(value ? "true" : "false"));
}

void nx_json_null(struct nx_json_writer *w)
{
	nx_json_digits(w, nx_slice_text("null"));
}

void nx_json_raw_members(struct nx_json_writer *w, struct nx_slice members)
{
	assert(!w->pretty && w->depth > 0 && !w->after_key);
	if (!members.len)
		return;
	finish(w, begin_item(w, 0));
	if (w->out)
		nx_output_write(w->out, members.data, members.len);
	else
		nx_bytes_append(w->bytes, members.data, members.len);
}
