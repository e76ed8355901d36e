/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_fixture: cores without a NEFF, words written by hand, and memory to look at.
 *
 * All on-chip memory and scratchpads start as 0xff, so what a test did not
 * write is a NaN. Variable 0 is the state buffer, 1 a tensor, 2 a constant,
 * 3 part of the scratchpad, 4 the state buffer of core 1.
 */
#ifndef NX_TESTS_CORE_FIXTURE_H
#define NX_TESTS_CORE_FIXTURE_H

#include "runtime/device/device_core.h"
#include "runtime/device/element.h"

#define FIXTURE_TENSOR_BYTES 4096u
#define FIXTURE_MAX_WORDS 16

enum fixture_variable { VAR_SBUF, VAR_TENSOR, VAR_CONSTANT, VAR_SCRATCH, VAR_REMOTE, VAR_COUNT };

struct core_fixture {
	struct nx_device_options options;
	struct nx_device_report report;
	struct nx_device_program program;
	struct nx_core_program core_programs[2];
	struct nx_machine machine;
	struct nx_core cores[2];
	uint32_t table[2];
};

void core_fixture_open(struct core_fixture *f, unsigned core_count);
void core_fixture_close(struct core_fixture *f);

/* Rows of cmocka's table: a test that finds the fixture f open, with one core or with two. */
#define CORE_CASE(f, test)                                                                         \
	cmocka_unit_test_prestate_setup_teardown(test, core_fixture_begin, core_fixture_end, &(f))
#define TWO_CORES_CASE(f, test)                                                                    \
	cmocka_unit_test_prestate_setup_teardown(test, core_fixture_begin_two, core_fixture_end,   \
						 &(f))
int core_fixture_begin(void **state);
int core_fixture_begin_two(void **state);
int core_fixture_end(void **state);

/* Runs the words on core 0; each of them must be ready at once. */
void core_fixture_run(struct core_fixture *f, unsigned engine,
		      const uint8_t (*words)[NX_SLOT_BYTES], size_t count);
void core_fixture_run_one(struct core_fixture *f, unsigned engine, const uint8_t *word);
/* Gives an engine its stream without running it. */
void core_fixture_set(struct core_fixture *f, unsigned core, unsigned engine, const void *words,
		      size_t count);

#define PARTITION(p) ((uint32_t)(p) << NX_PARTITION_SHIFT)
#define PSUM(p) (NX_PSUM_BASE + PARTITION(p))

void put_f32(struct core_fixture *f, uint32_t address, const float *values, size_t count);
void put_bf16(struct core_fixture *f, uint32_t address, const float *values, size_t count);
float f32_at(struct core_fixture *f, uint32_t address);
float bf16_at(struct core_fixture *f, uint32_t address);
uint32_t u32_at(struct core_fixture *f, uint32_t address);
void put_u32(struct core_fixture *f, uint32_t address, uint32_t value);
void expect_f32(struct core_fixture *f, uint32_t address, const float *values, size_t count);
unsigned faults_of(const struct core_fixture *f, enum nx_device_fault_kind kind);

/* --- words ------------------------------------------------------------------------------ */

struct pattern {
	unsigned dims;
	int16_t steps[4];
	uint16_t counts[4];
};

static inline struct pattern row_of(unsigned dims, unsigned count)
{
	return (struct pattern){dims, {1, 0, 0, 0}, {(uint16_t)count, 1, 1, 1}};
}

void word_clear(uint8_t *word, uint8_t opcode);
void word_operand(uint8_t *word, unsigned address_at, unsigned pattern_at, uint32_t address,
		  struct pattern p);
void word_wait(uint8_t *word, uint8_t semaphore, uint32_t at_least);
void word_update(uint8_t *word, uint8_t semaphore);
/* COPY, CAST, RECIPROCAL, TENSOR_REDUCE and their like. */
void word_copy(uint8_t *word, uint8_t opcode, uint32_t from, struct pattern from_pattern,
	       unsigned from_dtype, uint32_t to, struct pattern to_pattern, unsigned to_dtype,
	       unsigned lanes);
/* TENSOR_TENSOR and COPY_PREDICATED over rows of fp32. */
void word_pair(uint8_t *word, uint8_t opcode, uint8_t op, const uint32_t addresses[3],
	       unsigned count, unsigned lanes);
void word_store_float(uint8_t *word, unsigned at, float value);

#endif
