/* SPDX-License-Identifier: Apache-2.0 */
/* execute_vector: element by element, within each lane. */
#include "base/bare/bits.h"
#include "runtime/device/alu.h"
#include "runtime/device/element.h"
#include "runtime/device/execute.h"

static const struct nx_operand_place copy_source = {12, 16, 4}, copy_target = {44, 48, 4};
static const struct nx_operand_place first_source = {16, 20, 3}, second_source = {32, 36, 3},
				     last_target = {48, 52, 3};

static bool accepts_pair(struct nx_core *core, const struct nx_device_operand *source,
			 const struct nx_device_operand *target)
{
	if (!nx_core_accepts(core, source, "source") || !nx_core_accepts(core, target, "target"))
		return false;
	if (source->elements == target->elements)
		return true;
	nx_core_refuse(core, NX_FAULT_OPERAND, "source has %llu elements, target %llu",
		       (unsigned long long)source->elements, (unsigned long long)target->elements);
	return false;
}

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

static void copy_or_convert(struct nx_core *core, const uint8_t *slot, bool is_reciprocal)
{
	struct nx_device_operand source = nx_operand_read(slot, copy_source, slot[32], slot[34]);
	struct nx_device_operand target = nx_operand_read(slot, copy_target, slot[33], slot[34]);

	if (!accepts_pair(core, &source, &target))
		return;
	/* Two halves are often moved as one int32: bits must pass as they are. */
	if (source.dtype == target.dtype && !is_reciprocal)
		copy_bits(core, &source, &target);
	else
		convert(core, &source, &target, is_reciprocal);
}

NX_EXECUTE(copy)
{
	(void)engine;
	copy_or_convert(core, slot, false);
}

NX_EXECUTE(cast)
{
	(void)engine;
	copy_or_convert(core, slot, false);
}

NX_EXECUTE(reciprocal)
{
	(void)engine;
	copy_or_convert(core, slot, true);
}

NX_EXECUTE(memset)
{
	struct nx_device_operand target = nx_operand_read(slot, copy_target, slot[32], slot[34]);
	uint8_t *row = (uint8_t *)nx_core_row(core, 0);

	(void)engine;
	if (!nx_core_accepts(core, &target, "target"))
		return;
	for (size_t n = 0; n < target.elements; n++)
		memcpy(row + n * target.size_bytes, slot + 40, target.size_bytes);
	for (unsigned lane = 0; lane < target.lanes; lane++)
		nx_operand_store_raw(&target, core->on_chip.bytes, lane, row);
}

/* --- arithmetic -------------------------------------------------------------------- */

struct pair {
	struct nx_device_operand left, right, target;
};

static void integer_lanes(struct nx_core *core, const uint8_t *slot, const struct pair *p)
{
	int64_t *left = (int64_t *)(void *)nx_core_row(core, 0);
	int64_t *right = (int64_t *)(void *)nx_core_row(core, 1);

	for (unsigned i = 0; i < p->target.lanes; i++) {
		unsigned lane = nx_execute_lane(&p->left, &p->target, i);

		nx_operand_load_integer(&p->left, core->on_chip.bytes, lane, left);
		nx_operand_load_integer(&p->right, core->on_chip.bytes, lane, right);
		(void)nx_alu_apply_integer(slot[14], left, right, (size_t)p->left.elements);
		nx_operand_store_integer(&p->target, core->on_chip.bytes, lane, left);
	}
}

static bool float_lanes(struct nx_core *core, const uint8_t *slot, const struct pair *p)
{
	float *left = nx_core_row(core, 0), *right = nx_core_row(core, 1);

	for (unsigned i = 0; i < p->target.lanes; i++) {
		unsigned lane = nx_execute_lane(&p->left, &p->target, i);

		nx_operand_load(&p->left, core->on_chip.bytes, lane, left);
		nx_operand_load(&p->right, core->on_chip.bytes, lane, right);
		if (!nx_alu_apply(slot[14], left, right, (size_t)p->left.elements))
			return false;
		nx_core_check_numbers(core, left, (size_t)p->target.elements);
		nx_operand_store(&p->target, core->on_chip.bytes, lane, left);
	}
	return true;
}

NX_EXECUTE(tensor_tensor)
{
	struct pair p = {
		.left = nx_operand_read(slot, first_source, slot[12] & 15, slot[15]),
		.right = nx_operand_read(slot, second_source, slot[12] >> 4, slot[15]),
		.target = nx_operand_read(slot, last_target, slot[13], slot[15]),
	};

	(void)engine;
	if (!accepts_pair(core, &p.left, &p.target) || !accepts_pair(core, &p.right, &p.target))
		return;
	if (nx_alu_is_integer(slot[14]) && nx_dtype_is_integer(p.left.dtype) &&
	    nx_dtype_is_integer(p.right.dtype) && nx_dtype_is_integer(p.target.dtype))
		integer_lanes(core, slot, &p);
	else if (!float_lanes(core, slot, &p))
		nx_core_refuse(core, NX_FAULT_UNKNOWN, "ALU operation 0x%02x", slot[14]);
}

