/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/profile_record.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char whole[] =
	"{\"store_version\": 1, \"schema_version\": \"7.4.0\", "
	"\"id\": \"i\", \"key\": \"n_1\", \"begun_as\": \"bert\", "
	"\"recipe\": \"1.0 execution=2\", "
	"\"kind\": \"system\", \"state\": \"failed\", \"reason\": \"no\", "
	"\"created_ms\": 1763248440123, \"opened_ms\": 5, \"size_bytes\": "
	"18446744073709551615, \"favourite\": true, \"simulated\": true, \"rank\": 3, \"core\": 6, "
	"\"start_epoch_ns\": 1763248440123456789, \"total_ns\": 77, \"collective\": \"AG\", "
	"\"collective_end_ns\": 66, \"label\": \"old\", "
	"\"sources\": [{\"path\": \"/a b\", \"size_bytes\": 7, "
	"\"modified_ms\": 8}], \"tables\": [{\"name\": \"T\", \"row_count\": "
	"9}, {\"name\": \"U\", \"row_count\": 1}], \"unknown\": [1, {}]}";

static void read_back(const char *json, struct nx_arena *arena, struct nx_profile_record *r)
{
	struct nx_error err = {0};

	if (nx_profile_record_read(nx_slice_text(json), arena, r, &err))
		fail_msg("%s", err.message);
}

static void assert_whole(const struct nx_profile_record *r)
{
	assert_string_equal(r->id, "i");
	assert_string_equal(r->key, "n_1");
	assert_string_equal(r->begun_as, "bert");
	assert_string_equal(r->recipe, "1.0 execution=2");
	assert_string_equal(r->reason, "no");
	assert_string_equal(r->label, "old");
	assert_string_equal(r->schema_version, "7.4.0");
	assert_int_equal(r->store_version, 1);
	assert_int_equal(r->kind, NX_PROFILE_SYSTEM);
	assert_int_equal(r->state, NX_PROFILE_FAILED);
	assert_true(r->created_ms == UINT64_C(1763248440123));
	assert_int_equal(r->opened_ms, 5);
	assert_true(r->size_bytes == UINT64_MAX);
	assert_true(r->is_simulated);
	assert_true(r->has_rank);
	assert_int_equal(r->rank, 3);
	assert_int_equal(r->core, 6);
	assert_true(r->clock.start_epoch_ns == UINT64_C(1763248440123456789));
	assert_int_equal(r->clock.total_ns, 77);
	assert_string_equal(r->clock.collective, "AG");
	assert_int_equal(r->clock.collective_end_ns, 66);
	assert_true(r->is_favourite);
	assert_int_equal(r->sources.len, 1);
	assert_string_equal(r->sources.items[0].path, "/a b");
	assert_int_equal(r->sources.items[0].size_bytes, 7);
	assert_int_equal(r->sources.items[0].modified_ms, 8);
	assert_int_equal(r->tables.len, 2);
	assert_string_equal(r->tables.items[1].name, "U");
	assert_int_equal(nx_profile_record_rows(r), 10);
}

static void what_is_written_reads_back(void **state)
{
	struct nx_arena arena = {0};
	struct nx_profile_record r, again;
	struct nx_bytes bytes = {0};

	(void)state;
	read_back(whole, &arena, &r);
	assert_whole(&r);
	nx_profile_record_write(&r, &bytes);
	assert_int_equal(bytes.items[bytes.len - 1], '\n');
	assert_int_equal(nx_profile_record_read(nx_slice_of(bytes.items, bytes.len), &arena, &again,
						NULL),
			 NX_OK);
	assert_whole(&again);
	nx_profile_record_release(&r);
	nx_profile_record_release(&again);
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

static void an_empty_record_can_be_written(void **state)
{
	struct nx_profile_record none = {0}, r;
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0};

	(void)state;
	nx_profile_record_write(&none, &bytes);
	assert_int_equal(nx_profile_record_read(nx_slice_of(bytes.items, bytes.len), &arena, &r,
						NULL),
			 NX_OK);
	assert_string_equal(r.label, "");
	assert_string_equal(r.name, "");
	nx_profile_record_release(&r);
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

static void missing_members_are_empty(void **state)
{
	struct nx_arena arena = {0};
	struct nx_profile_record r;

	(void)state;
	read_back("{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\","
		  "\"favourite\":\"true\",\"sources\":{\"path\":1},\"tables\":[null,3]}",
		  &arena, &r);
	assert_string_equal(r.begun_as, "");
	assert_string_equal(r.key, "");
	assert_false(r.is_favourite);
	assert_int_equal(r.sources.len, 0);
	assert_int_equal(r.tables.len, 2);
	assert_string_equal(r.tables.items[0].name, "");
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
}

static void what_is_no_record_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"null",
		"{}",
		"{\"store_version\":-1,\"kind\":\"device\",\"state\":\"ready\"}",
		"{\"store_version\":4294967296,\"kind\":\"device\",\"state\":\"ready\"}",
		"{\"store_version\":\"1\",\"kind\":\"device\",\"state\":\"ready\"}",
		"{\"store_version\":1,\"kind\":\"devices\",\"state\":\"ready\"}",
		"{\"store_version\":1,\"kind\":\"device\"}",
		/* found by a reader, never written */
		"{\"store_version\":1,\"kind\":\"device\",\"state\":\"unfinished\"}",
		"{\"store_version\":1,\"kind\":\"device\",\"state\":\"damaged\"}",
	};
	struct nx_arena arena = {0};
	struct nx_profile_record r;
	struct nx_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		err.message[0] = '\0';
		assert_int_equal(nx_profile_record_read(nx_slice_text(texts[i]), &arena, &r, &err),
				 NX_FORMAT);
		assert_true(err.message[0]);
		nx_profile_record_release(&r);
	}
	nx_arena_release(&arena);
}

