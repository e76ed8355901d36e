/* SPDX-License-Identifier: Apache-2.0 */
/* execute_lanes: the vector engine across lanes, and its search for the eight largest. */
#include <assert.h>
#include <math.h>

#include "runtime/device/element.h"
#include "runtime/device/execute.h"

/* --- between the lanes of a quadrant ---------------------------------------------------- */

static_assert(NX_PARTITION_COUNT % NX_MASK_LANES == 0, "partitions are whole quadrants");

NX_EXECUTE(load_mask)
{
	memcpy(core->vector.mask, word->mask.mask, NX_MASK_LANES);
}

struct lane_copy {
	struct nx_device_operand source, target;
	size_t row_bytes;
	struct nx_bytes rows; /* every lane of the source, packed */
};

static bool read_lanes(struct nx_core *core, const struct nx_copy_word *w, struct lane_copy *c)
{
	c->source = nx_operand_4d(&w->source, w->source_dtype, w->lanes);
	c->target = nx_operand_4d(&w->target, w->target_dtype, w->lanes);
	if (!nx_core_accepts(core, &c->source, "source") ||
	    !nx_core_accepts(core, &c->target, "target"))
		return false;
	if (c->source.size_bytes != c->target.size_bytes) {
		nx_core_refuse(core, NX_FAULT_UNKNOWN, "moves between lanes do not convert");
		return false;
	}
	c->row_bytes = (size_t)c->source.elements * c->source.size_bytes;
	nx_bytes_append_zeros(&c->rows, c->row_bytes * c->source.lanes);
	for (unsigned lane = 0; lane < c->source.lanes; lane++)
		nx_operand_load_raw(&c->source, core->on_chip.bytes, lane,
				    c->rows.items + lane * c->row_bytes);
	return true;
}

/* The lane that the mask names for this one; NX_PARTITION_COUNT for none. */
static unsigned masked_lane(const struct nx_core *core, unsigned lane)
{
	uint8_t chosen = core->vector.mask[lane % NX_MASK_LANES];

	if (chosen >= NX_MASK_NONE)
		return NX_PARTITION_COUNT;
	return lane / NX_MASK_LANES * NX_MASK_LANES + chosen;
}

NX_EXECUTE(shuffle)
{
	struct lane_copy c = {0};

	if (!read_lanes(core, &word->copy, &c))
		goto out;
	if (c.source.elements != c.target.elements) {
		nx_core_refuse(core, NX_FAULT_OPERAND, "source and target differ in length");
		goto out;
	}
	for (unsigned lane = 0; lane < c.target.lanes; lane++) {
		unsigned from = masked_lane(core, lane);

		if (from < c.source.lanes)
			nx_operand_store_raw(&c.target, core->on_chip.bytes, lane,
					     c.rows.items + from * c.row_bytes);
	}
out:
	nx_vec_release(&c.rows);
}

/* Blocks of 32 x 32: what was element j of lane i becomes element i of lane j. */
NX_EXECUTE(transpose)
{
	struct lane_copy c = {0};
	uint8_t *row = (uint8_t *)nx_core_row(core, 0);

	if (!read_lanes(core, &word->copy, &c))
		goto out;
	if (c.target.elements > NX_MASK_LANES || c.source.elements > NX_MASK_LANES) {
		nx_core_refuse(core, NX_FAULT_UNKNOWN, "a transpose of more than 32 elements");
		goto out;
	}
	for (unsigned lane = 0; lane < c.target.lanes; lane++) {
		unsigned first = lane / NX_MASK_LANES * NX_MASK_LANES;
		unsigned column = masked_lane(core, lane) - first;
		size_t size = c.target.size_bytes;

		if (column >= c.source.elements || first + c.target.elements > c.source.lanes)
			continue;
		for (size_t i = 0; i < c.target.elements; i++)
			memcpy(row + i * size,
			       c.rows.items + (first + i) * c.row_bytes + column * size, size);
		nx_operand_store_raw(&c.target, core->on_chip.bytes, lane, row);
	}
out:
	nx_vec_release(&c.rows);
}

