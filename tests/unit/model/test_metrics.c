/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "model/metrics.h"

#define MAX_KEYS 256

struct key {
	char name[NX_METRIC_NAME_MAX];
	char group[NX_METRIC_NAME_MAX];
};

struct keys {
	struct key items[MAX_KEYS];
	size_t count;
};

static void add_key(struct keys *keys, const struct nx_metric_definition *metric, unsigned core)
{
	struct key *key = &keys->items[keys->count++];

	assert_true(keys->count <= MAX_KEYS);
	nx_metric_expand(metric->name, core, key->name, sizeof(key->name));
	nx_metric_expand(metric->group, core, key->group, sizeof(key->group));
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct key *)a)->name, ((const struct key *)b)->name);
}

static void expand_all(struct keys *keys, unsigned core_count)
{
	keys->count = 0;
	for (size_t i = 0; i < nx_metric_count; i++)
		add_key(keys, &nx_metrics[i], 0);
	for (unsigned core = 0; core < core_count; core++)
		for (size_t i = 0; i < nx_core_metric_count; i++)
			add_key(keys, &nx_core_metrics[i], core);
	qsort(keys->items, keys->count, sizeof(keys->items[0]), compare_keys);
}

static void assert_distinct(const struct keys *keys)
{
	for (size_t i = 1; i < keys->count; i++)
		assert_string_not_equal(keys->items[i - 1].name, keys->items[i].name);
}

static const char *group_of(const struct keys *keys, const char *name)
{
	for (size_t i = 0; i < keys->count; i++)
		if (strcmp(keys->items[i].name, name) == 0)
			return keys->items[i].group;
	return NULL;
}

static size_t marks_in(const char *text)
{
	size_t count = 0;

	for (; (text = strstr(text, "%u")) != NULL; text += 2)
		count++;
	return count;
}

static void one_core_has_154_keys(void **state)
{
	struct keys keys;

	(void)state;
	expand_all(&keys, 1);
	assert_int_equal(keys.count, 154);
	assert_distinct(&keys);
}

static void two_cores_have_186_keys(void **state)
{
	struct keys keys;

	(void)state;
	expand_all(&keys, 2);
	assert_int_equal(keys.count, 186);
	assert_distinct(&keys);
}

/* A few of each kind by hand, so that the macros are checked without any capture at hand. */
static void keys_are_in_their_groups(void **state)
{
	static const char *const expected[][2] = {
		{"total_time", "overall_stats"},
		{"total_active_time_percent", "summary"},
		{"mbu_estimated_percent", "data_movement"},
		{"static_dma_size_percent", "data_movement"},
		{"software_dynamic_dma_packet_count", "software_data_movement"},
		{"hardware_dynamic_dma_active_time_percent", "hardware_data_movement"},
		{"gpsimd_engine_active_time", "gpsimd_engine"},
		{"activate_instruction_time", "scalar_engine"},
		{"hfu_estimated_percent", "tensor_engine"},
		{"cc_cores_instruction_active_time_percent", "cc_engine"},
		{"ultraserver_instance_index", "system"},
		{"s3_bucket_path", "server_upload"},
		{"qsyncpio0*", "dma_queue"},
		{"qvectorspillreload*", "dma_queue"},
		{"throttle_active_nc0_time_ns", "throttling_nc0"},
		{"throttle_gpio_7_avg_util_limit_nc1_percent", "throttling_nc1"},
	};
	struct keys keys;

	(void)state;
	expand_all(&keys, 2);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const char *group = group_of(&keys, expected[i][0]);

		assert_non_null(group);
		assert_string_equal(group, expected[i][1]);
	}
	assert_null(group_of(&keys, "throttle_active_nc2_time_ns"));
}

static bool is_known_group(const char *group)
{
	for (size_t i = 0; i < nx_metric_group_count; i++)
		if (strcmp(nx_metric_groups[i].name, group) == 0)
			return true;
	return false;
}

static bool is_known_unit(const char *unit)
{
	static const char *const units[] = {"",	     "s",      "ns",   "bytes",	    "fraction",
					    "count", "cycles", "flop", "flop/byte", "index"};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i], unit) == 0)
			return true;
	return false;
}

static void check_definition(const struct nx_metric_definition *metric, size_t marks)
{
	size_t len = strlen(metric->description);

	assert_int_equal(marks_in(metric->name), marks);
	assert_int_equal(marks_in(metric->group), marks);
	assert_true(marks_in(metric->description) <= marks);
	assert_true(strlen(metric->name) + 10 < NX_METRIC_NAME_MAX);
	assert_true(is_known_group(metric->group));
	assert_true(is_known_unit(metric->unit));
	assert_true(len > 20);
	assert_int_equal(metric->description[len - 1], '.');
}

static void definitions_are_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < nx_metric_count; i++)
		check_definition(&nx_metrics[i], 0);
	for (size_t i = 0; i < nx_core_metric_count; i++)
		check_definition(&nx_core_metrics[i], 1);
}

/* The end of a name is a promise about its unit. */
static void unit_fits_name(void **state)
{
	static const char *const endings[][2] = {
		{"_percent", "fraction"}, {"_bytes", "bytes"}, {"_count", "count"},
		{"_flops", "flop"},	  {"_size", "bytes"},  {"_time", "s"},
	};

	(void)state;
	for (size_t i = 0; i < nx_metric_count; i++) {
		struct nx_slice name = nx_slice_text(nx_metrics[i].name);

		for (size_t k = 0; k < sizeof(endings) / sizeof(endings[0]); k++)
			if (nx_slice_ends(name, endings[k][0]) &&
			    !nx_slice_ends(name, "_cycle_count") &&
			    !nx_slice_is(name, "ultraserver_size"))
				assert_string_equal(nx_metrics[i].unit, endings[k][1]);
	}
}

