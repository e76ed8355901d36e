/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timing_fixture: a program without a NEFF, loaded and simulated.
 *
 * Up to two cores; words are added to an engine, static blocks to queue qSPIO0
 * of SP. Variable 0 is the state buffer, variable 1 a tensor in HBM. Times of
 * rows are asked for by the compiler's slot.
 */
#ifndef NX_TESTS_TIMING_FIXTURE_H
#define NX_TESTS_TIMING_FIXTURE_H

#include "base/vec.h"
#include "format/instruction.h"
#include "runtime/timing/simulate.h"
#include "tests/unit/runtime/device/core_fixture.h"

#define FIXTURE_BLOCKS 4
#define TRN2 nx_device_hardware_of(NX_DEVICE_TRN2)

struct timing_fixture {
	struct nx_device_program program;
	struct nx_core_program cores[2];
	struct nx_bytes words[2][NX_ENGINE_COUNT];
	struct nx_device_queue queue;
	struct nx_neff_block blocks[FIXTURE_BLOCKS];
	struct nx_neff_descriptor descriptors[FIXTURE_BLOCKS];
	struct nx_neff_side sources[FIXTURE_BLOCKS];
	uint64_t sizes[FIXTURE_BLOCKS][2];
	int64_t steps[FIXTURE_BLOCKS][2];
	struct nx_loaded_code code;
	struct nx_simulate_options options;
	struct nx_timed_run run;
	struct nx_error err;
};

void timing_fixture_open(struct timing_fixture *f, enum nx_device_arch arch, unsigned core_count);
void timing_fixture_close(struct timing_fixture *f);

/* A word of that opcode at the end of the stream; it moves when another one is added. */
uint8_t *timing_fixture_add(struct timing_fixture *f, unsigned core, unsigned engine,
			    uint8_t opcode);
/* COPY of fp32 in SBUF, that waits (semaphore 0: not) and counts (the same). */
void timing_fixture_add_copy(struct timing_fixture *f, unsigned core, unsigned engine, uint8_t wait,
			     uint32_t at_least, uint8_t update);
/* Copies so many rows of so many bytes from HBM to SBUF; its semaphore counts. */
void timing_fixture_add_block(struct timing_fixture *f, unsigned rows, unsigned row_bytes,
			      uint8_t semaphore);
void timing_fixture_add_trigger(struct timing_fixture *f, uint32_t block);
/* PSEUDO_DMA_DIRECT2D, elements of HBM into one partition each. */
uint8_t *timing_fixture_add_direct2d(struct timing_fixture *f, unsigned engine, unsigned elements,
				     unsigned element_bytes, uint8_t semaphore);

enum nx_status timing_fixture_load(struct timing_fixture *f);
enum nx_status timing_fixture_run(struct timing_fixture *f); /* loads as well */
/* Fails the test when the run does. */
void timing_fixture_must_run(struct timing_fixture *f);

const struct nx_loaded_slot *timing_fixture_slot(const struct timing_fixture *f, unsigned core,
						 unsigned engine, uint32_t compiler_pc);
/* Fails the test when it is not there. */
const struct nx_timed_instruction *timing_fixture_row(const struct timing_fixture *f, unsigned core,
						      unsigned engine, uint32_t compiler_pc);
struct nx_cost timing_fixture_cost(const struct timing_fixture *f, unsigned core, unsigned engine,
				   uint32_t compiler_pc);
/* When DMA engines had counted a semaphore up to a value; fails the test when they did not. */
uint64_t timing_fixture_counted_ps(const struct timing_fixture *f, unsigned semaphore,
				   uint32_t value);

#endif
