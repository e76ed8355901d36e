/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/service_answer.h"
#include "capture/service_folder.h"
#include "format/profiler_service.h"
#include "format/tar.h"

struct place {
	char folder[64];
	struct nx_arena arena;
	struct nx_service_answer_found found;
	struct nx_error err;
};

static int set_up(void **state)
{
	struct place *place = nx_heap_alloc(sizeof(*place));

	*place = (struct place){.folder = "/tmp/nx_answer_XXXXXX"};
	assert_non_null(mkdtemp(place->folder));
	*state = place;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static int tear_down(void **state)
{
	struct place *place = *state;

	assert_int_equal(nftw(place->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
	nx_vec_release(&place->found.files);
	nx_arena_release(&place->arena);
	nx_heap_free(place);
	return 0;
}

static enum nx_status write_bytes(struct place *place, struct nx_slice bytes)
{
	nx_vec_release(&place->found.files);
	return nx_service_answer_write(place->folder, "host_1", bytes, &place->arena, &place->found,
				       &place->err);
}

static enum nx_status write_message(struct place *place,
				    const struct nx_service_profile_response *message)
{
	struct nx_bytes bytes = {0};
	enum nx_status st;

	nx_wire_encode(&nx_service_profile_response_message, message, &bytes);
	st = write_bytes(place, nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
	return st;
}

static bool exists(struct place *place, const char *name)
{
	return access(nx_arena_printf(&place->arena, "%s/%s", place->folder, name), F_OK) == 0;
}

static void an_xspace_in_the_answer_becomes_a_file(void **state)
{
	struct place *place = *state;
	struct nx_service_profile_response message = {.xspace = nx_slice_text("space")};

	assert_int_equal(write_message(place, &message), NX_OK);
	assert_true(place->found.has_trace);
	assert_int_equal(place->found.files.len, 1);
	assert_non_null(place->found.files.items);
	assert_string_equal(place->found.files.items[0], "host_1.xplane.pb");
	assert_true(exists(place, "host_1.xplane.pb"));
	/* a second one does not replace it */
	assert_int_equal(write_message(place, &message), NX_OK);
	assert_int_equal(place->found.skipped_count, 1);
}

static void an_empty_answer_has_no_files(void **state)
{
	struct place *place = *state;
	struct nx_service_profile_response message = {.empty_trace = true};

	assert_int_equal(write_bytes(place, (struct nx_slice){0}), NX_OK);
	assert_false(place->found.has_trace || place->found.is_empty);
	assert_int_equal(write_message(place, &message), NX_OK);
	assert_true(place->found.is_empty);
	assert_int_equal(place->found.files.len, 0);
}

static void a_damaged_archive_leaves_nothing(void **state)
{
	struct place *place = *state;
	struct nx_bytes archive = {0};
	struct nx_service_tool_data tools[2] = {{.name = nx_slice_text("xplane.pb"),
						 .data = nx_slice_text("space")},
						{.name = nx_slice_text("neuron_session.tar")}};
	struct nx_service_profile_response message = {.tool_data = {tools, 2}};

	nx_tar_append(&archive, nx_slice_text("a/b"), nx_slice_text("first"));
	nx_tar_append(&archive, nx_slice_text("c"), nx_slice_text("second"));
	tools[1].data = nx_slice_of(archive.items, archive.len - 511);
	assert_int_equal(write_message(place, &message), NX_FORMAT);
	assert_int_equal(place->found.files.len, 0);
	assert_false(exists(place, "host_1") || exists(place, "host_1.xplane.pb"));
	nx_tar_finish(&archive);
	tools[1].data = nx_slice_of(archive.items, archive.len);
	assert_int_equal(write_message(place, &message), NX_OK);
	assert_true(exists(place, "host_1/a/b") && exists(place, "host_1/c"));
	assert_string_equal(place->found.files.items[1], "host_1/");
	nx_vec_release(&archive);
}

static void what_is_no_answer_is_refused(void **state)
{
	static const uint8_t endless[] = {0x32, 0xff, 0xff, 0xff, 0xff, 0xff,
					  0xff, 0xff, 0xff, 0xff, 0xff};

	assert_int_equal(write_bytes(*state, nx_slice_of(endless, sizeof(endless))), NX_FORMAT);
	assert_int_equal(write_bytes(*state, nx_slice_text("HTTP/1.1 200 OK")), NX_FORMAT);
}

static void pieces_become_one_answer(void **state)
{
	struct place *place = *state;
	struct nx_service_answer answer;
	struct nx_bytes bytes = {0};

	nx_wire_put_bytes(&bytes, 8, nx_slice_text("a whole space"));
	assert_int_equal(nx_service_answer_open(&answer, place->folder, "host_1", &place->err),
			 NX_OK);
	for (size_t i = 0; i < bytes.len; i++)
		assert_int_equal(nx_service_answer_take(&answer, nx_slice_of(bytes.items + i, 1),
							&place->err),
				 NX_OK);
	assert_int_equal(nx_service_answer_unpack(&answer, &place->arena, &place->found,
						  &place->err),
			 NX_OK);
	nx_service_answer_close(&answer);
	assert_true(exists(place, "host_1.xplane.pb"));
	nx_vec_release(&bytes);
}

static void names_are_added_a_number(void **state)
{
	struct place *place = *state;
	struct nx_service_folder first, second;

	assert_int_equal(nx_service_folder_make(place->folder, "s", &place->arena, &first,
						&place->err),
			 NX_OK);
	assert_int_equal(nx_service_folder_make(place->folder, "s", &place->arena, &second,
						&place->err),
			 NX_OK);
	assert_string_equal(first.name, "s");
	assert_string_equal(second.name, "s_2");
	assert_true(exists(place, "plugins/profile/s_2"));
	assert_int_equal(nx_service_folder_make(place->folder, NULL, &place->arena, &first,
						&place->err),
			 NX_OK);
	assert_int_equal(strlen(first.name), strlen("2026_08_17_22_58_50"));
	assert_int_equal(nx_service_folder_make(place->folder, "a/b", &place->arena, &first,
						&place->err),
			 NX_USAGE);
	assert_string_equal(nx_service_stem("[::1]:9012", &place->arena), "__1_9012");
	assert_string_equal(nx_service_stem("localhost:9999", &place->arena), "localhost_9999");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_xspace_in_the_answer_becomes_a_file, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_empty_answer_has_no_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_damaged_archive_leaves_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_answer_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pieces_become_one_answer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_are_added_a_number, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
