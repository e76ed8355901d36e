/* SPDX-License-Identifier: Apache-2.0 */
#include "query/time_range.h"

#include <assert.h>

#include "base/bare/slice.h"

static const struct {
	const char *name;
	unsigned digits; /* after the point, down to a nanosecond */
} units[] = {{"", 0}, {"ns", 0}, {"us", 3}, {"µs", 3}, {"μs", 3}, {"ms", 6}, {"s", 9}};

#define UNIT_COUNT (sizeof(units) / sizeof(units[0]))

struct reading { /* of a number without its sign */
	uint64_t value;
	bool overflows;
};

static void take_digit(struct reading *r, unsigned digit)
{
	assert(digit < 10);
	r->overflows = r->overflows || __builtin_mul_overflow(r->value, 10u, &r->value) ||
		       __builtin_add_overflow(r->value, digit, &r->value);
}

/* The digits after the point as nanoseconds; false if some are finer. */
static bool take_fraction(struct reading *r, struct nx_slice fraction, unsigned digits)
{
	bool is_whole = true;

	for (size_t i = 0; i < digits; i++)
		take_digit(r, i < fraction.len ? (unsigned)(fraction.data[i] - '0') : 0);
	for (size_t i = digits; i < fraction.len; i++)
		is_whole = is_whole && fraction.data[i] == '0';
	return is_whole;
}

enum nx_status nx_time_parse(const char *text, int64_t *time_ns, struct nx_error *err)
{
	bool is_negative = *text == '-';
	const char *whole = text + is_negative;
	size_t whole_len = strspn(whole, "0123456789");
	const char *fraction = whole + whole_len + (whole[whole_len] == '.');
	size_t fraction_len = whole[whole_len] == '.' ? strspn(fraction, "0123456789") : 0;
	struct reading r = {0};
	size_t unit = 0;

	*time_ns = 0;
	while (unit < UNIT_COUNT && strcmp(units[unit].name, fraction + fraction_len) != 0)
		unit++;
	if (!whole_len || (whole[whole_len] == '.' && !fraction_len) || unit == UNIT_COUNT)
		return nx_fail(err, NX_USAGE,
			       "'%.100s' is not a time; write nanoseconds (1500) or a unit: 20us, "
			       "1.5ms, 3s",
			       text);
	for (size_t i = 0; i < whole_len; i++)
		take_digit(&r, (unsigned)(whole[i] - '0'));
	if (!take_fraction(&r, nx_slice_of(fraction, fraction_len), units[unit].digits))
		return nx_fail(err, NX_USAGE, "'%.100s' is finer than a nanosecond", text);
	if (r.overflows || r.value > (uint64_t)INT64_MAX + is_negative)
		return nx_fail(err, NX_USAGE, "'%.100s' is beyond 292 years, the longest time",
			       text);
	*time_ns = is_negative ? (int64_t)(0 - r.value) : (int64_t)r.value;
	return NX_OK;
}
