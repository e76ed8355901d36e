/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything is computed in double and rounded to float once. The argument is brought
 * near zero, where a Taylor series is short; its terms are cut where they no longer
 * show in a double. There are no branches, so a row goes through vector registers.
 */
#include "runtime/device/real_functions.h"

#include <math.h>
#include <stdbool.h>

#include "base/bare/bits.h"

#define INLINE static inline __attribute__((always_inline))

/* Adding it leaves an integer in the low bits, rounded to nearest even. */
#define TO_INTEGER 0x1.8p52
#define EXPONENT(n) ((uint64_t)(1023 + (n)) << 52)
#define EXPONENT_BITS ((uint64_t)0xfff << 52)

INLINE double double_of_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * A sum that is to become a float. Its first part is the larger. Rounded to double, it may
 * come to lie on the middle of two floats; so an even double moves to the odd neighbour on
 * the side that the rest is on, and no middle is odd.
 */
INLINE double odd_sum(double high, double low)
{
	double sum = high + low, rest = low - (sum - high);
	uint64_t bits = nx_load64(&sum), even = ~bits & 1;
	uint64_t inwards = (nx_load64(&rest) ^ bits) >> 63;

	return double_of_bits(bits + even - 2 * (even & inwards));
}

/* --- exp -------------------------------------------------------------------- */

/* The high part times an exponent is exact. */
#define LN2_HIGH 0x1.62e42fefa2p-1
#define LN2_LOW 0x1.9ef35793c7673p-41

/* x = k * ln 2 + rest */
struct exponential {
	double rest_less_one; /* exp(rest) - 1 */
	double scale;	      /* 2^k */
};

/* |x| is less than 300. Odd and even powers run beside each other. */
INLINE struct exponential exponential_of(double x)
{
	double shifted = x * 0x1.71547652b82fep+0 + TO_INTEGER, k = shifted - TO_INTEGER;
	double r = (x - k * LN2_HIGH) - k * LN2_LOW, z = r * r;
	double odd = 1 / 6227020800.0, even = 1 / 479001600.0;

	odd = odd * z + 1 / 39916800.0;
	odd = odd * z + 1 / 362880.0;
	odd = odd * z + 1 / 5040.0;
	odd = odd * z + 1 / 120.0;
	odd = odd * z + 1 / 6.0;
	even = even * z + 1 / 3628800.0;
	even = even * z + 1 / 40320.0;
	even = even * z + 1 / 720.0;
	even = even * z + 1 / 24.0;
	even = even * z + 1 / 2.0;
	return (struct exponential){r + z * (even + r * odd),
				    double_of_bits((nx_load64(&shifted) << 52) + EXPONENT(0))};
}

INLINE float exp_of(float x)
{
	/* Beyond these every result is 0 or infinity. */
	double wide = x < -110 ? -110 : x > 100 ? 100 : (double)x;
	struct exponential e = exponential_of(wide);
	float y = (float)((1 + e.rest_less_one) * e.scale);

	return x != x ? NAN : y;
}

INLINE float silu_of(float x)
{
	float y = x / (1 + exp_of(-x));

	return y != y ? NAN : y;
}

/* --- tanh ------------------------------------------------------------------- */

/* (exp(2|x|) - 1) / (exp(2|x|) + 1), where the numerator is never a difference of neighbours. */
INLINE float tanh_of(float x)
{
	uint32_t sign = nx_load32(&x) & 0x80000000u, bits;
	double magnitude = x < 0 ? -(double)x : (double)x;
	struct exponential e = exponential_of(2 * (magnitude > 20 ? 20 : magnitude));
	double grown = e.rest_less_one * e.scale + (e.scale - 1);
	float y = (float)(grown / (grown + 2));

	bits = nx_load32(&y) | sign;
	return x != x ? NAN : nx_load_f32(&bits);
}

/* --- log -------------------------------------------------------------------- */

