/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <zlib.h>

#include "format/tar.h"
#include "store/profile_source.h"
#include "tests/unit/store/workspace_fixture.h"

/* --- archives ------------------------------------------------------------------------------ */

static void put_archive(struct nx_bytes *tar, bool packs)
{
	gzFile file = gzopen("a.tar", packs ? "wb" : "wbT");

	nx_tar_finish(tar);
	assert_int_equal(gzwrite(file, tar->items, (unsigned)tar->len), (int)tar->len);
	gzclose(file);
	nx_vec_release(tar);
}

static enum nx_status unpack(struct nx_error *err)
{
	enum nx_status st;
	int folder;

	assert_true(mkdir("out", 0700) == 0 || is_there("out"));
	folder = open("out", O_RDONLY | O_DIRECTORY);
	st = nx_source_unpack("a.tar", folder, "scratch", err);
	close(folder);
	assert_false(is_there("scratch"));
	return st;
}

static void archives_become_files(void **state)
{
	(void)state;
	for (int packs = 0; packs < 2; packs++) {
		struct nx_bytes tar = {0};

		nx_tar_append(&tar, nx_slice_text("./a/b.py"), nx_slice_text("one"));
		nx_tar_append(&tar, nx_slice_text("c.py"), nx_slice_text(packs ? "2" : "1"));
		put_archive(&tar, packs);
		assert_int_equal(unpack(NULL), NX_OK);
		assert_true(has_text("out/a/b.py", "one"));
		assert_true(has_text("out/c.py", packs ? "2" : "1"));
	}
}

static void archives_cannot_leave_their_folder(void **state)
{
	static const char *const bad[] = {"../evil", "/tmp/nx-evil", "a/../../evil", "a//b",
					  "a\nb"};
	struct nx_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct nx_bytes tar = {0};

		nx_tar_append(&tar, nx_slice_text(bad[i]), nx_slice_text("x"));
		put_archive(&tar, true);
		assert_int_equal(unpack(&err), NX_FORMAT);
	}
	assert_false(is_there("evil"));
	assert_false(is_there("/tmp/nx-evil"));
}

static void links_in_the_way_are_not_followed(void **state)
{
	struct nx_bytes tar = {0};
	struct nx_error err = {0};

	(void)state;
	assert_int_equal(mkdir("out", 0700), 0);
	assert_int_equal(mkdir("outside", 0700), 0);
	assert_int_equal(symlink("../outside", "out/a"), 0);
	nx_tar_append(&tar, nx_slice_text("a/b"), nx_slice_text("x"));
	put_archive(&tar, true);
	assert_int_not_equal(unpack(&err), NX_OK);
	assert_int_equal(count_in("outside"), 0);
}

static void what_is_no_archive_is_told(void **state)
{
	struct nx_error err = {0};

	(void)state;
	put_file("a.tar", "this is no archive, but it is longer than nothing");
	assert_int_equal(unpack(&err), NX_FORMAT);
	assert_int_equal(count_in("out"), 0);
	put_file("a.tar", "\x1f\x8b\x08 cut");
	assert_int_equal(unpack(&err), NX_FORMAT);
}

/* --- of a profile --------------------------------------------------------------------------- */

