/* SPDX-License-Identifier: Apache-2.0 */
/* execute_scalar: the scalar engine, a function of source times scale plus bias. */
#include "runtime/device/element.h"
#include "runtime/device/execute.h"

NX_EXECUTE(table_load)
{
	core->function_set = word->table_load.function_set;
}

static bool evaluate_from(const struct nx_activation_set *set, uint8_t id, float *row, size_t count)
{
	const struct nx_activation_function *function = nx_activation_find(set, id);

	if (function)
		nx_activation_evaluate(set, function, row, count);
	return function;
}

/* From the set that was loaded last, else from any, else in mathematics. */
static bool apply_function(const struct nx_core *core, uint8_t id, float *row, size_t count)
{
	const struct nx_core_program *program = core->program;

	if (nx_activation_is_plain(id) || core->machine->options->has_exact_functions)
		return nx_activation_compute(id, row, count);
	if (core->function_set < program->set_count &&
	    evaluate_from(&program->sets[core->function_set], id, row, count))
		return true;
	for (size_t i = 0; i < program->set_count; i++)
		if (evaluate_from(&program->sets[i], id, row, count))
			return true;
	return nx_activation_compute(id, row, count);
}

/* A number in the word, or one per lane in memory. */
struct factor {
	bool is_pointer;
	float immediate;
	struct nx_device_operand column;
};

static struct factor factor_at(union nx_word_scalar scalar, bool is_pointer, unsigned dtype,
			       uint8_t lanes)
{
	return (struct factor){is_pointer, scalar.value,
			       nx_operand_column(scalar.address, dtype, lanes)};
}

static float factor_of(const struct nx_core *core, const struct factor *f, unsigned lane)
{
	float value = f->immediate;

	if (f->is_pointer)
		nx_operand_load(&f->column, core->on_chip.bytes, lane, &value);
	return value;
}

NX_EXECUTE(activate)
{
	const struct nx_activate_word *w = &word->activate;
	struct nx_device_operand source =
		nx_operand_3d(&w->source, nx_low_dtype(w->dtypes), w->lanes);
	struct nx_device_operand target = nx_operand_3d(&w->target, w->target_dtype, w->lanes);
	struct factor scale = factor_at(w->scale, w->is_scale_pointer & 1, NX_DTYPE_FP32, w->lanes);
	struct factor bias =
		factor_at(w->bias, !(w->is_bias_immediate & 1), nx_high_dtype(w->dtypes), w->lanes);

	if (!nx_core_accepts_pair(core, &source, &target) ||
	    (scale.is_pointer && !nx_core_accepts(core, &scale.column, "scale")) ||
	    (bias.is_pointer && !nx_core_accepts(core, &bias.column, "bias")))
		return;
	for (unsigned i = 0; i < w->lanes; i++) {
		unsigned lane = nx_execute_lane(&source, &target, i);
		float *row = nx_core_row(core, 0);
		float s = factor_of(core, &scale, lane), b = factor_of(core, &bias, lane);

		nx_operand_load(&source, core->on_chip.bytes, lane, row);
		for (size_t n = 0; n < source.elements; n++)
			row[n] = row[n] * s + b;
		if (!apply_function(core, w->function, row, (size_t)source.elements)) {
			nx_core_refuse(core, NX_FAULT_UNKNOWN, "function %u", w->function);
			return;
		}
		nx_core_check_numbers(core, row, (size_t)target.elements);
		nx_operand_store(&target, core->on_chip.bytes, lane, row);
	}
}
