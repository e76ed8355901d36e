/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/ntff/ntff_internal.h"
#include "decode/ntff/ring_scan.h"
#include "format/instruction.h"
#include "model/binary.h"
#include "ntff_fixture.h"

#define TEN "\1\2\3\4\5\6\7\10\11\12"

static const struct nx_engine_image *image(const struct nx_ntff_fixture *f, enum nx_engine engine)
{
	return &f->capture.graphs[0].engines[engine];
}

static void patch(struct nx_ntff_fixture *f, struct nx_ntff_patch_location *locations, size_t count)
{
	f->patches[0].engine = NX_ENGINE_SCALAR;
	f->patches[0].locations.items = locations;
	f->patches[0].locations.count = count;
	f->graphs[0].patches.items = f->patches;
	f->graphs[0].patches.count = 1;
	nx_fixture_code(f, 0, NX_ENGINE_SCALAR, 0, TEN, 10);
	nx_fixture_must_open(f);
}

static void assert_slots(const struct nx_ntff_fixture *f, const uint32_t *want, size_t count)
{
	assert_int_equal(image(f, NX_ENGINE_SCALAR)->slot_count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(image(f, NX_ENGINE_SCALAR)->compiler_slot[i], want[i]);
}

static void without_patches_slots_are_compiled_slots(void **state)
{
	struct nx_ntff_fixture *f = *state;

	nx_fixture_code(f, 0, NX_ENGINE_TENSOR, 0, TEN, 3);
	nx_fixture_must_open(f);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(image(f, NX_ENGINE_TENSOR)->compiler_slot[i], i);
	assert_int_equal(image(f, NX_ENGINE_SCALAR)->slot_count, 0);
}

static void insert_delete_and_modify_are_walked_in_order(void **state)
{
	/* device: 2 inserted, c0, c1(modified), 1 inserted, then c2 and c3 deleted, c4... */
	struct nx_ntff_patch_location locations[] = {
		{.offset = 0, .count = 2, .type = NX_PATCH_INSERT},
		{.offset = 3 * 64, .count = 1, .type = NX_PATCH_MODIFY},
		{.offset = 4 * 64, .count = 1, .type = NX_PATCH_INSERT},
		{.offset = 5 * 64, .count = 2, .type = NX_PATCH_DELETE},
	};
	static const uint32_t want[] = {NX_NONE, NX_NONE, 0, 1, NX_NONE, 4, 5, 6, 7, 8};

	patch(*state, locations, 4);
	assert_slots(*state, want, 10);
}

static void a_modification_does_not_delay_the_edit_behind_it(void **state)
{
	struct nx_ntff_patch_location locations[] = {
		{.offset = 64, .count = 1, .type = NX_PATCH_MODIFY},
		{.offset = 64, .count = 1, .type = NX_PATCH_INSERT},
	};
	static const uint32_t want[] = {0, NX_NONE, 1, 2, 3, 4, 5, 6, 7, 8};

	patch(*state, locations, 2);
	assert_slots(*state, want, 10);
}

static void edits_of_functions_and_other_engines_do_not_count(void **state)
{
	struct nx_ntff_patch_location locations[] = {
		{.offset = 0, .count = 5, .type = NX_PATCH_INSERT, .is_function_patch = true},
		{.offset = 9 * 64, .count = 1, .type = NX_PATCH_INSERT},
	};
	static const uint32_t want[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, NX_NONE};

	patch(*state, locations, 2);
	assert_slots(*state, want, 10);
}

static void absurd_edits_stay_inside_the_image(void **state)
{
	struct nx_ntff_patch_location locations[] = {
		{.offset = 64, .count = UINT64_MAX, .type = NX_PATCH_DELETE},
		{.offset = 2 * 64, .count = UINT64_MAX, .type = NX_PATCH_INSERT},
		{.offset = UINT64_MAX, .count = UINT64_MAX, .type = 77},
	};
	/* deleting 2^64 - 1 from 1 wraps to 0; the insert swallows the rest */
	static const uint32_t want[] = {0,	 0,	  NX_NONE, NX_NONE, NX_NONE,
					NX_NONE, NX_NONE, NX_NONE, NX_NONE, NX_NONE};

	patch(*state, locations, 3);
	assert_slots(*state, want, 10);
}

static void a_pc_finds_its_slot_modulo_twenty_bits(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_engine_image *i;

	/* address bits above pc are not part of it: 0x3fffff << 6 ends in pc 0xfffff */
	nx_fixture_code(f, 0, NX_ENGINE_SYNC, UINT64_C(0x3fffff) << 6, TEN, 3);
	nx_fixture_must_open(f);
	i = image(f, NX_ENGINE_SYNC);
	assert_int_equal(nx_image_slot(i, 0xfffff), 0);
	assert_int_equal(nx_image_slot(i, 0), 1);
	assert_int_equal(nx_image_slot(i, 1), 2);
	assert_int_equal(nx_image_slot(i, 2), NX_NONE);
	assert_int_equal(nx_image_slot(i, 0xffffe), NX_NONE);
	assert_int_equal(nx_image_slot(image(f, NX_ENGINE_TENSOR), 0), NX_NONE);
}

static void a_function_section_follows_the_main_program(void **state)
{
	struct nx_ntff_fixture *f = *state;
	const struct nx_engine_image *i;

	nx_fixture_code(f, 0, NX_ENGINE_VECTOR, 100 << 6, "\1\2", 2);
	nx_fixture_function(f, 0, NX_ENGINE_VECTOR, 500 << 6, "\3\4\5", 3);
	nx_fixture_must_open(f);
	i = image(f, NX_ENGINE_VECTOR);
	assert_int_equal(i->main_slot_count, 2);
	assert_int_equal(i->slot_count, 5);
	assert_int_equal(nx_image_slot(i, 101), 1);
	assert_int_equal(nx_image_slot(i, 500), 2);
	assert_int_equal(nx_image_slot(i, 502), 4);
	assert_int_equal(nx_image_slot(i, 503), NX_NONE);
	assert_int_equal(i->code.data[4 * NX_SLOT_BYTES], 5);
	assert_int_equal(i->compiler_slot[1], 1);
	assert_int_equal(i->compiler_slot[2], NX_NONE);
}

static void a_function_section_alone_is_code_too(void **state)
{
	struct nx_ntff_fixture *f = *state;

	nx_fixture_function(f, 0, NX_ENGINE_VECTOR, 7 << 6, "\3", 1);
	nx_fixture_must_open(f);
	assert_int_equal(image(f, NX_ENGINE_VECTOR)->main_slot_count, 0);
	assert_int_equal(nx_image_slot(image(f, NX_ENGINE_VECTOR), 7), 0);
}

static void code_is_cut_to_whole_slots(void **state)
{
	struct nx_ntff_fixture *f = *state;

	f->version = 5;
	nx_fixture_code(f, 0, NX_ENGINE_TENSOR, 0, TEN, 2);
	nx_bytes_append_zeros(&f->blobs.items[0].bytes, 63);
	nx_fixture_must_open(f);
	assert_int_equal(image(f, NX_ENGINE_TENSOR)->slot_count, 2);
	assert_int_equal(image(f, NX_ENGINE_TENSOR)->code.len, 128);
}

static void code_beyond_the_file_is_left_out(void **state)
{
	struct nx_ntff_fixture *f = *state;

	nx_fixture_code(f, 0, NX_ENGINE_TENSOR, 0, TEN, 4);
	f->cut_bytes = 65;
	nx_fixture_must_open(f);
	assert_int_equal(image(f, NX_ENGINE_TENSOR)->slot_count, 2);
	assert_true(f->decoder.ntff.is_truncated);
}

/* Ten images of the same large blob: they may not cost ten times the file. */
static void images_that_share_bytes_share_a_budget(void **state)
{
	struct nx_ntff_fixture *f = *state;
	struct nx_bytes *zeros = nx_fixture_ring(f, 0, NX_TRACE_ERROR, NX_BLOCK_CORE);
	struct nx_ntff_code codes[10];
	struct nx_ntff_info info;
	uint64_t total_bytes = 0;

	nx_bytes_append_zeros(zeros, 1 << 20);
	nx_fixture_must_open(f);
	for (unsigned i = 0; i < 10; i++)
		codes[i] = (struct nx_ntff_code){
			.engine = i % 5, .is_function_section = i >= 5, .size = 1 << 20};
	f->graphs[0].code.items = codes;
	f->graphs[0].code.count = 10;
	info = f->info;
	nx_vec_clear(&f->file);
	nx_ntff_write_head(6, &info, &f->file);
	nx_bytes_append(&f->file, zeros->items, zeros->len);
	assert_int_equal(nx_ntff_decoder_open(&f->decoder, nx_slice_of(f->file.items, f->file.len),
					      "test.ntff", &f->options, &f->arena, &f->capture,
					      &f->err),
			 NX_OK);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		total_bytes += image(f, e)->code.len;
	assert_in_range(total_bytes, 3 << 20, NX_BLOB_SHARE * f->file.len);
	assert_int_equal(f->decoder.loss.overlapping_bytes,
			 (10 << 20) - NX_BLOB_SHARE * f->file.len);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_ntff_fixture_setup, nx_ntff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_patches_slots_are_compiled_slots),
		TEST(insert_delete_and_modify_are_walked_in_order),
		TEST(a_modification_does_not_delay_the_edit_behind_it),
		TEST(edits_of_functions_and_other_engines_do_not_count),
		TEST(absurd_edits_stay_inside_the_image),
		TEST(a_pc_finds_its_slot_modulo_twenty_bits),
		TEST(a_function_section_follows_the_main_program),
		TEST(a_function_section_alone_is_code_too),
		TEST(code_is_cut_to_whole_slots),
		TEST(code_beyond_the_file_is_left_out),
		TEST(images_that_share_bytes_share_a_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
