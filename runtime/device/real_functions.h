/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real_functions: exp, log, sin and tanh of rows of floats, the same on every machine.
 *
 * C libraries differ in rounding. Here a result is the float nearest to the true value;
 * tests/bench/real_functions.c compares all 2^32 arguments. NaN, log of less than 0 and
 * sin of an infinity give the NaN 0x7fc00000.
 *
 * The calling thread must round to nearest and keep subnormals, which is the default.
 */
#ifndef NX_RUNTIME_REAL_FUNCTIONS_H
#define NX_RUNTIME_REAL_FUNCTIONS_H

#include <stddef.h>

/* Each replaces count values by their function. */
void nx_real_exp(float *values, size_t count);
void nx_real_log(float *values, size_t count);
void nx_real_sin(float *values, size_t count);
void nx_real_tanh(float *values, size_t count);
/* x / (1 + exp(-x)), with a float after each step. */
void nx_real_silu(float *values, size_t count);
/* 1 / sqrt(x), with a float after each step. */
void nx_real_reciprocal_sqrt(float *values, size_t count);

#endif
