/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>

#include "base/map.h"
#include "export/json_sections.h"
#include "export_fixture.h"

static const char *dma(struct nx_export_fixture *f, uint64_t want_rows)
{
	uint64_t rows = 0;

	assert_int_equal(nx_json_dma(&f->w, &f->p, NULL, &rows, &f->err), NX_OK);
	assert_int_equal(rows, want_rows);
	return nx_export_fixture_text(f);
}

/* FNV-1a over little-endian words and the graph's name, 63 bits. */
static uint64_t id_of(const uint32_t *words, size_t count, const char *graph)
{
	uint64_t h = nx_fnv1a(NX_FNV_SEED, words, count * sizeof(*words));

	return nx_fnv1a(h, graph, strlen(graph)) & INT64_MAX;
}

static void packets_and_transfers_are_written_in_full(void **state)
{
	struct nx_export_fixture *f = *state;
	uint64_t plain = id_of((uint32_t[]){0, 0, 64, 2}, 4, "sg00");
	uint64_t mine = id_of((uint32_t[]){1, 3, 64, 2}, 4, "sg00");
	uint64_t nobodys = id_of((uint32_t[]){0, 0, 2}, 3, "sg00");
	uint64_t transfer = id_of((uint32_t[]){0, 3, 2}, 3, "sg00");
	const char *want = nx_arena_printf(
		&f->p.arena,
		"[{\"timestamp\":1,\"duration\":1000,\"transfer_size\":4096,\"read_size\":4096,"
		"\"write_size\":4096,\"transfer_rate\":4096000000,\"crc\":7,\"packet_idx\":0,"
		"\"id\":%" PRIu64 ",\"dma_engine\":\"64\",\"dma_queue\":\"2\","
		"\"queue_type\":\"data\",\"subgroup\":\"qSyncIO-Q2-E64\",\"aggregated\":\"no\","
		"\"duplicate\":\"no\",\"is_cc_dma\":\"no\",\"packet_aggregation_id\":%" PRIu64 ","
		"\"op\":\"\",\"semaphore_id\":\"-1\",\"variable\":\"unknown\","
		"\"source\":[[\"unknown\"]],\"dest\":[\"unknown\"]},"
		"{\"timestamp\":1,\"duration\":1000,\"transfer_size\":4096,\"read_size\":4096,"
		"\"write_size\":4096,\"transfer_rate\":4096000000,\"crc\":7,\"packet_idx\":1,"
		"\"id\":%" PRIu64 ",\"dma_engine\":\"64\",\"dma_queue\":\"2\","
		"\"queue_type\":\"hardware_dynamic\",\"subgroup\":\"Q2-E64\","
		"\"aggregated\":\"no\",\"duplicate\":\"no\",\"is_cc_dma\":\"no\","
		"\"packet_aggregation_id\":%" PRIu64 ",\"block_id\":3,\"op\":\"copy\","
		"\"semaphore_id\":\"S[8] (qSyncIO)\",\"variable\":\"x\","
		"\"source\":[[\"INPUT\"]],\"dest\":[\"SB\"]},"
		"{\"timestamp\":1,\"duration\":1000,\"transfer_size\":4096,\"read_size\":4096,"
		"\"write_size\":4096,\"transfer_rate\":4096000000,\"crc\":7,\"id\":%" PRIu64 ","
		"\"dma_engine\":\"65\",\"dma_queue\":\"2\",\"queue_type\":\"data\","
		"\"subgroup\":\"qSyncIO\",\"aggregated\":\"yes\",\"duplicate\":\"no\","
		"\"is_cc_dma\":\"no\",\"trigger\":0,\"block_id\":3,\"op\":\"copy\","
		"\"semaphore_id\":\"S[8] (qSyncIO)\",\"variable\":\"x\","
		"\"source\":[[\"INPUT\"]],\"dest\":[\"SB\"],\"read_shape\":[64,2],"
		"\"write_shape\":[64],\"source_offset\":1,\"dest_offset\":2,"
		"\"source_steps\":[1,-4],\"dest_steps\":[1],\"descriptor_count\":1}]",
		plain, nobodys, mine, transfer, transfer);

	assert_string_equal(dma(f, 3), want);
}

static void pretty_and_compact_are_the_same_document(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *compact = dma(f, 3);

	nx_export_fixture_begin(f, true);
	nx_assert_same_json(compact, dma(f, 3));
}

/* The part that a queue's packets share is rendered once; that may not show. */
static void shared_members_are_those_of_the_own_queue(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *text, *second;

	nx_vec_clear(&f->p.transfers);
	f->packets[1] = f->packets[0];
	f->packets[1].dma_engine = 65;
	text = dma(f, 2);
	second = strstr(text, "},{");
	assert_non_null(strstr(text, "qSyncIO-Q2-E64"));
	assert_non_null(strstr(second, "qSyncIO-Q2-E65"));
	assert_null(strstr(second, "E64"));
}

static void an_undeclared_queue_has_no_name(void **state)
{
	struct nx_export_fixture *f = *state;

	nx_vec_clear(&f->p.transfers);
	f->packets[0].dma_engine = 70; /* of class data, and yet nobody declared it */
	f->tables[NX_TABLE_PACKET].count = 1;
	assert_non_null(strstr(dma(f, 1), "\"subgroup\":\"Q2-E70\""));
}

static void a_transfer_of_an_undescribed_block_is_written(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *text;

	f->p.transfers.items[0].block = NX_NONE;
	f->tables[NX_TABLE_PACKET].count = 0;
	text = dma(f, 1);
	assert_non_null(strstr(text, "\"block_id\":3,\"op\":\"copy\",\"semaphore_id\":\"-1\","
				     "\"variable\":\"unknown\""));
	assert_null(strstr(text, "read_shape"));
}

static void variables_out_of_range_are_unknown(void **state)
{
	struct nx_export_fixture *f = *state;
	uint32_t nowhere[] = {NX_NONE};

	f->descriptor.from = nowhere;
	f->descriptor.to = 99;
	f->block.semaphore = 300;
	f->tables[NX_TABLE_PACKET].count = 0;
	assert_non_null(strstr(dma(f, 1), "\"semaphore_id\":\"300\",\"variable\":\"unknown\","
					  "\"source\":[[\"unknown\"]],\"dest\":[\"unknown\"]"));
}

static void a_packet_without_time_has_no_rate(void **state)
{
	struct nx_export_fixture *f = *state;

	f->packets[0].end_ps = f->packets[0].start_ps;
	f->tables[NX_TABLE_PACKET].count = 1;
	assert_non_null(strstr(dma(f, 2), "\"duration\":0,\"transfer_size\":4096,"
					  "\"read_size\":4096,\"write_size\":4096,"
					  "\"transfer_rate\":0,"));
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_export_fixture_setup, nx_export_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(packets_and_transfers_are_written_in_full),
		TEST(pretty_and_compact_are_the_same_document),
		TEST(shared_members_are_those_of_the_own_queue),
		TEST(an_undeclared_queue_has_no_name),
		TEST(a_transfer_of_an_undescribed_block_is_written),
		TEST(variables_out_of_range_are_unknown),
		TEST(a_packet_without_time_has_no_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
