/* SPDX-License-Identifier: Apache-2.0 */
/* execute_array: the tensor engine. Weights stay in the array while values stream through. */
#include <assert.h>
#include <math.h>

#include "base/bare/bits.h"
#include "runtime/device/element.h"
#include "runtime/device/execute.h"

#define PSUM_WORDS (NX_PSUM_PARTITION_BYTES / 4)
#define MAX_ZERO_CODE 13 /* 16 KiB, all of a partition */
#define MAX_MOVING PSUM_WORDS
static_assert(2u << MAX_ZERO_CODE == NX_PSUM_PARTITION_BYTES, "the largest zero region");

/*
 * fp32 goes through the array in passes over a high and a low part. Where the cut is does not
 * show in the sum of the passes; infinities have no low part.
 */
static void take_parts(float *values, size_t count, unsigned mode)
{
	for (size_t i = 0; i < count; i++) {
		float value = values[i];
		uint32_t bits = nx_load32(&value) & 0xfffff000;
		float high = nx_load_f32(&bits);

		if (mode == NX_FP32_HIGH)
			values[i] = value != value ? value : high;
		else
			values[i] = isfinite(value) ? value - high : 0;
	}
}

static bool has_parts(const struct nx_array_word *w)
{
	unsigned mode = w->fp32_mode & NX_FP32_MODE_MASK;

	return (w->dtype == NX_DTYPE_FP32 || w->dtype == NX_DTYPE_FP32R) &&
	       (mode == NX_FP32_LOW || mode == NX_FP32_HIGH);
}

static bool is_array_size(struct nx_core *core, const struct nx_array_word *w)
{
	if (w->rows >= 1 && w->rows <= NX_ARRAY_ROWS && w->columns >= 1 &&
	    w->columns <= NX_ARRAY_COLUMNS)
		return true;
	nx_core_refuse(core, NX_FAULT_OPERAND, "the array has no %u x %u", w->rows, w->columns);
	return false;
}

NX_EXECUTE(load_weights)
{
	const struct nx_array_word *w = &word->array;
	struct nx_device_operand source = nx_operand_3d(&w->source, w->dtype, w->rows);
	struct nx_array_state *array = &core->array;
	struct nx_device_operand columns_first;
	size_t columns = w->columns;

	array->is_loaded = false;
	if (!is_array_size(core, w) || !nx_core_accepts(core, &source, "source"))
		return;
	if (source.elements != columns) {
		nx_core_refuse(core, NX_FAULT_OPERAND, "%llu weights for %zu columns",
			       (unsigned long long)source.elements, columns);
		return;
	}
	if (!array->weights)
		array->weights =
			nx_heap_alloc(NX_ARRAY_ROWS * NX_ARRAY_COLUMNS * sizeof(*array->weights));
	/* The array fills from its far end: what comes first ends in the last column. */
	columns_first = nx_operand_reversed(&source);
	for (unsigned k = 0; k < source.lanes; k++) {
		float *row = array->weights + (size_t)k * NX_ARRAY_COLUMNS;

		nx_operand_load(&columns_first, core->on_chip.bytes, k, row);
		if (has_parts(w) && !(w->transpose & 1))
			take_parts(row, columns, w->fp32_mode & NX_FP32_MODE_MASK);
		memset(row + columns, 0, (NX_ARRAY_COLUMNS - columns) * sizeof(*row));
	}
	array->rows = w->rows;
	array->columns = w->columns;
	array->partition = source.address >> NX_PARTITION_SHIFT;
	array->is_transpose = w->transpose & 1;
	array->is_loaded = true;
}

/* --- matmul -------------------------------------------------------------------- */

static void make_room(struct nx_array_state *array, size_t stride)
{
	if (stride <= array->capacity)
		return;
	array->moving =
		nx_heap_realloc(array->moving, NX_ARRAY_ROWS * stride * sizeof(*array->moving));
	array->sums =
		nx_heap_realloc(array->sums, NX_ARRAY_COLUMNS * stride * sizeof(*array->sums));
	array->capacity = stride;
}

static void load_moving(struct nx_core *core, const struct nx_array_word *w,
			const struct nx_device_operand *source, size_t stride)
{
	struct nx_array_state *array = &core->array;

	for (unsigned k = 0; k < source->lanes; k++) {
		float *row = array->moving + k * stride;

		nx_operand_load(source, core->on_chip.bytes, k, row);
		if (has_parts(w) && !array->is_transpose)
			take_parts(row, (size_t)source->elements, w->fp32_mode & NX_FP32_MODE_MASK);
		memset(row + source->elements, 0, (stride - source->elements) * sizeof(*row));
	}
}

/* The row of the only one in a column of zeros; NX_ARRAY_ROWS when there is more to add. */
static unsigned chosen_row(const float *column, size_t stride, unsigned rows)
{
	unsigned chosen = NX_ARRAY_ROWS;

	for (unsigned k = 0; k < rows; k++) {
		float value = column[k * stride];

		if (value == 0)
			continue;
		if (value != 1 || chosen != NX_ARRAY_ROWS)
			return NX_ARRAY_ROWS;
		chosen = k;
	}
	return chosen;
}