/* Axes X, XY, XYZ, XYZW are 2 to 5: how many dimensions go, from the fastest on. */
static uint64_t reduced_elements(const uint8_t *slot)
{
	uint64_t inner = 1;

	if (slot[37] < 2 || slot[37] > 5)
		return 0;
	for (unsigned i = 0; i + 1 < slot[37]; i++)
		inner *= nx_load16(slot + 24 + 2 * (size_t)i);
	return inner;
}

NX_EXECUTE(tensor_reduce)
{
	struct nx_device_operand source = nx_operand_read(slot, copy_source, slot[32], slot[34]);
	struct nx_device_operand target = nx_operand_read(slot, copy_target, slot[33], slot[34]);
	uint64_t inner = reduced_elements(slot);

	(void)engine;
	if (!nx_core_accepts(core, &source, "source") || !nx_core_accepts(core, &target, "target"))
		return;
	if (inner == 0 || source.elements != target.elements * inner) {
		nx_core_refuse(core, NX_FAULT_OPERAND,
			       "axes %u of the source do not give the target", slot[37]);
		return;
	}
	for (unsigned i = 0; i < target.lanes; i++) {
		unsigned lane = nx_execute_lane(&source, &target, i);
		float *row = nx_core_row(core, 0), *out = nx_core_row(core, 1);

		nx_operand_load(&source, core->on_chip.bytes, lane, row);
		if (!nx_alu_reduce(slot[36], row, (size_t)inner, (size_t)target.elements, out)) {
			nx_core_refuse(core, NX_FAULT_UNKNOWN, "ALU operation 0x%02x", slot[36]);
			return;
		}
		for (size_t n = 0; slot[35] & 1 && n < target.elements; n++)
			out[n] = -out[n];
		nx_core_check_numbers(core, out, (size_t)target.elements);
		nx_operand_store(&target, core->on_chip.bytes, lane, out);
	}
}

static bool accepts_scalars(struct nx_core *core, const uint8_t *slot,
			    struct nx_device_operand columns[2])
{
	for (unsigned k = 0; k < 2; k++) {
		columns[k] = nx_operand_column(nx_load32(slot + 40 + 4 * (size_t)k), NX_DTYPE_FP32,
					       slot[34]);
		if (slot[36 + k] != NX_ALU_OP_BYPASS && slot[35] >> k & 1 &&
		    !nx_core_accepts(core, &columns[k], "scalar"))
			return false;
	}
	return true;
}

NX_EXECUTE(tensor_scalar)
{
	struct nx_device_operand source = nx_operand_read(slot, first_source, slot[32], slot[34]);
	struct nx_device_operand target = nx_operand_read(slot, last_target, slot[33], slot[34]);
	struct nx_device_operand columns[2];
	float *row = nx_core_row(core, 0);

	(void)engine;
	if (!accepts_pair(core, &source, &target) || !accepts_scalars(core, slot, columns))
		return;
	for (unsigned i = 0; i < target.lanes; i++) {
		unsigned lane = nx_execute_lane(&source, &target, i);

		nx_operand_load(&source, core->on_chip.bytes, lane, row);
		for (unsigned k = 0; k < 2; k++) {
			float scalar = nx_load_f32(slot + 40 + 4 * (size_t)k);

			if (slot[36 + k] == NX_ALU_OP_BYPASS)
				continue;
			if (slot[35] >> k & 1)
				nx_operand_load(&columns[k], core->on_chip.bytes, lane, &scalar);
			if (!nx_alu_apply_scalar(slot[36 + k], row, scalar,
						 (size_t)source.elements)) {
				nx_core_refuse(core, NX_FAULT_UNKNOWN, "ALU operation 0x%02x",
					       slot[36 + k]);
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
	struct nx_device_operand predicate =
		nx_operand_read(slot, first_source, slot[12] & 15, slot[15]);
	struct nx_device_operand source =
		nx_operand_read(slot, second_source, slot[12] >> 4, slot[15]);
	struct nx_device_operand target = nx_operand_read(slot, last_target, slot[13], slot[15]);
	float *chosen = nx_core_row(core, 0);
	float *row = nx_core_row(core, 1), *held = nx_core_row(core, 2);

	(void)engine;
	if (!accepts_pair(core, &source, &target) || !accepts_pair(core, &predicate, &target))
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
	struct nx_device_operand predicate =
		nx_operand_read(slot, first_source, slot[32], slot[34]);
	struct nx_device_operand scalar =
		nx_operand_column(nx_load32(slot + 44), slot[41], slot[34]);
	struct nx_device_operand target = nx_operand_read(slot, last_target, slot[42], slot[34]);
	float *chosen = nx_core_row(core, 0);
	uint8_t *held = (uint8_t *)nx_core_row(core, 1);
	bool is_inverted = slot[33] & 1;

	(void)engine;
	if (!accepts_pair(core, &predicate, &target) || !nx_core_accepts(core, &scalar, "scalar"))
		return;
	if (!(slot[43] & 1)) {
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
