/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/runtime_choice.h"

static char root[] = "/tmp/runtime_choice.XXXXXX";
static struct nx_arena arena;

static const char *below(const char *name)
{
	return nx_arena_printf(&arena, "%s/%s", root, name);
}

static void put_file(const char *folder, const char *name)
{
	int fd;

	assert_int_equal(nx_make_directories(below(folder), NULL), NX_OK);
	fd = open(nx_arena_printf(&arena, "%s/%s", below(folder), name), O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static void take_file(const char *path)
{
	assert_int_equal(unlink(below(path)), 0);
}

static struct nx_runtime_choice choose(const char *given, const char *library_path)
{
	struct nx_runtime_wish wish = {given, library_path, below("bin"), root};
	struct nx_runtime_choice choice;
	struct nx_error err = {0};

	assert_int_equal(nx_runtime_choose(&wish, &arena, &choice, &err), NX_OK);
	return choice;
}

static int begin(void **state)
{
	(void)state;
	memcpy(root, "/tmp/runtime_choice.XXXXXX", sizeof(root));
	assert_non_null(mkdtemp(root));
	return nx_make_directories(below("bin"), NULL);
}

static int end(void **state)
{
	int st = system(nx_arena_printf(&arena, "rm -rf '%s'", root));

	(void)state;
	nx_arena_release(&arena);
	return st;
}

static void nothing_is_nowhere(void **state)
{
	struct nx_runtime_choice choice = choose(NULL, NULL);

	(void)state;
	assert_int_equal(choice.origin, NX_RUNTIME_NONE);
	assert_null(choice.folder);
	assert_false(choice.has_device);
}

static void ours_serves_where_there_is_no_device(void **state)
{
	struct nx_runtime_choice choice;

	(void)state;
	put_file("lib/neuron-explorer", "libnrt.so.1");
	choice = choose(NULL, "");
	assert_int_equal(choice.origin, NX_RUNTIME_OWN);
	assert_string_equal(choice.folder, below("lib/neuron-explorer"));
	put_file("opt/aws/neuron/lib", "libnrt.so.1"); /* useless without a device */
	choice = choose(NULL, NULL);
	assert_int_equal(choice.origin, NX_RUNTIME_OWN);
	assert_true(choice.has_system_runtime);
	put_file("dev", "neuron0");
	choice = choose(NULL, NULL);
	assert_int_equal(choice.origin, NX_RUNTIME_SYSTEM);
	assert_string_equal(choice.folder, below("opt/aws/neuron/lib"));
	take_file("opt/aws/neuron/lib/libnrt.so.1"); /* a device that nobody speaks to */
	choice = choose(NULL, NULL);
	assert_int_equal(choice.origin, NX_RUNTIME_OWN);
	assert_true(choice.has_device);
}

static void the_systems_serves_where_there_is_no_other(void **state)
{
	(void)state;
	put_file("opt/aws/neuron/lib", "libnrt.so.1");
	assert_int_equal(choose(NULL, NULL).origin, NX_RUNTIME_SYSTEM);
}

static void a_library_path_comes_first(void **state)
{
	struct nx_runtime_choice choice;

	(void)state;
	put_file("lib/neuron-explorer", "libnrt.so.1");
	put_file("mine", "libnrt.so.1");
	choice = choose(NULL, nx_arena_printf(&arena, "/nowhere::%s:/tmp", below("mine")));
	assert_int_equal(choice.origin, NX_RUNTIME_LIBRARY_PATH);
	assert_string_equal(choice.folder, below("mine"));
	assert_int_equal(choose(NULL, "/nowhere:").origin, NX_RUNTIME_OWN);
}

static void the_user_decides(void **state)
{
	struct nx_runtime_choice choice;
	struct nx_runtime_wish wish = {below("empty"), NULL, below("bin"), root};
	struct nx_error err = {0};

	(void)state;
	put_file("mine", "libnrt.so.1");
	put_file("empty", "libnrt.so.2");
	choice = choose(below("mine"), "/nowhere");
	assert_int_equal(choice.origin, NX_RUNTIME_GIVEN);
	assert_string_equal(choice.folder, below("mine"));
	assert_string_equal(choose(below("mine/libnrt.so.1"), NULL).folder, below("mine"));
	assert_int_equal(nx_runtime_choose(&wish, &arena, &choice, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "empty holds no libnrt.so.1"));
	assert_null(strstr(err.message, "comes with"));
	put_file("lib/neuron-explorer", "libnrt.so.1");
	wish.given = below("empty/libnrt.so.2");
	assert_int_equal(nx_runtime_choose(&wish, &arena, &choice, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, below("lib/neuron-explorer")));
	wish.given = "";
	assert_int_equal(nx_runtime_choose(&wish, &arena, &choice, &err), NX_NOT_FOUND);
}

static void a_program_knows_its_folder(void **state)
{
	const char *folder = nx_program_folder(&arena);

	(void)state;
	assert_non_null(folder);
	assert_int_equal(folder[0], '/');
	assert_int_equal(access(nx_arena_printf(&arena, "%s/test_runtime_choice", folder), X_OK),
			 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nothing_is_nowhere),
		CASE(ours_serves_where_there_is_no_device),
		CASE(the_systems_serves_where_there_is_no_other),
		CASE(a_library_path_comes_first),
		CASE(the_user_decides),
		CASE(a_program_knows_its_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
