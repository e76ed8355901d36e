/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <stdlib.h>

#include "tests/unit/decode/neff/neff_fixture.h"

static void check_row(const struct nx_neff_fixture *f, size_t i, const char *name,
		      const char *value)
{
	assert_string_equal(f->binary.header[i].name, name);
	assert_string_equal(f->binary.header[i].value, value);
}

static void test_header_rows(void **state)
{
	struct nx_neff_fixture *f = *state;
	const char *hash;

	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.header_count, 12);
	check_row(f, 0, "network_name", "model.neff");
	check_row(f, 1, "uuid", "630e7700000000000000000000000032");
	assert_string_equal(f->binary.header[2].name, "hash");
	hash = f->binary.header[2].value;
	assert_int_equal(strlen(hash), 32);
	assert_int_equal(strtoul((char[]){hash[0], hash[1], 0}, NULL, 16), f->neff.header.hash[0]);
	check_row(f, 3, "enabled_features", "virtual-core, v3-2x-4x-dve-perf-mode");
	check_row(f, 4, "header_size", "1024");
	check_row(f, 5, "data_size", "10240");
	check_row(f, 6, "major_version", "2");
	check_row(f, 7, "minor_version", "0");
	check_row(f, 8, "package_version", "2");
	check_row(f, 9, "build_version", "");
	check_row(f, 10, "number_of_logical_neuroncores", "1");
	check_row(f, 11, "number_of_neuroncores_per_lnc", "2");
}

static void test_top_level(void **state)
{
	struct nx_neff_fixture *f = *state;

	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_string_equal(f->binary.network_name, "model.neff");
	assert_int_equal(f->binary.uuid[15], 0x32);
	assert_string_equal(f->binary.target, "cayman");
	assert_string_equal(f->binary.compiler_version, "2.23.6484.0+3b612583");
	assert_int_equal(f->binary.kelf_node, 2);
	assert_int_equal(f->binary.graph_count, 2);
	assert_string_equal(f->binary.graphs[0].name, "sg00");
	assert_string_equal(f->binary.graphs[1].name, "sg01");
	assert_string_equal(f->binary.graphs[1].definition, "sg01/def.json");
	assert_false(f->binary.has_hlo_statistics);
	assert_false(f->binary.has_compiler_metrics);
	assert_int_equal(f->binary.missing_count, 0);
}

static void expect_macs(struct nx_neff_fixture *f, const char *json, bool has, uint64_t count)
{
	nx_neff_fixture_drop(f, "hlo_stats.json");
	nx_neff_fixture_add_text(f, "hlo_stats.json", json);
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.has_hlo_statistics, has);
	assert_true(f->binary.hlo_mac_count == count);
}

static void test_hlo_statistics(void **state)
{
	struct nx_neff_fixture *f = *state;

	expect_macs(f, "{\"HloMacCount\":123456789012345,\"Traffic\":1}", true, 123456789012345);
	expect_macs(f, "{\"a\":[0,{\"b\":{\"HloMacCount\":5}}]}", true, 5);
	expect_macs(f,
		    "[{\"MetricName\":\"Traffic\",\"Value\":1},"
		    "{\"MetricName\":\"HloMacCount\",\"Value\":77,\"Unit\":\"Count\"}]",
		    true, 77);
	expect_macs(f, "{\"HloMacCount\":0}", true, 0);
	expect_macs(f, "{\"HloMacCount\":-1}", true, 0);
	expect_macs(f, "{\"HloMacCount\":2.5e9}", true, 2500000000);
	expect_macs(f, "{\"HloMacCount\":1e300}", true, UINT64_MAX);
	expect_macs(f, "{\"Traffic\":1}", false, 0);
	expect_macs(f, "{\"HloMacCount\":", false, 0);
	assert_non_null(nx_neff_fixture_missing(f, "hlo_stats.json"));
}

static void test_compiler_metrics(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_add_text(f, "global_metric_store.json", "{}");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_true(f->binary.has_compiler_metrics);
	nx_neff_fixture_drop(f, "global_metric_store.json");
	nx_neff_fixture_add_text(f, "metrics.json", "[]");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_true(f->binary.has_compiler_metrics);
}

static void test_without_neff_json(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_drop(f, "neff.json");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.graph_count, 2);
	assert_int_equal(f->binary.kelf_node, 0);
	assert_non_null(nx_neff_fixture_missing(f, "neff.json"));
}

static void test_one_damaged_graph(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_add_text(f, "sg00/def.json", "{\"var\":");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.graph_count, 1);
	assert_string_equal(f->binary.graphs[0].name, "sg01");
	assert_non_null(strstr(nx_neff_fixture_missing(f, "sg00/def.json"), "damaged"));
	nx_neff_fixture_add_text(f, "sg00/def.json", "[1,2]");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.graph_count, 1);
	assert_non_null(strstr(nx_neff_fixture_missing(f, "sg00/def.json"), "not a JSON object"));
}

