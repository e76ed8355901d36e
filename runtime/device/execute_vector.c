/* SPDX-License-Identifier: Apache-2.0 */
/* execute_vector: element by element, within each lane. */
#include "runtime/device/alu.h"
#include "runtime/device/element.h"
#include "runtime/device/execute.h"

/* --- copies ---------------------------------------------------------------------- */

static void copy_bits(struct nx_core *core, const struct nx_device_operand *source,
		      const struct nx_device_operand *target)
{
	uint8_t *row = (uint8_t *)nx_core_row(core, 0);

	for (unsigned i = 0; i < target->lanes; i++) {
		unsigned lane = nx_execute_lane(source, target, i);

		nx_operand_load_raw(source, core->on_chip.bytes, lane, row);
		nx_operand_store_raw(target, core->on_chip.bytes, lane, row);
	}
}

static void convert(struct nx_core *core, const struct nx_device_operand *source,
		    const struct nx_device_operand *target, bool is_reciprocal)
{
	float *row = nx_core_row(core, 0);

	for (unsigned i = 0; i < target->lanes; i++) {
		unsigned lane = nx_execute_lane(source, target, i);

		nx_operand_load(source, core->on_chip.bytes, lane, row);
		for (size_t n = 0; is_reciprocal && n < source->elements; n++)
			row[n] = 1 / row[n];
		nx_core_check_numbers(core, row, (size_t)target->elements);
		nx_operand_store(target, core->on_chip.bytes, lane, row);
	}
}

static void copy_or_convert(struct nx_core *core, const struct nx_copy_word *w, bool is_reciprocal)
{
	struct nx_device_operand source = nx_operand_4d(&w->source, w->source_dtype, w->lanes);
	struct nx_device_operand target = nx_operand_4d(&w->target, w->target_dtype, w->lanes);

	if (!nx_core_accepts_pair(core, &source, &target))
		return;
	/* Two halves are often moved as one int32: bits must pass as they are. */
	if (source.dtype == target.dtype && !is_reciprocal)
		copy_bits(core, &source, &target);
	else
		convert(core, &source, &target, is_reciprocal);
}

NX_EXECUTE(copy)
{
	copy_or_convert(core, &word->copy, false);
}

NX_EXECUTE(reciprocal)
{
	copy_or_convert(core, &word->copy, true);
}

NX_EXECUTE(memset)
{
	const struct nx_memset_word *w = &word->memset;
	/* Elements of eight bytes extend into the address field. */
	const uint8_t *value = word->bytes + offsetof(struct nx_memset_word, value);
	struct nx_device_operand target = nx_operand_4d(&w->target, w->dtype, w->lanes);
	uint8_t *row = (uint8_t *)nx_core_row(core, 0);

	if (!nx_core_accepts(core, &target, "target"))
		return;
	for (size_t n = 0; n < target.elements; n++)
		memcpy(row + n * target.size_bytes, value, target.size_bytes);
	for (unsigned lane = 0; lane < target.lanes; lane++)
		nx_operand_store_raw(&target, core->on_chip.bytes, lane, row);
}

/* --- arithmetic -------------------------------------------------------------------- */

struct pair {
	struct nx_device_operand left, right, target;
};

static void integer_lanes(struct nx_core *core, uint8_t op, const struct pair *p)
{
	int64_t *left = (int64_t *)(void *)nx_core_row(core, 0);
	int64_t *right = (int64_t *)(void *)nx_core_row(core, 1);

	for (unsigned i = 0; i < p->target.lanes; i++) {
		unsigned lane = nx_execute_lane(&p->left, &p->target, i);

		nx_operand_load_integer(&p->left, core->on_chip.bytes, lane, left);
		nx_operand_load_integer(&p->right, core->on_chip.bytes, lane, right);
		(void)nx_alu_apply_integer(op, left, right, (size_t)p->left.elements);
		nx_operand_store_integer(&p->target, core->on_chip.bytes, lane, left);
	}
}

static bool float_lanes(struct nx_core *core, uint8_t op, const struct pair *p)
{
	float *left = nx_core_row(core, 0), *right = nx_core_row(core, 1);

	for (unsigned i = 0; i < p->target.lanes; i++) {
		unsigned lane = nx_execute_lane(&p->left, &p->target, i);

		nx_operand_load(&p->left, core->on_chip.bytes, lane, left);
		nx_operand_load(&p->right, core->on_chip.bytes, lane, right);
		if (!nx_alu_apply(op, left, right, (size_t)p->left.elements))
			return false;
		nx_core_check_numbers(core, left, (size_t)p->target.elements);
		nx_operand_store(&p->target, core->on_chip.bytes, lane, left);
	}
	return true;
}

