/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/runtime/device/core_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "tests/unit/runtime/device/exactly.h"

static const uint8_t constant_bytes[64] = {1, 2, 3, 4, 5, 6, 7, 8};

static void open_program(struct core_fixture *f, unsigned core)
{
	struct nx_core_program *p = &f->core_programs[core];
	struct nx_arena *arena = &f->program.arena;

	p->variable_count = VAR_COUNT;
	p->variables = NX_NEW_ARRAY(arena, struct nx_device_variable, VAR_COUNT);
	p->variables[VAR_SBUF].kind = NX_VARIABLE_STATE_BUFFER;
	p->variables[VAR_TENSOR].kind = NX_VARIABLE_INPUT;
	p->variables[VAR_TENSOR].size_bytes = FIXTURE_TENSOR_BYTES;
	p->variables[VAR_CONSTANT].kind = NX_VARIABLE_FILE;
	p->variables[VAR_CONSTANT].payload = nx_slice_of(constant_bytes, sizeof(constant_bytes));
	p->variables[VAR_SCRATCH].kind = NX_VARIABLE_VIRTUAL;
	p->variables[VAR_SCRATCH].scratch_offset = 128;
	p->variables[VAR_SCRATCH].size_bytes = 256;
	p->variables[VAR_REMOTE].kind = NX_VARIABLE_REMOTE;
	p->variables[VAR_REMOTE].index = 1;
	p->scratch_bytes = 512;
	for (uint32_t i = 0; i < VAR_COUNT; i++)
		nx_map_put(&p->variable_by_id, i, i);
	f->table[0] = VAR_TENSOR;
	f->table[1] = VAR_SCRATCH;
	p->table = f->table;
	p->table_count = 2;
}

void core_fixture_open(struct core_fixture *f, unsigned core_count)
{
	struct nx_error err;

	memset(f, 0, sizeof(*f));
	f->options.is_poisoned = true;
	f->program.cores = f->core_programs;
	f->program.core_count = core_count;
	f->machine = (struct nx_machine){.program = &f->program,
					 .options = &f->options,
					 .report = &f->report,
					 .sbuf_partition_bytes = 192u << 10,
					 .cores = f->cores,
					 .core_count = core_count};
	f->machine.tensors = NX_NEW(&f->program.arena, struct nx_device_memory);
	assert_int_equal(nx_device_memory_open(f->machine.tensors, FIXTURE_TENSOR_BYTES, &err),
			 NX_OK);
	for (unsigned i = 0; i < core_count; i++) {
		open_program(f, i);
		assert_int_equal(nx_core_init(&f->cores[i], &f->machine, i, &err), NX_OK);
	}
}

void core_fixture_close(struct core_fixture *f)
{
	for (unsigned i = 0; i < f->machine.core_count; i++)
		nx_core_release(&f->cores[i]);
	nx_device_memory_release(f->machine.tensors);
	nx_device_program_release(&f->program);
}

int core_fixture_begin(void **state)
{
	core_fixture_open(*state, 1);
	return 0;
}

int core_fixture_begin_two(void **state)
{
	core_fixture_open(*state, 2);
	return 0;
}

int core_fixture_end(void **state)
{
	core_fixture_close(*state);
	return 0;
}

void core_fixture_set(struct core_fixture *f, unsigned core, unsigned engine, const void *words,
		      size_t count)
{
	f->core_programs[core].code[engine] = nx_slice_of(words, count * NX_SLOT_BYTES);
	f->cores[core].pcs[engine] = 0;
}

void core_fixture_run(struct core_fixture *f, unsigned engine,
		      const uint8_t (*words)[NX_SLOT_BYTES], size_t count)
{
	core_fixture_set(f, 0, engine, words, count);
	for (size_t i = 0; i < count; i++) {
		assert_true(nx_core_engine_is_ready(&f->cores[0], engine));
		nx_core_step(&f->cores[0], engine);
	}
	assert_int_equal(f->cores[0].pcs[engine], count);
}

