/* SPDX-License-Identifier: Apache-2.0 */
/* The accessors of json_reader.h: members by name, and numbers from their text. */
#include "base/json_reader.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIGNIFICANT_DIGITS_MAX 800

const struct nx_json *nx_json_get(const struct nx_json *object, const char *key)
{
	size_t len = strlen(key);

	if (!object || object->kind != NX_JSON_OBJECT)
		return NULL;
	for (size_t i = object->count; i-- > 0;) {
		const struct nx_json *child = &object->children[i];

		if (child->key.len == len && memcmp(child->key.data, key, len) == 0)
			return child;
	}
	return NULL;
}

struct nx_slice nx_json_as_slice(const struct nx_json *value)
{
	if (!value || value->kind != NX_JSON_TEXT)
		return nx_slice_text("");
	return value->text;
}

const char *nx_json_as_text(const struct nx_json *value, struct nx_arena *arena,
			    const char *fallback)
{
	if (!value || value->kind != NX_JSON_TEXT)
		return fallback;
	return nx_arena_copy(arena, value->text);
}

/* digits * 10^exponent, without a point, because strtod expects the point of its locale. No value
 * half-way between two doubles has as many digits as the limit: the rest only means "a bit more".
 */
struct number {
	char digits[SIGNIFICANT_DIGITS_MAX + 1];
	size_t count;
	int64_t exponent;
	bool negative;
	bool is_integer; /* has neither point nor exponent */
};

static void add_digit(struct number *n, uint8_t digit, bool behind_point)
{
	if (behind_point)
		n->exponent--;
	if (!n->count && digit == '0')
		return;
	if (n->count < SIGNIFICANT_DIGITS_MAX) {
		n->digits[n->count++] = (char)digit;
		return;
	}
	n->exponent++;
	if (digit != '0' && n->digits[SIGNIFICANT_DIGITS_MAX - 1] == '0')
		n->digits[SIGNIFICANT_DIGITS_MAX - 1] = '1';
}

static int64_t read_exponent(struct nx_slice text, size_t i)
{
	const int64_t huge = INT64_C(1) << 56;
	int64_t value = 0;
	bool negative = text.data[i] == '-';

	if (text.data[i] == '-' || text.data[i] == '+')
		i++;
	for (; i < text.len && value < huge / 16; i++)
		value = value * 10 + (text.data[i] - '0');
	return negative ? -value : value;
}

static void split_number(struct nx_slice text, struct number *n)
{
	size_t i = text.data[0] == '-';

	n->count = 0;
	n->exponent = 0;
	n->negative = i == 1;
	n->is_integer = true;
	for (; i < text.len && (text.data[i] | 0x20) != 'e'; i++) {
		if (text.data[i] == '.')
			n->is_integer = false;
		else
			add_digit(n, text.data[i], !n->is_integer);
	}
	if (i < text.len) {
		n->is_integer = false;
		n->exponent += read_exponent(text, i + 1);
	}
	n->digits[n->count] = '\0';
}

/* The digits as an integer; false when they do not fit. */
static bool read_digits(const struct number *n, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < n->count; i++) {
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(n->digits[i] - '0'), value))
			return false;
	}
	return true;
}

static double to_f64(const struct number *n)
{
	static const double tens[] = {1e0,  1e1,  1e2,	1e3,  1e4,  1e5,  1e6,	1e7,
				      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	char text[SIGNIFICANT_DIGITS_MAX + 32];
	uint64_t digits;
	double magnitude;

	if (!n->count) {
		magnitude = 0;
	} else if (read_digits(n, &digits) && digits <= UINT64_C(1) << 53 && n->exponent >= -22 &&
		   n->exponent <= 22) {
		/* Both operands are exact, so that one division or product rounds correctly. */
		magnitude = n->exponent < 0 ? (double)digits / tens[-n->exponent]
					    : (double)digits * tens[n->exponent];
	} else {
		snprintf(text, sizeof(text), "%se%" PRId64, n->digits, n->exponent);
		magnitude = strtod(text, NULL);
	}
	return n->negative ? -magnitude : magnitude;
}

double nx_json_as_f64(const struct nx_json *value, double fallback)
{
	struct number n;
	double result;

	if (!value || value->kind != NX_JSON_NUMBER)
		return fallback;
	split_number(value->text, &n);
	result = to_f64(&n);
	return isfinite(result) ? result : fallback;
}

/* The magnitude of a number that is an integer. */
static bool read_integer(const struct nx_json *value, uint64_t *magnitude, bool *negative)
{
	struct number n;
	double d;

	if (!value || value->kind != NX_JSON_NUMBER)
		return false;
	split_number(value->text, &n);
	*negative = n.negative;
	if (n.is_integer)
		return read_digits(&n, magnitude);
	d = fabs(to_f64(&n));
	if (!(d < 0x1p64))
		return false;
	*magnitude = (uint64_t)d;
	return d == (double)*magnitude;
}

uint64_t nx_json_as_u64(const struct nx_json *value, uint64_t fallback)
{
	uint64_t magnitude;
	bool negative;

	if (!read_integer(value, &magnitude, &negative) || (negative && magnitude))
		return fallback;
	return magnitude;
}

int64_t nx_json_as_i64(const struct nx_json *value, int64_t fallback)
{
	uint64_t magnitude;
	bool negative;

	if (!read_integer(value, &magnitude, &negative))
		return fallback;
	if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return fallback;
	return negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
}
