/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIVE_POWERS(n) (n), (n)*10, (n)*100, (n)*1000, (n)*10000
static const uint64_t powers_of_ten[] = {
	FIVE_POWERS(UINT64_C(1)),
	FIVE_POWERS(UINT64_C(100000)),
	FIVE_POWERS(UINT64_C(10000000000)),
	FIVE_POWERS(UINT64_C(1000000000000000)),
};

static_assert(sizeof(powers_of_ten) / sizeof(powers_of_ten[0]) == 20, "10^19 fits 64 bits");

/* digits * 10^exponent */
struct decimal {
	uint64_t digits;
	int exponent;
};

static unsigned count_digits(uint64_t value)
{
	/* 1233/4096 is log10(2), a little too large only where the comparison corrects it. */
	unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
	unsigned guess = bits * 1233 >> 12;

	return guess + ((value | 1) >= powers_of_ten[guess]);
}

static void write_digits(char *out, uint64_t value, unsigned count)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";

	while (count >= 2) {
		count -= 2;
		memcpy(out + count, &pairs[value % 100 * 2], 2);
		value /= 100;
	}
	if (count)
		*out = (char)('0' + value);
}

size_t nx_format_u64(char *out, uint64_t value)
{
	unsigned count = count_digits(value);

	write_digits(out, value, count);
	return count;
}

size_t nx_format_i64(char *out, int64_t value)
{
	if (value >= 0)
		return nx_format_u64(out, (uint64_t)value);
	*out = '-';
	return 1 + nx_format_u64(out + 1, 0 - (uint64_t)value);
}

size_t nx_format_hex(char *out, uint64_t value)
{
	size_t count = (67 - (size_t)__builtin_clzll(value | 1)) / 4;

	for (size_t i = count; i-- > 0; value >>= 4)
		out[i] = "0123456789abcdef"[value & 15];
	return count;
}

static size_t write_plain(char *out, struct decimal d)
{
	unsigned count = count_digits(d.digits);
	int point = (int)count + d.exponent;

	if (d.exponent >= 0) {
		write_digits(out, d.digits, count);
		memset(out + count, '0', (size_t)d.exponent);
		return count + (size_t)d.exponent;
	}
	if (point > 0) {
		write_digits(out, d.digits, count);
		memmove(out + point + 1, out + point, count - (size_t)point);
		out[point] = '.';
		return count + 1;
	}
	memset(out, '0', (size_t)(2 - point));
	out[1] = '.';
	write_digits(out + 2 - point, d.digits, count);
	return (size_t)(2 - point) + count;
}

static size_t write_scientific(char *out, struct decimal d)
{
	size_t len = count_digits(d.digits);
	int exponent = d.exponent + (int)len - 1;

	write_digits(out + 1, d.digits, (unsigned)len);
	out[0] = out[1];
	if (len > 1) {
		out[1] = '.';
		len++;
	}
	out[len++] = 'e';
	out[len++] = exponent < 0 ? '-' : '+';
	return len + nx_format_u64(out + len, (uint64_t)abs(exponent));
}

static struct decimal strip_zeros(struct decimal d)
{
	while (d.digits % 10 == 0) {
		d.digits /= 10;
		d.exponent++;
	}
	return d;
}

/* Slow but exact. The locale decides what the decimal point is, so no text for strtod has one, and
 * that of snprintf is skipped. */
static bool reads_back(struct decimal d, double value, bool single)
{
	char text[NX_NUMBER_MAX];

	snprintf(text, sizeof(text), "%" PRIu64 "e%d", d.digits, d.exponent);
	return single ? (double)strtof(text, NULL) == value : strtod(text, NULL) == value;
}

static struct decimal round_to(double value, int digits)
{
	struct decimal d = {0};
	char text[NX_NUMBER_MAX];
	const char *c = text;

	snprintf(text, sizeof(text), "%.*e", digits - 1, value);
	for (; *c != 'e'; c++) {
		if (*c >= '0' && *c <= '9')
			d.digits = d.digits * 10 + (uint64_t)(*c - '0');
	}
	d.exponent = (int)strtol(c + 1, NULL, 10) - (digits - 1);
	return d;
}

static struct decimal search(double value, int digits, bool single)
{
	for (;; digits++) {
		struct decimal d = round_to(value, digits);

		if (reads_back(d, value, single))
			return strip_zeros(d);
		/* Below a power of two floats are twice as dense, so the nearest decimal may
		 * lie outside the interval while the next one up is inside. */
		d.digits++;
		if (reads_back(d, value, single))
			return strip_zeros(d);
	}
}

/* Limits, both inclusive, of the integers that read back as the float, and the float itself. */
struct interval {
	uint64_t low;
	uint64_t middle;
	uint64_t high;
	bool exact; /* middle lost no fraction */
};

/* The multiple of the largest power of ten inside the interval that is nearest to
 * the middle, ties to even. An inexact interval must be wide enough to lose a digit. */
static struct decimal shorten(struct interval v)
{
	int exponent = 0;
	unsigned dropped = 0;
	bool exact = v.exact;

	for (;;) {
		uint64_t low = (v.low + 9) / 10;
		uint64_t middle = v.middle / 10;
		uint64_t high = v.high / 10;

		if (low > high)
			break;
		exact = exact && dropped == 0;
		dropped = (unsigned)(v.middle - middle * 10);
		if (middle < low) {
			middle = low;
			dropped = 0;
		}
		v = (struct interval){low, middle, high, exact};
		exponent++;
	}
	if ((dropped > 5 || (dropped == 5 && (!exact || (v.middle & 1)))) && v.middle < v.high)
		v.middle++;
	return (struct decimal){v.middle, exponent};
}

