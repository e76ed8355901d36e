/* SPDX-License-Identifier: Apache-2.0 */
/* measure: formulas that several tables share, with the float32 rounding of AWS's exports. */
#ifndef NX_MODEL_MEASURE_H
#define NX_MODEL_MEASURE_H

#include "model/profile.h"

/* Bytes per second; 0 for no time. */
float nx_rate(uint64_t size_bytes, uint64_t duration_ps);

/* Time of an engine's wait cycles, in whole ns. */
uint64_t nx_wait_ns(uint16_t cycles, double clock_ghz);

/* Cycles of a clock in a time, rounded down. */
uint64_t nx_cycle_count(uint64_t time_ps, double clock_ghz);

/* 2 * rows * columns * clock: what one core's array can do per second. */
double nx_peak_flops(const struct nx_hardware *hardware);

/* Share of a partition of the state buffer that live bytes take. */
float nx_sbuf_usage(const struct nx_hardware *hardware, uint64_t live_bytes);

/* Share of PSUM's banks that are live, from a bit per bank. */
double nx_psum_usage(uint8_t banks);

/* Of a loaded tensor: the mean size of its DMAs, and how often each byte was moved. */
uint64_t nx_load_average_bytes(const struct nx_tensor_load *load);
double nx_load_repeat_factor(const struct nx_tensor_load *load, uint64_t size_bytes);

#endif