/* 2 * atanh(s) = log((1 + s) / (1 - s)), of which s is (m - 1) / (m + 1). */
INLINE double log_near_one(double m)
{
	double s = (m - 1) / (m + 1), z = s * s, p = 2 / 21.0;

	p = p * z + 2 / 19.0;
	p = p * z + 2 / 17.0;
	p = p * z + 2 / 15.0;
	p = p * z + 2 / 13.0;
	p = p * z + 2 / 11.0;
	p = p * z + 2 / 9.0;
	p = p * z + 2 / 7.0;
	p = p * z + 2 / 5.0;
	p = p * z + 2 / 3.0;
	return 2 * s + s * z * p;
}

/* x = m * 2^k, m between the roots of 1/2 and 2; a float's subnormals are normal in double. */
INLINE float log_of(float x)
{
	const uint64_t root_of_half = 0x3fe6a09e667f3bcd;
	double wide = x;
	uint64_t bits = nx_load64(&wide), above = bits - root_of_half + EXPONENT(1);
	double k = double_of_bits(above >> 52 | EXPONENT(52)) - (0x1p52 + 1024);
	double m = double_of_bits(bits - (above & EXPONENT_BITS) + EXPONENT(1));
	float y = (float)odd_sum(k * LN2_HIGH, k * LN2_LOW + log_near_one(m));

	y = x == 0 ? -INFINITY : x > 0 ? y : NAN;
	return x == INFINITY ? INFINITY : y;
}

/* --- sin -------------------------------------------------------------------- */

/* Times a number of quarter turns below 2^20 the high part is exact. */
#define QUARTER_HIGH 0x1.921fb544p+0
#define QUARTER_LOW 0x1.0b4611a626331p-34
#define HALF_PI_63 0xc90fdaa22168c235u /* pi / 2 times 2^63 */
#define FAR 0x1p20f

/* An angle is so many quarter turns and a rest of at most half of one. */
struct angle {
	uint64_t quarters;
	double rest;
};

/* sin(r) - r */
INLINE double sin_less_itself(double r, double z)
{
	double p = -1 / 1307674368000.0;

	p = p * z + 1 / 6227020800.0;
	p = p * z - 1 / 39916800.0;
	p = p * z + 1 / 362880.0;
	p = p * z - 1 / 5040.0;
	p = p * z + 1 / 120.0;
	p = p * z - 1 / 6.0;
	return r * z * p;
}

/* cos(r) - 1, where z is the square of r */
INLINE double cos_less_one(double z)
{
	double p = 1 / 20922789888000.0;

	p = p * z - 1 / 87178291200.0;
	p = p * z + 1 / 479001600.0;
	p = p * z - 1 / 3628800.0;
	p = p * z + 1 / 40320.0;
	p = p * z - 1 / 720.0;
	p = p * z + 1 / 24.0;
	p = p * z - 1 / 2.0;
	return z * p;
}

INLINE float sin_of_angle(struct angle a)
{
	double r = a.rest, z = r * r;
	bool is_cosine = a.quarters & 1;
	double y = odd_sum(is_cosine ? 1 : r, is_cosine ? cos_less_one(z) : sin_less_itself(r, z));

	/* Two quarters turn the sign. */
	return (float)double_of_bits(nx_load64(&y) ^ (a.quarters & 2) << 62);
}

INLINE float sin_of_near(float x)
{
	double shifted = (double)x * 0x1.45f306dc9c883p-1 + TO_INTEGER, k = shifted - TO_INTEGER;
	struct angle a = {nx_load64(&shifted), ((double)x - k * QUARTER_HIGH) - k * QUARTER_LOW};

	return x == 0 ? x : sin_of_angle(a);
}

/* Quarters in units of 2^-128 as an angle. No float comes nearer to a whole one than 2^-30. */
static double rest_of_quarter(__int128 fraction)
{
	unsigned __int128 bits = (unsigned __int128)fraction,
			  magnitude = fraction < 0 ? -bits : bits;
	int shift = __builtin_clzll((uint64_t)(magnitude >> 64) | 1);
	uint64_t first = (uint64_t)((magnitude << shift) >> 64);
	double rest = (double)((unsigned __int128)first * HALF_PI_63) *
		      double_of_bits(EXPONENT(-63 - 64 - shift));

	return fraction < 0 ? -rest : rest;
}