static void groups_are_ordered_without_gap(void **state)
{
	int next = 0;

	(void)state;
	for (size_t i = 0; i < nx_metric_group_count; i++) {
		if (nx_metric_groups[i].order < 0)
			continue;
		assert_int_equal(nx_metric_groups[i].order, next);
		next++;
	}
	assert_int_equal(next, 13);
	assert_string_equal(nx_metric_groups[11].name, "throttling_nc%u");
	assert_string_equal(nx_metric_groups[12].name, "server_upload");
}

static void terms_are_sorted_and_complete(void **state)
{
	(void)state;
	assert_true(nx_term_count >= 40);
	for (size_t i = 0; i < nx_term_count; i++) {
		assert_true(strlen(nx_terms[i].term) > 1);
		assert_true(strlen(nx_terms[i].description) > 20);
		if (i > 0)
			assert_true(strcasecmp(nx_terms[i - 1].term, nx_terms[i].term) < 0);
	}
}

static void expand_replaces_every_mark(void **state)
{
	char out[64];

	(void)state;
	assert_int_equal(nx_metric_expand("a_nc%u_b", 1, out, sizeof(out)), 7);
	assert_string_equal(out, "a_nc1_b");
	assert_int_equal(nx_metric_expand("%u", 4294967295u, out, sizeof(out)), 10);
	assert_string_equal(out, "4294967295");
	assert_int_equal(nx_metric_expand("%u%u%", 7, out, sizeof(out)), 3);
	assert_string_equal(out, "77%");
	assert_int_equal(nx_metric_expand("", 7, out, sizeof(out)), 0);
	assert_string_equal(out, "");
	assert_int_equal(nx_metric_expand("100% s %d", 7, out, sizeof(out)), 9);
	assert_string_equal(out, "100% s %d");
}

static void expand_stays_inside(void **state)
{
	char out[8];

	(void)state;
	for (size_t cap = 1; cap <= sizeof(out); cap++) {
		memset(out, '#', sizeof(out));
		assert_int_equal(nx_metric_expand("ab%ucdefgh", 12, out, cap), cap - 1);
		assert_memory_equal(out, "ab12cdef", cap - 1);
		assert_int_equal(out[cap - 1], '\0');
		for (size_t i = cap; i < sizeof(out); i++)
			assert_int_equal(out[i], '#');
	}
	out[0] = '#';
	assert_int_equal(nx_metric_expand("abc", 0, out, 0), 0);
	assert_int_equal(out[0], '#');
}

/* The key sets of AWS's own export, where one is at hand. */
#define REAL_EXPORT NX_SOURCE_ROOT "/../shared/data/neuron-device/fused_attention/golden.json"

static void compare_groups(const struct nx_json *export_root)
{
	const struct nx_json *groups = nx_json_get(export_root, "summary_groups");
	struct keys keys;

	assert_non_null(groups);
	assert_int_equal(groups->count, 1);
	groups = &groups->children[0];
	expand_all(&keys, 2);
	assert_int_equal(groups->count, keys.count);
	for (size_t i = 0; i < keys.count; i++) {
		struct nx_slice group = nx_json_as_slice(nx_json_get(groups, keys.items[i].name));

		if (!nx_slice_is(group, keys.items[i].group))
			fail_msg("%s is in group %s", keys.items[i].name, keys.items[i].group);
	}
}

static void compare_order(const struct nx_json *export_root)
{
	const struct nx_json *order = nx_json_get(export_root, "summary_group_order");

	assert_non_null(order);
	order = &order->children[0];
	assert_int_equal(order->count, 14);
	for (size_t i = 0; i < nx_metric_group_count; i++) {
		const struct nx_metric_group *group = &nx_metric_groups[i];
		char name[NX_METRIC_NAME_MAX];
		int shift = group->order > 11 ? 1 : 0;

		nx_metric_expand(group->name, 0, name, sizeof(name));
		assert_int_equal(nx_json_as_i64(nx_json_get(order, name), -1),
				 group->order < 0 ? -1 : group->order + shift);
	}
	assert_int_equal(nx_json_as_i64(nx_json_get(order, "throttling_nc1"), -1), 12);
}

static void agrees_with_a_real_export(void **state)
{
	struct nx_file file;
	struct nx_arena arena = {0};
	struct nx_json *root = NULL;
	struct nx_error err;

	(void)state;
	if (access(REAL_EXPORT, R_OK) != 0) {
		/* not skip(): cmocka reports it as "not ok", which meson counts as a failure */
		printf("# skipped: no real export beside the source tree\n");
		return;
	}
	assert_int_equal(nx_file_map(&file, REAL_EXPORT, &err), NX_OK);
	assert_int_equal(nx_json_parse(file.bytes, &arena, &root, &err), NX_OK);
	compare_groups(root);
	compare_order(root);
	nx_arena_release(&arena);
	nx_file_unmap(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_core_has_154_keys),
		cmocka_unit_test(two_cores_have_186_keys),
		cmocka_unit_test(keys_are_in_their_groups),
		cmocka_unit_test(definitions_are_complete),
		cmocka_unit_test(unit_fits_name),
		cmocka_unit_test(groups_are_ordered_without_gap),
		cmocka_unit_test(terms_are_sorted_and_complete),
		cmocka_unit_test(expand_replaces_every_mark),
		cmocka_unit_test(expand_stays_inside),
		cmocka_unit_test(agrees_with_a_real_export),
	};

	return cmocka_run_group_tests_name("model/metrics", tests, NULL, NULL);
}
