/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "format/npy.h"
#include "runtime/device/device_program.h"
#include "tests/unit/runtime/device/made_neff.h"

static struct made_neff neff;
static struct nx_device_program program;
static struct nx_error err;

static int begin(void **state)
{
	(void)state;
	memset(&neff, 0, sizeof(neff));
	memset(&program, 0, sizeof(program));
	return 0;
}

static int end(void **state)
{
	(void)state;
	nx_device_program_release(&program);
	made_neff_release(&neff);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

static enum nx_status read_it(void)
{
	nx_device_program_release(&program);
	return nx_device_program_init(&program, made_neff_read(&neff), &err);
}

static void expect_failure(enum nx_status status, const char *part)
{
	assert_int_equal(read_it(), status);
	if (!strstr(err.message, part))
		print_message("# %s\n", err.message);
	assert_non_null(strstr(err.message, part));
}

static void add_constant(const char *name, size_t len)
{
	struct nx_npy array = {.dtype = "<f4", .dims = 1, .shape = {len / 4}};
	struct nx_bytes file = {0};
	uint8_t payload[64] = {42};

	array.payload = nx_slice_of(payload, len);
	nx_npy_write(&array, &file);
	made_neff_add(&neff, name, file.items, file.len);
	nx_vec_release(&file);
}

static void test_reads_every_kind_of_variable(void **state)
{
	const struct nx_core_program *core;
	uint32_t index;

	(void)state;
	made_neff_begin(
		&neff, 1, "mariana",
		"\"SB\":{\"type\":\"state-buffer\",\"var_id\":0},"
		"\"x\":{\"type\":\"input\",\"var_id\":1,\"size\":100},"
		"\"c\":{\"type\":\"file\",\"var_id\":2,\"size\":16,\"file_name\":\"c.npy\"},"
		"\"v\":{\"type\":\"virtual\",\"var_id\":3,\"size\":32,"
		"\"backing_variable_off\":64},"
		"\"t\":{\"type\":\"dge-table\",\"var_id\":4,\"list\":[3,1]},"
		"\"SB{1}\":{\"type\":\"remote\",\"var_id\":5},"
		"\"odd\":{\"type\":\"new\",\"var_id\":6}");
	add_constant("sg00/c.npy", 16);
	assert_int_equal(read_it(), NX_OK);
	core = &program.cores[0];
	assert_int_equal(program.arch, NX_DEVICE_TRN3);
	assert_int_equal(core->variable_count, 7);
	assert_int_equal(nx_core_program_variable(core, 2, &index)->payload.data[0], 42);
	assert_int_equal(nx_core_program_variable(core, 3, &index)->scratch_offset, 64);
	assert_int_equal(core->scratch_bytes, 96);
	assert_int_equal(program.memory_bytes, 196);
	assert_int_equal(core->table_count, 2);
	assert_int_equal(core->table[0], 3);
	assert_int_equal(nx_core_program_variable(core, 5, &index)->kind, NX_VARIABLE_REMOTE);
	assert_int_equal(nx_core_program_variable(core, 5, &index)->index, 1);
	assert_int_equal(nx_core_program_variable(core, 6, &index)->kind, NX_VARIABLE_OTHER);
	assert_null(nx_core_program_variable(core, 7, &index));
	assert_string_equal(program.tensors[0].name, "x");
	assert_int_equal(program.tensors[0].dtype, 0); /* no tensor_map.json says */
}

static void test_reads_blocks(void **state)
{
	const struct nx_device_queue *queue;
	const struct nx_neff_block *block;
	size_t index;

	(void)state;
	made_neff_sum(&neff, 2, 1);
	assert_int_equal(read_it(), NX_OK);
	queue = nx_core_program_queue(&program.cores[0], NX_ENGINE_SYNC, nx_slice_text("qSPIO0"),
				      &index);
	assert_non_null(queue);
	assert_int_equal(queue->block_count, 3);
	block = nx_queue_block(queue, 2);
	assert_int_equal(block->semaphore, 10);
	assert_int_equal(block->descriptor_count, 1);
	assert_int_equal(block->descriptors[0].op, NX_DMA_COPY);
	assert_int_equal(block->descriptors[0].from[0].steps[1], 262144);
	assert_int_equal(block->descriptors[0].to.sizes[0], 8);
	assert_null(nx_queue_block(queue, 3));
	assert_null(nx_core_program_queue(&program.cores[0], NX_ENGINE_TENSOR,
					  nx_slice_text("qSPIO0"), &index));
}

/* What a descriptor says wrongly is kept as such and refused when it runs. */
static void test_keeps_odd_descriptors(void **state)
{
	const struct nx_neff_block *block;

	(void)state;
	made_neff_sum(&neff, 1, 1);
	made_neff_replace(&neff, "sg00/SP.json",
			  "{\"dma\":[{\"id\":0,\"queue\":\"q\",\"semaphore\":256,\"desc\":["
			  "{\"op\":\"swap\",\"from\":\"nobody\",\"from_sizes\":[-1,\"x\"]},7]},"
			  "null,{\"queue\":3}]}");
	assert_int_equal(read_it(), NX_OK);
	assert_int_equal(program.cores[0].queue_count, 2);
	block = nx_queue_block(&program.cores[0].queues[0], 0);
	assert_int_equal(block->semaphore, NX_NO_INDEX);
	assert_int_equal(block->descriptor_count, 2);
	assert_int_equal(block->descriptors[0].op, NX_DMA_UNKNOWN);
	assert_int_equal(block->descriptors[0].from[0].variable, NX_NO_INDEX);
	assert_int_equal(block->descriptors[0].from[0].sizes[0], 0);
}

static void test_reads_activation_sets(void **state)
{
	(void)state;
	made_neff_sum(&neff, 1, 1);
	made_neff_add_text(&neff, "sg00/Activation.json",
			   "{\"activation_function_sets\":[\"few\"]}");
	made_neff_add_text(&neff, "sg00/few.json", "{\"profile_meta_data\":[{\"func_id\":7}]}");
	made_neff_add_text(&neff, "sg00/few_bkt.bin", "12345678901234567890123456789012");
	assert_int_equal(read_it(), NX_OK);
	assert_int_equal(program.cores[0].set_count, 1);
	assert_true(nx_slice_is(program.cores[0].sets[0].name, "few"));
	assert_int_equal(program.cores[0].sets[0].buckets.len, 32);
	assert_int_equal(program.cores[0].sets[0].controls.len, 0);
	made_neff_replace(&neff, "sg00/few.json", "{");
	expect_failure(NX_FORMAT, "few.json");
}

static void test_sentences_name_the_member(void **state)
{
	(void)state;
	made_neff_add_text(&neff, "readme", "nothing");
	expect_failure(NX_FORMAT, "kelf-0.json");
	made_neff_sum(&neff, 1, 1);
	assert_int_equal(read_it(), NX_OK);
	made_neff_replace(&neff, "sg00/DVE.bin", "0123456789");
	expect_failure(NX_FORMAT, "sg00/DVE.bin ends inside its slot 0");
	made_neff_replace(&neff, "sg00/DVE.bin", "");
	made_neff_replace(&neff, "sg00/SP.json", "[}");
	expect_failure(NX_FORMAT, "SP.json");
	made_neff_replace(&neff, "sg00/SP.json", "[]");
	assert_int_equal(read_it(), NX_OK);
	made_neff_replace(&neff, "sg00/def.json", "{\"var\":3}");
	expect_failure(NX_FORMAT, "no variables");
	made_neff_replace(&neff, "kelf-0.json", "{\"graphs\":[{\"definition\":\"x/y\"}]}");
	expect_failure(NX_FORMAT, "x/y");
	made_neff_replace(&neff, "kelf-0.json", "{\"graphs\":[1,2]}");
	expect_failure(NX_FORMAT, "kelf-0.json names no graph");
}

static void test_too_many_graphs(void **state)
{
	(void)state;
	made_neff_begin(&neff, 9, "cayman", "");
	expect_failure(NX_FORMAT, "9 graphs");
}

static void replace_variables(const char *variables)
{
	char text[512];

	snprintf(text, sizeof(text), "{\"var\":{%s}}", variables);
	made_neff_replace(&neff, "sg00/def.json", text);
}

static void test_variables_that_cannot_be(void **state)
{
	(void)state;
	made_neff_sum(&neff, 1, 1);
	replace_variables("\"c\":{\"type\":\"file\",\"size\":16,\"file_name\":\"c.npy\"}");
	expect_failure(NX_FORMAT, "c.npy");
	add_constant("sg00/c.npy", 12);
	expect_failure(NX_FORMAT, "12 bytes where its graph says 16");
	replace_variables("\"v\":{\"type\":\"virtual\",\"size\":18446744073709551615,"
			  "\"backing_variable_off\":2}");
	expect_failure(NX_FORMAT, "beyond any memory");
	/* so much in sum that it would wrap around to little */
	replace_variables("\"a\":{\"type\":\"input\",\"size\":18446744073709551615},"
			  "\"b\":{\"type\":\"input\",\"size\":18446744073709551615}");
	assert_int_equal(read_it(), NX_OK);
	assert_int_equal(program.memory_bytes, UINT64_MAX);
}

static void test_graphs_that_disagree(void **state)
{
	(void)state;
	made_neff_sum(&neff, 1, 2);
	assert_int_equal(read_it(), NX_OK);
	assert_int_equal(program.tensor_count, 3);
	replace_variables("\"a\":{\"type\":\"input\",\"size\":511}");
	expect_failure(NX_FORMAT, "disagree about tensor a");
	replace_variables("\"a\":{\"type\":\"output\",\"size\":512}");
	expect_failure(NX_FORMAT, "disagree about tensor a");
}

static void test_a_cut_file(void **state)
{
	struct nx_slice whole;
	struct nx_neff cut;

	(void)state;
	made_neff_sum(&neff, 1, 1);
	whole = made_neff_pack(&neff);
	for (size_t len = 0; len < whole.len; len += 97) {
		nx_device_program_release(&program);
		assert_true(nx_neff_read(nx_slice_part(whole, 0, len), &neff.arena, &cut, &err) ||
			    nx_device_program_init(&program, &cut, &err));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_reads_every_kind_of_variable),
		CASE(test_reads_blocks),
		CASE(test_keeps_odd_descriptors),
		CASE(test_reads_activation_sets),
		CASE(test_sentences_name_the_member),
		CASE(test_variables_that_cannot_be),
		CASE(test_graphs_that_disagree),
		CASE(test_a_cut_file),
		CASE(test_too_many_graphs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
