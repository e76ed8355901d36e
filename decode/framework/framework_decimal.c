/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/framework/framework_decimal.h"

/* Exponents beyond this overflow or vanish all the same; the clamp keeps sums in range. */
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

/* "e-3" at *at; nothing there is fine. */
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
