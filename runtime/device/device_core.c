/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/device_core.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/bare/bits.h"

/* --- life ---------------------------------------------------------------------- */

enum nx_status nx_core_init(struct nx_core *core, struct nx_machine *machine, unsigned index,
			    struct nx_error *err)
{
	const struct nx_core_program *program = &machine->program->cores[index];
	enum nx_status status;

	memset(core, 0, sizeof(*core));
	core->machine = machine;
	core->program = program;
	core->index = index;
	status = nx_device_memory_open(&core->on_chip, NX_ON_CHIP_BYTES, err);
	if (!status)
		status = nx_device_memory_open(&core->scratch, program->scratch_bytes, err);
	if (status)
		return status;
	core->queue_count = program->queue_count + NX_ENGINE_COUNT;
	core->queues = nx_heap_alloc(core->queue_count * sizeof(*core->queues));
	core->queue_heads = nx_heap_alloc(core->queue_count * sizeof(*core->queue_heads));
	memset(core->queues, 0, core->queue_count * sizeof(*core->queues));
	nx_core_reset(core);
	return NX_OK;
}

void nx_core_release(struct nx_core *core)
{
	nx_device_memory_release(&core->on_chip);
	nx_device_memory_release(&core->scratch);
	for (size_t i = 0; core->queues && i < core->queue_count; i++)
		nx_vec_release(&core->queues[i]);
	nx_heap_free(core->queues);
	nx_heap_free(core->queue_heads);
	nx_heap_free(core->array.weights);
	nx_heap_free(core->array.moving);
	nx_heap_free(core->array.sums);
	nx_heap_free(core->array.armed);
	nx_vec_release(&core->gather.bytes);
	nx_map_release(&core->arrivals);
	for (unsigned i = 0; i < 3; i++)
		nx_heap_free(core->rows[i]);
	memset(core, 0, sizeof(*core));
}

void nx_core_reset(struct nx_core *core)
{
	memset(core->semaphores, 0, sizeof(core->semaphores));
	memset(core->registers, 0, sizeof(core->registers));
	memset(core->pcs, 0, sizeof(core->pcs));
	memset(core->arrival, 0, sizeof(core->arrival));
	nx_map_release(&core->arrivals);
	core->function_set = 0;
	core->array.is_loaded = false;
	if (core->array.armed)
		memset(core->array.armed, 0, NX_PARTITION_COUNT * NX_PSUM_PARTITION_BYTES / 4);
	memset(&core->vector, 0, sizeof(core->vector));
	for (unsigned i = 0; i < NX_MASK_LANES; i++)
		core->vector.mask[i] = (uint8_t)i;
	nx_vec_clear(&core->gather.bytes);
	core->gather.count = 0;
	for (size_t i = 0; i < core->queue_count; i++) {
		nx_vec_clear(&core->queues[i]);
		core->queue_heads[i] = 0;
	}
	if (core->machine->options->is_poisoned) {
		nx_device_memory_poison(&core->on_chip);
		nx_device_memory_poison(&core->scratch);
	}
}

float *nx_core_row(struct nx_core *core, unsigned which)
{
	/* Eight bytes each, as integers of 64 bits pass through here too. */
	if (!core->rows[which])
		core->rows[which] = nx_heap_alloc(NX_OPERAND_MAX_ELEMENTS * sizeof(int64_t));
	return core->rows[which];
}

/* --- faults -------------------------------------------------------------------- */

static void add_fault(struct nx_core *core, enum nx_device_fault_kind kind, const char *fmt,
		      va_list args)
{
	struct nx_machine *machine = core->machine;
	struct nx_device_fault fault = {.kind = kind,
					.core = (uint8_t)core->index,
					.engine = (uint8_t)core->engine,
					.opcode = core->slot ? core->slot[0] : 0,
					.pc = core->pc};
	char label[8];

	vsnprintf(fault.text, sizeof(fault.text), fmt, args);
	nx_device_report_add(machine->report, &fault);
	if (kind == NX_FAULT_UNKNOWN && machine->options->is_strict && !machine->status)
		machine->status = nx_fail(
			&machine->error, NX_UNSUPPORTED,
			"core %u, engine %u, slot %u, %s: %s; run it without strict to go on",
			core->index, core->engine, core->pc, nx_opcode_label(fault.opcode, label),
			fault.text);
}

void nx_core_fault(struct nx_core *core, enum nx_device_fault_kind kind, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_fault(core, kind, fmt, args);
	va_end(args);
}

