/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass counts the children of every container, so that the second can put them straight
 * into arrays of the right size. If the text is malformed, the second pass stops before the two
 * could disagree.
 */
#include "base/json_reader.h"
#include "base/bare/text.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "base/vec.h"

#define DEPTH_MAX 128

struct counts NX_VEC_BODY(size_t);

struct parser {
	const uint8_t *start;
	const uint8_t *at;
	const uint8_t *end;
	struct nx_arena *arena;
	struct nx_error *err;
	enum nx_status status;
	struct counts counts; /* children of each container, in order of opening brackets */
	size_t next_container;
	unsigned depth;
};

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static const uint8_t *skip_spaces(const uint8_t *at, const uint8_t *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at;
}

/* The closing quote of the string that begins at at, or the byte where it is cut or invalid. */
static const uint8_t *find_quote(const uint8_t *at, const uint8_t *end, bool *has_escape)
{
	for (;;) {
		at = nx_json_plain_end(at, end, false);
		if (at == end || *at != '\\')
			return at;
		*has_escape = true;
		if (end - at < 2)
			return end;
		at += 2;
	}
}

static void count_children(struct parser *p)
{
	size_t open[DEPTH_MAX];
	size_t depth = 0;
	bool has_escape;

	for (const uint8_t *at = p->at; at < p->end; at++) {
		const uint8_t *next;

		switch (*at) {
		case '"':
			at = find_quote(at + 1, p->end, &has_escape);
			if (at == p->end)
				return;
			break;
		case '[':
		case '{':
			if (depth == DEPTH_MAX)
				return;
			open[depth++] = p->counts.len;
			next = skip_spaces(at + 1, p->end);
			nx_vec_push(&p->counts, next < p->end && *next != ']' && *next != '}');
			break;
		case ']':
		case '}':
			if (!depth)
				return;
			depth--;
			break;
		case ',':
			if (depth)
				p->counts.items[open[depth - 1]]++;
			break;
		default:
			break;
		}
	}
}

static bool fail(struct parser *p, const char *problem)
{
	size_t line = 1;
	const uint8_t *line_start = p->start;

	for (const uint8_t *c = p->start; c < p->at; c++) {
		if (*c == '\n') {
			line++;
			line_start = c + 1;
		}
	}
	p->status = nx_fail(p->err, NX_FORMAT, "invalid JSON at line %zu, column %zu: %s", line,
			    (size_t)(p->at - line_start) + 1,
			    p->at < p->end ? problem : "the text ends too early");
	return false;
}

static bool read_hex4(const uint8_t *at, const uint8_t *end, uint32_t *value)
{
	uint32_t v = 0;

	if (end - at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int digit = nx_hex_value(at[i]);

		if (digit < 0)
			return false;
		v = v << 4 | (uint32_t)digit;
	}
	*value = v;
	return true;
}

/* The four digits at p->at and, for the first half of a pair, the second \uXXXX.
 * Halves that stand alone become U+FFFD, as they have no UTF-8. */
static bool read_code_point(struct parser *p, const uint8_t *end, uint32_t *c)
{
	uint32_t low;

	if (!read_hex4(p->at, end, c))
		return fail(p, "\\u needs four hexadecimal digits");
	p->at += 4;
	if (*c < 0xd800 || *c > 0xdfff)
		return true;
	if (*c < 0xdc00 && end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u' &&
	    read_hex4(p->at + 2, end, &low) && low >= 0xdc00 && low <= 0xdfff) {
		*c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
		p->at += 6;
		return true;
	}
	*c = 0xfffd;
	return true;
}

