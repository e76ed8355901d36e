/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/device_core.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

#include "runtime/device/execute.h"

/* --- memory ---------------------------------------------------------------------- */

enum nx_status nx_device_memory_open(struct nx_device_memory *memory, uint64_t size_bytes,
				     struct nx_error *err)
{
	void *bytes;

	*memory = (struct nx_device_memory){0};
	if (size_bytes == 0)
		return NX_OK;
	bytes = size_bytes > SIZE_MAX / 2
			? MAP_FAILED
			: mmap(NULL, (size_t)size_bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return nx_fail(err, NX_LIMIT,
			       "this host cannot allocate %llu bytes of device memory",
			       (unsigned long long)size_bytes);
	*memory = (struct nx_device_memory){bytes, size_bytes};
	return NX_OK;
}

void nx_device_memory_release(struct nx_device_memory *memory)
{
	if (memory->bytes)
		(void)munmap(memory->bytes, (size_t)memory->size_bytes);
	*memory = (struct nx_device_memory){0};
}

void nx_device_memory_poison(struct nx_device_memory *memory)
{
	if (memory->bytes)
		memset(memory->bytes, 0xff, (size_t)memory->size_bytes);
}

/* --- life ---------------------------------------------------------------------- */

enum nx_status nx_core_init(struct nx_core *core, struct nx_machine *machine, unsigned index,
			    struct nx_error *err)
{
	const struct nx_core_program *program = &machine->program->cores[index];
	enum nx_status status;