static void poison_results(struct nx_core *core)
{
	struct nx_instruction_effect effect;

	nx_instruction_effect(core->slot, 0, &effect);
	for (unsigned i = 0; i < effect.access_count; i++) {
		const struct nx_access *a = &effect.accesses[i];
		struct nx_device_operand o =
			nx_operand_column(a->address, a->dtype, a->partition_count);

		if (!a->is_write)
			continue;
		for (unsigned d = 0; d < a->dims; d++) {
			o.counts[d] = a->counts[d];
			o.steps[d] = a->steps[d] * (int32_t)o.size_bytes;
			o.elements *= a->counts[d];
			if (a->counts[d] && o.steps[d] < 0)
				o.least += (a->counts[d] - 1) * (int64_t)o.steps[d];
			else if (a->counts[d])
				o.most += (a->counts[d] - 1) * (int64_t)o.steps[d];
		}
		o.dims = a->dims;
		if (!nx_operand_check(&o, core->machine->sbuf_partition_bytes))
			nx_operand_poison(&o, core->on_chip.bytes);
	}
}

void nx_core_refuse(struct nx_core *core, enum nx_device_fault_kind kind, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_fault(core, kind, fmt, args);
	va_end(args);
	poison_results(core);
}

bool nx_core_accepts(struct nx_core *core, const struct nx_device_operand *operand,
		     const char *name)
{
	const char *wrong = nx_operand_check(operand, core->machine->sbuf_partition_bytes);

	if (!wrong)
		return true;
	nx_core_refuse(core, NX_FAULT_ADDRESS_BOUNDS, "%s at 0x%x %s", name, operand->address,
		       wrong);
	return false;
}

void nx_core_check_numbers(struct nx_core *core, const float *values, size_t count)
{
	struct nx_device_report *report = core->machine->report;
	size_t bad = 0;

	for (size_t i = 0; i < count; i++)
		bad += values[i] != values[i];
	if (bad == 0)
		return;
	report->nan_count += bad;
	/* Once for an instruction, not once for each of its lanes. */
	if (core->has_bad_number)
		return;
	core->has_bad_number = true;
	nx_core_fault(core, NX_FAULT_NUMERICAL, "a result is not a number (NaN)");
}

/* --- semaphores ------------------------------------------------------------------ */

enum wait_mode { WAIT_NONE, WAIT_EQUAL, WAIT_LESS, WAIT_AT_MOST, WAIT_MORE, WAIT_AT_LEAST };
#define WAIT_REGISTER 0x80 /* the value is the number of a register */

struct wait {
	uint8_t mode, semaphore;
	uint32_t value;
};

static bool is_fulfilled(const struct nx_core *core, struct wait w)
{
	uint32_t have = core->semaphores[w.semaphore];

	switch (w.mode) {
	case WAIT_EQUAL:
		return have == w.value;
	case WAIT_LESS:
		return have < w.value;
	case WAIT_AT_MOST:
		return have <= w.value;
	case WAIT_MORE:
		return have > w.value;
	case WAIT_AT_LEAST:
		return have >= w.value;
	default:
		return true;
	}
}

static struct wait wait_at(const struct nx_core *core, unsigned engine, const uint8_t *mode,
			   const uint8_t *value)
{
	struct wait w = {mode[0], mode[1], nx_load32(value)};

	if (w.mode & WAIT_REGISTER) {
		w.mode &= (uint8_t)~WAIT_REGISTER;
		w.value = core->registers[engine][w.value % NX_REGISTER_COUNT];
	}
	return w;
}

/* The header's wait, and that in the body of EVENT_SEMAPHORE. */
static unsigned waits_of(const struct nx_core *core, unsigned engine, const uint8_t *slot,
			 struct wait waits[2])
{
	unsigned count = 0;

	if (slot[0] == NX_OP_PSEUDO_EXTENSION)
		return 0;
	if (slot[4])
		waits[count++] = wait_at(core, engine, slot + 4, slot + 8);
	if (slot[0] == NX_OP_EVENT_SEMAPHORE && slot[32])
		waits[count++] = wait_at(core, engine, slot + 32, slot + 36);
	return count;
}

void nx_core_add_semaphore(struct nx_core *core, uint32_t index, uint32_t increment)
{
	if (index >= NX_SEMAPHORE_COUNT) {
		nx_core_fault(core, NX_FAULT_SEMAPHORE, "a transfer names no valid semaphore");
		return;
	}
	core->changed_semaphore = index;
	if (__builtin_add_overflow(core->semaphores[index], increment, &core->semaphores[index]))
		nx_core_fault(core, NX_FAULT_SEMAPHORE, "sem %u overflow", index);
}

static void subtract_semaphore(struct nx_core *core, uint8_t index, uint32_t decrement)
{
	core->changed_semaphore = index;
	if (__builtin_sub_overflow(core->semaphores[index], decrement, &core->semaphores[index]))
		nx_core_fault(core, NX_FAULT_SEMAPHORE, "sem %u underflow", index);
}

enum update_mode {
	UPDATE_NONE = 0,
	UPDATE_INCREMENT = 3,
	UPDATE_DECREMENT = 4,
	UPDATE_ADD = 5,
	UPDATE_SUBTRACT = 7,
	UPDATE_SET = 9,
};