NX_EXECUTE(tensor_tensor)
{
	const struct nx_pair_word *w = &word->pair;
	struct pair p = {
		.left = nx_operand_3d(&w->first, nx_low_dtype(w->dtypes), w->lanes),
		.right = nx_operand_3d(&w->second, nx_high_dtype(w->dtypes), w->lanes),
		.target = nx_operand_3d(&w->target, w->target_dtype, w->lanes),
	};

	if (!nx_core_accepts_pair(core, &p.left, &p.target) ||
	    !nx_core_accepts_pair(core, &p.right, &p.target))
		return;
	if (nx_alu_is_integer(w->op) && nx_dtype_is_integer(p.left.dtype) &&
	    nx_dtype_is_integer(p.right.dtype) && nx_dtype_is_integer(p.target.dtype))
		integer_lanes(core, w->op, &p);
	else if (!float_lanes(core, w->op, &p))
		nx_core_refuse(core, NX_FAULT_UNKNOWN, "ALU operation 0x%02x", w->op);
}

/* Axes X, XY, XYZ, XYZW are 2 to 5: how many dimensions go, from the fastest on. */
static uint64_t reduced_elements(const struct nx_copy_word *w)
{
	uint64_t inner = 1;

	if (w->axes < 2 || w->axes > 5)
		return 0;
	for (unsigned i = 0; i + 1 < w->axes; i++)
		inner *= w->source.counts[i];
	return inner;
}

NX_EXECUTE(tensor_reduce)
{
	const struct nx_copy_word *w = &word->copy;
	struct nx_device_operand source = nx_operand_4d(&w->source, w->source_dtype, w->lanes);
	struct nx_device_operand target = nx_operand_4d(&w->target, w->target_dtype, w->lanes);
	uint64_t inner = reduced_elements(w);

	if (!nx_core_accepts(core, &source, "source") || !nx_core_accepts(core, &target, "target"))
		return;
	if (inner == 0 || source.elements != target.elements * inner) {
		nx_core_refuse(core, NX_FAULT_OPERAND,
			       "axes %u of the source do not give the target", w->axes);
		return;
	}
	for (unsigned i = 0; i < target.lanes; i++) {
		unsigned lane = nx_execute_lane(&source, &target, i);
		float *row = nx_core_row(core, 0), *out = nx_core_row(core, 1);

		nx_operand_load(&source, core->on_chip.bytes, lane, row);
		if (!nx_alu_reduce(w->op, row, (size_t)inner, (size_t)target.elements, out)) {
			nx_core_refuse(core, NX_FAULT_UNKNOWN, "ALU operation 0x%02x", w->op);
			return;
		}
		for (size_t n = 0; w->negated & 1 && n < target.elements; n++)
			out[n] = -out[n];
		nx_core_check_numbers(core, out, (size_t)target.elements);
		nx_operand_store(&target, core->on_chip.bytes, lane, out);
	}
}

static bool accepts_scalars(struct nx_core *core, const struct nx_scalar_word *w,
			    struct nx_device_operand columns[2])
{
	for (unsigned k = 0; k < 2; k++) {
		columns[k] = nx_operand_column(w->scalars[k].address, NX_DTYPE_FP32, w->lanes);
		if (w->ops[k] != NX_ALU_OP_BYPASS && w->pointers >> k & 1 &&
		    !nx_core_accepts(core, &columns[k], "scalar"))
			return false;
	}
	return true;
}

NX_EXECUTE(tensor_scalar)
{
	const struct nx_scalar_word *w = &word->scalar;
	struct nx_device_operand source = nx_operand_3d(&w->source, w->source_dtype, w->lanes);
	struct nx_device_operand target = nx_operand_3d(&w->target, w->target_dtype, w->lanes);
	struct nx_device_operand columns[2];
	float *row = nx_core_row(core, 0);

	if (!nx_core_accepts_pair(core, &source, &target) || !accepts_scalars(core, w, columns))
		return;
	for (unsigned i = 0; i < target.lanes; i++) {
		unsigned lane = nx_execute_lane(&source, &target, i);

		nx_operand_load(&source, core->on_chip.bytes, lane, row);
		for (unsigned k = 0; k < 2; k++) {
			float scalar = w->scalars[k].value;

			if (w->ops[k] == NX_ALU_OP_BYPASS)
				continue;
			if (w->pointers >> k & 1)
				nx_operand_load(&columns[k], core->on_chip.bytes, lane, &scalar);
			if (!nx_alu_apply_scalar(w->ops[k], row, scalar, (size_t)source.elements)) {
				nx_core_refuse(core, NX_FAULT_UNKNOWN, "ALU operation 0x%02x",
					       w->ops[k]);
				return;
			}
		}
		nx_core_check_numbers(core, row, (size_t)target.elements);
		nx_operand_store(&target, core->on_chip.bytes, lane, row);
	}
}

