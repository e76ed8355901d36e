/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "tables/slot_texts.h"
#include "tests/unit/tables/fill_fixture.h"

static const struct nx_instruction first_of_sync = {.engine = NX_ENGINE_SYNC};

static struct nx_slot_text_cache cache_of(struct nx_fill_fixture *f)
{
	struct nx_slot_text_cache cache;

	nx_slot_text_cache_init(&cache, &f->made.p);
	return cache;
}

static void texts_are_made_once(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_slot_text_cache cache = cache_of(f);
	const struct nx_slot_texts *texts = nx_slot_texts_of(&cache, &first_of_sync);

	assert_true(nx_slice_is(texts->opcode, "NOP"));
	f->made.code[NX_ENGINE_SYNC][0] = NX_OP_DRAIN;
	assert_ptr_equal(nx_slot_texts_of(&cache, &first_of_sync), texts);
	nx_slot_text_cache_release(&cache);
}

static void unnamed_opcodes_show_their_number(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_slot_text_cache cache = cache_of(f);

	f->made.code[NX_ENGINE_SYNC][0] = 0x0f;
	assert_true(nx_slice_is(nx_slot_texts_of(&cache, &first_of_sync)->opcode, "OP_0F"));
	nx_slot_text_cache_release(&cache);
}

static void an_activation_names_its_function(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_slot_text_cache cache = cache_of(f);

	f->made.code[NX_ENGINE_SYNC][0] = NX_OP_ACTIVATE;
	f->made.code[NX_ENGINE_SYNC][35] = 7;
	assert_true(nx_slice_is(nx_slot_texts_of(&cache, &first_of_sync)->activation, "EXP"));
	nx_slot_text_cache_release(&cache);
}

static void the_compiler_is_quoted_where_the_runtime_differs(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_slot_text_cache cache = cache_of(f);
	const struct nx_slot_texts *texts;
	uint8_t *compiled = f->made.compiled[NX_ENGINE_SYNC];

	assert_null(nx_slot_compiler_word(&f->made.p, &first_of_sync));
	nx_made_profile_add_neff(&f->made);
	compiled[0] = NX_OP_PSEUDO_DMA_TRIGGER;
	memcpy(compiled + 12, "qSPIO0", 6);
	nx_store32(compiled + 48, 5);
	texts = nx_slot_texts_of(&cache, &first_of_sync);
	assert_true(nx_slice_is(texts->compiler_opcode, "PSEUDO_DMA_TRIGGER"));
	assert_true(nx_slice_is(texts->compiler_operands, " qSyncIO0 block_id=5 "));
	assert_null(texts->chain.data);
	nx_slot_text_cache_release(&cache);
}

static void extensions_are_joined_to_what_they_extend(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_slot_text_cache cache = cache_of(f);
	struct nx_instruction last = {.engine = NX_ENGINE_SYNC, .slot = NX_MADE_SLOTS - 1};
	struct nx_slice chain;
	size_t lines = 1;

	nx_made_profile_add_neff(&f->made);
	for (unsigned i = 1; i < 3; i++)
		f->made.compiled[NX_ENGINE_SYNC][i * NX_SLOT_BYTES] = NX_OP_PSEUDO_EXTENSION;
	chain = nx_slot_texts_of(&cache, &first_of_sync)->chain;
	assert_true(nx_slice_starts(chain, "NOP  cycle=0 \nPSEUDO_EXTENSION "));
	for (size_t i = 0; i < chain.len; i++)
		lines += chain.data[i] == '\n';
	assert_int_equal(lines, 3);
	/* nothing follows the last slot */
	assert_null(nx_slot_texts_of(&cache, &last)->chain.data);
	nx_slot_text_cache_release(&cache);
}

static void stacks_that_run_in_circles_end(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_slot_text_cache cache = cache_of(f);
	struct nx_stack_frame frames[] = {{0, 2}, {0, 1}};
	struct nx_origin origin = {.hlo_attributes = "[]", .stack_frame = 1};
	struct nx_slice ids;

	nx_made_profile_add_neff(&f->made);
	f->made.p.binary.stack.frames = frames;
	f->made.p.binary.stack.frame_count = 2;
	f->made.p.binary.origins = &origin;
	f->made.p.binary.origin_count = 1;
	f->made.birs[0].origin = 0;
	f->made.slots[0][NX_ENGINE_SYNC][0].bir = 0;
	ids = nx_slot_texts_of(&cache, &first_of_sync)->stack_frame_ids;
	assert_true(nx_slice_starts(ids, "[1,2,1,"));
	assert_true(nx_slice_ends(ids, ",2]"));
	assert_int_equal(ids.len, 2 * 128 + 1);
	nx_slot_text_cache_release(&cache);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(texts_are_made_once),
		TEST(unnamed_opcodes_show_their_number),
		TEST(an_activation_names_its_function),
		TEST(the_compiler_is_quoted_where_the_runtime_differs),
		TEST(extensions_are_joined_to_what_they_extend),
		TEST(stacks_that_run_in_circles_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
