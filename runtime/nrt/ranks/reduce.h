/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce: combines two arrays element by element, for collectives.
 *
 * Integers are exact and wrap. Floats narrower than 32 bits are computed in fp32
 * and rounded to nearest even after each step.
 */
#ifndef NX_RUNTIME_NRT_RANKS_REDUCE_H
#define NX_RUNTIME_NRT_RANKS_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* op is an ALU operation (add, multiply, max, min), dtype a code of format/instruction.h. */
bool nx_reduce_can(unsigned op, unsigned dtype);
/* left = left op right, for an op and dtype that nx_reduce_can accepts. */
void nx_reduce(unsigned op, unsigned dtype, uint8_t *left, const uint8_t *right, size_t count);

#endif
