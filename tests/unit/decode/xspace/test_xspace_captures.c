/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two real XSpaces, of JAX on an AMD GPU and on TPUs. The expected numbers come from Google's
 * protobuf library over the same files (tests/xspace/xplane_messages.py). The files are not part of
 * the repository.
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
#include "decode/xspace/xspace_decoder.h"

struct totals {
	struct nx_xspace_decoder decoder;
	struct nx_arena arena;
	struct nx_file file;
	uint64_t event_count, duration_ns, first_ns, last_ns, stat_count, flow_count;
};

static void on_event(void *context, const struct nx_xspace_event *event)
{
	static const char *const added[] = {"long_name", "duration_ps", "is_derived"};
	struct totals *t = context;
	struct nx_event_attribute attributes[NX_MAX_ATTRIBUTES];
	size_t count =
		nx_xspace_attributes(&t->decoder, &event->row, attributes, NX_MAX_ATTRIBUTES);

	t->event_count++;
	t->duration_ns += event->row.end_ns - event->row.start_ns;
	if (event->row.start_ns < t->first_ns)
		t->first_ns = event->row.start_ns;
	if (event->row.end_ns > t->last_ns)
		t->last_ns = event->row.end_ns;
	t->flow_count += event->row.flow_id != 0;
	assert_true(event->name.len > 0);
	for (size_t i = 0; i < count; i++) {
		bool is_added = false;

		assert_true(attributes[i].key.len > 0);
		for (size_t k = 0; k < 3; k++)
			is_added |= nx_slice_is(attributes[i].key, added[k]);
		t->stat_count += !is_added;
	}
}

static void decode(struct totals *t, const char *name)
{
	struct nx_error err;
	char path[512];

	*t = (struct totals){.first_ns = UINT64_MAX};
	snprintf(path, sizeof(path), "%s/xprof/%s", NX_TEST_DATA, name);
	assert_int_equal(nx_file_map(&t->file, path, &err), NX_OK);
	assert_int_equal(nx_xspace_decoder_open(&t->decoder, t->file.bytes, path, &t->arena, &err),
			 NX_OK);
	nx_xspace_decode_events(&t->decoder, on_event, t);
	assert_false(t->decoder.loss.is_cut || t->decoder.loss.is_damaged);
	assert_int_equal(t->decoder.loss.malformed_count + t->decoder.loss.unnamed_count +
				 t->decoder.loss.backwards_count + t->decoder.loss.aggregated_count,
			 0);
}

static void release(struct totals *t)
{
	nx_xspace_decoder_release(&t->decoder);
	nx_arena_release(&t->arena);
	nx_file_unmap(&t->file);
}

static bool has_thread(const struct totals *t, const char *name)
{
	for (size_t i = 0; i < t->decoder.threads.len; i++)
		if (!strcmp(t->decoder.threads.items[i].name, name))
			return true;
	return false;
}

static void jax_on_a_gpu(void **state)
{
	struct totals t;

	(void)state;
	decode(&t, "jax08_gemm.xplane.pb");
	assert_int_equal(t.decoder.planes.len, 11);
	assert_int_equal(t.decoder.threads.len, 7);
	assert_int_equal(t.event_count, 3782);
	assert_int_equal(t.stat_count, 3012);
	assert_int_equal(t.duration_ns, 89979977);
	assert_int_equal(t.flow_count, 372);
	assert_true(t.first_ns == 1771595650217855478);
	assert_true(t.last_ns == 1771595650232031817);
	assert_true(t.decoder.start_ns == 1771595650217823548);
	assert_true(nx_slice_is(t.decoder.hostnames.items[0], "tw003"));
	assert_true(has_thread(&t, "/device:GPU:0 Stream #16(Kernel)"));
	assert_true(has_thread(&t, "python"));
	release(&t);
}

/* Display names; stats of kinds of events; picoseconds. */
static void inference_on_tpus(void **state)
{
	struct totals t;

	(void)state;
	decode(&t, "tpu_inference_2.xplane.pb");
	assert_int_equal(t.decoder.planes.len, 7);
	assert_int_equal(t.decoder.threads.len, 142);
	assert_int_equal(t.event_count, 26723);
	assert_true(t.stat_count >= 37200); /* and those that all events of a kind share */
	assert_int_equal(t.duration_ns, 1889540529927);
	assert_int_equal(t.flow_count, 4595);
	assert_true(t.first_ns == 1741722099563896020);
	assert_true(t.last_ns == 1741722197716953702);
	assert_string_equal(t.decoder.device_type, "TPU v6 Lite");
	assert_true(has_thread(&t, "/device:TPU:3 XLA Ops"));
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jax_on_a_gpu),
		cmocka_unit_test(inference_on_tpus),
	};

	if (access(NX_TEST_DATA "/xprof", R_OK) != 0) {
		puts("1..0 # SKIP the real captures are not here");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
