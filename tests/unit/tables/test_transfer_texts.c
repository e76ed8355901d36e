/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tables/transfer_texts.h"
#include "tests/unit/tables/fill_fixture.h"

#define PARTITION (1 << 18)

enum { STATE_BUFFER, WEIGHT };

struct block {
	struct nx_variable variables[2];
	struct nx_dma_descriptor descriptors[2];
	struct nx_dma_block block;
	uint32_t from;
	uint64_t sizes[2];
	int64_t steps[2];
};

static const struct nx_transfer transfer = {.engine = NX_ENGINE_SYNC};

/* A weight of 32 rows of 256 bytes into partitions 4, 5, … */
static void make_block(struct nx_fill_fixture *f, struct block *b)
{
	*b = (struct block){
		.variables = {{.name = "sb", .type = "state-buffer"},
			      {.name = "w", .type = "file"}},
		.from = WEIGHT,
		.sizes = {256, 32},
		.steps = {1, PARTITION},
	};
	b->descriptors[0] = (struct nx_dma_descriptor){.op = "copy",
						       .from = &b->from,
						       .from_count = 1,
						       .to = STATE_BUFFER,
						       .from_offset = 4096,
						       .to_offset = 4 * PARTITION + 64,
						       .from_sizes = b->sizes,
						       .to_sizes = b->sizes,
						       .from_steps = b->steps,
						       .to_steps = b->steps,
						       .from_dims = 1,
						       .to_dims = 2};
	b->block = (struct nx_dma_block){
		.semaphore = 8, .descriptors = b->descriptors, .descriptor_count = 1};
	nx_made_profile_add_neff(&f->made);
	f->made.neff.variables = b->variables;
	f->made.neff.variable_count = 2;
	f->made.neff.engines[NX_ENGINE_SYNC].blocks = &b->block;
	f->made.neff.engines[NX_ENGINE_SYNC].block_count = 1;
}

static void a_block_is_told_by_its_first_descriptor(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_transfer_text_cache cache;
	const struct nx_transfer_texts *texts;
	struct block b;

	make_block(f, &b);
	cache = (struct nx_transfer_text_cache){.profile = &f->made.p};
	texts = nx_transfer_texts_of(&cache, &transfer);
	assert_true(texts->is_known);
	assert_false(texts->is_transpose);
	assert_true(nx_slice_is(texts->op, "copy"));
	assert_true(nx_slice_is(texts->variable, "w"));
	assert_true(nx_slice_is(texts->semaphore_id, "8"));
	assert_true(nx_slice_is(texts->source, "[[\"WEIGHT\"]]"));
	assert_true(nx_slice_is(texts->dest, "[\"SB\"]"));
	assert_true(nx_slice_is(texts->read.shape, "[256]"));
	assert_true(nx_slice_is(texts->read.offset, "4096"));
	assert_true(nx_slice_is(texts->read.steps, "[1]"));
	assert_true(nx_slice_is(texts->read.partitions, ""));
	assert_int_equal(texts->read.partition_count, 0);
	assert_true(nx_slice_is(texts->write.shape, "[256,32]"));
	assert_true(nx_slice_is(texts->write.offset, "1048640"));
	assert_true(nx_slice_is(texts->write.steps, "[1,262144]"));
	assert_true(nx_slice_is(texts->write.partitions, "4-35"));
	assert_int_equal(texts->write.partition_count, 32);
	assert_ptr_equal(nx_transfer_texts_of(&cache, &transfer), texts);
	nx_transfer_text_cache_release(&cache);
}

static void partitions_are_those_of_all_descriptors(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_transfer_text_cache cache;
	uint64_t sizes[] = {4, 3};
	int64_t steps[] = {-2 * PARTITION, 4};
	const struct nx_transfer_texts *texts;
	struct block b;

	make_block(f, &b);
	b.sizes[1] = 1;
	b.descriptors[1] = b.descriptors[0];
	b.descriptors[1].to_offset = 126ull * PARTITION;
	b.descriptors[1].to_sizes = sizes;
	b.descriptors[1].to_steps = steps;
	b.block.descriptor_count = 2;
	cache = (struct nx_transfer_text_cache){.profile = &f->made.p};
	texts = nx_transfer_texts_of(&cache, &transfer);
	assert_true(nx_slice_is(texts->write.partitions, "4,120,122,124,126"));
	assert_int_equal(texts->write.partition_count, 5);
	nx_transfer_text_cache_release(&cache);
}

static void absurd_descriptors_stay_within_the_buffer(void **state)
{
	enum { DIMS = 4000 };
	static uint64_t sizes[DIMS];
	static int64_t steps[DIMS];
	struct nx_fill_fixture *f = *state;
	struct nx_transfer_text_cache cache;
	const struct nx_transfer_texts *texts;
	struct block b;

	for (unsigned i = 0; i < DIMS; i++) {
		sizes[i] = UINT64_MAX;
		steps[i] = i % 2 ? PARTITION : INT64_MIN;
	}
	make_block(f, &b);
	b.descriptors[0].to_sizes = sizes;
	b.descriptors[0].to_steps = steps;
	b.descriptors[0].to_dims = DIMS;
	cache = (struct nx_transfer_text_cache){.profile = &f->made.p};
	texts = nx_transfer_texts_of(&cache, &transfer);
	assert_true(nx_slice_is(texts->write.partitions, "4-127"));
	nx_transfer_text_cache_release(&cache);
	b.descriptors[0].to_offset = UINT64_MAX;
	cache = (struct nx_transfer_text_cache){.profile = &f->made.p};
	assert_int_equal(nx_transfer_texts_of(&cache, &transfer)->write.partition_count, 0);
	nx_transfer_text_cache_release(&cache);
}

static void without_a_neff_everything_is_unknown(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_transfer_text_cache cache;
	const struct nx_transfer_texts *texts;

	cache = (struct nx_transfer_text_cache){.profile = &f->made.p};
	texts = nx_transfer_texts_of(&cache, &transfer);
	assert_false(texts->is_known);
	assert_true(nx_slice_is(texts->op, "copy"));
	assert_true(nx_slice_is(texts->variable, "unknown"));
	assert_true(nx_slice_is(texts->semaphore_id, "-1"));
	assert_true(nx_slice_is(texts->source, "[[\"unknown\"]]"));
	assert_true(nx_slice_is(texts->read.shape, ""));
	nx_transfer_text_cache_release(&cache);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_block_is_told_by_its_first_descriptor),
		TEST(partitions_are_those_of_all_descriptors),
		TEST(absurd_descriptors_stay_within_the_buffer),
		TEST(without_a_neff_everything_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
