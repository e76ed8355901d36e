/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/element.h"

#include <assert.h>
#include <math.h>

#include "base/bare/bits.h"
#include "format/instruction.h"

static float float_of_bits(uint32_t bits)
{
	return nx_load_f32(&bits);
}

static uint32_t bits_of_float(float value)
{
	return nx_load32(&value);
}

/* --- floats of one and two bytes -------------------------------------------- */

static float from_bf16(uint16_t half)
{
	return float_of_bits((uint32_t)half << 16);
}

static uint16_t to_bf16(float value)
{
	uint32_t bits = bits_of_float(value);
	uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

	return (uint16_t)(value != value ? 0x7fc0 : rounded);
}

/* Multiplying by 2^112 moves the exponent to its new bias and makes subnormals normal. */
static float from_fp16(uint16_t half)
{
	uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
	float scaled = float_of_bits(magnitude) * 0x1p112f;
	uint32_t bits = magnitude >= 0x0f800000 ? magnitude | 0x7f800000 : bits_of_float(scaled);

	return float_of_bits(bits | (uint32_t)(half & 0x8000) << 16);
}

/* Adding a power of two whose last bit is the last bit wanted lets the machine do the rounding. */
static uint16_t to_fp16(float value)
{
	uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffff;
	uint32_t sign = bits >> 16 & 0x8000, half;

	if (magnitude > 0x7f800000)
		return (uint16_t)(sign | 0x7e00);
	if (magnitude >= 0x477ff000)
		return (uint16_t)(sign | 0x7c00);
	if (magnitude < 0x38800000)
		half = bits_of_float(float_of_bits(magnitude) + 0.5f) - bits_of_float(0.5f);
	else
		half = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
	return (uint16_t)(sign | half);
}

/* Layout of an 8-bit float; the exponent of all ones is infinity and NaN. */
struct small_float {
	unsigned mantissa_bits;
	int bias;
};

static struct small_float small_float_of(unsigned dtype)
{
	if (dtype == NX_DTYPE_FP8E3)
		return (struct small_float){4, 3};
	return dtype == NX_DTYPE_FP8E4 ? (struct small_float){3, 7} : (struct small_float){2, 15};
}

/* As from_fp16: 2^(127 - bias) moves the exponent to its new bias. */
static float from_fp8(uint8_t byte, struct small_float f)
{
	uint32_t magnitude = (uint32_t)(byte & 0x7f) << (23 - f.mantissa_bits);
	uint32_t top = (0x7fu >> f.mantissa_bits) << 23;
	float value = float_of_bits(magnitude) * float_of_bits((uint32_t)(254 - f.bias) << 23);

	if (magnitude >= top)
		value = magnitude > top ? NAN : INFINITY;
	return byte & 0x80 ? -value : value;
}

/* Added to a float below 2^22 it leaves no bits but those of an integer, rounded to even. */
#define TO_INTEGER 0x1.8p23f

static uint8_t to_fp8(float value, struct small_float f)
{
	uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffff;
	uint8_t sign = (uint8_t)(bits >> 24 & 0x80);
	unsigned infinity = (0x7fu >> f.mantissa_bits) << f.mantissa_bits;
	int exponent = (int)(magnitude >> 23) - 127, least = 1 - f.bias;
	float steps;

	if (magnitude > 0x7f800000)
		return (uint8_t)(sign | infinity | 1);
	if (magnitude == 0x7f800000)
		return (uint8_t)(sign | infinity);
	exponent = exponent < least ? least : exponent;
	steps = float_of_bits(magnitude) *
		float_of_bits((uint32_t)(127 + (int)f.mantissa_bits - exponent) << 23);
	steps = steps + TO_INTEGER - TO_INTEGER;
	/* A carry out of the mantissa runs into the exponent, where it belongs. */
	steps += (float)((exponent - least) * (1 << f.mantissa_bits));
	return (uint8_t)(sign | (steps >= (float)infinity ? infinity : (unsigned)steps));
}

/* --- runs ------------------------------------------------------------------- */

#define LOAD_RUN(expression)                                                                       \
	for (size_t i = 0; i < count; i++, from += stride)                                         \
	out[i] = (float)(expression)

void nx_element_load(unsigned dtype, const uint8_t *from, ptrdiff_t stride, size_t count,
		     float *out)
{
	struct small_float small = small_float_of(dtype);

	switch (dtype) {
	case NX_DTYPE_FP32:
	case NX_DTYPE_FP32R:
		if (stride == 4)
			memcpy(out, from, 4 * count);
		else
			LOAD_RUN(nx_load_f32(from));
		break;
	case NX_DTYPE_BF16:
		if (stride == 2)
			for (size_t i = 0; i < count; i++)
				out[i] = from_bf16(nx_load16(from + 2 * i));
		else
			LOAD_RUN(from_bf16(nx_load16(from)));
		break;
	case NX_DTYPE_FP16:
		if (stride == 2)
			for (size_t i = 0; i < count; i++)
				out[i] = from_fp16(nx_load16(from + 2 * i));
		else
			LOAD_RUN(from_fp16(nx_load16(from)));
		break;
	case NX_DTYPE_INT8:
		LOAD_RUN((int8_t)*from);
		break;
	case NX_DTYPE_UINT8:
		LOAD_RUN(*from);
		break;
	case NX_DTYPE_INT16:
		LOAD_RUN((int16_t)nx_load16(from));
		break;
	case NX_DTYPE_UINT16:
		LOAD_RUN(nx_load16(from));
		break;
	case NX_DTYPE_INT32:
		LOAD_RUN((int32_t)nx_load32(from));
		break;
	case NX_DTYPE_UINT32:
		LOAD_RUN(nx_load32(from));
		break;
	case NX_DTYPE_INT64:
		LOAD_RUN((int64_t)nx_load64(from));
		break;
	case NX_DTYPE_UINT64:
		LOAD_RUN(nx_load64(from));
		break;
	default:
		LOAD_RUN(from_fp8(*from, small));
	}
}