/* --- the eight largest --------------------------------------------------------------------- */

static bool accepts_top(struct nx_core *core, const struct nx_device_operand *source,
			const struct nx_device_operand *target)
{
	if (!nx_core_accepts(core, source, "source") || !nx_core_accepts(core, target, "target"))
		return false;
	if (target->elements == NX_MATCH_COUNT)
		return true;
	nx_core_refuse(core, NX_FAULT_OPERAND, "the target does not have eight elements");
	return false;
}

static void take_largest(const float *row, size_t count, float top[NX_MATCH_COUNT])
{
	for (unsigned k = 0; k < NX_MATCH_COUNT; k++)
		top[k] = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		float value = row[i];

		for (unsigned k = 0; k < NX_MATCH_COUNT; k++) {
			if (value > top[k]) {
				float lower = top[k];

				top[k] = value;
				value = lower;
			}
		}
	}
}

NX_EXECUTE(max8)
{
	const struct nx_top8_word *w = &word->top8;
	struct nx_device_operand source = nx_operand_4d(&w->source, w->source_dtype, w->lanes);
	struct nx_device_operand target = nx_operand_2d(&w->target, w->target_dtype, w->lanes);
	float *row = nx_core_row(core, 0);

	if (!accepts_top(core, &source, &target))
		return;
	for (unsigned i = 0; i < target.lanes; i++) {
		unsigned lane = nx_execute_lane(&source, &target, i);
		float top[NX_MATCH_COUNT];

		nx_operand_load(&source, core->on_chip.bytes, lane, row);
		take_largest(row, (size_t)source.elements, top);
		nx_operand_store(&target, core->on_chip.bytes, lane, top);
	}
}

NX_EXECUTE(match_load)
{
	const struct nx_match_word *w = &word->match;
	struct nx_device_operand source = nx_operand_2d(&w->source, w->dtype, w->lanes);

	if (!nx_core_accepts(core, &source, "source"))
		return;
	if (source.elements != NX_MATCH_COUNT) {
		nx_core_refuse(core, NX_FAULT_OPERAND, "the source does not have eight elements");
		return;
	}
	for (unsigned lane = 0; lane < source.lanes; lane++)
		nx_operand_load(&source, core->on_chip.bytes, lane, core->vector.match[lane]);
}

/* Equal values take successive places. */
static void find_places(const float *row, size_t count, const float *match, int64_t *places)
{
	for (unsigned k = 0; k < NX_MATCH_COUNT; k++) {
		size_t at = 0;

		for (unsigned earlier = 0; earlier < k; earlier++)
			if (match[earlier] == match[k] && places[earlier] >= 0)
				at = (size_t)places[earlier] + 1;
		while (at < count && row[at] != match[k])
			at++;
		places[k] = at < count ? (int64_t)at : -1;
	}
}

NX_EXECUTE(find_index8)
{
	const struct nx_top8_word *w = &word->top8;
	struct nx_device_operand source = nx_operand_4d(&w->source, w->source_dtype, w->lanes);
	struct nx_device_operand target = nx_operand_2d(&w->target, w->target_dtype, w->lanes);
	float *row = nx_core_row(core, 0);

	if (!accepts_top(core, &source, &target))
		return;
	if (!nx_dtype_is_integer(target.dtype)) {
		nx_core_refuse(core, NX_FAULT_UNKNOWN, "an index that is not an integer");
		return;
	}
	for (unsigned lane = 0; lane < target.lanes; lane++) {
		int64_t places[NX_MATCH_COUNT];

		nx_operand_load(&source, core->on_chip.bytes, lane, row);
		find_places(row, (size_t)source.elements, core->vector.match[lane], places);
		nx_operand_store_integer(&target, core->on_chip.bytes, lane, places);
	}
}
