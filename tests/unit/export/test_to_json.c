/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "export/exporters.h"
#include "export/json_sections.h"
#include "export_fixture.h"

static const struct nx_json *parse(struct nx_export_fixture *f, const char *text)
{
	struct nx_json *root = NULL;

	if (nx_json_parse(nx_slice_text(text), &f->p.arena, &root, &f->err))
		fail_msg("%s", f->err.message);
	return root;
}

static void assert_sections(const struct nx_json *root, const char *const *names, size_t count)
{
	assert_int_equal(root->count, count);
	for (size_t i = 0; i < count; i++)
		assert_true(nx_slice_is(root->children[i].key, names[i]));
}

static void a_document_has_every_section_once(void **state)
{
	static const char *const sections[] = {
		"summary",
		"model_info",
		"layer_summary",
		"nc_mem_usage",
		"dma_queues_info",
		"neff_header",
		"neff_node",
		"profile_info",
		"warnings",
		"summary_groups",
		"summary_group_order",
		"terminology",
		"instruction",
		"dma",
		"semaphore_update",
		"pending_dma",
		"dma_throughput",
		"ham",
		"active_time",
		"instruction_usage",
		"metadata",
	};
	struct nx_export_fixture *f = *state;

	assert_sections(parse(f, nx_export_fixture_file(f, "json", false)), sections, 21);
}

static void without_a_neff_its_sections_are_absent(void **state)
{
	struct nx_export_fixture *f = *state;
	const struct nx_json *root;

	f->p.has_binary = false;
	root = parse(f, nx_export_fixture_file(f, "json", false));
	assert_int_equal(root->count, 19);
	assert_null(nx_json_get(root, "neff_header"));
	assert_null(nx_json_get(root, "neff_node"));
}

static void faults_and_collectives_appear_when_there_are_some(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_fault fault = {.engine = NX_ENGINE_COUNT, .slot = NX_NONE};
	struct nx_collective_op op = {.algorithm_name = ""};
	const struct nx_json *root;

	f->tables[NX_TABLE_FAULT] = (struct nx_fixture_table){&fault, sizeof(fault), 1};
	f->graphs[0].collective_ops = &op;
	f->graphs[0].collective_op_count = 1;
	root = parse(f, nx_export_fixture_file(f, "json", false));
	assert_int_equal(nx_json_get(root, "error")->count, 1);
	assert_int_equal(nx_json_get(root, "cc_op")->count, 1);
}

static void pretty_and_compact_are_the_same_document(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *compact = nx_export_fixture_file(f, "json", false);
	const char *pretty = nx_export_fixture_file(f, "json", true);

	assert_int_equal(compact[strlen(compact) - 1], '\n');
	assert_ptr_equal(strchr(compact, '\n'), compact + strlen(compact) - 1);
	assert_true(strlen(pretty) > strlen(compact));
	nx_assert_same_json(compact, pretty);
}

/*
 * Points: 15 instructions, 3 of them again for their layer, 4 early semaphores, 2 packets and a
 * transfer, 1 pending, 3 neff nodes, 1 queue, 2 memory rows, 1 warning of missing data.
 */
static void points_are_counted_as_shown(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_pending pending = {0};
	const struct nx_json *metadata;

	f->p.graphs[0] = (struct nx_graph_counts){.instruction_count = {1, 2, 3, 4, 5}};
	f->p.with_layer_count = 3;
	f->p.early_semaphore_count = 4;
	f->tables[NX_TABLE_PENDING] = (struct nx_fixture_table){&pending, sizeof(pending), 1};
	nx_profile_warn(&f->p, "Missing Data", "counts");
	nx_profile_warn(&f->p, "Data Loss", "does not");
	metadata = nx_json_get(parse(f, nx_export_fixture_file(f, "json", false)), "metadata");
	assert_int_equal(nx_json_as_u64(nx_json_get(&metadata->children[0], "total_point_count"),
					0),
			 15 + 3 + 4 + 3 + 1 + 3 + 1 + 2 + 1);
}

static void two_members(struct nx_json_writer *w, const void *what)
{
	nx_json_key_u64(w, "a", *(const uint64_t *)what);
	nx_json_key_text(w, "b", "\n");
}

static void no_members(struct nx_json_writer *w, const void *what)
{
	(void)w, (void)what;
}

static void fragments_equal_what_is_written_directly(void **state)
{
	struct nx_export_fixture *f = *state;
	uint64_t a = 5;
	struct nx_json_fragment fragment = nx_json_render(&f->p.arena, two_members, &a);
	const char *spliced;

	assert_string_equal(fragment.text, "\"a\":5,\"b\":\"\\n\"");
	assert_int_equal(fragment.len, strlen(fragment.text));
	nx_json_begin_object(&f->w);
	nx_json_key_u64(&f->w, "first", 1);
	nx_json_raw_members(&f->w, nx_slice_of(fragment.text, fragment.len));
	nx_json_key_u64(&f->w, "last", 2);
	nx_json_end_object(&f->w);
	spliced = nx_export_fixture_text(f);
	nx_json_begin_object(&f->w);
	nx_json_key_u64(&f->w, "first", 1);
	two_members(&f->w, &a);
	nx_json_key_u64(&f->w, "last", 2);
	nx_json_end_object(&f->w);
	assert_string_equal(spliced, nx_export_fixture_text(f));
	assert_int_equal(nx_json_render(&f->p.arena, no_members, NULL).len, 0);
}

static enum nx_status failing_scan(void *context, enum nx_table table, nx_row_fn fn,
				   void *fn_context, struct nx_error *err)
{
	(void)context, (void)fn, (void)fn_context;
	if (table != NX_TABLE_PACKET)
		return NX_OK;
	return nx_fail(err, NX_NO_SPACE, "the disk is full");
}

static void a_failing_table_fails_the_export(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_export_options options = {0};
	struct nx_output out;

	f->p.source.scan = failing_scan;
	assert_int_equal(nx_output_open(&out, "/dev/null", &f->err), NX_OK);
	assert_int_equal(nx_export_json(&f->p, &options, &out, &f->err), NX_NO_SPACE);
	assert_string_equal(f->err.message, "the disk is full");
	nx_output_abort(&out);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_export_fixture_setup, nx_export_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_document_has_every_section_once),
		TEST(without_a_neff_its_sections_are_absent),
		TEST(faults_and_collectives_appear_when_there_are_some),
		TEST(pretty_and_compact_are_the_same_document),
		TEST(points_are_counted_as_shown),
		TEST(fragments_equal_what_is_written_directly),
		TEST(a_failing_table_fails_the_export),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
