/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/vec.h"
#include "cli/nccom/nccom_streams.h"
#include "tests/unit/cli/command_table.h"

#define FP32 10u

static struct nx_arena arena;
static struct nx_nccom_streams streams;
static struct nx_error err;

static int clear(void **state)
{
	(void)state;
	nx_arena_release(&arena);
	unsetenv("NEURON_RT_ROOT_COMM_ID");
	return 0;
}

static enum nx_status read_with(const char *text, const struct nx_nccom_words *words,
				const char *op)
{
	char *ops[] = {nx_arena_copy_text(&arena, op ? op : "")};

	return nx_nccom_streams_read(nx_slice_text(text), words, ops, op ? 1 : 0, &arena, &streams,
				     &err);
}

static void expect(const char *text, enum nx_status status, const char *message)
{
	const struct nx_nccom_words words = {0};

	err = (struct nx_error){0};
	assert_int_equal(read_with(text, &words, NULL), status);
	assert_string_equal(err.message, message);
}

/* --- what is right --------------------------------------------------------------------------- */

static void fields_are_options(void **state)
{
	const struct nx_nccom_words words = {0};
	const struct nx_nccom_request *r;

	(void)state;
	assert_int_equal(
		read_with(
			"{\"streams\": [{\"operation\": \"redsct\", \"nworkers\": 4, \"minbytes\": "
			"\"1kb\", \"maxbytes\": 65536, \"stepfactor\": 8, \"datatype\": \"fp32\", "
			"\"iters\": 6, \"warmup_iters\": 2, \"ops_per_iter\": 5, \"seed\": 9, "
			"\"check\": \"all_ones\", \"custom-replica-groups\": [[3, 1], [2, 0]]}]}",
			&words, NULL),
		NX_OK);
	assert_int_equal(streams.count, 1);
	assert_int_equal(streams.core_count, 4);
	r = &streams.items[0];
	assert_string_equal(r->ops[0]->name, "reduce_scatter");
	assert_int_equal(r->op_count, 1);
	assert_int_equal(r->dtype, FP32);
	assert_int_equal(r->size_count, 3); /* 1024, 8192, 65536 */
	assert_int_equal(r->sizes[2], 65536);
	assert_int_equal(r->options.measured_count, 30);
	assert_int_equal(r->options.warmup_count, 10);
	assert_int_equal(r->options.seed, 9);
	assert_int_equal(r->options.check, NX_NCCOM_ONES);
	assert_int_equal(r->groups.group_size, 2);
	assert_string_equal(r->groups.groups, "[[3,1],[2,0]]");
}

static void what_is_left_out_is_the_command_lines(void **state)
{
	const struct nx_nccom_words words = {.ranks = {true, 8},
					     .iterations = {true, 3},
					     .least = "4kb",
					     .most = "4kb",
					     .dtype = "bf16",
					     .check = "",
					     .groups = "[[0,1,2,3],[4,5,6,7]]"};

	(void)state;
	assert_int_equal(read_with("[{\"nworkers\": 2, \"custom_replica_groups\": [[0, 1]]}, "
				   "{\"operation\": \"allg\", \"check\": false, "
				   "\"data-parallel-dimension\": 2}, {\"iters\": 4}]",
				   &words, "bcast"),
			 NX_OK);
	assert_int_equal(streams.count, 3);
	assert_int_equal(streams.core_count, 2 + 8 + 8);
	assert_string_equal(streams.items[0].ops[0]->name, "broadcast");
	assert_int_equal(streams.items[0].options.check, NX_NCCOM_RANDOM);
	assert_int_equal(streams.items[0].options.measured_count, 3);
	assert_string_equal(streams.items[0].groups.groups, "[[0,1]]");
	assert_string_equal(streams.items[1].ops[0]->name, "all_gather");
	assert_int_equal(streams.items[1].options.check, NX_NCCOM_UNCHECKED);
	assert_string_equal(streams.items[1].groups.groups, "[[0,4],[1,5],[2,6],[3,7]]");
	assert_string_equal(streams.items[2].dtype_name, "bf16");
	assert_int_equal(streams.items[2].options.measured_count, 4);
	assert_int_equal(streams.items[2].groups.group_size, 4);
}

