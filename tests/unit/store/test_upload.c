/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/upload.h"
#include "store/workspace.h"
#include "tests/unit/store/workspace_fixture.h"

#define DEMO                                                                                       \
	"{\"name\":\"bert\",\"files\":[{\"path\":\"d/"                                             \
	"a.ntff\",\"role\":\"ntff\",\"size_bytes\":5},"                                            \
	"{\"path\":\"x.py\",\"role\":\"source\",\"size_bytes\":2}]}"

static struct nx_arena arena;

static void begin(struct nx_workspace *ws, struct nx_upload *u, const char *json)
{
	struct nx_error err = {0};

	assert_int_equal(nx_upload_read(nx_slice_text(json), &arena, u, &err), NX_OK);
	if (nx_upload_begin(ws, u, &arena, &err))
		fail_msg("%s", err.message);
}

static void receive(struct nx_workspace *ws, const struct nx_upload *u, size_t file,
		    const char *text)
{
	uint64_t received;
	int fd;

	assert_int_equal(nx_upload_open_file(ws, u, file, &fd, &received, NULL), NX_OK);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int leave(void **state)
{
	nx_arena_release(&arena);
	return leave_folder(state);
}

static void what_arrived_is_what_the_sizes_say(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_upload u, again;

	(void)state;
	begin(ws, &u, DEMO);
	assert_int_equal(state_of(ws, "bert"), NX_PROFILE_UPLOADING);
	receive(ws, &u, 0, "abc");
	nx_workspace_close(ws);
	ws = open_workspace();
	assert_int_equal(nx_upload_load(ws, u.id, &arena, &again, NULL), NX_OK);
	assert_int_equal(again.files.items[0].received_bytes, 3);
	assert_int_equal(again.files.items[1].received_bytes, 0);
	assert_int_equal(nx_upload_received(&again), 3);
	receive(ws, &again, 0, "de");
	receive(ws, &again, 1, "py");
	assert_true(has_text(nx_upload_path(ws, &arena, u.id, "capture/d/a.ntff"), "abcde"));
	assert_true(has_text(nx_upload_path(ws, &arena, u.id, "source/x.py"), "py"));
	nx_upload_release(&u);
	nx_upload_release(&again);
	nx_workspace_close(ws);
}

static void a_file_has_one_writer(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_upload u;
	struct nx_error err = {0};
	uint64_t received;
	int first, second;

	(void)state;
	begin(ws, &u, DEMO);
	assert_int_equal(nx_upload_open_file(ws, &u, 0, &first, &received, NULL), NX_OK);
	assert_int_equal(nx_upload_open_file(ws, &u, 0, &second, &received, &err), NX_MISMATCH);
	assert_int_equal(second, -1);
	assert_int_equal(nx_upload_open_file(ws, &u, 1, &second, &received, NULL), NX_OK);
	close(second);
	close(first);
	assert_int_equal(nx_upload_open_file(ws, &u, 0, &second, &received, NULL), NX_OK);
	close(second);
	nx_upload_release(&u);
	nx_workspace_close(ws);
}

static void a_name_is_given_once(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err = {0};
	struct nx_upload u, other;

	(void)state;
	must_store(ws, "bert", "x");
	assert_int_equal(nx_upload_read(nx_slice_text(DEMO), &arena, &u, NULL), NX_OK);
	assert_int_equal(nx_upload_begin(ws, &u, &arena, &err), NX_MISMATCH);
	assert_non_null(strstr(err.message, "(ready)"));
	u.force = true;
	assert_int_equal(nx_upload_begin(ws, &u, &arena, NULL), NX_OK);
	assert_int_equal(nx_workspace_remove(ws, "bert", NULL), NX_OK);
	assert_int_equal(state_of(ws, "bert"), -1);
	begin(ws, &other, DEMO);
	u.force = false;
	assert_int_equal(nx_upload_begin(ws, &u, &arena, &err), NX_MISMATCH);
	assert_non_null(strstr(err.message, "(uploading)"));
	nx_upload_release(&u);
	nx_upload_release(&other);
	nx_workspace_close(ws);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err = {0};

	(void)state;
	assert_int_equal(nx_upload_check_space(ws, 1, NULL), NX_OK);
	assert_int_equal(nx_upload_check_space(ws, UINT64_MAX, &err), NX_NO_SPACE);
	nx_workspace_close(ws);
}

static void states_are_listed(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_upload u;
	int lock;

	(void)state;
	begin(ws, &u, DEMO);
	u.state = NX_UPLOAD_COMPLETE;
	assert_int_equal(nx_upload_save(ws, &u, NULL), NX_OK);
	assert_int_equal(state_of(ws, "bert"), NX_PROFILE_UNFINISHED);
	assert_int_equal(nx_upload_lock(ws, u.id, &lock, NULL), NX_OK);
	assert_int_equal(state_of(ws, "bert"), NX_PROFILE_PROCESSING);
	assert_true(nx_upload_is_busy(ws, u.id));
	assert_int_equal(nx_workspace_remove(ws, "bert", NULL), NX_USAGE);
	close(lock);
	u.state = NX_UPLOAD_FAILED;
	u.reason = "because";
	assert_int_equal(nx_upload_save(ws, &u, NULL), NX_OK);
	assert_int_equal(state_of(ws, "bert"), NX_PROFILE_FAILED);
	assert_int_equal(nx_workspace_remove(ws, "bert", NULL), NX_OK);
	assert_int_equal(count_in("ws/uploads"), 0);
	assert_int_equal(count_in("ws/trash"), 0);
	nx_upload_release(&u);
	nx_workspace_close(ws);
}

static void ids_are_no_paths(void **state)
{
	static const char *const bad[] = {"",	  ".",
					  "..",	  "a/b",
					  "../x", "A",
					  "a.b",  "0123456789012345678901234567890123456789"};
	struct nx_workspace *ws = open_workspace();
	struct nx_upload u;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(nx_upload_load(ws, bad[i], &arena, &u, NULL), NX_NOT_FOUND);
		nx_upload_release(&u);
		assert_int_equal(nx_upload_remove(ws, bad[i], NULL), NX_OK);
	}
	assert_true(is_there("ws/profiles"));
	nx_workspace_close(ws);
}

