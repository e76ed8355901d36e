/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/alu.h"

#include <assert.h>

/* NaN if either side is. */
static inline float larger(float a, float b)
{
	return a > b || a != a ? a : b;
}

static inline float smaller(float a, float b)
{
	return a < b || a != a ? a : b;
}

#define FOR_ALL(expression)                                                                        \
	for (size_t i = 0; i < count; i++)                                                         \
	left[i] = (expression)

/* step is 1, or 0 for one right operand; inlined, so that both loops become vector code. */
static inline __attribute__((always_inline)) bool apply(uint8_t op, float *left, const float *right,
							size_t step, size_t count)
{
	switch (op) {
	case NX_ALU_OP_BYPASS:
		break;
	case NX_ALU_OP_ADD:
		FOR_ALL(left[i] + right[i * step]);
		break;
	case NX_ALU_OP_SUBTRACT:
		FOR_ALL(left[i] - right[i * step]);
		break;
	case NX_ALU_OP_MULTIPLY:
		FOR_ALL(left[i] * right[i * step]);
		break;
	case NX_ALU_OP_MAX:
		FOR_ALL(larger(left[i], right[i * step]));
		break;
	case NX_ALU_OP_MIN:
		FOR_ALL(smaller(left[i], right[i * step]));
		break;
	case NX_ALU_OP_IS_LESS:
		FOR_ALL(left[i] < right[i * step] ? 1.0f : 0.0f);
		break;
	default:
		return false;
	}
	return true;
}

bool nx_alu_apply(uint8_t op, float *left, const float *right, size_t count)
{
	return apply(op, left, right, 1, count);
}

bool nx_alu_apply_scalar(uint8_t op, float *left, float right, size_t count)
{
	return apply(op, left, &right, 0, count);
}

bool nx_alu_is_integer(uint8_t op)
{
	return op == NX_ALU_OP_INTEGER_ADD || op == NX_ALU_OP_IS_LESS;
}

bool nx_alu_apply_integer(uint8_t op, int64_t *left, const int64_t *right, size_t count)
{
	switch (op) {
	case NX_ALU_OP_INTEGER_ADD:
		/* Only the low bits are kept, so the sum may wrap. */
		FOR_ALL((int64_t)((uint64_t)left[i] + (uint64_t)right[i]));
		return true;
	case NX_ALU_OP_IS_LESS:
		FOR_ALL(left[i] < right[i]);
		return true;
	default:
		return false;
	}
}

#define REDUCE(expression)                                                                         \
	for (size_t i = 0; i < count; i++, values += inner) {                                      \
		float sum = values[0];                                                             \
                                                                                                   \
		for (size_t k = 1; k < inner; k++)                                                 \
			sum = (expression);                                                        \
		out[i] = sum;                                                                      \
	}

bool nx_alu_reduce(uint8_t op, const float *values, size_t inner, size_t count, float *out)
{
	assert(inner > 0);
	switch (op) {
	case NX_ALU_OP_ADD:
		REDUCE(sum + values[k]);
		return true;
	case NX_ALU_OP_MULTIPLY:
		REDUCE(sum * values[k]);
		return true;
	case NX_ALU_OP_MAX:
		REDUCE(larger(sum, values[k]));
		return true;
	case NX_ALU_OP_MIN:
		REDUCE(smaller(sum, values[k]));
		return true;
	default:
		return false;
	}
}