/* Half of each stream's ranks are on the second of two machines. */
static void streams_of_a_machine(void **state)
{
	const struct nx_nccom_words words = {.nodes = {true, 2}, .node_rank = "1"};

	(void)state;
	setenv("NEURON_RT_ROOT_COMM_ID", "a:1", 1);
	assert_int_equal(read_with("[{\"operation\": \"allr\", \"nworkers\": 4}, "
				   "{\"operation\": \"allr\", \"nworkers\": 2}]",
				   &words, NULL),
			 NX_OK);
	assert_int_equal(streams.core_count, 3);
	assert_int_equal(streams.items[0].options.first_rank, 2);
	assert_int_equal(streams.items[1].options.first_rank, 1);
}

/* --- what is wrong --------------------------------------------------------------------------- */

static void wrong_texts(void **state)
{
	(void)state;
	expect("", NX_FORMAT, "invalid JSON at line 1, column 1: the text ends too early");
	expect("[{\"iters\": 3,}]", NX_FORMAT,
	       "invalid JSON at line 1, column 14: the name of a member, in quotes, was expected");
	expect("7", NX_USAGE, "there is no list of streams; write {\"streams\": [{...}, {...}]}");
	expect("{\"streams\": 7}", NX_USAGE,
	       "there is no list of streams; write {\"streams\": [{...}, {...}]}");
	expect("{\"stream\": []}", NX_USAGE,
	       "there is no field 'stream' beside the streams; did you mean 'streams'?");
	expect("{\"streams\": [], \"more\": 1}", NX_USAGE,
	       "there is no field 'more' beside the streams");
	expect("[]", NX_USAGE, "there are 0 streams; 1 to 16 are allowed");
	expect("[[]]", NX_USAGE, "stream 1: a stream is an object, {\"operation\": \"allr\"}");
}

static void wrong_fields(void **state)
{
	(void)state;
	expect("[{\"operation\": \"allr\", \"nworkers\": 2}, {\"minbyte\": 3}]", NX_USAGE,
	       "stream 2: there is no field 'minbyte'; did you mean 'minbytes'?");
	expect("[{\"hosts\": \"a\"}]", NX_USAGE,
	       "stream 1: there is no field 'hosts'; --help lists them");
	expect("[{\"\": 1}]", NX_USAGE, "stream 1: there is no field ''; --help lists them");
	expect("[{\"nworkers\": 2}]", NX_USAGE,
	       "stream 1: 'operation' is missing; give it here, or one for all streams on the "
	       "command line");
	expect("[{\"operation\": 3}]", NX_USAGE,
	       "stream 1: 'operation' must be a text, the name of an operation");
	expect("[{\"operation\": \"alr\"}]", NX_USAGE,
	       "stream 1: there is no operation 'alr'; did you mean 'allr'?");
	expect("[{\"operation\": \"allr\\u0000\"}]", NX_USAGE,
	       "stream 1: 'operation' must be a text, the name of an operation");
	expect("[{\"nworkers\": \"2\"}]", NX_USAGE, "stream 1: 'nworkers' must be a whole number");
	expect("[{\"nworkers\": 4294967296}]", NX_USAGE,
	       "stream 1: 'nworkers' must be a whole number");
	expect("[{\"nworkers\": -1}]", NX_USAGE, "stream 1: 'nworkers' must be a whole number");
	expect("[{\"minbytes\": true}]", NX_USAGE,
	       "stream 1: 'minbytes' must be a number of bytes, or a text like \"32mb\"");
	expect("[{\"check\": 1}]", NX_USAGE,
	       "stream 1: 'check' must be true, false, \"random\" or \"all_ones\"");
	expect("[{\"datatype\": null}]", NX_USAGE, "stream 1: 'datatype' must be a text");
	expect("[{\"custom-replica-groups\": \"file\"}]", NX_USAGE,
	       "stream 1: 'custom-replica-groups' must be a list of lists of whole numbers");
	expect("[{\"ops_per_iter\": 0}]", NX_USAGE,
	       "stream 1: 'ops_per_iter' must be a whole number of at least 1");
}

