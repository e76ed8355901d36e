/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_run.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/map.h"
#include "format/collective.h"
#include "format/instruction.h"
#include "runtime/device/element.h"

/* Sums of many ranks stay exact in narrow floats, or nearly so. */
static float value_of(const struct nx_nccom_case *c, const struct nx_nccom_options *options,
		      uint32_t rank, uint64_t element)
{
	uint64_t mask = nx_dtype_bytes(c->dtype) == 1 ? 1 : 3;

	switch (options->check) {
	case NX_NCCOM_ONES:
		return 1;
	case NX_NCCOM_RANDOM:
		return (float)(nx_hash_words((const uint64_t[]){options->seed, rank, element}, 3) >>
				       20 &
			       mask);
	default:
		return 0;
	}
}

void nx_nccom_fill(const struct nx_nccom_case *c, const struct nx_nccom_options *options,
		   uint32_t rank, uint64_t first, uint64_t count, uint8_t *in)
{
	size_t size = nx_dtype_bytes(c->dtype);

	assert(first + count <= c->in_count);
	for (uint64_t i = 0; i < count; i++) {
		float value = value_of(c, options, rank, first + i);

		nx_element_store(c->dtype, &value, 1, in + i * size, (ptrdiff_t)size);
	}
}

/* --- expectations ------------------------------------------------------------------------ */

struct place { /* of a rank in its group */
	const uint32_t *members;
	uint32_t first, index;
};

static struct place place_of(const struct nx_nccom_case *c, uint32_t rank)
{
	struct place place = {NULL, rank / c->group_size * c->group_size, rank % c->group_size};

	assert(rank < c->rank_count);
	for (size_t i = 0; c->groups->ranks && i < c->groups->rank_count; i++)
		if (c->groups->ranks[i] == rank) {
			place.members = c->groups->ranks + i / c->group_size * c->group_size;
			place.index = (uint32_t)(i % c->group_size);
		}
	return place;
}

static uint32_t member(const struct place *place, uint64_t index)
{
	return place->members ? place->members[index] : place->first + (uint32_t)index;
}

struct expecting {
	const struct nx_nccom_case *c;
	const struct nx_nccom_options *options;
	struct place place;
	uint32_t rank;
};

static float sum_at(const struct expecting *e, uint64_t element)
{
	float sum = 0;

	for (uint32_t i = 0; i < e->c->group_size; i++)
		sum += value_of(e->c, e->options, member(&e->place, i), element);
	return sum;
}

static float permuted(const struct expecting *e, uint64_t element)
{
	uint32_t n = e->c->rank_count;

	if (!e->c->groups->pair_count)
		return value_of(e->c, e->options, (e->rank + n - 1) % n, element);
	for (size_t i = 0; i < e->c->groups->pair_count; i++)
		if (e->c->groups->pair_list[i][1] == e->rank)
			return value_of(e->c, e->options, e->c->groups->pair_list[i][0], element);
	return 0;
}

static uint64_t count_at(const struct expecting *e, uint32_t from, uint32_t to)
{
	const uint64_t *counts = e->c->groups->counts;
	uint32_t n = e->c->group_size;

	if (!counts)
		return e->c->element_count / n;
	return e->c->op->kind == NX_COLLECTIVE_ALL_GATHER_V ? counts[from]
							    : counts[(size_t)from * n + to];
}

/* An element of pieces of any length; NaN after the last one, which is never written. */
static float pieced(const struct expecting *e, uint64_t element)
{
	for (uint32_t from = 0; from < e->c->group_size; from++) {
		uint64_t count = count_at(e, from, e->place.index), at = element;

		if (element >= count) {
			element -= count;
			continue;
		}
		for (uint32_t k = 0;
		     e->c->op->kind == NX_COLLECTIVE_ALL_TO_ALL_V && k < e->place.index; k++)
			at += count_at(e, from, k);
		return value_of(e->c, e->options, member(&e->place, from), at);
	}
	return NAN;
}

static float expected_at(const struct expecting *e, uint64_t element)
{
	const struct nx_nccom_case *c = e->c;
	uint64_t each;

	switch (c->op->kind) {
	case NX_COLLECTIVE_ALL_REDUCE:
		return sum_at(e, element);
	case NX_COLLECTIVE_REDUCE_SCATTER:
		return sum_at(e, e->place.index * c->out_count + element);
	case NX_COLLECTIVE_ALL_GATHER:
		return value_of(c, e->options, member(&e->place, element / c->in_count),
				element % c->in_count);
	case NX_COLLECTIVE_ALL_TO_ALL:
		each = c->element_count / c->group_size;
		return value_of(c, e->options, member(&e->place, element / each),
				e->place.index * each + element % each);
	case NX_COLLECTIVE_PERMUTE:
	case NX_COLLECTIVE_SEND_RECV:
		return permuted(e, element);
	case NX_COLLECTIVE_BROADCAST:
		return value_of(c, e->options, member(&e->place, 0), element);
	default:
		return pieced(e, element);
	}
}

static bool is_near(unsigned dtype, float have, float want)
{
	float round;
	uint8_t bytes[8];

	if (isnan(want))
		return true;
	/* Values that do not fit a narrow type wrap or saturate: convert the expected one too. */
	if (nx_dtype_is_integer(dtype)) {
		int64_t whole = (int64_t)want, back = 0;

		nx_element_store_integer(dtype, &whole, 1, bytes, 8);
		nx_element_load_integer(dtype, bytes, 8, 1, &back);
		return have == (float)back;
	}
	nx_element_store(dtype, &want, 1, bytes, 8);
	nx_element_load(dtype, bytes, 8, 1, &round);
	return have == round || fabsf(have - want) <= fabsf(want) * 0.1f;
}

enum nx_status nx_nccom_verify(const struct nx_nccom_case *c,
			       const struct nx_nccom_options *options, uint32_t rank,
			       uint64_t first, uint64_t count, const uint8_t *out,
			       struct nx_error *err)
{
	const struct expecting e = {c, options, place_of(c, rank), rank};
	size_t size = nx_dtype_bytes(c->dtype);

	assert(first + count <= c->out_count);
	for (uint64_t i = 0; i < count; i++) {
		float have, want = expected_at(&e, first + i);

		nx_element_load(c->dtype, out + i * size, (ptrdiff_t)size, 1, &have);
		if (!is_near(c->dtype, have, want))
			return nx_fail(err, NX_MISMATCH,
				       "%s of %llu bytes: element %" PRIu64
				       " of rank %u is %g, not %g",
				       c->op->name, (unsigned long long)c->size_bytes, first + i,
				       rank, (double)have, (double)want);
	}
	return NX_OK;
}
