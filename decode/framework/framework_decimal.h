/* SPDX-License-Identifier: Apache-2.0 */
/* framework_decimal: decimal texts as integers; a double would be off by hundreds of ns. */
#ifndef NX_DECODE_FRAMEWORK_FRAMEWORK_DECIMAL_H
#define NX_DECODE_FRAMEWORK_FRAMEWORK_DECIMAL_H

#include "base/bare/slice.h"

struct nx_decimal {
	uint64_t magnitude;
	bool is_negative;
};

/* The number times 10^digits, rounded down. False if the text is not a JSON number or too large. */
bool nx_decimal_parse(struct nx_slice text, int digits, struct nx_decimal *out);

/* base + number; false when the sum is negative or does not fit. */
bool nx_decimal_add(uint64_t base, struct nx_decimal number, uint64_t *sum);

#endif
