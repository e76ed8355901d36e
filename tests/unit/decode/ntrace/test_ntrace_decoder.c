/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/decode/ntrace/ntrace_fixture.h"

#define TEXT(text)                                                                                 \
	{                                                                                          \
		(const uint8_t *)(text), sizeof(text) - 1                                          \
	}

static struct nx_ntrace_text type_texts[] = {
	{7, TEXT("nc_exec_running")}, {3, TEXT("execute_renamed")}, {77, TEXT("hw_notify")}};
static struct nx_ntrace_text trace_texts[] = {{171, TEXT("/tmp/model.neff")},
					      {0, TEXT("invalid_interned_string")}};
static struct nx_ntrace_text usage_texts[] = {{6, TEXT("weight")}, {99, TEXT("kv cache")}};
static struct nx_ntrace_interned tables[] = {
	{TEXT("ntrace_inspect_type"), {type_texts, 3}},
	{TEXT("system_trace"), {trace_texts, 2}},
	{TEXT("nrt_inspect_mem_usage_type"), {usage_texts, 2}},
	{TEXT("something_else"), {usage_texts, 1}},
};

static struct nx_ntrace_info sample_info(void)
{
	return (struct nx_ntrace_info){
		.arch = 2,
		.pid = 713479,
		.instance_id = TEXT("i-0af76a70a6d3864dd"),
		.events = {.filename = TEXT("./output/ntrace.pb"), .type = 1, .num_events = 3},
		.has_events = true,
		.host = {.num_cpus = 12, .mem_capacity_bytes = 133975228416},
		.has_host = true,
		.interned = {tables, 4},
		.init_ns = 100,
		.close_ns = 900,
		.instance_ip = TEXT("10.0.0.1"),
		.total_event_count = 5,
		.instance_type = TEXT("trn2.3xlarge"),
		.logical_nc_size = 2,
		.instance_hostname = TEXT("ip-10-0-0-1"),
	};
}

static void test_process(void **state)
{
	struct nx_ntrace_info info = sample_info();
	struct trace t = {0};

	(void)state;
	put_info(&t, &info);
	put_event(&t, NX_PHASE_INSTANT, 77, 1, 500, NULL);
	decode(&t, "i-ffff_pid_1");
	assert_string_equal(t.process.folder, "i-ffff_pid_1");
	assert_string_equal(t.process.instance_id, "i-0af76a70a6d3864dd");
	assert_int_equal(t.process.pid, 713479);
	assert_string_equal(t.process.instance_type, "trn2.3xlarge");
	assert_string_equal(t.process.instance_ip, "10.0.0.1");
	assert_string_equal(t.process.instance_hostname, "ip-10-0-0-1");
	assert_int_equal(t.process.arch, 2);
	assert_int_equal(t.process.logical_nc_size, 2);
	assert_int_equal(t.process.cpu_count, 12);
	assert_int_equal(t.process.memory_capacity_bytes, UINT64_C(133975228416));
	assert_int_equal(t.process.init_ns, 100);
	assert_int_equal(t.process.close_ns, 900);
	assert_int_equal(t.process.stored_event_count, 1);
	assert_int_equal(t.process.total_event_count, 5);
	assert_false(t.decoder.loss.info_is_missing || t.decoder.loss.info_is_damaged);
	assert_int_equal(t.decoder.loss.unknown_type_count, 0);
	release(&t);
}

static bool has_name(const struct trace *t, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < t->process.name_count; i++)
		count += !strcmp(t->process.names[i], name);
	assert_true(count <= 1);
	return count == 1;
}

