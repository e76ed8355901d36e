/* SPDX-License-Identifier: Apache-2.0 */
/*
 * element: converts the number types of a NeuronCore to fp32 and back.
 *
 * Reading is exact for types of up to 24 significant bits; writing rounds to nearest
 * even. Floats overflow to infinity, integers saturate, and a NaN becomes 0 as an
 * integer. fp8 has an infinity in every layout, which is a guess for fp8e3 and fp8e4.
 */
#ifndef NX_RUNTIME_ELEMENT_H
#define NX_RUNTIME_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/dtype.h"

/* A run of elements that lie stride bytes apart; any address, any stride. The type is valid. */
void nx_element_load(unsigned dtype, const uint8_t *from, ptrdiff_t stride, size_t count,
		     float *out);
void nx_element_store(unsigned dtype, const float *from, size_t count, uint8_t *to,
		      ptrdiff_t stride);

/* Integers as they are, with the type's sign; storing keeps the low bits. */
void nx_element_load_integer(unsigned dtype, const uint8_t *from, ptrdiff_t stride, size_t count,
			     int64_t *out);
void nx_element_store_integer(unsigned dtype, const int64_t *from, size_t count, uint8_t *to,
			      ptrdiff_t stride);

/* Bytes as they are; size is that of an element. */
void nx_element_copy(unsigned size, const uint8_t *from, ptrdiff_t from_stride, size_t count,
		     uint8_t *to, ptrdiff_t to_stride);

#endif