static void wrong_values(void **state)
{
	(void)state;
	expect("[{\"operation\": \"allr\"}]", NX_USAGE,
	       "stream 1: give the number of ranks with --nworkers, 1 to 1024");
	expect("[{\"operation\": \"allr\", \"nworkers\": 2, \"minbytes\": -5}]", NX_USAGE,
	       "stream 1: '-5' is not a size; write 100, 512kb, 32mb or 1gb");
	expect("[{\"operation\": \"allr\", \"nworkers\": 2, \"check\": \"often\"}]", NX_USAGE,
	       "stream 1: --check is random or all_ones, not 'often'");
	expect("[{\"operation\": \"allr\", \"nworkers\": 3, \"custom-replica-groups\": [0, [1, "
	       "2]]}]",
	       NX_USAGE,
	       "stream 1: groups must have the same size and contain each of the 3 ranks once");
	expect("[{\"operation\": \"allr\", \"nworkers\": 2, \"custom-replica-groups\": [[[0]]]}]",
	       NX_USAGE, "stream 1: --custom-replica-groups must contain only whole numbers");
	expect("[{\"operation\": \"allr\", \"nworkers\": 2, \"custom-replica-groups\": [[0, "
	       "\"1\"]]}]",
	       NX_USAGE, "stream 1: --custom-replica-groups must contain only whole numbers");
	expect("[{\"operation\": \"allr\", \"nworkers\": 2, \"custom-replica-groups\": [[0, "
	       "1.5]]}]",
	       NX_USAGE, "stream 1: --custom-replica-groups must contain only whole numbers");
}

static void limits(void **state)
{
	char name[200] = {0};
	struct nx_bytes text = {0};
	const struct nx_nccom_words words = {0};

	(void)state;
	expect("[{\"operation\": \"allr\", \"nworkers\": 2, \"ops_per_iter\": 5001}]", NX_LIMIT,
	       "stream 1: 20 iterations of 5001 operations are more than 100000; choose fewer with "
	       "'iters' or 'ops_per_iter'");
	expect("[{\"operation\": \"allr\", \"nworkers\": 2, \"ops_per_iter\": 4294967295}]",
	       NX_LIMIT,
	       "stream 1: 20 iterations of 4294967295 operations are more than 100000; choose "
	       "fewer with 'iters' or 'ops_per_iter'");
	expect("[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", NX_LIMIT,
	       "there are 17 streams; 1 to 16 are allowed");
	snprintf(name, sizeof(name), "[{\"%0150d\": 1}]", 7);
	assert_int_equal(read_with(name, &words, NULL), NX_USAGE);
	nx_bytes_append_zeros(&text, ((size_t)4 << 20) + 1);
	assert_int_equal(nx_nccom_streams_read(nx_slice_of(text.items, text.len), &words, NULL, 0,
					       &arena, &streams, &err),
			 NX_LIMIT);
	nx_vec_release(&text);
}

static void several_operations(void **state)
{
	char one[] = "allr", other[] = "allg";
	char *ops[] = {one, other};
	const struct nx_nccom_words words = {.ranks = {true, 2}};

	(void)state;
	assert_int_equal(nx_nccom_streams_read(nx_slice_text("[{}]"), &words, ops, 2, &arena,
					       &streams, &err),
			 NX_USAGE);
}

static void files(void **state)
{
	struct nx_nccom_words words = {.ranks = {true, 2}, .streams = "/nonexistent/s.json"};
	char path[] = "/tmp/test_nccom_streams.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	char name[] = "allr", wanted[100];
	char *op = name;

	(void)state;
	assert_int_equal(nx_nccom_streams_open(&words, &op, 1, &arena, &streams, &err),
			 NX_NOT_FOUND);
	fputs("[{\"iters\": 5}, {\"itres\": 5}]", file);
	fclose(file);
	words.streams = path;
	assert_int_equal(nx_nccom_streams_open(&words, &op, 1, &arena, &streams, &err), NX_USAGE);
	snprintf(wanted, sizeof(wanted),
		 "%s: stream 2: there is no field 'itres'; did you mean 'iters'?", path);
	assert_string_equal(err.message, wanted);
	remove(path);
}

#define TEST(name) cmocka_unit_test_teardown(name, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fields_are_options),
		TEST(what_is_left_out_is_the_command_lines),
		TEST(streams_of_a_machine),
		TEST(wrong_texts),
		TEST(wrong_fields),
		TEST(wrong_values),
		TEST(limits),
		TEST(several_operations),
		TEST(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