/* --- predicates ---------------------------------------------------------------------- */

NX_EXECUTE(copy_predicated)
{
	const struct nx_pair_word *w = &word->pair;
	struct nx_device_operand predicate =
		nx_operand_3d(&w->first, nx_low_dtype(w->dtypes), w->lanes);
	struct nx_device_operand source =
		nx_operand_3d(&w->second, nx_high_dtype(w->dtypes), w->lanes);
	struct nx_device_operand target = nx_operand_3d(&w->target, w->target_dtype, w->lanes);
	float *chosen = nx_core_row(core, 0);
	float *row = nx_core_row(core, 1), *held = nx_core_row(core, 2);

	if (!nx_core_accepts_pair(core, &source, &target) ||
	    !nx_core_accepts_pair(core, &predicate, &target))
		return;
	for (unsigned i = 0; i < target.lanes; i++) {
		unsigned lane = nx_execute_lane(&source, &target, i);
		size_t size = target.size_bytes;

		nx_operand_load(&predicate, core->on_chip.bytes, lane, chosen);
		nx_operand_load_raw(&target, core->on_chip.bytes, lane, (uint8_t *)held);
		if (source.dtype == target.dtype) {
			nx_operand_load_raw(&source, core->on_chip.bytes, lane, (uint8_t *)row);
		} else {
			nx_operand_load(&source, core->on_chip.bytes, lane, row);
			/* Narrower types only move to the front, wider ones do not exist here. */
			if (size > sizeof(*row)) {
				nx_core_refuse(core, NX_FAULT_UNKNOWN, "a predicated cast to %u",
					       target.dtype);
				return;
			}
			for (size_t n = 0; n < target.elements; n++)
				nx_element_store(target.dtype, &row[n], 1,
						 (uint8_t *)row + n * size, (ptrdiff_t)size);
		}
		for (size_t n = 0; n < target.elements; n++)
			if (chosen[n] != 0)
				memcpy((uint8_t *)held + n * size, (uint8_t *)row + n * size, size);
		nx_operand_store_raw(&target, core->on_chip.bytes, lane, (uint8_t *)held);
	}
}

NX_EXECUTE(scalar_predicated)
{
	const struct nx_scalar_predicated_word *w = &word->scalar_predicated;
	struct nx_device_operand predicate =
		nx_operand_3d(&w->predicate, w->predicate_dtype, w->lanes);
	struct nx_device_operand scalar =
		nx_operand_column(w->scalar_address, w->scalar_dtype, w->lanes);
	struct nx_device_operand target = nx_operand_3d(&w->target, w->target_dtype, w->lanes);
	float *chosen = nx_core_row(core, 0);
	uint8_t *held = (uint8_t *)nx_core_row(core, 1);
	bool is_inverted = w->inverted & 1;

	if (!nx_core_accepts_pair(core, &predicate, &target) ||
	    !nx_core_accepts(core, &scalar, "scalar"))
		return;
	if (!(w->is_scalar_pointer & 1)) {
		nx_core_refuse(core, NX_FAULT_UNKNOWN, "a scalar in the word itself");
		return;
	}
	for (unsigned lane = 0; lane < target.lanes; lane++) {
		size_t size = target.size_bytes;
		uint8_t bits[8];
		float value;

		nx_operand_load(&scalar, core->on_chip.bytes, lane, &value);
		nx_element_store(target.dtype, &value, 1, bits, (ptrdiff_t)size);
		if (scalar.dtype == target.dtype)
			nx_operand_load_raw(&scalar, core->on_chip.bytes, lane, bits);
		nx_operand_load(&predicate, core->on_chip.bytes, lane, chosen);
		nx_operand_load_raw(&target, core->on_chip.bytes, lane, held);
		for (size_t n = 0; n < target.elements; n++)
			if ((chosen[n] != 0) != is_inverted)
				memcpy(held + n * size, bits, size);
		nx_operand_store_raw(&target, core->on_chip.bytes, lane, held);
	}
}