static void test_no_graph_is_an_error(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_drop(f, "kelf-0.json");
	assert_int_equal(nx_neff_fixture_decode(f), NX_FORMAT);
	assert_non_null(strstr(f->err.message, "holds no program"));
	assert_non_null(strstr(f->err.message, "kelf-0.json"));
	nx_neff_fixture_add_text(f, "kelf-0.json", "{\"graphs\":[{},7,{\"definition\":8}]}");
	assert_int_equal(nx_neff_fixture_decode(f), NX_FORMAT);
	assert_non_null(strstr(f->err.message, "holds no program"));
}

static void test_definition_without_directory(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_add_text(f, "kelf-0.json",
				 "{\"graphs\":[{\"definition\":\"./def.json\",\"name\":\"x\"}]}");
	nx_neff_fixture_add_text(f, "def.json", "{\"sp_instr\":\"SP.bin\"}");
	nx_neff_fixture_add_text(f, "SP.bin", "");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_string_equal(f->binary.graphs[0].definition, "def.json");
	assert_string_equal(f->binary.graphs[0].engines[NX_ENGINE_SYNC].stream_name, "SP.bin");
	assert_string_equal(f->binary.target, "");
}

static void test_damaged_archive_is_told(void **state)
{
	struct nx_neff_fixture *f = *state;

	static const uint8_t tail[50000];

	nx_neff_fixture_add(f, "tail", nx_slice_of(tail, sizeof(tail)));
	f->header.package_version = 1;
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_null(nx_neff_fixture_missing(f, "archive"));
	assert_int_equal(nx_neff_read(nx_slice_of(f->file.items, f->file.len - 30000), &f->arena,
				      &f->neff, &f->err),
			 NX_OK);
	assert_int_equal(nx_neff_decode(&f->neff, NULL, &f->arena, &f->binary, &f->err), NX_OK);
	assert_non_null(strstr(nx_neff_fixture_missing(f, "archive"), "ends 30000 bytes before"));
}

static void decode_bytes(struct nx_neff_fixture *f, struct nx_slice file)
{
	struct nx_arena arena = {0};
	struct nx_neff neff;
	struct nx_binary binary;
	enum nx_status st = nx_neff_read(file, &arena, &neff, &f->err);

	if (st == NX_OK)
		st = nx_neff_decode(&neff, NULL, &arena, &binary, &f->err);
	if (st)
		assert_true(strlen(f->err.message) > 10);
	else
		assert_true(binary.graph_count > 0);
	nx_arena_release(&arena);
}

static void decode_copy(struct nx_neff_fixture *f, size_t len)
{
	/* exactly as large as it claims, so that a wild read is seen */
	uint8_t *copy = malloc(len + !len);

	memcpy(copy, f->file.items, len);
	decode_bytes(f, nx_slice_of(copy, len));
	free(copy);
}

static void test_every_truncation(void **state)
{
	struct nx_neff_fixture *f = *state;

	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	for (size_t len = 0; len < f->file.len; len++)
		if (len < 6000 || len % 64 == 0)
			decode_copy(f, len);
	f->header.package_version = 1;
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	for (size_t len = 1024; len < f->file.len; len += 7)
		decode_copy(f, len);
}

/* In a plain tar every flip reaches the decoders of JSON and protobuf. */
static void test_every_flip(void **state)
{
	static const uint8_t masks[] = {0x01, 0x80, 0xff};
	struct nx_neff_fixture *f = *state;

	f->header.package_version = 1;
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	for (size_t i = 0; i < f->file.len; i++) {
		if (f->file.items[i] == 0 && i % 64)
			continue;
		for (size_t m = 0; m < sizeof(masks); m++) {
			f->file.items[i] ^= masks[m];
			decode_bytes(f, nx_slice_of(f->file.items, f->file.len));
			f->file.items[i] ^= masks[m];
		}
	}
}

#define WITH_MODEL(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, nx_neff_fixture_setup, nx_neff_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MODEL(test_header_rows),
		WITH_MODEL(test_top_level),
		WITH_MODEL(test_hlo_statistics),
		WITH_MODEL(test_compiler_metrics),
		WITH_MODEL(test_without_neff_json),
		WITH_MODEL(test_one_damaged_graph),
		WITH_MODEL(test_no_graph_is_an_error),
		WITH_MODEL(test_definition_without_directory),
		WITH_MODEL(test_damaged_archive_is_told),
		WITH_MODEL(test_every_truncation),
		WITH_MODEL(test_every_flip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