/*
 * The first 256 bits of 2 / pi, after 64 of zeros. With x = m * 2^e the first 64 + e - 2 of
 * them make whole turns; the next 128, times m, are quarters in their first two bits and
 * what follows the rest, which is negative where the next quarter is nearer.
 */
static struct angle angle_of_far(float x)
{
	static const uint64_t two_over_pi[5] = {0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
						0xdb6295993c439041, 0xfe5163abdebbc561};
	uint32_t bits = nx_load32(&x), m = (bits & 0x7fffff) | 0x800000;
	unsigned skipped = 64 + (bits >> 23 & 0xff) - 127 - 23 - 2;
	const uint64_t *from = &two_over_pi[skipped / 64];
	unsigned __int128 turns = ((unsigned __int128)from[0] << 64 | from[1]) << skipped % 64;

	if (skipped % 64)
		turns |= from[2] >> (64 - skipped % 64);
	turns *= m;
	return (struct angle){(uint64_t)((turns + ((unsigned __int128)1 << 125)) >> 126),
			      rest_of_quarter((__int128)(turns << 2))};
}

static float sin_of_far(float x)
{
	float y;

	if (x - x != 0)
		return NAN;
	y = sin_of_angle(angle_of_far(x));
	return x < 0 ? -y : y;
}

INLINE bool is_near(float x)
{
	return x > -FAR && x < FAR;
}

INLINE float reciprocal_sqrt_of(float x)
{
	float y = 1 / __builtin_sqrtf(x);

	return y != y ? NAN : y;
}

/* --- rows ------------------------------------------------------------------- */

/*
 * The variants differ only in the instructions the compiler may use; none of them has fused
 * multiply-add, which would round differently.
 */
#if defined(__x86_64__)
#define ROW_FUNCTION(kind, name, expression)                                                       \
	static void name##_plain(float *values, size_t count)                                      \
	{                                                                                          \
		for (size_t i = 0; i < count; i++)                                                 \
			values[i] = expression;                                                    \
	}                                                                                          \
	__attribute__((target("avx2"))) static void name##_avx2(float *values, size_t count)       \
	{                                                                                          \
		for (size_t i = 0; i < count; i++)                                                 \
			values[i] = expression;                                                    \
	}                                                                                          \
	kind name(float *values, size_t count)                                                     \
	{                                                                                          \
		if (__builtin_cpu_supports("avx2"))                                                \
			name##_avx2(values, count);                                                \
		else                                                                               \
			name##_plain(values, count);                                               \
	}
#else
#define ROW_FUNCTION(kind, name, expression)                                                       \
	kind name(float *values, size_t count)                                                     \
	{                                                                                          \
		for (size_t i = 0; i < count; i++)                                                 \
			values[i] = expression;                                                    \
	}
#endif

ROW_FUNCTION(void, nx_real_exp, exp_of(values[i]))
ROW_FUNCTION(void, nx_real_log, log_of(values[i]))
ROW_FUNCTION(void, nx_real_tanh, tanh_of(values[i]))
ROW_FUNCTION(void, nx_real_silu, silu_of(values[i]))
ROW_FUNCTION(void, nx_real_reciprocal_sqrt, reciprocal_sqrt_of(values[i]))
ROW_FUNCTION(static void, sin_near_row, sin_of_near(values[i]))

void nx_real_sin(float *values, size_t count)
{
	bool are_near = true;

	for (size_t i = 0; i < count; i++)
		are_near &= is_near(values[i]);
	if (are_near) {
		sin_near_row(values, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		values[i] = is_near(values[i]) ? sin_of_near(values[i]) : sin_of_far(values[i]);
}