	assert(index < machine->program->core_count);
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
	assert(which < sizeof(core->rows) / sizeof(core->rows[0]));
	/* Eight bytes each, as integers of 64 bits pass through here too. */
	if (!core->rows[which])
		core->rows[which] = nx_heap_alloc(NX_OPERAND_MAX_ELEMENTS * sizeof(int64_t));
	return core->rows[which];
}

/* --- faults -------------------------------------------------------------------- */

const char *nx_fault_kind_text(enum nx_device_fault_kind kind)
{
	static const char *const texts[] = {
#define NX_FAULT_TEXT(name, text) text,
		NX_FAULT_MAP(NX_FAULT_TEXT)
#undef NX_FAULT_TEXT
	};

	static_assert(sizeof(texts) / sizeof(texts[0]) == NX_FAULT_KIND_COUNT,
		      "every kind of fault has a text");
	return (unsigned)kind < NX_FAULT_KIND_COUNT ? texts[kind] : "";
}

static void add_fault(struct nx_core *core, enum nx_device_fault_kind kind, const char *fmt,
		      va_list args)
{
	struct nx_machine *machine = core->machine;
	struct nx_device_report *report = machine->report;
	struct nx_device_fault fault = {.kind = kind,
					.core = (uint8_t)core->index,
					.engine = (uint8_t)core->engine,
					.opcode = core->word ? core->word->header.opcode : 0,
					.pc = core->pc};
	char label[8];

	vsnprintf(fault.text, sizeof(fault.text), fmt, args);
	report->fault_counts[kind]++;
	if (report->fault_count < NX_FAULT_KEPT)
		report->faults[report->fault_count++] = fault;
	if (kind == NX_FAULT_UNKNOWN && machine->options->is_strict && !machine->status)
		machine->status = nx_fail(
			&machine->error, NX_UNSUPPORTED,
			"core %u, engine %u, slot %u, %s: %s; run it without strict to continue",
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

/* False if the word's layout does not say where its results are. */
static bool poison_results(struct nx_core *core)
{
	struct nx_instruction_effect effect;
	bool is_known = false;

	nx_instruction_effect(core->word->bytes, 0, &effect);
	for (unsigned i = 0; i < effect.access_count; i++) {
		const struct nx_access *a = &effect.accesses[i];
		struct nx_device_operand o = nx_operand_of(a);

		is_known |= a->is_write;
		if (a->is_write && !nx_operand_check(&o, core->machine->sbuf_partition_bytes))
			nx_operand_poison(&o, core->on_chip.bytes);
	}
	return is_known;
}

void nx_core_refuse(struct nx_core *core, enum nx_device_fault_kind kind, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_fault(core, kind, fmt, args);
	va_end(args);
	(void)poison_results(core);
}

/* Without a known place for its results, all that the program computes is in doubt. */
static void refuse_opcode(struct nx_core *core)
{
	if (poison_results(core)) {
		nx_core_fault(core, NX_FAULT_UNKNOWN, "the opcode has no known meaning");
		return;
	}
	core->machine->has_lost_results = true;
	nx_core_fault(core, NX_FAULT_UNKNOWN,
		      "where it writes is not known, so all outputs are NaN");
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

bool nx_core_accepts_pair(struct nx_core *core, const struct nx_device_operand *source,
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

struct wait {
	uint8_t mode, semaphore;
	uint32_t value;
};

static bool is_fulfilled(const struct nx_core *core, struct wait w)
{
	return nx_wait_holds(w.mode, core->semaphores[w.semaphore], w.value);
}

static struct wait wait_of(const struct nx_core *core, unsigned engine, struct nx_word_sync sync,
			   uint32_t value)
{
	struct wait w = {sync.mode, sync.semaphore, value};

	if (w.mode & NX_WAIT_REGISTER) {
		w.mode &= (uint8_t)~NX_WAIT_REGISTER;
		w.value = core->registers[engine][w.value % NX_REGISTER_COUNT];
	}
	return w;
}

/* The header's wait, and the one in the body of EVENT_SEMAPHORE. */
static unsigned waits_of(const struct nx_core *core, unsigned engine, const union nx_word *word,
			 struct wait waits[2])
{
	const struct nx_word_header *header = &word->header;
	const struct nx_event_semaphore_word *body = &word->event_semaphore;
	unsigned count = 0;

	if (header->opcode == NX_OP_PSEUDO_EXTENSION)
		return 0;
	if (header->wait.mode)
		waits[count++] = wait_of(core, engine, header->wait, header->value);
	if (header->opcode == NX_OP_EVENT_SEMAPHORE && body->wait.mode)
		waits[count++] = wait_of(core, engine, body->wait, body->wait_value);
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

void nx_core_update_semaphore(struct nx_core *core, struct nx_word_sync update, uint32_t value)
{
	uint8_t index = update.semaphore;

	if (update.mode == NX_UPDATE_NONE)
		return;
	switch (update.mode & NX_UPDATE_MODE_MASK) {
	case NX_UPDATE_INCREMENT:
		nx_core_add_semaphore(core, index, 1);
		break;
	case NX_UPDATE_DECREMENT:
		subtract_semaphore(core, index, 1);
		break;
	case NX_UPDATE_ADD:
		nx_core_add_semaphore(core, index, value);
		break;
	case NX_UPDATE_SUBTRACT:
		subtract_semaphore(core, index, value);
		break;
	case NX_UPDATE_SET:
		core->changed_semaphore = index;
		core->semaphores[index] = value;
		break;
	default:
		nx_core_fault(core, NX_FAULT_UNKNOWN, "update mode 0x%02x", update.mode);
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
static bool passes_barrier(struct nx_core *core, unsigned engine, const union nx_word *word)
{
	struct nx_core_barrier barrier;

	if (!nx_instruction_core_barrier(word->bytes, &barrier))
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

static const union nx_word *current_word(const struct nx_core *core, unsigned engine)
{
	const uint8_t *slot = nx_instruction_word(core->program->code[engine], core->pcs[engine]);

	return slot ? nx_word_of(slot) : NULL;
}

bool nx_core_engine_is_ready(struct nx_core *core, unsigned engine)
{
	const union nx_word *word = current_word(core, engine);
	struct wait waits[2];
	unsigned count;

	if (!word)
		return false;
	count = waits_of(core, engine, word, waits);
	for (unsigned i = 0; i < count; i++)
		if (!is_fulfilled(core, waits[i]))
			return false;
	return passes_barrier(core, engine, word);
}

void nx_core_notify_clock(const struct nx_core *core, struct nx_actor actor, uint64_t dma_bytes)
{
	const struct nx_device_clock *clock = core->machine->options->clock;
	uint32_t changed = core->changed_semaphore;
	struct nx_schedule_step step = {.actor = actor,
					.engine = core->engine,
					.pc = core->pc,
					.word = core->word,
					.dma_bytes = dma_bytes,
					.semaphore = changed};

	if (!clock || !clock->stepped)
		return;
	if (changed < NX_SEMAPHORE_COUNT)
		step.value = core->semaphores[changed];
	clock->stepped(clock->context, &step);
}

static void (*const functions[256])(struct nx_core *core, const union nx_word *word) = {
#define NX_EXECUTE_ROW(opcode, name) [opcode] = nx_execute_##name,
	NX_EXECUTE_MAP(NX_EXECUTE_ROW)
#undef NX_EXECUTE_ROW
};

void nx_core_step(struct nx_core *core, unsigned engine)
{
	const union nx_word *word = current_word(core, engine);
	const struct nx_word_header *header = &word->header;
	struct wait waits[2];
	unsigned wait_count = waits_of(core, engine, word, waits);

	assert(engine < NX_ENGINE_COUNT && word);
	core->engine = engine;
	core->pc = core->pcs[engine];
	core->word = word;
	core->changed_semaphore = NX_NO_INDEX;
	core->has_bad_number = false;
	for (unsigned i = 0; i < wait_count; i++)
		if (waits[i].mode > NX_WAIT_AT_LEAST)
			nx_core_fault(core, NX_FAULT_UNKNOWN, "wait mode 0x%02x", waits[i].mode);
	if (functions[header->opcode])
		functions[header->opcode](core, word);
	else
		refuse_opcode(core);
	if (header->opcode != NX_OP_PSEUDO_EXTENSION)
		nx_core_update_semaphore(core, header->update, header->value);
	core->arrival[engine] = 0;
	core->machine->report->executed[engine][header->opcode]++;
	core->machine->report->executed_count++;
	core->pcs[engine]++;
	nx_core_notify_clock(core, (struct nx_actor){(uint8_t)core->index, false, engine}, 0);
}

void nx_core_explain_wait(const struct nx_core *core, unsigned engine, char *out, size_t cap)
{
	const union nx_word *word = current_word(core, engine);
	struct wait waits[2];
	unsigned count = word ? waits_of(core, engine, word, waits) : 0;

	for (unsigned i = 0; i < count; i++) {
		if (is_fulfilled(core, waits[i]) || waits[i].mode > NX_WAIT_AT_LEAST)
			continue;
		snprintf(out, cap, "waits for S[%u] %s %u, which is %u", waits[i].semaphore,
			 nx_wait_sign(waits[i].mode), waits[i].value,
			 core->semaphores[waits[i].semaphore]);
		return;
	}
	snprintf(out, cap, "waits for the other core at a barrier");
}
