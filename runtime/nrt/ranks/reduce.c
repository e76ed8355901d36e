/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ranks/reduce.h"

#include <assert.h>

#include "format/instruction.h"
#include "runtime/device/alu.h"
#include "runtime/device/element.h"

#define BLOCK 512

bool nx_reduce_can(unsigned op, unsigned dtype)
{
	if (op != NX_ALU_OP_ADD && op != NX_ALU_OP_MULTIPLY && op != NX_ALU_OP_MAX &&
	    op != NX_ALU_OP_MIN)
		return false;
	return dtype >= NX_DTYPE_UINT64 && dtype <= NX_DTYPE_FP8E5;
}

static uint64_t combine(unsigned op, bool is_unsigned, uint64_t left, uint64_t right)
{
	bool is_less = is_unsigned ? left < right : (int64_t)left < (int64_t)right;

	switch (op) {
	case NX_ALU_OP_ADD:
		return left + right;
	case NX_ALU_OP_MULTIPLY:
		return left * right;
	case NX_ALU_OP_MAX:
		return is_less ? right : left;
	default:
		return is_less ? left : right;
	}
}

static void reduce_integers(unsigned op, unsigned dtype, uint8_t *left, const uint8_t *right,
			    size_t count)
{
	ptrdiff_t size = nx_dtype_bytes(dtype);
	int64_t a[BLOCK], b[BLOCK];

	for (size_t i = 0; i < count; i++)
		a[i] = b[i] = 0;
	nx_element_load_integer(dtype, left, size, count, a);
	nx_element_load_integer(dtype, right, size, count, b);
	for (size_t i = 0; i < count; i++)
		a[i] = (int64_t)combine(op, dtype == NX_DTYPE_UINT64, (uint64_t)a[i],
					(uint64_t)b[i]);
	nx_element_store_integer(dtype, a, count, left, size);
}

static void reduce_floats(unsigned op, unsigned dtype, uint8_t *left, const uint8_t *right,
			  size_t count)
{
	ptrdiff_t size = nx_dtype_bytes(dtype);
	float a[BLOCK], b[BLOCK];

	nx_element_load(dtype, left, size, count, a);
	nx_element_load(dtype, right, size, count, b);
	(void)nx_alu_apply((uint8_t)op, a, b, count);
	nx_element_store(dtype, a, count, left, size);
}

void nx_reduce(unsigned op, unsigned dtype, uint8_t *left, const uint8_t *right, size_t count)
{
	size_t size = nx_dtype_bytes(dtype);

	assert(nx_reduce_can(op, dtype));
	while (count) {
		size_t now = count < BLOCK ? count : BLOCK;

		if (nx_dtype_is_integer(dtype))
			reduce_integers(op, dtype, left, right, now);
		else
			reduce_floats(op, dtype, left, right, now);
		left += now * size;
		right += now * size;
		count -= now;
	}
}