/* The file's own table wins, ours fills in; hardware goes by name, not by number. */
static void test_names(void **state)
{
	struct nx_ntrace_info info = sample_info();
	struct trace t = {0};

	(void)state;
	put_info(&t, &info);
	put_event(&t, NX_PHASE_INSTANT, 3, 1, 500, NULL);
	put_event(&t, NX_PHASE_INSTANT, 77, 2, 500, NULL);
	put_event(&t, NX_PHASE_INSTANT, 10, 3, 500, NULL);
	decode(&t, "x");
	assert_string_equal(t.process.names[t.rows.items[0].name], "execute_renamed");
	assert_string_equal(t.process.names[t.rows.items[1].name], "hw_notify");
	assert_int_equal(t.rows.items[1].source, NX_SOURCE_HARDWARE);
	assert_string_equal(t.process.names[t.rows.items[2].name], "nrt_tensor_write");
	assert_true(has_name(&t, "kv cache"));
	assert_true(has_name(&t, "weight"));
	assert_true(has_name(&t, "dma rings io"));
	assert_true(has_name(&t, "generic"));
	assert_false(has_name(&t, "nrt_execute"));
	release(&t);
}

static void test_interned(void **state)
{
	struct nx_ntrace_info info = sample_info();
	struct trace t = {0};

	(void)state;
	put_info(&t, &info);
	decode(&t, "x");
	assert_true(nx_slice_is(nx_ntrace_interned_text(&t.decoder, 171), "/tmp/model.neff"));
	assert_true(nx_slice_is(nx_ntrace_interned_text(&t.decoder, 0), "invalid_interned_string"));
	assert_true(nx_slice_is(nx_ntrace_interned_text(&t.decoder, 6), "_unknown_"));
	assert_true(nx_slice_is(nx_ntrace_interned_text(&t.decoder, UINT64_C(202982732869795)),
				"_unknown_"));
	release(&t);
}

struct folder_case {
	const char *folder, *instance_id;
	uint64_t pid;
};

static void test_folder_names(void **state)
{
	static const struct folder_case cases[] = {
		{"i-0123_pid_45", "i-0123", 45},
		{"out/i-0123_pid_45/1773237643508494611", "i-0123", 45},
		{"/i-1_pid_1/i-2_pid_2/", "i-2", 2},
		{"i-0123_pid_", "", 0},
		{"i-0123_pid_4x", "", 0},
		{"i-0123_pid_18446744073709551616", "", 0},
		{"_pid_7", "", 0},
		{"", "", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace t = {0};

		put_event(&t, NX_PHASE_INSTANT, 3, 1, 500, NULL);
		decode(&t, cases[i].folder);
		assert_string_equal(t.process.instance_id, cases[i].instance_id);
		assert_int_equal(t.process.pid, cases[i].pid);
		assert_string_equal(t.process.folder, cases[i].folder);
		assert_true(t.decoder.loss.info_is_missing);
		release(&t);
	}
}

static void test_nothing(void **state)
{
	struct nx_ntrace_files files = {0};
	struct nx_ntrace_decoder decoder;
	struct nx_system_process process;
	struct nx_arena arena = {0};
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_ntrace_decoder_open(&decoder, &files, "i-1_pid_2", 0, &arena, &process,
						&err),
			 NX_FORMAT);
	assert_non_null(strstr(err.message, "i-1_pid_2 holds no system trace"));
	nx_ntrace_decoder_release(&decoder);
	nx_arena_release(&arena);
}