void nx_core_update_semaphore(struct nx_core *core, uint8_t mode, uint8_t index, uint32_t value)
{
	if (mode == 0)
		return;
	switch (mode & 15) {
	case UPDATE_INCREMENT:
		nx_core_add_semaphore(core, index, 1);
		break;
	case UPDATE_DECREMENT:
		subtract_semaphore(core, index, 1);
		break;
	case UPDATE_ADD:
		nx_core_add_semaphore(core, index, value);
		break;
	case UPDATE_SUBTRACT:
		subtract_semaphore(core, index, value);
		break;
	case UPDATE_SET:
		core->changed_semaphore = index;
		core->semaphores[index] = value;
		break;
	default:
		nx_core_fault(core, NX_FAULT_UNKNOWN, "update mode 0x%02x", mode);
	}
}

/* --- barriers between cores -------------------------------------------------------- */

static uint64_t arrivals_at(const struct nx_core *core, uint32_t barrier)
{
	uint64_t count = 0;

	(void)nx_map_get(&core->arrivals, barrier, &count);
	return count;
}

/* The n-th arrival of one core lets the n-th of every other go. */
static bool passes_barrier(struct nx_core *core, unsigned engine, const uint8_t *slot)
{
	struct nx_core_barrier barrier;

	if (!nx_instruction_core_barrier(slot, &barrier))
		return true;
	if (core->arrival[engine] == 0) {
		core->arrival[engine] = arrivals_at(core, barrier.id) + 1;
		nx_map_put(&core->arrivals, barrier.id, core->arrival[engine]);
	}
	for (size_t i = 0; i < core->machine->core_count; i++)
		if (arrivals_at(&core->machine->cores[i], barrier.id) < core->arrival[engine])
			return false;
	return true;
}

/* --- steps ------------------------------------------------------------------------- */

static const uint8_t *current_slot(const struct nx_core *core, unsigned engine)
{
	return nx_instruction_word(core->program->code[engine], core->pcs[engine]);
}

bool nx_core_engine_has_ended(const struct nx_core *core, unsigned engine)
{
	return core->pcs[engine] >= nx_core_slot_count(core, engine);
}

bool nx_core_engine_is_ready(struct nx_core *core, unsigned engine)
{
	const uint8_t *slot = current_slot(core, engine);
	struct wait waits[2];
	unsigned count;

	if (!slot)
		return false;
	count = waits_of(core, engine, slot, waits);
	for (unsigned i = 0; i < count; i++)
		if (!is_fulfilled(core, waits[i]))
			return false;
	return passes_barrier(core, engine, slot);
}

static void check_wait_modes(struct nx_core *core, unsigned engine, const uint8_t *slot)
{
	struct wait waits[2];
	unsigned count = waits_of(core, engine, slot, waits);

	for (unsigned i = 0; i < count; i++)
		if (waits[i].mode > WAIT_AT_LEAST)
			nx_core_fault(core, NX_FAULT_UNKNOWN, "wait mode 0x%02x", waits[i].mode);
}

void nx_core_step(struct nx_core *core, unsigned engine)
{
	const uint8_t *slot = current_slot(core, engine);
	const struct nx_device_clock *clock = core->machine->options->clock;
	nx_execute_fn execute = nx_opcode_execute(slot[0]);

	core->engine = engine;
	core->pc = core->pcs[engine];
	core->slot = slot;
	core->changed_semaphore = NX_NO_INDEX;
	core->has_bad_number = false;
	check_wait_modes(core, engine, slot);
	if (execute)
		execute(core, engine, slot);
	else
		nx_core_refuse(core, NX_FAULT_UNKNOWN, "the opcode has no known meaning");
	if (slot[0] != NX_OP_PSEUDO_EXTENSION)
		nx_core_update_semaphore(core, slot[6], slot[7], nx_load32(slot + 8));
	core->arrival[engine] = 0;
	core->machine->report->executed[engine][slot[0]]++;
	core->machine->report->executed_count++;
	core->pcs[engine]++;
	if (clock && clock->stepped) {
		uint32_t changed = core->changed_semaphore;
		struct nx_schedule_step step = {
			.actor = {(uint8_t)core->index, false, engine},
			.engine = engine,
			.pc = core->pc,
			.slot = slot,
			.semaphore = changed,
			.value = changed < NX_SEMAPHORE_COUNT ? core->semaphores[changed] : 0};

		clock->stepped(clock->context, &step);
	}
}

void nx_core_explain_wait(const struct nx_core *core, unsigned engine, char *out, size_t cap)
{
	static const char *const signs[] = {"", "==", "<", "<=", ">", ">="};
	const uint8_t *slot = current_slot(core, engine);
	struct wait waits[2];
	unsigned count = slot ? waits_of(core, engine, slot, waits) : 0;

	for (unsigned i = 0; i < count; i++) {
		if (is_fulfilled(core, waits[i]) || waits[i].mode > WAIT_AT_LEAST)
			continue;
		snprintf(out, cap, "waits for S[%u] %s %u, which is %u", waits[i].semaphore,
			 signs[waits[i].mode], waits[i].value,
			 core->semaphores[waits[i].semaphore]);
		return;
	}
	snprintf(out, cap, "waits for the other core at a barrier");
}