void core_fixture_run_one(struct core_fixture *f, unsigned engine, const uint8_t *word)
{
	uint8_t words[1][NX_SLOT_BYTES];

	memcpy(words[0], word, NX_SLOT_BYTES);
	core_fixture_run(f, engine, (const uint8_t(*)[NX_SLOT_BYTES])words, 1);
}

static uint8_t *at(struct core_fixture *f, uint32_t address)
{
	return f->cores[0].on_chip.bytes + address;
}

void put_f32(struct core_fixture *f, uint32_t address, const float *values, size_t count)
{
	memcpy(at(f, address), values, count * sizeof(*values));
}

void put_bf16(struct core_fixture *f, uint32_t address, const float *values, size_t count)
{
	nx_element_store(NX_DTYPE_BF16, values, count, at(f, address), 2);
}

void put_u32(struct core_fixture *f, uint32_t address, uint32_t value)
{
	nx_store32(at(f, address), value);
}

float f32_at(struct core_fixture *f, uint32_t address)
{
	return nx_load_f32(at(f, address));
}

float bf16_at(struct core_fixture *f, uint32_t address)
{
	float value;

	nx_element_load(NX_DTYPE_BF16, at(f, address), 2, 1, &value);
	return value;
}

uint32_t u32_at(struct core_fixture *f, uint32_t address)
{
	return nx_load32(at(f, address));
}

void expect_f32(struct core_fixture *f, uint32_t address, const float *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_exactly(f32_at(f, address + 4 * (uint32_t)i), values[i]);
}

unsigned faults_of(const struct core_fixture *f, enum nx_device_fault_kind kind)
{
	return (unsigned)f->report.fault_counts[kind];
}

/* --- words -------------------------------------------------------------------------------- */

void word_clear(uint8_t *word, uint8_t opcode)
{
	memset(word, 0, NX_SLOT_BYTES);
	word[0] = opcode;
	word[1] = 0x10;
}

void word_operand(uint8_t *word, unsigned address_at, unsigned pattern_at, uint32_t address,
		  struct pattern p)
{
	nx_store32(word + address_at, address);
	for (unsigned i = 0; i < p.dims; i++) {
		nx_store16(word + pattern_at + 2 * i, (uint16_t)p.steps[i]);
		nx_store16(word + pattern_at + 2 * (p.dims + i), p.counts[i]);
	}
}

void word_wait(uint8_t *word, uint8_t semaphore, uint32_t at_least)
{
	word[4] = 5;
	word[5] = semaphore;
	nx_store32(word + 8, at_least);
}

void word_update(uint8_t *word, uint8_t semaphore)
{
	word[6] = 0x13;
	word[7] = semaphore;
}

void word_copy(uint8_t *word, uint8_t opcode, uint32_t from, struct pattern from_pattern,
	       unsigned from_dtype, uint32_t to, struct pattern to_pattern, unsigned to_dtype,
	       unsigned lanes)
{
	word_clear(word, opcode);
	word_operand(word, 12, 16, from, from_pattern);
	word_operand(word, 44, 48, to, to_pattern);
	word[32] = (uint8_t)from_dtype;
	word[33] = (uint8_t)to_dtype;
	word[34] = (uint8_t)lanes;
}

void word_pair(uint8_t *word, uint8_t opcode, uint8_t op, const uint32_t addresses[3],
	       unsigned count, unsigned lanes)
{
	word_clear(word, opcode);
	word[12] = NX_DTYPE_FP32 | NX_DTYPE_FP32 << 4;
	word[13] = NX_DTYPE_FP32;
	word[14] = op;
	word[15] = (uint8_t)lanes;
	word_operand(word, 16, 20, addresses[0], row_of(3, count));
	word_operand(word, 32, 36, addresses[1], row_of(3, count));
	word_operand(word, 48, 52, addresses[2], row_of(3, count));
}

void word_store_float(uint8_t *word, unsigned at_byte, float value)
{
	memcpy(word + at_byte, &value, sizeof(value));
}
