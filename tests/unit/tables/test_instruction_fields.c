/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "format/instruction.h"
#include "tables/instruction_fields.h"
#include "tests/unit/tables/fill_fixture.h"

#define COL(name) NX_COL_Instruction_##name

static const struct nx_instruction first_of_sync = {.engine = NX_ENGINE_SYNC};

static struct nx_instruction_fields read_for(struct nx_fill_fixture *f, enum nx_field_reader reader)
{
	struct nx_instruction_fields fields;

	nx_instruction_fields_init(&fields, &f->made.p, reader);
	nx_instruction_fields_read(&fields, &first_of_sync);
	return fields;
}

static const struct nx_field *named(const struct nx_instruction_fields *fields, const char *name)
{
	for (size_t i = 0; i < fields->list.len; i++)
		if (!strcmp(fields->list.items[i].name, name))
			return &fields->list.items[i];
	return NULL;
}

static const struct nx_field *in_column(const struct nx_instruction_fields *fields, unsigned column)
{
	for (size_t i = 0; i < fields->list.len; i++)
		if (fields->list.items[i].column == column)
			return &fields->list.items[i];
	return NULL;
}

static bool says(const struct nx_field *field, const char *text)
{
	return field && field->kind == NX_FIELD_TEXT && nx_slice_is(field->text, text);
}

static void each_reader_gets_what_it_publishes(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_instruction_fields json = read_for(f, NX_FOR_JSON);
	struct nx_instruction_fields perfetto = read_for(f, NX_FOR_PERFETTO);
	struct nx_instruction_fields table = read_for(f, NX_FOR_TABLE);

	assert_true(says(named(&json, "opcode"), "NOP"));
	assert_true(says(named(&perfetto, "opcode"), "NOP"));
	assert_true(says(in_column(&table, COL(opcode)), "NOP"));
	/* what is not known: JSON says so, Perfetto leaves it out, the table has one "" */
	assert_true(says(named(&json, "activation_fn"), ""));
	assert_true(says(named(&json, "layer"), ""));
	assert_int_equal(named(&json, "raw_bir_id")->number, 0);
	assert_null(named(&perfetto, "activation_fn"));
	assert_null(named(&perfetto, "bir_id"));
	assert_null(in_column(&table, COL(layer)));
	assert_true(says(in_column(&table, COL(bir_id)), ""));
	/* where its graph is: a path in one, a number in the other */
	assert_non_null(named(&json, "fully_qualified_subgraph"));
	assert_int_equal(in_column(&table, COL(pcore_idx))->number, 0);
	nx_instruction_fields_release(&json);
	nx_instruction_fields_release(&perfetto);
	nx_instruction_fields_release(&table);
}

static void the_calls_of_the_framework_are_named(void **state)
{
	struct nx_fill_fixture *f = *state;
	const char *files[] = {"train.py", "model.py"}, *functions[] = {"main", "forward"};
	struct nx_source_location places[] = {{1, 1, 12}, {2, 2, 57}};
	struct nx_stack_frame frames[] = {{1, 0}, {2, 1}, {0, 2}};
	struct nx_origin origin = {.hlo_attributes = "[]", .source_file = "", .stack_frame = 3};
	struct nx_instruction_fields perfetto, json;

	nx_made_profile_add_neff(&f->made);
	f->made.p.binary.origins = &origin;
	f->made.p.binary.origin_count = 1;
	f->made.p.binary.stack = (struct nx_stack){files, functions, 2, 2, places, 2, frames, 3};
	f->made.birs[0] = (struct nx_bir){.name = "I-1", .kernel_file = "", .kernel_name = ""};
	f->made.slots[0][NX_ENGINE_SYNC][0].bir = 0;
	perfetto = read_for(f, NX_FOR_PERFETTO);
	assert_true(says(named(&perfetto, "framework_stack_trace"),
			 "? (?:0)\nforward (model.py:57)\nmain (train.py:12)"));
	assert_true(says(named(&perfetto, "stack_frame_ids"), "[3,2,1]"));
	json = read_for(f, NX_FOR_JSON);
	assert_true(says(named(&json, "stack_frame_ids"), "[3,2,1]"));
	assert_null(named(&json, "framework_stack_trace")); /* it has a section of frames */
	nx_instruction_fields_release(&perfetto);
	nx_instruction_fields_release(&json);
}

