/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/runtime/timing/timing_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"

static struct nx_device_variable variables[2] = {{.kind = NX_VARIABLE_STATE_BUFFER},
						 {.kind = NX_VARIABLE_INPUT}};

void timing_fixture_open(struct timing_fixture *f, enum nx_device_arch arch, unsigned core_count)
{
	memset(f, 0, sizeof(*f));
	f->program = (struct nx_device_program){
		.arch = arch, .cores = f->cores, .core_count = core_count};
	for (unsigned c = 0; c < core_count; c++) {
		f->cores[c].name = nx_slice_text(c ? "sg01" : "sg00");
		f->cores[c].variables = variables;
		f->cores[c].variable_count = 2;
		nx_map_put(&f->cores[c].variable_by_id, 0, 0);
		nx_map_put(&f->cores[c].variable_by_id, 1, 1);
	}
	f->queue = (struct nx_device_queue){
		.name = nx_slice_text("qSPIO0"), .engine = NX_ENGINE_SYNC, .blocks = f->blocks};
}

void timing_fixture_close(struct timing_fixture *f)
{
	nx_timed_run_release(&f->run);
	nx_loaded_code_release(&f->code);
	nx_map_release(&f->queue.by_id);
	for (unsigned c = 0; c < 2; c++) {
		nx_map_release(&f->cores[c].variable_by_id);
		nx_text_map_release(&f->cores[c].queue_by_name[NX_ENGINE_SYNC]);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			nx_vec_release(&f->words[c][e]);
	}
}

uint8_t *timing_fixture_add(struct timing_fixture *f, unsigned core, unsigned engine,
			    uint8_t opcode)
{
	struct nx_bytes *words = &f->words[core][engine];

	nx_bytes_append_zeros(words, NX_SLOT_BYTES);
	word_clear(words->items + words->len - NX_SLOT_BYTES, opcode);
	return words->items + words->len - NX_SLOT_BYTES;
}

void timing_fixture_add_copy(struct timing_fixture *f, unsigned core, unsigned engine, uint8_t wait,
			     uint32_t at_least, uint8_t update)
{
	uint8_t *word = timing_fixture_add(f, core, engine, NX_OP_COPY);

	word_copy(word, NX_OP_COPY, 0, row_of(4, 512), NX_DTYPE_FP32, 4096, row_of(4, 512),
		  NX_DTYPE_FP32, 128);
	if (wait)
		word_wait(word, wait, at_least);
	if (update)
		word_update(word, update);
}

void timing_fixture_add_block(struct timing_fixture *f, unsigned rows, unsigned row_bytes,
			      uint8_t semaphore)
{
	size_t i = f->queue.block_count++;

	assert_true(i < FIXTURE_BLOCKS);
	f->sizes[i][0] = row_bytes;
	f->sizes[i][1] = rows;
	f->steps[i][0] = 1;
	f->steps[i][1] = NX_PARTITION_STRIDE;
	f->sources[i] = (struct nx_neff_side){
		.variable = 1, .dims = 2, .sizes = f->sizes[i], .steps = f->steps[i]};
	f->descriptors[i] = (struct nx_neff_descriptor){
		.op = NX_DMA_COPY, .from = &f->sources[i], .from_count = 1, .to = f->sources[i]};
	f->descriptors[i].to.variable = 0;
	f->blocks[i] = (struct nx_neff_block){.id = (uint32_t)i + 70,
					      .semaphore = semaphore,
					      .descriptors = &f->descriptors[i],
					      .descriptor_count = 1};
	nx_map_put(&f->queue.by_id, f->blocks[i].id, i);
	f->cores[0].queues = &f->queue;
	f->cores[0].queue_count = 1;
	nx_text_map_put(&f->cores[0].queue_by_name[NX_ENGINE_SYNC], f->queue.name, 0);
}

void timing_fixture_add_trigger(struct timing_fixture *f, uint32_t block)
{
	uint8_t *word = timing_fixture_add(f, 0, NX_ENGINE_SYNC, NX_OP_PSEUDO_DMA_TRIGGER);

	memcpy(word + 12, "qSPIO0", 6);
	nx_store32(word + 48, block + 70);
}

