/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activation_table: functions of the scalar engine, from the tables in a NEFF.
 *
 * A set holds several functions as pieces of cubic polynomials. The sign and
 * the exponent of x choose a control word, that and the mantissa a bucket of
 * coefficients around a centre; special values have their own results
 * (docs/design/simulator.md). The table's bytes are borrowed.
 */
#ifndef NX_RUNTIME_ACTIVATION_TABLE_H
#define NX_RUNTIME_ACTIVATION_TABLE_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"

/* One side of zero. */
struct nx_activation_side {
	uint32_t control_base;
	uint32_t small_exponent, small_bucket;
	uint32_t large_exponent, large_mantissa, large_bucket;
};

struct nx_activation_function {
	uint8_t id;
	bool is_symmetric; /* f of |x|, and the sign put back if is_odd */
	bool is_odd;
	bool needs_operand; /* a coefficient comes from elsewhere: not to be evaluated */
	int32_t exponent_offset;
	struct nx_activation_side positive, negative;
	float zero, nan, positive_infinity, negative_infinity;
};

struct nx_activation_set {
	struct nx_slice name;
	struct nx_slice buckets, controls;
	struct nx_activation_function *functions;
	size_t function_count;
};

/* Reads "<set>.json" (the text) whose two tables have been found already. */
NX_MUST_CHECK enum nx_status nx_activation_set_read(struct nx_slice json, struct nx_arena *arena,
						    struct nx_activation_set *set,
						    struct nx_error *err);

/* NULL if the set has no such function, or one that cannot be evaluated. */
const struct nx_activation_function *nx_activation_find(const struct nx_activation_set *set,
							uint8_t id);

/* NaN if the tables are too short. */
void nx_activation_evaluate(const struct nx_activation_set *set,
			    const struct nx_activation_function *function, float *values,
			    size_t count);

/* Computes the function exactly; false if it is unknown. */
bool nx_activation_compute(uint8_t id, float *values, size_t count);
/* Functions that need no table, as they are exact. */
bool nx_activation_is_plain(uint8_t id);

#endif
