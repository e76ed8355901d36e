/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two real torch.profiler traces. The expected numbers come from Python's json
 * module over the same files, with decimal.Decimal for the times: counts per
 * "ph", sums over "dur" times 1000, lengths of names in UTF-8. The files are
 * not part of the repository.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "decode/framework/framework_decoder.h"

struct totals {
	uint64_t phases[128];
	uint64_t duration_ns; /* of "X" */
	uint64_t name_bytes;  /* of "X" */
	uint64_t first_ns, last_ns;
	uint64_t stream_count; /* "X" with a stream */
	uint64_t python_count; /* names like file.py(12): f */
	struct nx_framework_loss loss;
	bool is_epoch;
};

static void on_event(void *context, const struct nx_framework_event *event)
{
	struct totals *t = context;

	if (event->is_thread_name)
		return;
	t->phases[event->phase & 127]++;
	if (event->row.start_ns < t->first_ns)
		t->first_ns = event->row.start_ns;
	if (event->row.end_ns > t->last_ns)
		t->last_ns = event->row.end_ns;
	assert_int_equal(event->is_flow_point, event->phase == 's' || event->phase == 'f');
	if (event->phase != 'X')
		return;
	t->duration_ns += event->row.end_ns - event->row.start_ns;
	t->name_bytes += event->name.len;
	t->stream_count += event->row.stream_id == 7;
	if (event->row.stream_id != 7)
		assert_true(event->row.stream_id == UINT32_MAX);
	t->python_count += memmem(event->name.data, event->name.len, ".py(", 4) != NULL;
}

static void decode(struct totals *t, const char *name)
{
	struct nx_error err;
	struct nx_file file;
	char path[512];

	*t = (struct totals){.first_ns = UINT64_MAX};
	snprintf(path, sizeof(path), "%s/kineto/%s", NX_TEST_DATA, name);
	assert_int_equal(nx_file_map(&file, path, &err), NX_OK);
	assert_int_equal(nx_framework_decode(file.bytes, path, on_event, t, &t->is_epoch, &t->loss,
					     &err),
			 NX_OK);
	nx_file_unmap(&file);
	assert_true(t->is_epoch);
	assert_false(t->loss.is_cut || t->loss.is_damaged);
	assert_int_equal(t->loss.skipped_count + t->loss.malformed_count + t->loss.orphan_count +
				 t->loss.unfinished_count + t->loss.backwards_count +
				 t->loss.overflow_count,
			 0);
}

/* Times relative to a base that stands behind the events; texts with escapes; indented. */
static void test_h100_bert_small(void **state)
{
	struct totals t;

	(void)state;
	decode(&t, "h100_bert_small.json.gz");
	assert_int_equal(t.loss.event_count, 2551);
	assert_int_equal(t.phases['X'], 2060);
	assert_int_equal(t.phases['i'], 238);
	assert_int_equal(t.phases['s'], 86);
	assert_int_equal(t.phases['f'], 107);
	assert_int_equal(t.loss.metadata_count, 60);
	assert_int_equal(t.loss.read_bytes, 1078563);
	assert_int_equal(t.duration_ns, 174107606);
	assert_int_equal(t.name_bytes, 81499);
	assert_true(t.first_ns == 1752830083332500684);
	assert_true(t.last_ns == 1752830083340892366);
	assert_int_equal(t.stream_count, 61);
	assert_int_equal(t.python_count, 757);
}

/* Epoch times without a base; the same thread as 25738 and "25738"; streams as texts. */
static void test_resnet50(void **state)
{
	struct totals t;

	(void)state;
	decode(&t, "resnet50.pt.trace.json.gz");
	assert_int_equal(t.loss.event_count, 75718);
	assert_int_equal(t.phases['X'], 44666);
	assert_int_equal(t.phases['i'], 12840);
	assert_int_equal(t.phases['s'], 9096);
	assert_int_equal(t.phases['f'], 9096);
	assert_int_equal(t.loss.metadata_count, 20);
	assert_int_equal(t.loss.read_bytes, 35154637);
	assert_int_equal(t.duration_ns, 4924245000);
	assert_int_equal(t.name_bytes, 2262648);
	assert_true(t.first_ns == 1623142623460016000);
	assert_true(t.last_ns == 1623142624633484000);
	assert_int_equal(t.stream_count, 9096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_h100_bert_small),
		cmocka_unit_test(test_resnet50),
	};

	if (access(NX_TEST_DATA "/kineto", R_OK) != 0) {
		puts("1..0 # SKIP the real captures are not here");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