static bool read_escape(struct parser *p, const uint8_t *end, uint8_t **out)
{
	static const char plain[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
					['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
	uint8_t letter = p->at[1];
	uint32_t c;

	if (letter == 'u') {
		p->at += 2;
		if (!read_code_point(p, end, &c))
			return false;
		*out += nx_utf8_put(*out, c);
		return true;
	}
	if (letter >= 128 || !plain[letter])
		return fail(p, "unknown escape behind a backslash");
	*(*out)++ = (uint8_t)plain[letter];
	p->at += 2;
	return true;
}

/* An escape is never shorter than its character, so the raw length is enough room. */
static bool decode_text(struct parser *p, const uint8_t *end, struct nx_slice *text)
{
	uint8_t *start = nx_arena_alloc(p->arena, (size_t)(end - p->at));
	uint8_t *out = start;

	while (p->at < end) {
		const uint8_t *plain_end = nx_json_plain_end(p->at, end, false);

		memcpy(out, p->at, (size_t)(plain_end - p->at));
		out += plain_end - p->at;
		p->at = plain_end;
		if (p->at < end && !read_escape(p, end, &out))
			return false;
	}
	*text = nx_slice_of(start, (size_t)(out - start));
	return true;
}

static bool parse_text(struct parser *p, struct nx_slice *text)
{
	bool has_escape = false;
	const uint8_t *end;

	p->at++;
	end = find_quote(p->at, p->end, &has_escape);
	if (end == p->end || *end != '"') {
		p->at = end;
		return fail(p, "a control character inside a string must be escaped");
	}
	if (has_escape) {
		if (!decode_text(p, end, text))
			return false;
	} else {
		*text = nx_slice_of(p->at, (size_t)(end - p->at));
	}
	p->at = end + 1;
	return true;
}

static bool skip_digits(struct parser *p)
{
	const uint8_t *first = p->at;

	while (p->at < p->end && is_digit(*p->at))
		p->at++;
	return p->at > first || fail(p, "a number needs a digit here");
}

static bool parse_number(struct parser *p, struct nx_json *out)
{
	const uint8_t *first = p->at;

	if (*p->at == '-')
		p->at++;
	if (p->at < p->end && *p->at == '0')
		p->at++;
	else if (!skip_digits(p))
		return false;
	if (p->at < p->end && *p->at == '.') {
		p->at++;
		if (!skip_digits(p))
			return false;
	}
	if (p->at < p->end && (*p->at | 0x20) == 'e') {
		p->at++;
		if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
			p->at++;
		if (!skip_digits(p))
			return false;
	}
	out->kind = NX_JSON_NUMBER;
	out->text = nx_slice_of(first, (size_t)(p->at - first));
	return true;
}

static bool parse_word(struct parser *p, struct nx_json *out, enum nx_json_kind kind,
		       const char *word)
{
	size_t len = strlen(word);

	if (!nx_slice_starts(nx_slice_of(p->at, (size_t)(p->end - p->at)), word))
		return fail(p, "a value was expected");
	out->kind = kind;
	if (kind == NX_JSON_BOOL)
		out->text = nx_slice_of(p->at, len);
	p->at += len;
	return true;
}

static bool parse_value(struct parser *p, struct nx_json *out);

static bool parse_key(struct parser *p, struct nx_slice *key)
{
	if (p->at == p->end || *p->at != '"')
		return fail(p, "the name of a member, in quotes, was expected");
	if (!parse_text(p, key))
		return false;
	p->at = skip_spaces(p->at, p->end);
	if (p->at == p->end || *p->at != ':')
		return fail(p, "a ':' was expected behind the name of a member");
	p->at = skip_spaces(p->at + 1, p->end);
	return true;
}

/* Fills the children between the brackets; p->at is after the opening one. */
static bool parse_children(struct parser *p, struct nx_json *out, size_t count, uint8_t closing)
{
	p->at = skip_spaces(p->at, p->end);
	if (p->at < p->end && *p->at == closing) {
		p->at++;
		return true;
	}
	out->children = NX_NEW_ARRAY(p->arena, struct nx_json, count);
	for (;;) {
		struct nx_json *child = &out->children[out->count];

		if (out->count == count)
			return fail(p, "a value was expected");
		if (closing == '}' && !parse_key(p, &child->key))
			return false;
		if (!parse_value(p, child))
			return false;
		out->count++;
		p->at = skip_spaces(p->at, p->end);
		if (p->at < p->end && *p->at == closing)
			break;
		if (p->at == p->end || *p->at != ',')
			return fail(p, closing == '}' ? "a ',' or '}' was expected"
						      : "a ',' or ']' was expected");
		p->at = skip_spaces(p->at + 1, p->end);
	}
	p->at++;
	return true;
}

static bool parse_container(struct parser *p, struct nx_json *out)
{
	bool is_object = *p->at == '{';
	bool ok;

	if (p->depth == DEPTH_MAX || p->next_container == p->counts.len)
		return fail(p, "values are nested more than 128 deep");
	p->depth++;
	p->at++;
	out->kind = is_object ? NX_JSON_OBJECT : NX_JSON_ARRAY;
	ok = parse_children(p, out, p->counts.items[p->next_container++], is_object ? '}' : ']');
	p->depth--;
	return ok;
}

static bool parse_value(struct parser *p, struct nx_json *out)
{
	if (p->at == p->end)
		return fail(p, "");
	switch (*p->at) {
	case '{':
	case '[':
		return parse_container(p, out);
	case '"':
		out->kind = NX_JSON_TEXT;
		return parse_text(p, &out->text);
	case 't':
		return parse_word(p, out, NX_JSON_BOOL, "true");
	case 'f':
		return parse_word(p, out, NX_JSON_BOOL, "false");
	case 'n':
		return parse_word(p, out, NX_JSON_NULL, "null");
	default:
		if (*p->at == '-' || is_digit(*p->at))
			return parse_number(p, out);
		return fail(p, "a value was expected");
	}
}

enum nx_status nx_json_parse(struct nx_slice input, struct nx_arena *arena, struct nx_json **root,
			     struct nx_error *err)
{
	struct parser p = {.arena = arena, .err = err};

	if (!input.len)
		input = nx_slice_text("");
	p.start = input.data;
	p.end = input.data + input.len;
	p.at = skip_spaces(p.start, p.end);
	count_children(&p);
	*root = NX_NEW(arena, struct nx_json);
	if (parse_value(&p, *root)) {
		p.at = skip_spaces(p.at, p.end);
		if (p.at < p.end)
			fail(&p, "more text follows behind the end of the value");
	}
	nx_vec_release(&p.counts);
	if (p.status)
		*root = NULL;
	return p.status;
}
