/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "format/ntff.h"
#include "tests/unit/format/wire/fill_message.h"

/*
 * The runtime's schema, written down apart from the tables: number and kind of
 * each field; u unsigned, i signed, ? bool, d double, s text or bytes,
 * m message, * repeated.
 */
static const char *const schema[][2] = {
	{"block_timestamp_info", "1u 2u 3u"},
	{"collectives_channel", "1s 3m* 4u"},
	{"collectives_comm_info", "1u 2u 3u 4u 5u 6u"},
	{"collectives_dma_packets", "1u 2u 3u 4m 5m 6u 7u"},
	{"collectives_info", "1m* 2m*"},
	{"collectives_net_idx_update", "1u"},
	{"collectives_op", "1i 2i 3u 4u 5u 6s"},
	{"collectives_op_info", "1s 2m* 3m*"},
	{"collectives_op_trace", "1u 2s"},
	{"collectives_semaphore", "1s 2u"},
	{"collectives_semaphore_update", "1u 2i"},
	{"collectives_stream_info", "1u 2u*"},
	{"collectives_subchannel", "1u 2m 3m* 4m*"},
	{"cpu_node_info", "1s 2i"},
	{"desc_block_info", "1u 2u 3u 4u 5s"},
	{"dma_queue_usage_info", "1u 2u 3u 4s 5i 6u 7u 8m*"},
	{"engine_instruction_info", "1u 2u 3s 4u 5u 6? 7u 8u"},
	{"execution_info", "1s 2u 3u"},
	{"instruction_patch_info", "1u 2m*"},
	{"instruction_patch_location", "1u 2u 3u 4?"},
	{"nc_memory_usage", "1u 2u 3s"},
	{"nc_timestamp_info", "1m 2m 3m 4m 5m 6m 7m 8m* 9m"},
	{"nd_node_info", "1m*"},
	{"neff_node_info", "1i 2d 3m 4m 5s 6m"},
	{"notification_buffer_size", "1u 2u 3u"},
	{"ntff_info", "1s 2s 3u 4m* 5u 6s 7i 8m 9s 10i 11m 12m 13m* 14m 15m* 16m* 17s 18u 19i 20u"},
	{"outcc_info", "1m 2m* 3m* 4m* 5u*"},
	{"subgraph_info", "1s 2u 3u 4m* 5m* 6m* 7m* 8? 9m 10m 11m* 12m* 13m* 14u 15m 16m* 17m*"},
	{"trace_info", "1u 2s 3u 4u 5u 6u 7u"},
	{"ultraserver_info", "1u 2u 3u 4u"},
	{"version_info", "1u 2u 3u 4u 5s"},
};

#define MESSAGE_COUNT (sizeof(schema) / sizeof(schema[0]))

struct seen {
	const struct nx_wire_message *messages[MESSAGE_COUNT];
	size_t count;
	size_t field_count;
};

static void assert_matches_schema(const struct nx_wire_message *message)
{
	char text[256] = "";
	size_t i = 0, used = 0;

	while (i < MESSAGE_COUNT && strcmp(schema[i][0], message->name) != 0)
		i++;
	assert_true(i < MESSAGE_COUNT);
	for (size_t f = 0; f < message->field_count; f++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u%c%s", f ? " " : "",
					 message->fields[f].number,
					 "ui?fdsm"[message->fields[f].kind],
					 message -> fields[f].repeated ? "*" : "");
	assert_string_equal(text, schema[i][1]);
}

static void visit(struct seen *seen, const struct nx_wire_message *message)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->messages[i] == message)
			return;
	assert_true(seen->count < MESSAGE_COUNT);
	seen->messages[seen->count++] = message;
	seen->field_count += message->field_count;
	assert_matches_schema(message);
	for (size_t i = 0; i < message->field_count; i++)
		if (message->fields[i].kind == NX_WIRE_MESSAGE)
			visit(seen, message->fields[i].message);
}

static void test_tables_match_the_schema(void **state)
{
	struct seen seen = {0};

	(void)state;
	visit(&seen, &nx_ntff_info_message);
	assert_int_equal(seen.count, 31);
	assert_int_equal(seen.field_count, 155);
}

/* The same field reached on two ways counts twice: far more values than fields. */
static void test_every_field_round_trips(void **state)
{
	(void)state;
	assert_true(check_round_trip(&nx_ntff_info_message) > 155);
}

/* By hand and not by table: the members that are easily swapped. */
static void test_members_lie_where_they_should(void **state)
{
	static const uint8_t clocks[] = {0x0a, 2, 0x08, 1, 0x12, 2, 0x08, 2, 0x1a, 2, 0x08, 3,
					 0x22, 2, 0x08, 4, 0x2a, 2, 0x08, 5, 0x32, 2, 0x08, 6,
					 0x3a, 2, 0x08, 7, 0x42, 2, 0x10, 8, 0x4a, 2, 0x18, 9};
	struct nx_bytes graph = {0}, device = {0}, node = {0}, file = {0};
	struct nx_arena arena = {0};
	struct nx_ntff_info info;
	const struct nx_ntff_clocks *read;

	(void)state;
	nx_wire_put_bytes(&graph, 10, nx_slice_of(clocks, sizeof(clocks)));
	nx_wire_put_bytes(&device, 1, nx_slice_of(graph.items, graph.len));
	nx_wire_put_bytes(&node, 4, nx_slice_of(device.items, device.len));
	nx_wire_put_bytes(&file, 4, nx_slice_of(node.items, node.len));
	assert_int_equal(nx_wire_decode(&nx_ntff_info_message, nx_slice_of(file.items, file.len),
					&info, &arena, NULL, NULL),
			 NX_OK);
	assert_true(info.nodes.items[0].has_device);
	assert_true(info.nodes.items[0].device.graphs.items[0].has_clocks);
	read = &info.nodes.items[0].device.graphs.items[0].clocks;
	assert_int_equal(read->tensor.init, 1);
	assert_int_equal(read->scalar.init, 2);
	assert_int_equal(read->vector.init, 3);
	assert_int_equal(read->gpsimd.init, 4);
	assert_int_equal(read->sync.init, 5);
	assert_int_equal(read->events.init, 6);
	assert_int_equal(read->throttle.init, 7);
	assert_int_equal(read->dma.items[0].actual, 8);
	assert_int_equal(read->topsp.expected, 9);
	assert_true(read->has_topsp && read->has_tensor);
	nx_vec_release(&graph);
	nx_vec_release(&device);
	nx_vec_release(&node);
	nx_vec_release(&file);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_match_the_schema),
		cmocka_unit_test(test_every_field_round_trips),
		cmocka_unit_test(test_members_lie_where_they_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
