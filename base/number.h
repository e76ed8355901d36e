/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number: text of numbers as Neuron's JSON writes them.
 *
 * Floats print as the shortest decimal that reads back as the same value, with an exponent only
 * below 1e-6 or from 1e21 on. A float32 is shortest for float32: 25229132000, never 25229131776.
 * NaN and infinities print as null. Each returns the number of characters, without a NUL.
 */
#ifndef NX_BASE_NUMBER_H
#define NX_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define NX_NUMBER_MAX 40 /* bytes, enough for any of them */

size_t nx_format_u64(char *out, uint64_t value);
size_t nx_format_i64(char *out, int64_t value);
size_t nx_format_hex(char *out, uint64_t value); /* no prefix, no leading zeros */
size_t nx_format_f64(char *out, double value);
size_t nx_format_f32(char *out, float value);

#endif
