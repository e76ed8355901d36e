/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/bare/bits.h"
#include "tests/unit/runtime/device/core_fixture.h"

static struct core_fixture f;
static uint8_t word[NX_SLOT_BYTES];

#define ENGINE NX_ENGINE_GPSIMD

static void run(void)
{
	core_fixture_run_one(&f, ENGINE, word);
}

static uint32_t *registers(void)
{
	return f.cores[0].registers[ENGINE];
}

static void move(uint32_t to, uint32_t value, bool is_immediate)
{
	word_clear(word, 0xa7);
	word[12] = 1;
	word[14] = is_immediate;
	nx_store32(word + 24, to);
	nx_store32(word + 32, value);
	run();
}

static void alu(uint8_t op, uint32_t left, uint32_t to, uint32_t right, bool is_immediate)
{
	word_clear(word, 0xa8);
	word[12] = op;
	word[14] = is_immediate;
	nx_store32(word + 16, left);
	nx_store32(word + 20, to);
	nx_store32(word + 24, right);
	run();
}

static void test_registers(void **state)
{
	(void)state;
	move(60, 0xfffffffe, true);
	assert_int_equal(registers()[60], 0xfffffffeu);
	alu(4, 60, 61, 5, true);
	assert_int_equal(registers()[61], 3); /* wraps */
	alu(6, 61, 62, 0x60000000, true);
	assert_int_equal(registers()[62], 0x20000000);
	alu(5, 61, 61, 60, false);
	assert_int_equal(registers()[61], 5);
	move(1, 61, false);
	assert_int_equal(registers()[1], 5);
	assert_int_equal(f.cores[0].registers[NX_ENGINE_SYNC][60], 0);
	assert_int_equal(f.report.fault_count, 0);
	alu(0x33, 60, 60, 1, true);
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
	move(64, 1, true);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 1);
}

static void load(uint32_t variable, uint32_t offset)
{
	word_clear(word, NX_OP_PSEUDO_TENSOR_LOAD);
	word[14] = word[15] = 1;
	word[32] = 7;
	nx_store32(word + 16, variable);
	nx_store32(word + 20, offset);
	run();
}

static void test_load_from_variables(void **state)
{
	(void)state;
	load(VAR_CONSTANT, 4);
	assert_int_equal(registers()[7], 0x08070605);
	load(VAR_CONSTANT, 60);
	assert_int_equal(registers()[7], 0);
	load(VAR_CONSTANT, 61);
	load(VAR_CONSTANT, 0xffffffff);
	load(999, 0);
	assert_int_equal(faults_of(&f, NX_FAULT_DMA_BOUNDS), 3);
	/* there is no core 1 here */
	load(VAR_REMOTE, 0);
	assert_int_equal(faults_of(&f, NX_FAULT_DMA_BOUNDS), 4);
}

/* --- semaphores ---------------------------------------------------------------------- */

static bool is_ready_with(uint8_t mode, uint32_t value, uint32_t have)
{
	word_clear(word, NX_OP_NOP);
	word[4] = mode;
	word[5] = 9;
	nx_store32(word + 8, value);
	f.cores[0].semaphores[9] = have;
	core_fixture_set(&f, 0, ENGINE, word, 1);
	return nx_core_engine_is_ready(&f.cores[0], ENGINE);
}

static void test_wait_modes(void **state)
{
	(void)state;
	assert_true(is_ready_with(0, 5, 0));
	assert_true(is_ready_with(1, 5, 5));
	assert_false(is_ready_with(1, 5, 6));
	assert_true(is_ready_with(2, 5, 4));
	assert_false(is_ready_with(2, 5, 5));
	assert_true(is_ready_with(3, 5, 5));
	assert_false(is_ready_with(4, 5, 5));
	assert_true(is_ready_with(5, 5, 5));
	assert_false(is_ready_with(5, 5, 4));
	registers()[3] = 8;
	assert_false(is_ready_with(0x85, 3, 7));
	assert_true(is_ready_with(0x85, 3, 8));
}

static void update(uint8_t mode, uint32_t value)
{
	word_clear(word, NX_OP_NOP);
	word[6] = mode;
	word[7] = 20;
	nx_store32(word + 8, value);
	run();
}

static void test_update_modes(void **state)
{
	uint32_t *semaphore = &f.cores[0].semaphores[20];

	(void)state;
	update(0x13, 100);
	assert_int_equal(*semaphore, 1);
	update(0x15, 100);
	assert_int_equal(*semaphore, 101);
	update(0x17, 50);
	assert_int_equal(*semaphore, 51);
	update(0x14, 9);
	assert_int_equal(*semaphore, 50);
	update(0x19, 7);
	assert_int_equal(*semaphore, 7);
	assert_int_equal(f.report.fault_count, 0);
	update(0x17, 8);
	update(0x15, 2);
	assert_int_equal(faults_of(&f, NX_FAULT_SEMAPHORE), 2);
	update(0x1e, 8);
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
}

static void test_event_semaphore_waits_twice(void **state)
{
	(void)state;
	word_clear(word, NX_OP_EVENT_SEMAPHORE);
	word_wait(word, 9, 1);
	word[32] = 5;
	word[33] = 10;
	nx_store32(word + 36, 2);
	word[34] = 0x15;
	word[35] = 11;
	nx_store32(word + 40, 6);
	core_fixture_set(&f, 0, ENGINE, word, 1);
	f.cores[0].semaphores[9] = 1;
	assert_false(nx_core_engine_is_ready(&f.cores[0], ENGINE));
	f.cores[0].semaphores[10] = 2;
	assert_true(nx_core_engine_is_ready(&f.cores[0], ENGINE));
	nx_core_step(&f.cores[0], ENGINE);
	assert_int_equal(f.cores[0].semaphores[11], 6);
}

static void test_range_clear(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 256; i++)
		f.cores[0].semaphores[i] = i;
	word_clear(word, NX_OP_EVENT_SEMAPHORE_RANGE_CLEAR);
	word[13] = 250;
	word[14] = 255;
	run();
	assert_int_equal(f.cores[0].semaphores[249], 249);
	assert_int_equal(f.cores[0].semaphores[250], 0);
	assert_int_equal(f.cores[0].semaphores[255], 0);
}

/* A word behind a transfer has no header: its bytes 4 to 7 are not a wait. */
static void test_extension_has_no_header(void **state)
{
	(void)state;
	memset(word, 0xff, sizeof(word));
	word[0] = NX_OP_PSEUDO_EXTENSION;
	run();
	assert_int_equal(f.cores[0].semaphores[255], 0);
	assert_int_equal(f.report.fault_count, 0);
}

static void test_unknown_opcode_is_counted(void **state)
{
	(void)state;
	word_clear(word, 0x7e);
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
	assert_int_equal(f.report.executed[ENGINE][0x7e], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_CASE(f, test_registers),
		CORE_CASE(f, test_load_from_variables),
		CORE_CASE(f, test_wait_modes),
		CORE_CASE(f, test_update_modes),
		CORE_CASE(f, test_event_semaphore_waits_twice),
		CORE_CASE(f, test_range_clear),
		CORE_CASE(f, test_extension_has_no_header),
		CORE_CASE(f, test_unknown_opcode_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