static void unnamed_opcodes_show_their_number(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_instruction_fields fields;

	f->made.code[NX_ENGINE_SYNC][0] = 0x0f;
	fields = read_for(f, NX_FOR_TABLE);
	assert_true(says(in_column(&fields, COL(opcode)), "OP_0F"));
	nx_instruction_fields_release(&fields);
}

static void an_activation_names_its_function(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_instruction_fields fields;

	f->made.code[NX_ENGINE_SYNC][0] = NX_OP_ACTIVATE;
	f->made.code[NX_ENGINE_SYNC][35] = 7;
	fields = read_for(f, NX_FOR_PERFETTO);
	assert_true(says(named(&fields, "activation_fn"), "EXP"));
	nx_instruction_fields_release(&fields);
}

static void the_compiler_is_quoted_where_the_runtime_differs(void **state)
{
	struct nx_fill_fixture *f = *state;
	uint8_t *compiled = f->made.compiled[NX_ENGINE_SYNC];
	struct nx_instruction_fields fields = read_for(f, NX_FOR_TABLE);

	assert_null(in_column(&fields, COL(compiler_opcode)));
	nx_instruction_fields_release(&fields);
	nx_made_profile_add_neff(&f->made);
	compiled[0] = NX_OP_PSEUDO_DMA_TRIGGER;
	memcpy(compiled + 12, "qSPIO0", 6);
	nx_store32(compiled + 48, 5);
	fields = read_for(f, NX_FOR_TABLE);
	assert_true(says(in_column(&fields, COL(compiler_opcode)), "PSEUDO_DMA_TRIGGER"));
	assert_true(says(in_column(&fields, COL(compiler_operands)), " qSyncIO0 block_id=5 "));
	assert_null(in_column(&fields, COL(instruction_chain)));
	nx_instruction_fields_release(&fields);
}

static void extensions_are_joined_to_what_they_extend(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_instruction last = {.engine = NX_ENGINE_SYNC, .slot = NX_MADE_SLOTS - 1};
	struct nx_instruction_fields fields;
	struct nx_slice chain;
	size_t lines = 1;

	nx_made_profile_add_neff(&f->made);
	for (unsigned i = 1; i < 3; i++)
		f->made.compiled[NX_ENGINE_SYNC][i * NX_SLOT_BYTES] = NX_OP_PSEUDO_EXTENSION;
	fields = read_for(f, NX_FOR_TABLE);
	chain = in_column(&fields, COL(instruction_chain))->text;
	assert_true(nx_slice_starts(chain, "NOP  cycle=0 \nPSEUDO_EXTENSION "));
	for (size_t i = 0; i < chain.len; i++)
		lines += chain.data[i] == '\n';
	assert_int_equal(lines, 3);
	/* nothing follows the last slot */
	nx_instruction_fields_read(&fields, &last);
	assert_null(in_column(&fields, COL(instruction_chain)));
	nx_instruction_fields_release(&fields);
}

static void stacks_that_run_in_circles_end(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_stack_frame frames[] = {{0, 2}, {0, 1}};
	struct nx_origin origin = {.hlo_attributes = "[]", .source_file = "", .stack_frame = 1};
	struct nx_instruction_fields fields;
	struct nx_slice ids;

	nx_made_profile_add_neff(&f->made);
	f->made.p.binary.stack.frames = frames;
	f->made.p.binary.stack.frame_count = 2;
	f->made.p.binary.origins = &origin;
	f->made.p.binary.origin_count = 1;
	f->made.birs[0].origin = 0;
	f->made.slots[0][NX_ENGINE_SYNC][0].bir = 0;
	fields = read_for(f, NX_FOR_TABLE);
	ids = in_column(&fields, COL(stack_frame_ids))->text;
	assert_true(nx_slice_starts(ids, "[1,2,1,"));
	assert_true(nx_slice_ends(ids, ",2]"));
	assert_int_equal(ids.len, 2 * 128 + 1);
	nx_instruction_fields_release(&fields);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_reader_gets_what_it_publishes),
		TEST(the_calls_of_the_framework_are_named),
		TEST(unnamed_opcodes_show_their_number),
		TEST(an_activation_names_its_function),
		TEST(the_compiler_is_quoted_where_the_runtime_differs),
		TEST(extensions_are_joined_to_what_they_extend),
		TEST(stacks_that_run_in_circles_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
