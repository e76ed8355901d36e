/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/store/workspace_fixture.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

static enum nx_status open_at(const char *path, bool is_read_only, struct nx_workspace **ws,
			      struct nx_error *err)
{
	struct nx_workspace_options how = {.path = path, .is_read_only = is_read_only};

	return nx_workspace_open(ws, &how, err);
}

static void it_is_made_for_its_user_alone(void **state)
{
	struct nx_workspace *ws;
	struct stat st;

	(void)state;
	umask(022);
	assert_int_equal(open_at("a/b/ws", false, &ws, NULL), NX_OK);
	assert_int_equal(stat("a/b/ws", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_true(is_there("a/b/ws/profiles/global"));
	assert_int_equal(nx_workspace_path(ws)[0], '/');
	nx_workspace_close(ws);
}

static void an_existing_folder_keeps_its_mode(void **state)
{
	struct nx_workspace *ws;
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("ws", 0755), 0);
	assert_int_equal(chmod("ws", 0755), 0);
	assert_int_equal(open_at("ws", false, &ws, NULL), NX_OK);
	assert_int_equal(stat("ws", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	nx_workspace_close(ws);
}

static void readers_make_nothing(void **state)
{
	struct nx_workspace *ws;
	struct nx_error err;

	(void)state;
	assert_int_equal(open_at("ws", true, &ws, &err), NX_NOT_FOUND);
	assert_string_equal(err.message, "there is no workspace ws");
	assert_false(is_there("ws"));
	assert_int_equal(mkdir("ws", 0700), 0);
	assert_int_equal(open_at("ws", true, &ws, NULL), NX_OK);
	assert_int_equal(state_of(ws, "a"), -1);
	assert_int_equal(nx_workspace_rename(ws, "a", "b", &err), NX_PERMISSION);
	nx_workspace_close(ws);
	assert_int_equal(count_in("ws"), 0);
}

static void places_that_cannot_be_one_are_refused(void **state)
{
	struct nx_workspace *ws;
	struct nx_error err;

	(void)state;
	put_file("file", "x");
	assert_int_equal(open_at("file", false, &ws, &err), NX_USAGE);
	assert_int_equal(open_at("", false, &ws, &err), NX_USAGE);
	assert_int_equal(open_at("file/below", false, &ws, &err), NX_IO);
	assert_non_null(strstr(err.message, "file/below"));
	assert_int_equal(mkdir("ws", 0700), 0);
	put_file("ws/profiles", "x");
	assert_int_equal(open_at("ws", false, &ws, &err), NX_IO);
	assert_non_null(strstr(err.message, "profiles"));
}

static void the_default_follows_the_environment(void **state)
{
	struct nx_arena arena = {0};
	const char *path;

	(void)state;
	setenv("XDG_DATA_HOME", "/data", 1);
	setenv("HOME", "/home/me", 1);
	assert_int_equal(nx_workspace_default_path(&arena, &path, NULL), NX_OK);
	assert_string_equal(path, "/data/neuron-explorer");
	setenv("XDG_DATA_HOME", "relative", 1);
	assert_int_equal(nx_workspace_default_path(&arena, &path, NULL), NX_OK);
	assert_string_equal(path, "/home/me/.local/share/neuron-explorer");
	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	assert_int_equal(nx_workspace_default_path(&arena, &path, NULL), NX_NOT_FOUND);
	nx_arena_release(&arena);
}

static void a_finished_profile_can_be_loaded(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_arena arena = {0};
	struct nx_profile_record r;
	struct nx_error err;

	(void)state;
	must_store(ws, "bert", "rows");
	assert_int_equal(nx_workspace_load(ws, "bert", &arena, &r, NULL), NX_OK);
	assert_string_equal(r.name, "bert");
	assert_int_equal(nx_profile_record_rows(&r), 4);
	assert_true(is_there(nx_workspace_profile_path(ws, &arena, "bert")));
	nx_profile_record_release(&r);
	assert_int_equal(nx_workspace_load(ws, "bret", &arena, &r, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "'bret'"));
	assert_int_equal(nx_workspace_load(ws, "../global/bert", &arena, &r, &err), NX_USAGE);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

static void load_version(const char *json, enum nx_status status, const char *word)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_arena arena = {0};
	struct nx_profile_record r;
	struct nx_error err = {0};

	put_file("ws/profiles/global/bert@latest/profile.json", json);
	assert_int_equal(nx_workspace_load(ws, "bert", &arena, &r, &err), status);
	assert_non_null(strstr(err.message, word));
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

static void other_versions_are_refused_with_a_remedy(void **state)
{
	struct nx_workspace *ws = open_workspace();

	(void)state;
	must_store(ws, "bert", "rows");
	nx_workspace_close(ws);
	load_version("{\"store_version\":99,\"kind\":\"device\",\"state\":\"ready\"}", NX_VERSION,
		     "update neuron-explorer");
	load_version("{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\"}", NX_VERSION,
		     "process the capture again");
	load_version("garbage", NX_FORMAT, "profile.json");
}

static void a_change_does_not_wait_for_ever(void **state)
{
	struct nx_workspace *ws;
	struct nx_workspace_options how = {.path = "ws", .lock_patience_ms = 20};
	struct nx_error err;
	int lock;

	(void)state;
	assert_int_equal(nx_workspace_open(&ws, &how, NULL), NX_OK);
	must_store(ws, "a", "x");
	lock = open("ws/lock", O_RDONLY);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	assert_int_equal(nx_workspace_rename(ws, "a", "b", &err), NX_IO);
	assert_non_null(strstr(err.message, "another process"));
	/* Readers lose patience and look anyway. */
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	close(lock);
	assert_int_equal(nx_workspace_rename(ws, "a", "b", &err), NX_OK);
	nx_workspace_close(ws);
}

/* As somebody who may read the workspace but not write it. */
static int look_as_stranger(void)
{
	struct nx_workspace *ws;
	struct nx_error err = {0};
	int good = 0;

	if (geteuid() == 0 && (setegid(65534) < 0 || seteuid(65534) < 0))
		return 0;
	good += open_at("ws", true, &ws, &err) == NX_OK;
	good += state_of(ws, "a") == NX_PROFILE_READY;
	good += nx_workspace_touch(ws, "a", &err) == NX_OK;
	nx_workspace_close(ws);
	good += open_at("ws", false, &ws, &err) == NX_OK;
	good += nx_workspace_rename(ws, "a", "b", &err) == NX_PERMISSION;
	good += nx_workspace_remove(ws, "a", &err) == NX_PERMISSION;
	good += nx_workspace_touch(ws, "a", &err) == NX_OK;
	good += store_profile(ws, "c", "x", false, &err) == NX_PERMISSION;
	nx_workspace_close(ws);
	good += open_at("elsewhere/ws", false, &ws, &err) == NX_PERMISSION;
	return good;
}

static void a_workspace_of_others_can_be_read(void **state)
{
	struct nx_workspace *ws = open_workspace();
	int status;
	pid_t pid;

	(void)state;
	must_store(ws, "a", "x");
	nx_workspace_close(ws);
	assert_int_equal(mkdir("elsewhere", 0700), 0);
	assert_int_equal(system("chmod -R a+rX,a-w . && chmod 0700 elsewhere && "
				"chmod 0500 elsewhere"),
			 0);
	pid = fork();
	if (!pid)
		_exit(look_as_stranger());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 9);
	ws = open_workspace();
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

/* Whatever the umask of the one who comes first. */
static void rights_follow_those_of_the_folder(void **state)
{
	static const unsigned modes[] = {0700, 02770, 02775, 0755};
	mode_t old = umask(022);

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct nx_workspace *ws;

		assert_int_equal(mkdir("ws", 0700), 0);
		assert_int_equal(chmod("ws", modes[i]), 0);
		umask(022);
		ws = open_workspace();
		must_store(ws, "a", "x");
		assert_int_equal(mode_of("ws/staging"), modes[i]);
		assert_int_equal(mode_of("ws/profiles/global/a@latest"), modes[i]);
		assert_int_equal(mode_of("ws/profiles/global/a@latest/profile.json"),
				 modes[i] & 0666);
		nx_workspace_close(ws);
		assert_int_equal(rename("ws", (char[]){'w', (char)('0' + i), 0}), 0);
	}
	umask(old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(rights_follow_those_of_the_folder),
		CASE(it_is_made_for_its_user_alone),
		CASE(an_existing_folder_keeps_its_mode),
		CASE(readers_make_nothing),
		CASE(places_that_cannot_be_one_are_refused),
		CASE(the_default_follows_the_environment),
		CASE(a_finished_profile_can_be_loaded),
		CASE(other_versions_are_refused_with_a_remedy),
		CASE(a_change_does_not_wait_for_ever),
		CASE(a_workspace_of_others_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