static void a_newer_record_is_read_as_far_as_it_is_known(void **state)
{
	struct nx_arena arena = {0};
	struct nx_profile_record r;

	(void)state;
	read_back("{\"store_version\":99,\"kind\":\"kernel\",\"state\":\"archived\"}", &arena, &r);
	assert_int_equal(r.store_version, 99);
	assert_int_equal(r.state, NX_PROFILE_READY);
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
}

static void sources_are_inspected(void **state)
{
	char path[] = "/tmp/nx-source-XXXXXX";
	int fd = mkstemp(path);
	struct nx_profile_record r = {0};
	struct nx_arena arena = {0};

	(void)state;
	assert_int_equal(write(fd, "12345", 5), 5);
	close(fd);
	assert_int_equal(nx_profile_record_add_source(&r, path, &arena, NULL), NX_OK);
	assert_string_equal(r.sources.items[0].path, path);
	assert_int_equal(r.sources.items[0].size_bytes, 5);
	assert_true(r.sources.items[0].modified_ms > UINT64_C(1500000000000));
	unlink(path);
	assert_int_equal(nx_profile_record_add_source(&r, path, &arena, NULL), NX_NOT_FOUND);
	assert_int_equal(r.sources.len, 1);
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
}

static void put_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* A folder is all the files in it, however deep. */
static void folders_are_measured(void **state)
{
	char folder[] = "/tmp/nx-source-XXXXXX";
	char inner[64], a[64], b[80];
	struct nx_profile_record r = {0};
	struct nx_arena arena = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(inner, sizeof(inner), "%s/pid_1", folder);
	snprintf(a, sizeof(a), "%s/a", folder);
	snprintf(b, sizeof(b), "%s/b", inner);
	assert_int_equal(mkdir(inner, 0700), 0);
	put_text(a, "123");
	put_text(b, "4567");
	assert_int_equal(nx_profile_record_add_source(&r, folder, &arena, NULL), NX_OK);
	assert_int_equal(r.sources.items[0].size_bytes, 7);
	put_text(b, "45678");
	assert_int_equal(nx_profile_record_add_source(&r, folder, &arena, NULL), NX_OK);
	assert_int_equal(r.sources.items[1].size_bytes, 8);
	assert_true(r.sources.items[1].modified_ms >= r.sources.items[0].modified_ms);
	unlink(b);
	unlink(a);
	rmdir(inner);
	rmdir(folder);
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
}

static void made_alike_means_the_same_files_and_options(void **state)
{
	struct nx_profile_source file = {"/a.ntff", 5, 7}, larger = {"/a.ntff", 6, 7};
	struct nx_profile_record a = {.recipe = "1.0"}, b = {.recipe = "1.0"};

	(void)state;
	nx_vec_push(&a.sources, file);
	nx_vec_push(&b.sources, file);
	assert_true(nx_profile_record_is_made_like(&a, &b));
	b.recipe = "1.0 execution=2";
	assert_false(nx_profile_record_is_made_like(&a, &b));
	a.recipe = b.recipe = ""; /* nobody knows how */
	assert_false(nx_profile_record_is_made_like(&a, &b));
	a.recipe = b.recipe = "1.0";
	b.sources.items[0] = larger;
	assert_false(nx_profile_record_is_made_like(&a, &b));
	b.sources.items[0] = file;
	b.kind = NX_PROFILE_SYSTEM;
	assert_false(nx_profile_record_is_made_like(&a, &b));
	b.kind = a.kind;
	nx_vec_push(&b.sources, file);
	assert_false(nx_profile_record_is_made_like(&a, &b));
	nx_profile_record_release(&a);
	nx_profile_record_release(&b);
}

static void rows_do_not_overflow(void **state)
{
	struct nx_profile_record r = {0};

	(void)state;
	nx_profile_record_add_table(&r, "a", UINT64_MAX - 1);
	nx_profile_record_add_table(&r, "b", 1);
	assert_true(nx_profile_record_rows(&r) == UINT64_MAX);
	nx_profile_record_add_table(&r, "c", 1);
	assert_true(nx_profile_record_rows(&r) == UINT64_MAX);
	nx_profile_record_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(an_empty_record_can_be_written),
		cmocka_unit_test(missing_members_are_empty),
		cmocka_unit_test(what_is_no_record_is_refused),
		cmocka_unit_test(a_newer_record_is_read_as_far_as_it_is_known),
		cmocka_unit_test(sources_are_inspected),
		cmocka_unit_test(folders_are_measured),
		cmocka_unit_test(made_alike_means_the_same_files_and_options),
		cmocka_unit_test(rows_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