static void a_damaged_one_hides_nothing(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_upload u;

	(void)state;
	begin(ws, &u, DEMO);
	nx_upload_release(&u);
	assert_int_equal(mkdir("ws/uploads/broken", 0700), 0);
	put_file("ws/uploads/broken/upload.json", "{");
	assert_int_equal(state_of(ws, "bert"), NX_PROFILE_UPLOADING);
	assert_int_equal(nx_upload_load(ws, "broken", &arena, &u, NULL), NX_FORMAT);
	nx_upload_release(&u);
	nx_workspace_close(ws);
}

static void every_change_has_another_fingerprint(void **state)
{
	struct nx_workspace *ws = open_workspace();
	uint64_t empty = nx_workspace_fingerprint(ws), one, two;
	struct nx_upload u;

	(void)state;
	must_store(ws, "a", "x");
	one = nx_workspace_fingerprint(ws);
	assert_true(one != empty && one == nx_workspace_fingerprint(ws));
	assert_int_equal(nx_workspace_rename(ws, "a", "b", NULL), NX_OK);
	two = nx_workspace_fingerprint(ws);
	assert_true(two != one);
	begin(ws, &u, DEMO);
	one = nx_workspace_fingerprint(ws);
	assert_true(two != one);
	assert_int_equal(nx_upload_remove(ws, u.id, NULL), NX_OK);
	assert_true(nx_workspace_fingerprint(ws) == two);
	nx_upload_release(&u);
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave)

/* Twenty thousand files must not be looked at for every list. */
static void lists_have_the_count_not_the_files(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_catalogue c;
	struct nx_upload u;

	(void)state;
	begin(ws, &u, DEMO);
	receive(ws, &u, 0, "abc");
	nx_upload_count(ws, u.id, 3);
	nx_upload_count(ws, u.id, UINT64_C(1) << 40);
	assert_int_equal(rename(nx_upload_path(ws, &arena, u.id, "capture"), "elsewhere"), 0);
	assert_int_equal(rename(nx_upload_path(ws, &arena, u.id, "upload.json"), "record"), 0);
	assert_int_equal(nx_catalogue_load(&c, ws, NULL), NX_OK);
	assert_int_equal(c.records.len, 1);
	assert_int_equal(c.records.items[0].size_bytes, (UINT64_C(1) << 40) + 3);
	assert_string_equal(c.records.items[0].name, "bert");
	nx_catalogue_release(&c);
	nx_upload_release(&u);
	nx_workspace_close(ws);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_arrived_is_what_the_sizes_say),
		CASE(a_file_has_one_writer),
		CASE(a_name_is_given_once),
		CASE(what_does_not_fit_is_refused),
		CASE(states_are_listed),
		CASE(lists_have_the_count_not_the_files),
		CASE(ids_are_no_paths),
		CASE(a_damaged_one_hides_nothing),
		CASE(every_change_has_another_fingerprint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