struct integer_range {
	double least, most; /* most is one more than the largest value */
};

static uint64_t to_integer(float value, struct integer_range range)
{
	double rounded = value;

	if (value != value)
		return 0;
	/* To nearest even; from 2^24 on a float has no fraction. */
	if (value > -0x1p24f && value < 0x1p24f)
		rounded = rounded + 0x1.8p52 - 0x1.8p52;
	if (rounded <= range.least)
		return range.least < 0 ? (uint64_t)(int64_t)range.least : 0;
	if (rounded >= range.most)
		return range.most >= 0x1p64 ? UINT64_MAX : (uint64_t)range.most - 1;
	return rounded < 0 ? (uint64_t)(int64_t)rounded : (uint64_t)rounded;
}

static void store_bytes(unsigned size, uint64_t value, uint8_t *to)
{
	assert(size <= sizeof(value));
	memcpy(to, &value, size);
}

static void store_integers(unsigned dtype, const float *from, size_t count, uint8_t *to,
			   ptrdiff_t stride)
{
	unsigned size = nx_dtype_bytes(dtype);
	bool is_signed = dtype == NX_DTYPE_INT8 || dtype == NX_DTYPE_INT16 ||
			 dtype == NX_DTYPE_INT32 || dtype == NX_DTYPE_INT64;
	struct integer_range range;

	if (!size) /* an unknown type */
		return;
	range.most = 2.0 * (double)((uint64_t)1 << (8 * size - is_signed - 1));
	range.least = is_signed ? -range.most : 0;
	for (size_t i = 0; i < count; i++, to += stride)
		store_bytes(size, to_integer(from[i], range), to);
}

void nx_element_store(unsigned dtype, const float *from, size_t count, uint8_t *to,
		      ptrdiff_t stride)
{
	struct small_float small = small_float_of(dtype);

	switch (dtype) {
	case NX_DTYPE_FP32:
	case NX_DTYPE_FP32R:
		if (stride == 4)
			memcpy(to, from, 4 * count);
		else
			for (size_t i = 0; i < count; i++, to += stride)
				memcpy(to, &from[i], 4);
		break;
	case NX_DTYPE_BF16:
		if (stride == 2)
			for (size_t i = 0; i < count; i++)
				nx_store16(to + 2 * i, to_bf16(from[i]));
		else
			for (size_t i = 0; i < count; i++, to += stride)
				nx_store16(to, to_bf16(from[i]));
		break;
	case NX_DTYPE_FP16:
		for (size_t i = 0; i < count; i++, to += stride)
			nx_store16(to, to_fp16(from[i]));
		break;
	case NX_DTYPE_FP8E3:
	case NX_DTYPE_FP8E4:
	case NX_DTYPE_FP8E5:
		for (size_t i = 0; i < count; i++, to += stride)
			*to = to_fp8(from[i], small);
		break;
	default:
		store_integers(dtype, from, count, to, stride);
	}
}

static int64_t load_integer(unsigned dtype, const uint8_t *from)
{
	switch (dtype) {
	case NX_DTYPE_INT8:
		return (int8_t)*from;
	case NX_DTYPE_UINT8:
		return *from;
	case NX_DTYPE_INT16:
		return (int16_t)nx_load16(from);
	case NX_DTYPE_UINT16:
		return nx_load16(from);
	case NX_DTYPE_INT32:
		return (int32_t)nx_load32(from);
	case NX_DTYPE_UINT32:
		return nx_load32(from);
	default:
		return (int64_t)nx_load64(from);
	}
}

void nx_element_load_integer(unsigned dtype, const uint8_t *from, ptrdiff_t stride, size_t count,
			     int64_t *out)
{
	for (size_t i = 0; i < count; i++, from += stride)
		out[i] = load_integer(dtype, from);
}

void nx_element_store_integer(unsigned dtype, const int64_t *from, size_t count, uint8_t *to,
			      ptrdiff_t stride)
{
	unsigned size = nx_dtype_bytes(dtype);

	for (size_t i = 0; i < count; i++, to += stride)
		store_bytes(size, (uint64_t)from[i], to);
}

#define COPY_RUN(size)                                                                             \
	for (size_t i = 0; i < count; i++, from += from_stride, to += to_stride)                   \
	memcpy(to, from, size)

void nx_element_copy(unsigned size, const uint8_t *from, ptrdiff_t from_stride, size_t count,
		     uint8_t *to, ptrdiff_t to_stride)
{
	assert(size == 1 || size == 2 || size == 4 || size == 8);
	if (from_stride == (ptrdiff_t)size && to_stride == (ptrdiff_t)size) {
		memcpy(to, from, size * count);
		return;
	}
	switch (size) {
	case 1:
		COPY_RUN(1);
		break;
	case 2:
		COPY_RUN(2);
		break;
	case 4:
		COPY_RUN(4);
		break;
	default:
		COPY_RUN(8);
	}
}
