/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/timeline/timeline_rules.h"

#define C(table, column) NX_COL_##table##_##column

static const struct nx_timeline_rule *rule_of(enum nx_schema_table_id table)
{
	for (size_t i = 0; i < nx_timeline_rule_count; i++)
		if (nx_timeline_rules[i].table == table && !nx_timeline_rules[i].takes)
			return &nx_timeline_rules[i];
	fail_msg("no rule");
	return NULL;
}

static int64_t rank_of(enum nx_schema_table_id table, const struct nx_row *row, uint64_t sequence)
{
	struct nx_track_label label;
	struct nx_track track;

	nx_track_label_series(&label, rule_of(table), row, 0, sequence, &track);
	return track.rank;
}

static int64_t engine_rank(const char *engine, int64_t core, uint64_t sequence)
{
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_Instruction);
	nx_row_put_text(&row, C(Instruction, timeline_track), engine);
	nx_row_put_i64(&row, C(Instruction, pcore_idx), core);
	return rank_of(NX_SCHEMA_Instruction, &row, sequence);
}

static void engines_stand_as_on_the_screen(void **state)
{
	static const char *const order[] = {"Sync",   "Tensor", "TensorMatrix", "Vector",
					    "Scalar", "GpSimd", "Mystery"};

	(void)state;
	for (size_t i = 1; i < sizeof(order) / sizeof(order[0]); i++) {
		assert_true(engine_rank(order[i - 1], 0, 50) < engine_rank(order[i], 1, 2));
		assert_true(engine_rank(order[i], 1, 50) < engine_rank(order[i], 0, 2));
	}
	assert_true(engine_rank("Sync", 0, 2) < engine_rank("Sync", 0, 3));
}

static int64_t cpu_rank(const char *cpu)
{
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_CpuUsage);
	nx_row_put_text(&row, C(CpuUsage, instance_id), "i-1");
	nx_row_put_text(&row, C(CpuUsage, cpu_id), cpu);
	return rank_of(NX_SCHEMA_CpuUsage, &row, 0);
}

static void processors_are_counted_not_spelt(void **state)
{
	(void)state;
	assert_true(cpu_rank("average") < cpu_rank("0"));
	assert_true(cpu_rank("2") < cpu_rank("10"));
	assert_true(cpu_rank("99999999999999999999") > cpu_rank("10"));
}

/* Numbers beyond what a rank has room for are neither negative nor in another rule's place. */
static void wild_numbers_stay_in_their_rule(void **state)
{
	static const int64_t wild[] = {INT64_MIN, -1, 65535, INT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		assert_true(engine_rank("GpSimd", wild[i], UINT64_MAX) > 0);
		assert_true(engine_rank("GpSimd", wild[i], UINT64_MAX) <
			    engine_rank("Mystery", 0, 0));
	}
}

static void the_last_core_is_on_top(void **state)
{
	struct nx_track_label label;
	struct nx_track tracks[2];
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_Instruction);
	for (int core = 0; core < 2; core++) {
		nx_row_put_i64(&row, C(Instruction, pcore_idx), core);
		nx_track_label_group(&label, rule_of(NX_SCHEMA_Instruction), &row, &tracks[core]);
	}
	assert_true(tracks[1].rank < tracks[0].rank);
	assert_int_equal(tracks[0].kind, NX_TRACK_GROUP);
	assert_int_equal(label.attribute_count, 1);
	assert_true(nx_slice_is(label.attributes[0].key, "pcore_idx"));
	assert_true(nx_slice_is(label.attributes[0].value, "1"));
}

/* A name is cut, an attribute is whole. */
static void attributes_are_not_cut(void **state)
{
	struct nx_track_label label;
	struct nx_track track;
	char text[900];
	struct nx_row row;

	(void)state;
	memset(text, 'x', sizeof(text));
	nx_row_init(&row, NX_SCHEMA_Instruction);
	nx_row_put_slice(&row, C(Instruction, timeline_track), nx_slice_of(text, sizeof(text)));
	nx_track_label_series(&label, rule_of(NX_SCHEMA_Instruction), &row, 0, 0, &track);
	assert_int_equal(track.name.len, NX_LABEL_MAX);
	assert_int_equal(track.attribute_count, 1);
	assert_int_equal(track.attributes[0].value.len, sizeof(text));
}

static void a_share_is_called_by_its_column(void **state)
{
	struct nx_track_label label;
	struct nx_track track;
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_SystemProfileHbmUsage);
	nx_track_label_share(&label, rule_of(NX_SCHEMA_SystemProfileHbmUsage), &row,
			     C(SystemProfileHbmUsage, dma_rings_io_bytes), &track);
	assert_true(nx_slice_is(track.name, "dma rings io"));
	assert_true(nx_slice_is(track.unit, "bytes"));
	assert_int_equal(track.keys[0], NX_SCHEMA_SystemProfileHbmUsage);
	assert_int_equal(track.keys[1], 1);
	nx_row_init(&row, NX_SCHEMA_SbufUsage);
	nx_track_label_share(&label, rule_of(NX_SCHEMA_SbufUsage), &row,
			     C(SbufUsage, partition_32_util_percent), &track);
	assert_true(nx_slice_is(track.name, "partition 32"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engines_stand_as_on_the_screen),
		cmocka_unit_test(processors_are_counted_not_spelt),
		cmocka_unit_test(wild_numbers_stay_in_their_rule),
		cmocka_unit_test(the_last_core_is_on_top),
		cmocka_unit_test(attributes_are_not_cut),
		cmocka_unit_test(a_share_is_called_by_its_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
