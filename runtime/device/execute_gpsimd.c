/* SPDX-License-Identifier: Apache-2.0 */
/* execute_gpsimd: tables per lane, and selection by the index of an element. */
#include "base/bare/bits.h"
#include "runtime/device/element.h"
#include "runtime/device/execute.h"

NX_EXECUTE(gather_load)
{
	const struct nx_copy_word *w = &word->copy;
	struct nx_device_operand source = nx_operand_4d(&w->source, w->source_dtype, w->lanes);
	struct nx_gather_state *table = &core->gather;
	size_t row_bytes;

	nx_vec_clear(&table->bytes);
	table->count = 0;
	if (!nx_core_accepts(core, &source, "source"))
		return;
	row_bytes = (size_t)source.elements * source.size_bytes;
	nx_bytes_append_zeros(&table->bytes, row_bytes * source.lanes);
	for (unsigned lane = 0; lane < source.lanes; lane++)
		nx_operand_load_raw(&source, core->on_chip.bytes, lane,
				    table->bytes.items + lane * row_bytes);
	table->lanes = source.lanes;
	table->size_bytes = source.size_bytes;
	table->count = (size_t)source.elements;
}

/* One lane; false when an index lies outside of the table, whose place becomes NaN. */
static bool gather_lane(const struct nx_gather_state *table, unsigned lane, const int64_t *index,
			size_t count, uint8_t *out)
{
	size_t size = table->size_bytes;
	bool is_inside = true;

	for (size_t i = 0; i < count; i++) {
		if (index[i] < 0 || (uint64_t)index[i] >= table->count) {
			memset(out + i * size, 0xff, size);
			is_inside = false;
			continue;
		}
		memcpy(out + i * size,
		       table->bytes.items + (lane * table->count + (size_t)index[i]) * size, size);
	}
	return is_inside;
}

NX_EXECUTE(gather)
{
	const struct nx_copy_word *w = &word->copy;
	struct nx_device_operand index = nx_operand_4d(&w->source, w->source_dtype, w->lanes);
	struct nx_device_operand target = nx_operand_4d(&w->target, w->target_dtype, w->lanes);
	const struct nx_gather_state *table = &core->gather;
	int64_t *at = (int64_t *)(void *)nx_core_row(core, 0);
	uint8_t *row = (uint8_t *)nx_core_row(core, 1);
	bool is_inside = true;

	if (!nx_core_accepts(core, &index, "index") || !nx_core_accepts(core, &target, "target"))
		return;
	if (index.elements != target.elements || !nx_dtype_is_integer(index.dtype) ||
	    table->size_bytes != target.size_bytes || table->lanes < target.lanes ||
	    table->count == 0) {
		nx_core_refuse(core, NX_FAULT_OPERAND, "the table does not fit index and target");
		return;
	}
	for (unsigned lane = 0; lane < target.lanes; lane++) {
		nx_operand_load_integer(&index, core->on_chip.bytes, lane, at);
		is_inside &= gather_lane(table, lane, at, (size_t)target.elements, row);
		nx_operand_store_raw(&target, core->on_chip.bytes, lane, row);
	}
	if (!is_inside)
		nx_core_fault(core, NX_FAULT_INDEX_BOUNDS, "an index lies outside of %zu entries",
			      table->count);
}

#define COMPARE_NOT_EQUAL 3

/* The index runs over a pattern of its own: base + lane * multiplier + sum of i * step. */
static int64_t index_of(const struct nx_affine_select_word *w, unsigned lane, uint64_t element)
{
	int64_t index = w->base + (int64_t)lane * w->lane_step;

	for (size_t d = 0; d < 4 && w->counts[d]; d++) {
		index += (int64_t)(element % w->counts[d]) * w->steps[d];
		element /= w->counts[d];
	}
	return index;
}

NX_EXECUTE(affine_select)
{
	const struct nx_affine_select_word *w = &word->affine_select;
	struct nx_device_operand source =
		nx_operand_2d(&w->source, nx_low_dtype(w->dtypes), w->lanes);
	struct nx_device_operand target =
		nx_operand_2d(&w->target, nx_high_dtype(w->dtypes), w->lanes);
	const uint32_t *registers = core->registers[core->engine];
	float fill = nx_load_f32(&registers[w->fill_register % NX_REGISTER_COUNT]);
	float *row = nx_core_row(core, 0);

	if (!nx_core_accepts_pair(core, &source, &target))
		return;
	if (w->comparison != COMPARE_NOT_EQUAL) {
		nx_core_refuse(core, NX_FAULT_UNKNOWN, "comparison %u", w->comparison);
		return;
	}
	for (unsigned i = 0; i < w->lanes; i++) {
		unsigned lane = nx_execute_lane(&source, &target, i);

		nx_operand_load(&source, core->on_chip.bytes, lane, row);
		for (size_t n = 0; n < source.elements; n++)
			if (index_of(w, lane, n) == 0)
				row[n] = fill;
		nx_operand_store(&target, core->on_chip.bytes, lane, row);
	}
}