static void put_place(uint8_t *at, uint32_t variable, uint32_t step, unsigned elements,
		      unsigned element_bytes)
{
	nx_store32(at + 4, variable);
	at[7] = 0x10;
	nx_store32(at + 8, step);
	nx_store32(at + 12, 1);
	nx_store16(at + 16, (uint16_t)elements);
	nx_store16(at + 18, 1);
	nx_store16(at + 20, (uint16_t)element_bytes);
}

uint8_t *timing_fixture_add_direct2d(struct timing_fixture *f, unsigned engine, unsigned elements,
				     unsigned element_bytes, uint8_t semaphore)
{
	uint8_t *word = timing_fixture_add(f, 0, engine, NX_OP_PSEUDO_DMA_DIRECT2D);

	word[13] = semaphore;
	nx_store16(word + 14, 16);
	put_place(word + 16, 1, element_bytes, elements, element_bytes);
	put_place(word + 40, 0, NX_PARTITION_STRIDE, elements, element_bytes);
	word[62] = word[63] = NX_DTYPE_FP32;
	return word;
}

enum nx_status timing_fixture_load(struct timing_fixture *f)
{
	for (unsigned c = 0; c < f->program.core_count; c++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			f->cores[c].code[e] = nx_slice_of(f->words[c][e].items, f->words[c][e].len);
	nx_loaded_code_release(&f->code);
	return nx_loaded_code_make(&f->code, &f->program, &f->err);
}

enum nx_status timing_fixture_run(struct timing_fixture *f)
{
	assert_int_equal(timing_fixture_load(f), NX_OK);
	nx_timed_run_release(&f->run);
	return nx_simulate(&f->code, &f->options, &f->run, &f->err);
}

void timing_fixture_must_run(struct timing_fixture *f)
{
	if (timing_fixture_run(f))
		fail_msg("%s", f->err.message);
}

static uint32_t slot_index(const struct timing_fixture *f, unsigned core, unsigned engine,
			   uint32_t compiler_pc)
{
	const struct nx_loaded_stream *stream = &f->code.cores[core].streams[engine];

	for (uint32_t i = 0; i < stream->slot_count; i++)
		if (stream->slots[i].compiler_pc == compiler_pc)
			return i;
	fail_msg("no slot of compiler pc %u", compiler_pc);
	return 0;
}

const struct nx_loaded_slot *timing_fixture_slot(const struct timing_fixture *f, unsigned core,
						 unsigned engine, uint32_t compiler_pc)
{
	return &f->code.cores[core].streams[engine].slots[slot_index(f, core, engine, compiler_pc)];
}

const struct nx_timed_instruction *timing_fixture_row(const struct timing_fixture *f, unsigned core,
						      unsigned engine, uint32_t compiler_pc)
{
	uint32_t slot = slot_index(f, core, engine, compiler_pc);

	for (size_t i = 0; i < f->run.instructions.len; i++) {
		const struct nx_timed_instruction *row = &f->run.instructions.items[i];

		if (row->core == core && row->engine == engine && row->slot == slot)
			return row;
	}
	fail_msg("slot %u never happened", slot);
	return NULL;
}

struct nx_cost timing_fixture_cost(const struct timing_fixture *f, unsigned core, unsigned engine,
				   uint32_t compiler_pc)
{
	const struct nx_hardware_timing *hardware = nx_device_hardware_of(f->program.arch);
	struct nx_cost cost;

	nx_hardware_cost(hardware, engine,
			 timing_fixture_slot(f, core, engine, compiler_pc)->word.bytes, &cost);
	return cost;
}

uint64_t timing_fixture_counted_ps(const struct timing_fixture *f, unsigned semaphore,
				   uint32_t value)
{
	for (size_t i = 0; i < f->run.semaphores.len; i++) {
		const struct nx_timed_semaphore *s = &f->run.semaphores.items[i];

		if (s->semaphore == semaphore && s->value == value && s->source == NX_TIMED_BY_DMA)
			return s->time_ps;
	}
	fail_msg("S[%u] was never %u", semaphore, value);
	return 0;
}
