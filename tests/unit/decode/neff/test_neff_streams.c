/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/decode/neff/neff_fixture.h"

static const struct nx_engine_program *engine(struct nx_neff_fixture *f, enum nx_engine e)
{
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	return &f->binary.graphs[0].engines[e];
}

static void test_streams(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_engine_program *sync = engine(f, NX_ENGINE_SYNC);
	const struct nx_engine_program *all = f->binary.graphs[0].engines;

	assert_string_equal(sync->stream_name, "sg00/SP.bin");
	assert_int_equal(sync->slot_count, 4);
	assert_int_equal(sync->code.len, 256);
	assert_int_equal(sync->code.data[0], 0xb1);
	/* named only by the engine's own file */
	assert_string_equal(all[NX_ENGINE_TENSOR].stream_name, "sg00/PE.bin");
	assert_int_equal(all[NX_ENGINE_TENSOR].slot_count, 1);
	/* an engine the definition does not speak of is nothing to warn about */
	assert_string_equal(all[NX_ENGINE_VECTOR].stream_name, "");
	assert_int_equal(all[NX_ENGINE_VECTOR].slot_count, 0);
	assert_int_equal(f->binary.missing_count, 0);
}

static void check_cast(const struct nx_dma_descriptor *d)
{
	assert_string_equal(d->op, "cast");
	assert_int_equal(d->from_count, 1);
	assert_int_equal(d->from[0], 2);
	assert_int_equal(d->to, 0);
	assert_int_equal(d->from_offset, 4);
	assert_int_equal(d->to_offset, 262144);
	assert_int_equal(d->from_dims, 2);
	assert_int_equal(d->from_sizes[0], 32);
	assert_int_equal(d->from_sizes[1], 128);
	assert_int_equal(d->from_steps[0], 1);
	assert_int_equal(d->from_steps[1], -64);
	assert_int_equal(d->from_bytes, 4096);
	assert_int_equal(d->to_dims, 1);
	assert_int_equal(d->to_sizes[0], 4096);
	assert_int_equal(d->to_bytes, 4096);
	assert_string_equal(d->from_dtype, "float32");
	assert_string_equal(d->to_dtype, "bfloat16");
}

static void test_blocks(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_engine_program *sync = engine(f, NX_ENGINE_SYNC);
	const struct nx_dma_descriptor *d;

	assert_int_equal(sync->block_count, 2);
	assert_string_equal(sync->blocks[0].comment, "inst.1-block-1");
	assert_string_equal(sync->blocks[0].queue, "qSPIO0");
	assert_int_equal(sync->blocks[0].id, 0);
	assert_int_equal(sync->blocks[0].semaphore, 24);
	assert_int_equal(sync->blocks[0].descriptor_count, 2);
	check_cast(&sync->blocks[0].descriptors[0]);
	d = &sync->blocks[0].descriptors[1];
	assert_string_equal(d->op, "transpose");
	assert_int_equal(d->to, NX_NONE);
	assert_int_equal(d->from_bytes, 0);
	assert_int_equal(d->from_dims, 0);
	assert_string_equal(d->from_dtype, "");
	assert_int_equal(sync->blocks[1].id, 1);
	assert_string_equal(sync->blocks[1].comment, "");
}

static void test_sum_of_several_sources(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_dma_descriptor *d = engine(f, NX_ENGINE_SYNC)->blocks[1].descriptors;

	assert_string_equal(d->op, "add");
	assert_int_equal(d->from_count, 3);
	assert_int_equal(d->from[0], 2);
	assert_int_equal(d->from[1], 1);
	assert_int_equal(d->from[2], 5);
	assert_int_equal(d->from_offset, 8);
	assert_int_equal(d->from_bytes, 16);
	assert_int_equal(d->to, 3);
}

static void test_hostile_blocks(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_engine_program *sync;

	nx_neff_fixture_add_text(f, "sg00/SP.json",
				 "{\"dma\":[7,{\"instance_name\":\"qX\",\"desc\":[null,"
				 "{\"from_sizes\":[4294967296,4294967296,2],\"from_steps\":[1],"
				 "\"to_sizes\":[-1,3],\"from_arr\":[]}]}]}");
	sync = engine(f, NX_ENGINE_SYNC);
	assert_int_equal(sync->block_count, 2);
	assert_string_equal(sync->blocks[0].queue, "");
	assert_int_equal(sync->blocks[0].id, NX_NONE);
	assert_int_equal(sync->blocks[0].semaphore, NX_NONE);
	assert_string_equal(sync->blocks[1].queue, "qX");
	assert_string_equal(sync->blocks[1].descriptors[0].op, "copy");
	assert_int_equal(sync->blocks[1].descriptors[0].from[0], NX_NONE);
	assert_true(sync->blocks[1].descriptors[1].from_bytes == UINT64_MAX);
	assert_int_equal(sync->blocks[1].descriptors[1].from_steps[2], 0);
	assert_int_equal(sync->blocks[1].descriptors[1].to_bytes, 0);
}

static void test_damaged_table_keeps_the_stream(void **state)
{
	struct nx_neff_fixture *f = *state;
	const struct nx_engine_program *sync;

	nx_neff_fixture_add_text(f, "sg00/SP.json", "{\"dma\":[");
	sync = engine(f, NX_ENGINE_SYNC);
	assert_int_equal(sync->block_count, 0);
	assert_int_equal(sync->slot_count, 4);
	assert_non_null(strstr(nx_neff_fixture_missing(f, "sg00/SP.json"), "Sync"));
}

static void test_missing_and_cut_streams(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_drop(f, "sg00/PE.bin");
	nx_neff_fixture_add_text(f, "sg00/SP.bin", "shorter than a slot");
	assert_int_equal(engine(f, NX_ENGINE_SYNC)->slot_count, 0);
	assert_int_equal(f->binary.graphs[0].engines[NX_ENGINE_TENSOR].slot_count, 0);
	assert_non_null(strstr(nx_neff_fixture_missing(f, "sg00/PE.bin"), "Tensor"));
	assert_non_null(strstr(nx_neff_fixture_missing(f, "sg00/SP.bin"), "inside its slot 0"));
}

static void test_skipped_blocks(void **state)
{
	struct nx_neff_fixture *f = *state;

	f->options.skip_dma_blocks = true;
	assert_int_equal(engine(f, NX_ENGINE_SYNC)->block_count, 0);
	assert_int_equal(engine(f, NX_ENGINE_SYNC)->slot_count, 4);
	assert_int_equal(engine(f, NX_ENGINE_TENSOR)->slot_count, 1);
}

#define WITH_MODEL(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, nx_neff_fixture_setup, nx_neff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MODEL(test_streams),
		WITH_MODEL(test_blocks),
		WITH_MODEL(test_sum_of_several_sources),
		WITH_MODEL(test_hostile_blocks),
		WITH_MODEL(test_damaged_table_keeps_the_stream),
		WITH_MODEL(test_missing_and_cut_streams),
		WITH_MODEL(test_skipped_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
