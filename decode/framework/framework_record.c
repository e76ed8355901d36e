/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/framework/framework_record.h"

#include <assert.h>

#include "base/bare/text.h"
#include "base/map.h"

#define NS_DIGITS 3 /* from microseconds */
#define HASH_BIT (UINT64_C(1) << 63)

/* Larger exponents overflow or vanish anyway; the clamp keeps sums in range. */
#define EXPONENT_MAX 1000000

struct parts {
	struct nx_slice digits; /* with the point in between, if there is one */
	size_t whole_count;	/* digits before the point */
	int64_t exponent;
	bool is_negative;
};

static size_t digits_end(struct nx_slice text, size_t at)
{
	while (at < text.len && text.data[at] >= '0' && text.data[at] <= '9')
		at++;
	return at;
}

/* An optional "e-3" at *at. */
static bool split_exponent(struct nx_slice text, size_t *at, int64_t *exponent)
{
	bool is_negative = false;
	size_t end;

	*exponent = 0;
	if (*at == text.len || (text.data[*at] | 0x20) != 'e')
		return true;
	++*at;
	if (*at < text.len && (text.data[*at] == '-' || text.data[*at] == '+'))
		is_negative = text.data[(*at)++] == '-';
	end = digits_end(text, *at);
	if (end == *at)
		return false;
	for (; *at < end; ++*at)
		if (*exponent < EXPONENT_MAX)
			*exponent = *exponent * 10 + (text.data[*at] - '0');
	if (is_negative)
		*exponent = -*exponent;
	return true;
}

static bool split(struct nx_slice text, struct parts *parts)
{
	size_t start, at;

	parts->is_negative = text.len && text.data[0] == '-';
	start = parts->is_negative;
	at = digits_end(text, start);
	parts->whole_count = at - start;
	if (!parts->whole_count)
		return false;
	if (at < text.len && text.data[at] == '.') {
		size_t end = digits_end(text, at + 1);

		if (end == at + 1)
			return false;
		at = end;
	}
	parts->digits = nx_slice_part(text, start, at - start);
	return split_exponent(text, &at, &parts->exponent) && at == text.len;
}

static bool append_digit(uint64_t *value, unsigned digit)
{
	return !__builtin_mul_overflow(*value, 10, value) &&
	       !__builtin_add_overflow(*value, digit, value);
}

bool nx_decimal_parse(struct nx_slice text, int digits, struct nx_decimal *out)
{
	struct parts parts;
	bool drops_something = false;
	int64_t keep; /* digits before the new point */

	*out = (struct nx_decimal){0};
	if (!split(text, &parts))
		return false;
	keep = (int64_t)parts.whole_count + parts.exponent + digits;
	for (size_t i = 0; i < parts.digits.len; i++) {
		if (parts.digits.data[i] == '.')
			continue;
		if (keep-- <= 0)
			drops_something |= parts.digits.data[i] != '0';
		else if (!append_digit(&out->magnitude, (unsigned)(parts.digits.data[i] - '0')))
			return false;
	}
	for (; keep > 0 && out->magnitude; keep--)
		if (!append_digit(&out->magnitude, 0))
			return false;
	out->is_negative = parts.is_negative;
	return !(parts.is_negative && drops_something) || ++out->magnitude;
}

bool nx_decimal_add(uint64_t base, struct nx_decimal number, uint64_t *sum)
{
	if (number.is_negative)
		return !__builtin_sub_overflow(base, number.magnitude, sum);
	return !__builtin_add_overflow(base, number.magnitude, sum);
}

/* --- fields ------------------------------------------------------------------ */

enum field {
	FIELD_PHASE,
	FIELD_NAME,
	FIELD_CATEGORY,
	FIELD_TIME,
	FIELD_DURATION,
	FIELD_PID,
	FIELD_THREAD,
	FIELD_ID,
	FIELD_FLOW,
	FIELD_SCOPE,
	FIELD_ARGUMENTS,
	FIELD_SCOPED_ID,
	FIELD_COUNT,
};

