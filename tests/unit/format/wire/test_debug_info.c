/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "format/debug_info.h"
#include "tests/unit/format/wire/fill_message.h"

/* A backend file with one record, an attribute map, and an index of frames. */
static const uint8_t file[] = {
	0x0a, 3,    'B',  'I',	'R',				/* description */
	0x12, 1,    'p',					/* parent file */
	0x1a, 46,						/* record */
	0x08, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40,		/* id = 1<<48 | 1 */
	0x12, 3,    'I',  '-',	'1',				/* name */
	0x1a, 3,    0xac, 0x02, 4,				/* parents 300, 4 */
	0x22, 2,    5,	  6,					/* dataflow */
	0x2a, 1,    7,						/* scheduling */
	0x30, 3,						/* TRANSPOSE */
	0x3a, 8,    0x0a, 3,	'k',  'e',  'y',  0x12, 1, 'v', /* attribute */
	0x40, 2,						/* frame */
	0x4a, 2,    4,	  1,					/* dataflow types */
	0x52, 1,    2,						/* scheduling types */
	0x20, 5,						/* engine DVE */
	0x2a, 4,    'a',  '.',	'p',  'y',			/* kernel file */
	0x32, 19,						/* stack index */
	0x0a, 1,    'f',  0x12, 1,    'g',			/* names */
	0x1a, 6,    0x08, 1,	0x10, 1,    0x18, 9,		/* location */
	0x22, 2,    0x08, 1,	0x22,				/* frames; cut */
	0x3a, 1,    'k',					/* kernel function */
};

static void check_record(const struct nx_debug_record *record)
{
	assert_int_equal(record->id, (UINT64_C(1) << 48) + 1);
	assert_true(nx_slice_is(record->name, "I-1"));
	assert_int_equal(record->parent_ids.count, 2);
	assert_int_equal(record->parent_ids.items[0], 300);
	assert_int_equal(record->parent_ids.items[1], 4);
	assert_int_equal(record->dataflow_predecessors.count, 2);
	assert_int_equal(record->dataflow_predecessors.items[1], 6);
	assert_int_equal(record->scheduling_predecessors.items[0], 7);
	assert_int_equal(record->instruction_type, NX_INSTRUCTION_TRANSPOSE);
	assert_int_equal(record->attributes.count, 1);
	assert_true(nx_slice_is(record->attributes.items[0].key, "key"));
	assert_true(nx_slice_is(record->attributes.items[0].value, "v"));
	assert_int_equal(record->stack_frame_id, 2);
	assert_int_equal(record->dataflow_types.items[0], NX_EDGE_FLOW_DEPENDENCE);
	assert_int_equal(record->dataflow_types.items[1], NX_EDGE_ORDERED);
	assert_int_equal(record->scheduling_types.items[0], NX_EDGE_ANTI_DEPENDENCE);
}

static void test_reads_a_file(void **state)
{
	struct nx_arena arena = {0};
	struct nx_wire_loss loss = {0};
	struct nx_debug_info info;

	(void)state;
	assert_int_equal(nx_wire_decode(&nx_debug_info_message, nx_slice_of(file, sizeof(file)),
					&info, &arena, &loss, NULL),
			 NX_OK);
	assert_int_equal(loss.unknown_field_count + loss.wrong_type_count, 0);
	assert_int_equal(loss.truncated_count, 1);
	assert_true(nx_slice_is(info.description, "BIR"));
	assert_true(nx_slice_is(info.parent_file_name, "p"));
	assert_int_equal(info.records.count, 1);
	check_record(info.records.items);
	assert_int_equal(info.engine_type, 5);
	assert_true(nx_slice_is(info.kernel_file_names.items[0], "a.py"));
	assert_true(nx_slice_is(info.kernel_function_names.items[0], "k"));
	assert_true(info.has_stack_index);
	assert_true(nx_slice_is(info.stack_index.file_names.items[0], "f"));
	assert_true(nx_slice_is(info.stack_index.function_names.items[0], "g"));
	assert_int_equal(info.stack_index.locations.items[0].line, 9);
	assert_int_equal(info.stack_index.frames.count, 1);
	assert_int_equal(info.stack_index.frames.items[0].location_id, 1);
	nx_arena_release(&arena);
}

static void test_every_field_round_trips(void **state)
{
	(void)state;
	/* Worked out by hand: 2 texts; 2 records of 4 single values, 5 lists of 2 and 2
	 * attributes of 2; an engine; 2 names; a stack index of 2*2 names, 2*3 and 2*2
	 * numbers; 2 names. */
	assert_int_equal(check_round_trip(&nx_debug_info_message),
			 2 + 2 * (4 + 10 + 4) + 1 + 2 + (4 + 6 + 4) + 2);
}

/* Any cut and any broken byte must be survived; the sanitizers watch. */
static void test_survives_cuts_and_broken_bytes(void **state)
{
	struct nx_arena arena = {0};
	struct nx_debug_info info;
	uint8_t copy[sizeof(file)];
	size_t ok_count = 0;

	(void)state;
	for (size_t len = 0; len < sizeof(file); len++) {
		uint8_t *part = nx_heap_alloc(len + 1);

		memcpy(part, file, len);
		ok_count += nx_wire_decode(&nx_debug_info_message, nx_slice_of(part, len), &info,
					   &arena, NULL, NULL) == NX_OK;
		nx_heap_free(part);
	}
	/* Only cuts within the first field, of 5 bytes, leave nothing. */
	assert_int_equal(ok_count, sizeof(file) - 4);
	for (size_t i = 0; i < sizeof(file) * 256; i++) {
		memcpy(copy, file, sizeof(file));
		copy[i / 256] = (uint8_t)i;
		(void)!nx_wire_decode(&nx_debug_info_message, nx_slice_of(copy, sizeof(copy)),
				      &info, &arena, NULL, NULL);
	}
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_a_file),
		cmocka_unit_test(test_every_field_round_trips),
		cmocka_unit_test(test_survives_cuts_and_broken_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