/* A product with an identity matrix moves values, and must not make NaN of 0 times infinity. */
static bool move_through(struct nx_array_state *array, size_t count, size_t stride)
{
	unsigned chosen[MAX_MOVING];

	for (size_t n = 0; n < count; n++) {
		chosen[n] = chosen_row(array->moving + n, stride, array->rows);
		if (chosen[n] == NX_ARRAY_ROWS)
			return false;
	}
	for (size_t m = 0; m < array->columns; m++)
		for (size_t n = 0; n < count; n++)
			array->sums[m * stride + n] =
				array->weights[chosen[n] * NX_ARRAY_COLUMNS + m];
	return true;
}

/* --- what PSUM does with sums ---------------------------------------------------- */

static void arm(struct nx_core *core, const struct nx_device_operand *target, unsigned code)
{
	uint32_t bytes = 2u << code, offset = target->address & (NX_PARTITION_STRIDE - 1);
	uint32_t first = offset / bytes * bytes;

	assert(code <= MAX_ZERO_CODE);
	if (!core->array.armed) {
		size_t size = (size_t)NX_PARTITION_COUNT * PSUM_WORDS;

		core->array.armed = nx_heap_alloc(size);
		memset(core->array.armed, 0, size);
	}
	for (unsigned p = 0; p < NX_PARTITION_COUNT; p++)
		memset(core->array.armed + (size_t)p * PSUM_WORDS + first / 4, 1, bytes / 4);
}

/* Sums replace what an armed place holds and disarm it; elsewhere they add to it. */
static void merge_armed(struct nx_core *core, const struct nx_device_operand *target,
			const int32_t *offsets, unsigned lane, float *sums)
{
	unsigned partition = (target->address >> NX_PARTITION_SHIFT) % NX_PARTITION_COUNT + lane;
	uint32_t offset = target->address & (NX_PARTITION_STRIDE - 1);
	float *held = nx_core_row(core, 0);

	assert(core->array.armed && partition < NX_PARTITION_COUNT);
	nx_operand_load(target, core->on_chip.bytes, lane, held);
	for (size_t i = 0; i < target->elements; i++) {
		uint32_t word = (uint32_t)((int64_t)offset + offsets[i]) / 4;
		uint8_t *armed = core->array.armed + (size_t)partition * PSUM_WORDS + word;

		if (!*armed)
			sums[i] += held[i];
		*armed = 0;
	}
}

static void write_sums(struct nx_core *core, const struct nx_array_word *w,
		       const struct nx_device_operand *target, size_t stride)
{
	bool is_start = w->acc_flags & NX_ACC_START;
	bool has_region = w->zero_region && !core->array.is_transpose;
	float *held = nx_core_row(core, 0);
	int32_t *offsets = NULL;

	if (has_region && is_start)
		arm(core, target, w->zero_region);
	has_region = has_region && core->array.armed;
	if (has_region) {
		offsets = (int32_t *)(void *)nx_core_row(core, 1);
		nx_operand_offsets(target, offsets);
	}
	for (unsigned m = 0; m < target->lanes; m++) {
		float *sums = core->array.sums + m * stride;

		if (has_region) {
			merge_armed(core, target, offsets, m, sums);
		} else if (!is_start) {
			nx_operand_load(target, core->on_chip.bytes, m, held);
			for (size_t i = 0; i < target->elements; i++)
				sums[i] += held[i];
		}
		nx_core_check_numbers(core, sums, (size_t)target->elements);
		nx_operand_store(target, core->on_chip.bytes, m, sums);
	}
}

static bool fits_array(struct nx_core *core, const struct nx_array_word *w,
		       const struct nx_device_operand *source,
		       const struct nx_device_operand *target)
{
	const struct nx_array_state *array = &core->array;
	const char *wrong = NULL;

	if (!array->is_loaded)
		wrong = "no weights are loaded";
	else if (array->rows != w->rows || array->columns != w->columns)
		wrong = "the weights have another size";
	else if (array->partition != source->address >> NX_PARTITION_SHIFT)
		wrong = "the weights came from other partitions";
	else if (array->is_transpose != (w->transpose & 1))
		wrong = "only one of weights and values is a transpose";
	else if (target->elements != source->elements || source->elements > MAX_MOVING)
		wrong = "as many sums as moving values do not fit the target";
	else if (target->address < NX_PSUM_BASE)
		wrong = "the target is not in PSUM";
	else if (w->zero_region > MAX_ZERO_CODE)
		wrong = "the zero region is larger than PSUM";
	if (wrong)
		nx_core_refuse(core, NX_FAULT_OPERAND, "%s", wrong);
	return !wrong;
}

NX_EXECUTE(matmul)
{
	const struct nx_array_word *w = &word->array;
	bool is_transpose = w->transpose & 1;
	struct nx_device_operand source = nx_operand_3d(&w->source, w->dtype, w->rows);
	struct nx_device_operand target =
		nx_operand_3d(&w->target, is_transpose ? w->dtype : NX_DTYPE_FP32, w->columns);
	struct nx_array_state *array = &core->array;
	size_t stride = nx_array_padded((size_t)source.elements);

	if (!is_array_size(core, w) || !nx_core_accepts(core, &source, "source") ||
	    !nx_core_accepts(core, &target, "target") || !fits_array(core, w, &source, &target))
		return;
	make_room(array, stride);
	load_moving(core, w, &source, stride);
	if (!is_transpose || !move_through(array, (size_t)source.elements, stride)) {
		struct nx_array_product product = {array->weights, array->moving,
						   array->sums,	   array->rows,
						   array->columns, (size_t)source.elements};

		nx_array_multiply(&product);
		core->machine->report->flops +=
			UINT64_C(2) * array->rows * array->columns * source.elements;
	}
	write_sums(core, w, &target, stride);
}