static enum field field_of(struct nx_slice key)
{
	static const struct {
		char key[8];
		uint8_t len;
	} keys[FIELD_COUNT] = {
		[FIELD_PHASE] = {"ph", 2},	 [FIELD_NAME] = {"name", 4},
		[FIELD_CATEGORY] = {"cat", 3},	 [FIELD_TIME] = {"ts", 2},
		[FIELD_DURATION] = {"dur", 3},	 [FIELD_PID] = {"pid", 3},
		[FIELD_THREAD] = {"tid", 3},	 [FIELD_ID] = {"id", 2},
		[FIELD_FLOW] = {"bind_id", 7},	 [FIELD_SCOPE] = {"scope", 5},
		[FIELD_ARGUMENTS] = {"args", 4}, [FIELD_SCOPED_ID] = {"id2", 3},
	};

	for (unsigned i = 0; i < FIELD_COUNT; i++)
		if (key.len == keys[i].len && memcmp(key.data, keys[i].key, key.len) == 0)
			return (enum field)i;
	return FIELD_COUNT;
}

static void copy_text(struct nx_framework_text *to, struct nx_slice from)
{
	to->len = from.len;
	memcpy(to->bytes, from.data, from.len);
}

static bool parse_hexadecimal(struct nx_slice text, uint64_t *value)
{
	*value = 0;
	if (text.len < 3 || text.len > 18 || text.data[0] != '0' || (text.data[1] | 0x20) != 'x')
		return false;
	for (size_t i = 2; i < text.len; i++) {
		int digit = nx_hex_value(text.data[i]);

		if (digit < 0)
			return false;
		*value = *value << 4 | (uint64_t)digit;
	}
	return true;
}

/* Writers spell the same id as 7, "7" and "0x7". False for a text that is not a number. */
static bool parse_id(struct nx_slice text, uint64_t *value)
{
	struct nx_decimal number;

	if (nx_decimal_parse(text, 0, &number)) {
		*value = number.is_negative ? -number.magnitude : number.magnitude;
		return true;
	}
	if (parse_hexadecimal(text, value))
		return true;
	*value = nx_fnv1a(NX_FNV_SEED, text.data, text.len) | HASH_BIT;
	return false;
}

/* NX_FRAMEWORK_NO_STREAM if the text is not a number of a stream. */
static uint32_t stream_number(struct nx_slice text)
{
	struct nx_decimal number;

	return nx_decimal_parse(text, 0, &number) && !number.is_negative &&
			       number.magnitude < NX_FRAMEWORK_NO_STREAM
		       ? (uint32_t)number.magnitude
		       : NX_FRAMEWORK_NO_STREAM;
}

uint32_t nx_framework_stream_of(struct nx_slice text)
{
	while (text.len && text.data[text.len - 1] == ' ')
		text.len--;
	while (text.len && text.data[0] == ' ')
		text = nx_slice_part(text, 1, text.len);
	if (!nx_slice_starts(text, "stream "))
		return NX_FRAMEWORK_NO_STREAM;
	return stream_number(nx_slice_part(text, strlen("stream "), text.len));
}

static void set_field(struct nx_framework_record *r, enum field field, struct nx_slice text)
{
	switch (field) {
	case FIELD_PHASE:
		r->phase = text.len == 1 ? (char)text.data[0] : '\0';
		break;
	case FIELD_NAME:
		copy_text(&r->name, text);
		r->has_name = true;
		break;
	case FIELD_CATEGORY:
		copy_text(&r->category, text);
		break;
	case FIELD_TIME:
		r->has_time = nx_decimal_parse(text, NS_DIGITS, &r->time_ns);
		break;
	case FIELD_DURATION:
		r->has_duration = nx_decimal_parse(text, NS_DIGITS, &r->duration_ns);
		break;
	case FIELD_PID:
		parse_id(text, &r->pid);
		break;
	case FIELD_THREAD:
		r->thread.len = 0;
		r->thread_stream = NX_FRAMEWORK_NO_STREAM;
		if (parse_id(text, &r->thread_id))
			break;
		r->thread_stream = nx_framework_stream_of(text);
		if (r->thread_stream == NX_FRAMEWORK_NO_STREAM)
			copy_text(&r->thread, text);
		break;
	case FIELD_ID:
		parse_id(text, &r->id);
		break;
	case FIELD_FLOW:
		parse_id(text, &r->flow);
		r->has_flow = true;
		break;
	case FIELD_SCOPE:
		copy_text(&r->scope, text);
		break;
	default:
		break;
	}
}