/* mantissa * 2^exponent, exponent in 1..37: everything is an integer. */
static struct decimal shortest_large_f32(uint32_t mantissa, int exponent)
{
	uint64_t quarters = (uint64_t)mantissa * 4;
	uint64_t odd = mantissa & 1;
	uint64_t below = mantissa == 1u << 23 ? 1 : 2;
	struct interval v = {
		.low = ((quarters - below) << exponent >> 2) + odd,
		.middle = (uint64_t)mantissa << exponent,
		.high = ((quarters + 2) << exponent >> 2) - odd,
		.exact = true,
	};

	return shorten(v);
}

/* mantissa * 2^exponent with a fraction, not below 2^-20. Scaled by 10^k to at least 2^30, the
 * interval is wider than ten; 4 * mantissa * 5^k fits 64 bits because k is at most 16. */
static struct decimal shortest_small_f32(uint32_t mantissa, int exponent)
{
	static const uint64_t fives[] = {1,	      5,	  25,	      125,
					 625,	      3125,	  15625,      78125,
					 390625,      1953125,	  9765625,    48828125,
					 244140625,   1220703125, 6103515625, 30517578125,
					 152587890625};
	int k = ((7 - exponent) * 1233 + 4095) >> 12;
	int shift = 2 - exponent - k;
	uint64_t below = mantissa == 1u << 23 ? 1 : 2;
	uint64_t quarters = (uint64_t)mantissa * 4;
	uint64_t mask = (UINT64_C(1) << shift) - 1;
	uint64_t low = (quarters - below) * fives[k];
	uint64_t middle = quarters * fives[k];
	uint64_t high = (quarters + 2) * fives[k];
	struct decimal d;

	if (mantissa & 1) {
		low++;
		high--;
	}
	d = shorten((struct interval){(low + mask) >> shift, middle >> shift, high >> shift,
				      (middle & mask) == 0});
	d.exponent -= k;
	return d;
}

static struct decimal shortest_f32(float magnitude)
{
	uint32_t bits;
	uint32_t mantissa;
	int exponent;

	memcpy(&bits, &magnitude, sizeof(bits));
	mantissa = (bits & 0x7fffff) | 0x800000;
	exponent = (int)(bits >> 23) - 150;
	if (exponent >= 1 && exponent <= 37)
		return shortest_large_f32(mantissa, exponent);
	if (exponent >= -43 && exponent < 0)
		return shortest_small_f32(mantissa, exponent);
	return search((double)magnitude, magnitude < FLT_MIN ? 1 : FLT_DIG, true);
}

static size_t write_null(char *out)
{
	memcpy(out, "null", 4);
	return 4;
}

size_t nx_format_f32(char *out, float value)
{
	float magnitude = fabsf(value);
	size_t sign = signbit(value) ? 1 : 0;

	if (!isfinite(value))
		return write_null(out);
	*out = '-';
	/* Neighbours are at most one apart: no shorter integer reads back. */
	if (magnitude <= 0x1p24f && magnitude == (float)(uint32_t)magnitude)
		return sign + nx_format_u64(out + sign, (uint32_t)magnitude);
	if (magnitude < 1e-6f || magnitude >= 1e21f)
		return sign + write_scientific(out + sign, shortest_f32(magnitude));
	return sign + write_plain(out + sign, shortest_f32(magnitude));
}

/* digits / 10^k is rounded once, as a reader would do it, so equality proves that the text reads
 * back; two decimals of at most fifteen digits never read as the same double, so it is shortest. */
static bool try_fifteen_digits(double magnitude, struct decimal *d)
{
	static const double tens[] = {1e0,  1e1,  1e2,	1e3,  1e4,  1e5,  1e6,	1e7,
				      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	uint64_t bits;
	int power, k;

	if (magnitude < 1e-7 || magnitude >= 1e14)
		return false;
	memcpy(&bits, &magnitude, sizeof(bits));
	power = (int)(bits >> 52) - 1022;
	/* Rounded up, 0.30103 being the decimal logarithm of 2. */
	k = 15 - (power * 30103 + (power > 0 ? 99999 : 0)) / 100000;
	if (k < 0 || k > 22)
		return false;
	if (k < 22 && magnitude * tens[k + 1] < 1e15)
		k++;
	d->digits = (uint64_t)(magnitude * tens[k] + 0.5);
	d->exponent = -k;
	if ((double)d->digits / tens[k] != magnitude || d->digits >= powers_of_ten[15])
		return false;
	*d = strip_zeros(*d);
	return true;
}

size_t nx_format_f64(char *out, double value)
{
	double magnitude = fabs(value);
	size_t sign = signbit(value) ? 1 : 0;
	struct decimal d;

	if (!isfinite(value))
		return write_null(out);
	*out = '-';
	if (magnitude <= 0x1p53 && magnitude == (double)(uint64_t)magnitude)
		return sign + nx_format_u64(out + sign, (uint64_t)magnitude);
	if (!try_fifteen_digits(magnitude, &d))
		d = search(magnitude, magnitude < DBL_MIN ? 1 : DBL_DIG, false);
	if (magnitude < 1e-6 || magnitude >= 1e21)
		return sign + write_scientific(out + sign, d);
	return sign + write_plain(out + sign, d);
}