static void a_profile_keeps_its_source(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_source_files files = {0};
	struct nx_arena arena = {0};
	uint64_t size_bytes;
	int fd;

	(void)state;
	must_store(ws, "bert", "x");
	assert_int_equal(nx_profile_source_list(ws, "bert", &arena, &files, NULL), NX_OK);
	assert_int_equal(files.len, 0);
	assert_int_equal(system("mkdir -p s/b/c && echo hello >s/b/c/d.py && echo 1 >s/a.py && "
				"ln -s /etc/passwd s/link && mkfifo s/pipe"),
			 0);
	assert_int_equal(nx_profile_source_attach(ws, "bert", "s", NULL), NX_OK);
	assert_int_equal(system("rm -r s"), 0);
	assert_int_equal(nx_profile_source_list(ws, "bert", &arena, &files, NULL), NX_OK);
	assert_int_equal(files.len, 2);
	assert_string_equal(files.items[0].path, "a.py");
	assert_string_equal(files.items[1].path, "b/c/d.py");
	assert_int_equal(files.items[1].size_bytes, 6);
	assert_int_equal(nx_profile_source_open(ws, "bert", "b/c/d.py", &fd, &size_bytes, NULL),
			 NX_OK);
	assert_int_equal(size_bytes, 6);
	close(fd);
	nx_vec_release(&files);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

static void only_files_below_it_are_opened(void **state)
{
	static const char *const bad[] = {"b",		 "b/",	      "../profile.json",
					  "/etc/passwd", "link",      "up/lock",
					  "none",	 "b/c/d.py/x"};
	struct nx_workspace *ws = open_workspace();
	uint64_t size_bytes;
	int fd;

	(void)state;
	must_store(ws, "bert", "x");
	assert_int_equal(system("cd ws/profiles/global/bert@latest && mkdir -p source/b/c && "
				"echo x >source/b/c/d.py && ln -s ../profile.json source/link && "
				"ln -s ../../../.. source/up"),
			 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(nx_profile_source_open(ws, "bert", bad[i], &fd, &size_bytes, NULL),
				 NX_NOT_FOUND);
	assert_int_equal(nx_profile_source_open(ws, "none", "a", &fd, &size_bytes, NULL),
			 NX_NOT_FOUND);
	nx_workspace_close(ws);
}

static void attaching_again_replaces(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_source_files files = {0};
	struct nx_arena arena = {0};

	(void)state;
	must_store(ws, "bert", "x");
	assert_int_equal(system("mkdir s t && echo 1 >s/a && echo 2 >t/b && "
				"mkdir ws/profiles/global/bert@latest/source.aside"),
			 0);
	assert_int_equal(nx_profile_source_attach(ws, "bert", "s", NULL), NX_OK);
	assert_int_equal(nx_profile_source_attach(ws, "bert", "t", NULL), NX_OK);
	assert_int_equal(nx_profile_source_list(ws, "bert", &arena, &files, NULL), NX_OK);
	assert_int_equal(files.len, 1);
	assert_string_equal(files.items[0].path, "b");
	assert_int_equal(nx_profile_source_attach(ws, "bert", "nothing", NULL), NX_NOT_FOUND);
	nx_vec_release(&files);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

/* --- copies ---------------------------------------------------------------------------------- */

static void the_longest_end_of_a_path_is_taken(void **state)
{
	static const char *const roots[] = {"r1", "r2"};
	static const char *const names[] = {"/home/x/app/m.py", "k.py", "<string>",
					    "../k.py",		"",	"/home/x/none.py"};
	struct nx_source_copied copied;

	(void)state;
	assert_int_equal(system("mkdir -p r1 r2/app to && echo short >r1/m.py && "
				"echo long >r2/app/m.py && echo k >r2/k.py"),
			 0);
	assert_int_equal(nx_source_copy("to", roots, 2, names, 6, &copied, NULL), NX_OK);
	assert_int_equal(copied.found_count, 2);
	assert_int_equal(copied.missing_count, 4);
	assert_int_equal(copied.size_bytes, 7);
	assert_true(has_text("to/source/home/x/app/m.py", "long\n"));
	assert_true(has_text("to/source/k.py", "k\n"));
}

static void nothing_found_leaves_no_folder(void **state)
{
	static const char *const roots[] = {"r1"}, *const names[] = {"a.py", "b.py"};
	struct nx_source_copied copied;
	struct nx_error err = {0};

	(void)state;
	assert_int_equal(system("mkdir -p r1/b.py to && ln -s /etc/passwd r1/a.py"), 0);
	assert_int_equal(nx_source_copy("to", roots, 1, names, 2, &copied, NULL), NX_OK);
	assert_int_equal(copied.missing_count, 2);
	assert_int_equal(count_in("to"), 0);
	assert_int_equal(system("rm -r r1"), 0);
	assert_int_equal(nx_source_copy("to", roots, 1, names, 2, &copied, &err), NX_NOT_FOUND);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(archives_become_files),
		CASE(archives_cannot_leave_their_folder),
		CASE(links_in_the_way_are_not_followed),
		CASE(what_is_no_archive_is_told),
		CASE(a_profile_keeps_its_source),
		CASE(only_files_below_it_are_opened),
		CASE(attaching_again_replaces),
		CASE(the_longest_end_of_a_path_is_taken),
		CASE(nothing_found_leaves_no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