/* The scalar after a key, or false with the value read past. */
static bool read_scalar(struct nx_json_stream *s)
{
	enum nx_json_token token = nx_json_stream_next(s);

	if (token == NX_TOKEN_OBJECT || token == NX_TOKEN_ARRAY)
		nx_json_stream_skip(s);
	/* Half a number is another number; half a text is still worth reading. */
	return token == NX_TOKEN_TEXT || (token == NX_TOKEN_NUMBER && !s->text_is_short);
}

static void read_argument(struct nx_json_stream *s, struct nx_framework_record *r)
{
	bool is_step = nx_slice_is(s->text, "step_num"), is_name = nx_slice_is(s->text, "name");
	struct nx_decimal number;
	uint32_t stream_id;

	if (!is_step && !is_name && !nx_slice_is(s->text, "stream")) {
		nx_json_stream_skip(s);
		return;
	}
	if (!read_scalar(s))
		return;
	if (is_step) {
		r->has_step = nx_decimal_parse(s->text, 0, &number) && !number.is_negative;
		r->step_num = number.magnitude;
	} else if (is_name) {
		copy_text(&r->label, s->text);
	} else {
		stream_id = stream_number(s->text);
		if (stream_id != NX_FRAMEWORK_NO_STREAM)
			r->stream_id = stream_id;
	}
}

static void read_scoped_id(struct nx_json_stream *s, struct nx_framework_record *r)
{
	bool is_local = nx_slice_is(s->text, "local");

	if (read_scalar(s)) {
		parse_id(s->text, &r->id);
		r->id_is_local = is_local;
	}
}

static void read_object(struct nx_json_stream *s, struct nx_framework_record *r,
			void (*read)(struct nx_json_stream *s, struct nx_framework_record *r))
{
	enum nx_json_token token = nx_json_stream_next(s);

	if (token == NX_TOKEN_ARRAY)
		nx_json_stream_skip(s);
	if (token != NX_TOKEN_OBJECT)
		return;
	while (nx_json_stream_next(s) == NX_TOKEN_KEY)
		read(s, r);
}

static void read_member(struct nx_json_stream *s, struct nx_framework_record *r)
{
	enum field field = field_of(s->text);

	if (field == FIELD_COUNT)
		nx_json_stream_skip(s);
	else if (field == FIELD_ARGUMENTS)
		read_object(s, r, read_argument);
	else if (field == FIELD_SCOPED_ID)
		read_object(s, r, read_scoped_id);
	else if (read_scalar(s))
		set_field(r, field, s->text);
}

bool nx_framework_record_read(struct nx_json_stream *s, struct nx_framework_record *r)
{
	enum nx_json_token token;

	assert(s->last == NX_TOKEN_OBJECT);
	/* Not a whole assignment: the texts are large, and their lengths say what counts. */
	memset(r, 0, offsetof(struct nx_framework_record, name));
	r->name.len = r->category.len = r->scope.len = r->label.len = r->thread.len = 0;
	r->stream_id = r->thread_stream = NX_FRAMEWORK_NO_STREAM;
	r->is_empty = true;
	while ((token = nx_json_stream_next(s)) == NX_TOKEN_KEY) {
		r->is_empty = false;
		read_member(s, r);
	}
	if (r->thread_stream != NX_FRAMEWORK_NO_STREAM) {
		r->thread_id = r->thread_stream;
		if (r->stream_id == NX_FRAMEWORK_NO_STREAM)
			r->stream_id = r->thread_stream;
	}
	return token == NX_TOKEN_OBJECT_END;
}
