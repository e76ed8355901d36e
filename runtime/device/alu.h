/* SPDX-License-Identifier: Apache-2.0 */
/* alu: the operations of the vector and GpSimd engines with two operands, over rows. */
#ifndef NX_RUNTIME_ALU_H
#define NX_RUNTIME_ALU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nx_alu_op {
	NX_ALU_OP_BYPASS = 0,
	NX_ALU_OP_ADD = 4,
	NX_ALU_OP_SUBTRACT = 5,
	NX_ALU_OP_MULTIPLY = 6,
	NX_ALU_OP_MAX = 8,
	NX_ALU_OP_MIN = 9,
	NX_ALU_OP_IS_LESS = 0x16,
	NX_ALU_OP_INTEGER_ADD = 0xc4,
};

/* left = left op right, element by element; false if the operation is unknown. */
bool nx_alu_apply(uint8_t op, float *left, const float *right, size_t count);
/* The same with one right operand. */
bool nx_alu_apply_scalar(uint8_t op, float *left, float right, size_t count);
/* Operations that can be applied to integers without converting them to fp32. */
bool nx_alu_is_integer(uint8_t op);
bool nx_alu_apply_integer(uint8_t op, int64_t *left, const int64_t *right, size_t count);

/* out[i] = values[i * inner] op values[i * inner + 1] op ...; false as above. */
bool nx_alu_reduce(uint8_t op, const float *values, size_t inner, size_t count, float *out);

#endif
