/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framework_decimal: decimal texts as integers, exactly.
 *
 * "1419247332972.313" microseconds are 1419247332972313 ns; a double would be
 * off by hundreds of ns on epoch times.
 */
#ifndef NX_DECODE_FRAMEWORK_FRAMEWORK_DECIMAL_H
#define NX_DECODE_FRAMEWORK_FRAMEWORK_DECIMAL_H

#include "base/bare/slice.h"

struct nx_decimal {
	uint64_t magnitude;
	bool is_negative;
};

/*
 * The number times 10^digits, rounded down to an integer (towards minus
 * infinity). False when the text is not a JSON number or does not fit.
 */
bool nx_decimal_parse(struct nx_slice text, int digits, struct nx_decimal *out);

/* base + number; false when the sum is negative or does not fit. */
bool nx_decimal_add(uint64_t base, struct nx_decimal number, uint64_t *sum);

#endif