/* An unreadable trace_info.pb costs its own words only. */
static void test_garbage_info(void **state)
{
	struct trace t = {0};

	(void)state;
	nx_bytes_append(&t.info, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
	put_event(&t, NX_PHASE_INSTANT, 3, 1, 500, NULL);
	decode(&t, "i-0123_pid_45");
	assert_true(t.decoder.loss.info_is_damaged);
	assert_int_equal(t.process.pid, 45);
	assert_int_equal(t.rows.len, 1);
	assert_string_equal(t.process.names[t.rows.items[0].name], "nrt_execute");
	release(&t);
}

static void test_unknown_info_fields(void **state)
{
	struct nx_ntrace_info info = sample_info();
	struct trace t = {0};

	(void)state;
	put_info(&t, &info);
	nx_wire_put_u64(&t.info, 19, 1);
	put_event(&t, NX_PHASE_INSTANT, 3, 1, 500, NULL);
	decode(&t, "x");
	assert_int_equal(t.decoder.loss.unknown_field_count, 1);
	assert_false(t.decoder.loss.info_is_damaged);
	release(&t);
}

static void put_everything(struct trace *t)
{
	static const struct pair attributes[] = {
		{"nc_idx", "1"}, {"worker_gid", "1"}, {NULL, NULL}};
	struct nx_ntrace_info info = sample_info();
	struct nx_ntrace_cpu cpu = {50, 1000, 1};
	struct nx_ntrace_memory memory = {4096, 1000};

	put_info(t, &info);
	put_event(t, NX_PHASE_START, 3, 1, 500, attributes);
	put_event(t, NX_PHASE_START, 46, 2, 510, attributes);
	put_event(t, NX_PHASE_STOP, 46, 2, 520, attributes);
	put_event(t, NX_PHASE_STOP, 3, 1, 600, attributes);
	put_event(t, NX_PHASE_INSTANT, 25, 3, 700, attributes);
	nx_ntrace_append(&t->cpu, &nx_ntrace_cpu_message, &cpu);
	nx_ntrace_append(&t->cpu, &nx_ntrace_cpu_message, &cpu);
	nx_ntrace_append(&t->memory, &nx_ntrace_memory_message, &memory);
}

/* Every record must be accounted for, whatever the bytes are. */
static void check_account(struct trace *t)
{
	const struct nx_ntrace_loss *loss = &t->decoder.loss;
	uint64_t instants = 0, pairs = 0, spread = 0;

	for (size_t i = 0; i < t->rows.len; i++) {
		const struct nx_system_event *row = &t->rows.items[i];
		struct nx_event_attribute found[NX_MAX_ATTRIBUTES];

		assert_true(row->end_ns >= row->start_ns);
		assert_true(row->name < t->process.name_count);
		instants += row->flags == NX_EVENT_INSTANT;
		pairs += row->flags == 0;
		spread += nx_ntrace_event_attributes(&t->decoder, row, found, NX_MAX_ATTRIBUTES);
	}
	assert_true(spread <= t->rows.len * NX_MAX_ATTRIBUTES);
	assert_int_equal(t->process.stored_event_count, 2 * pairs + instants + loss->orphan_count +
								loss->unfinished_count +
								t->decoder.unreadable_counts[0]);
	assert_true(t->process.total_event_count >= t->process.stored_event_count);
}

static void check_cut(struct trace *t, struct nx_bytes *file)
{
	size_t whole = file->len;

	for (size_t len = 0; len < whole; len++) {
		file->len = len;
		decode(t, "i-0123_pid_45");
		check_account(t);
		forget(t);
	}
	file->len = whole;
}

static void check_turned(struct trace *t, struct nx_bytes *file)
{
	for (size_t bit = 0; bit < file->len * 8; bit++) {
		file->items[bit / 8] ^= (uint8_t)(1u << bit % 8);
		decode(t, "i-0123_pid_45");
		check_account(t);
		forget(t);
		file->items[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static void test_every_cut(void **state)
{
	struct trace t = {0};

	(void)state;
	put_everything(&t);
	check_cut(&t, &t.info);
	check_cut(&t, &t.events);
	check_cut(&t, &t.cpu);
	check_cut(&t, &t.memory);
	decode(&t, "i-0123_pid_45");
	assert_int_equal(t.rows.len, 3);
	assert_int_equal(t.cpu_rows.len, 2);
	release(&t);
}

static void test_every_bit(void **state)
{
	struct trace t = {0};

	(void)state;
	put_everything(&t);
	check_turned(&t, &t.info);
	check_turned(&t, &t.events);
	check_turned(&t, &t.cpu);
	check_turned(&t, &t.memory);
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_interned),
		cmocka_unit_test(test_folder_names),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_garbage_info),
		cmocka_unit_test(test_unknown_info_fields),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_every_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
