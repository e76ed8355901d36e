/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "serve/upload_profile.h"
#include "tests/unit/store/workspace_fixture.h"

static struct nx_arena arena;

static int leave(void **state)
{
	nx_arena_release(&arena);
	return leave_folder(state);
}

#define FILE_OF(role, path) "{\"path\":\"" path "\",\"role\":\"" role "\",\"size_bytes\":1}"

static void read_upload(struct nx_upload *u, const char *files)
{
	const char *json = nx_arena_printf(&arena, "{\"name\":\"bert\",\"files\":[%s]}", files);
	struct nx_error err = {0};

	if (nx_upload_read(nx_slice_text(json), &arena, u, &err))
		fail_msg("%s", err.message);
	u->id = "id-1";
}

/* All arguments as one text, with the workspace called W. */
static const char *line_of(struct nx_workspace *ws, const struct nx_upload *u)
{
	const char *const *arguments = nx_upload_profile_arguments(ws, u, "S", &arena);
	const char *line = "", *found;

	for (size_t i = 0; arguments[i]; i++)
		line = nx_arena_printf(&arena, "%s %s", line, arguments[i]);
	while ((found = strstr(line, nx_workspace_path(ws))))
		line = nx_arena_printf(&arena, "%.*sW%s", (int)(found - line), line,
				       found + strlen(nx_workspace_path(ws)));
	return line;
}

#define BEGINS                                                                                     \
	" view --ingest-only --data-path W --display-name bert --processing-status-file S "        \
	"--progress-fd 3"

static void files_become_options(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_upload u;

	(void)state;
	read_upload(&u, FILE_OF("neff", "m.neff") "," FILE_OF("ntff", "d/s.ntff"));
	assert_string_equal(line_of(ws, &u), BEGINS " -s W/uploads/id-1/capture/d/s.ntff -n "
						    "W/uploads/id-1/capture/m.neff");
	u.force = true;
	assert_non_null(strstr(line_of(ws, &u), " --force -s "));
	nx_upload_release(&u);
	nx_workspace_close(ws);
}

static void a_directory_is_the_folder_that_all_share(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_upload u;

	(void)state;
	read_upload(&u, FILE_OF("directory", "run/a/b") "," FILE_OF(
				"directory", "run/c") "," FILE_OF("source", "x.py"));
	assert_string_equal(line_of(ws, &u), BEGINS " -d W/uploads/id-1/capture/run");
	nx_upload_release(&u);
	read_upload(&u, FILE_OF("directory", "run/a") "," FILE_OF("directory", "runs/c"));
	assert_string_equal(line_of(ws, &u), BEGINS " -d W/uploads/id-1/capture");
	nx_upload_release(&u);
	read_upload(&u, FILE_OF("directory", "run/a") "," FILE_OF("directory", "b"));
	assert_string_equal(line_of(ws, &u), BEGINS " -d W/uploads/id-1/capture");
	nx_upload_release(&u);
	nx_workspace_close(ws);
}

static void a_reason_does_not_tell_where_files_lie(void **state)
{
	struct nx_workspace *ws = open_workspace();
	const char *sentence = nx_arena_printf(&arena, "%s is cut, %s too, in %s/x",
					       nx_upload_path(ws, &arena, "id-1", "capture/a.ntff"),
					       nx_upload_path(ws, &arena, "id-1", "source/b"),
					       nx_workspace_path(ws));

	(void)state;
	assert_string_equal(nx_upload_profile_reason(ws, "id-1", sentence, &arena),
			    "a.ntff is cut, source/b too, in x");
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(files_become_options),
		CASE(a_directory_is_the_folder_that_all_share),
		CASE(a_reason_does_not_tell_where_files_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
