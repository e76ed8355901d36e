/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/clickhouse/clickhouse_layout.h"

static const struct nx_clickhouse_layout alone = {.database = "d"};
static const struct nx_clickhouse_layout many = {.database = "d", .cluster = "c"};

static void expect(struct nx_bytes *sql, const char *text)
{
	nx_vec_push(sql, '\0');
	assert_string_equal((const char *)sql->items, text);
	nx_vec_release(sql);
}

static void a_table_has_our_columns_and_the_schemas(void **state)
{
	struct nx_bytes sql = {0};

	(void)state;
	nx_clickhouse_create_local(&alone, NX_SCHEMA_CcInstruction, &sql);
	expect(&sql, "CREATE TABLE IF NOT EXISTS d.`CcInstruction` (profile String, batch UInt32, "
		     "digest Int64, `start_ts` Int64, `end_ts` Int64, `duration_ns` Int64, "
		     "`core_idx` Int64, `description` String, `trigger_engine` Nullable(String), "
		     "`trigger_start_ts` Nullable(Int64)) ENGINE = MergeTree PARTITION BY profile "
		     "ORDER BY tuple(`core_idx`, `start_ts`) SETTINGS index_granularity = 8192");
}

static void keys_are_never_null(void **state)
{
	struct nx_bytes sql = {0};

	(void)state;
	nx_clickhouse_create_local(&alone, NX_SCHEMA_DmaPacket, &sql);
	nx_vec_push(&sql, '\0');
	assert_non_null(strstr((const char *)sql.items,
			       "ORDER BY tuple(ifNull(`pcore_idx`, -1), ifNull(`queue_name`, ''), "
			       "`start_ts`)"));
	assert_non_null(strstr((const char *)sql.items, "`throughput` Float32,"));
	assert_non_null(strstr((const char *)sql.items, "`packet_idx` Int32,"));
	nx_vec_release(&sql);
}

static void a_table_without_tracks_is_not_sorted(void **state)
{
	struct nx_bytes sql = {0};

	(void)state;
	nx_clickhouse_create_local(&alone, NX_SCHEMA_Warning, &sql);
	nx_vec_push(&sql, '\0');
	assert_non_null(strstr((const char *)sql.items, " ORDER BY tuple() SETTINGS"));
	nx_vec_release(&sql);
}

static void lists_are_arrays_and_never_nullable(void **state)
{
	struct nx_bytes sql = {0};

	(void)state;
	nx_clickhouse_create_local(&alone, NX_SCHEMA_SystemProfileEvents, &sql);
	nx_vec_push(&sql, '\0');
	assert_non_null(strstr((const char *)sql.items, "`flow_id` Array(String),"));
	nx_vec_release(&sql);
}

static void a_cluster_has_two_of_each(void **state)
{
	struct nx_arena arena = {0};
	struct nx_bytes sql = {0};

	(void)state;
	assert_string_equal(nx_clickhouse_local_name(&alone, "Flow", &arena), "d.Flow");
	assert_string_equal(nx_clickhouse_local_name(&many, "Flow", &arena), "d.Flow_local");
	nx_arena_release(&arena);
	nx_clickhouse_create_distributed(&many, NX_SCHEMA_Warning, &sql);
	expect(&sql, "CREATE TABLE IF NOT EXISTS d.`Warning` (profile String, batch UInt32, digest "
		     "Int64, `message` String, `category` String) ENGINE = Distributed(c, d, "
		     "`Warning_local`, halfMD5(concat(profile, '')))");
	nx_clickhouse_insert_into(&many, NX_SCHEMA_Warning, &sql);
	expect(&sql,
	       "INSERT INTO d.`Warning_local` (profile, batch, digest, `message`, `category`) "
	       "FORMAT RowBinary");
	nx_clickhouse_create_ingest(&many, true, &sql);
	nx_vec_push(&sql, '\0');
	assert_non_null(strstr((const char *)sql.items, "d.`ProfileIngest` (profile"));
	assert_non_null(
		strstr((const char *)sql.items, "`ProfileIngest_local`, halfMD5(profile))"));
	nx_vec_release(&sql);
}

static void the_catalogue_of_one_server_is_a_plain_table(void **state)
{
	struct nx_bytes sql = {0};

	(void)state;
	nx_clickhouse_create_ingest(&alone, false, &sql);
	nx_vec_push(&sql, '\0');
	assert_non_null(strstr((const char *)sql.items, "d.`ProfileIngest` (profile"));
	assert_non_null(strstr((const char *)sql.items, "ENGINE = MergeTree PARTITION BY profile"));
	nx_vec_release(&sql);
}

/* md5("abc") starts with 900150983cd24fb0; the others were computed with md5sum. */
static void shards_follow_from_profile_and_track(void **state)
{
	struct nx_track_columns track = nx_track_columns_of(NX_SCHEMA_Instruction);
	struct nx_bytes scratch = {0};
	struct nx_row row;

	(void)state;
	assert_true(nx_clickhouse_profile_hash(nx_slice_text("abc")) ==
		    UINT64_C(0x900150983cd24fb0));
	nx_row_init(&row, NX_SCHEMA_Instruction);
	nx_row_put_text(&row, NX_COL_Instruction_engine, "pe");
	nx_clickhouse_shard_hash(nx_slice_text("p"), &row, &track, &scratch);
	assert_int_equal(scratch.len, 7);
	assert_memory_equal(scratch.items, "p/-1/pe", 7);
	nx_row_put_i64(&row, NX_COL_Instruction_pcore_idx, 1);
	assert_true(nx_clickhouse_shard_hash(nx_slice_text("p"), &row, &track, &scratch) ==
		    UINT64_C(0x2e880cf9eb23d430));
	nx_vec_release(&scratch);
}

/* Names of ours must not be names of the schema's. */
static void no_table_has_our_columns(void **state)
{
	static const char *const names[] = {"profile", "batch", "digest", "ordinal", "row"};

	(void)state;
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		for (unsigned j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			assert_null(nx_schema_find_column(&nx_schema_tables[i],
							  nx_slice_text(names[j])));
	assert_null(nx_schema_find_table(nx_slice_text(NX_CLICKHOUSE_INGEST)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_has_our_columns_and_the_schemas),
		cmocka_unit_test(keys_are_never_null),
		cmocka_unit_test(a_table_without_tracks_is_not_sorted),
		cmocka_unit_test(lists_are_arrays_and_never_nullable),
		cmocka_unit_test(a_cluster_has_two_of_each),
		cmocka_unit_test(the_catalogue_of_one_server_is_a_plain_table),
		cmocka_unit_test(shards_follow_from_profile_and_track),
		cmocka_unit_test(no_table_has_our_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
