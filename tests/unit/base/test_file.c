/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every test runs in a fresh directory. */
static char directory[64];

static int enter_directory(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/nx-test-file-XXXXXX");
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_file(const char *path, const char *text)
{
	struct nx_file file;

	assert_int_equal(nx_file_map(&file, path, NULL), NX_OK);
	assert_true(nx_slice_is(file.bytes, text));
	nx_file_unmap(&file);
}

static size_t count_entries(void)
{
	glob_t found;
	size_t count;

	count = glob("*", 0, NULL, &found) == 0 ? found.gl_pathc : 0;
	globfree(&found);
	return count;
}

static void map_gives_the_bytes(void **state)
{
	struct nx_file file;
	struct nx_error err;

	(void)state;
	put_file("a", "hello");
	assert_int_equal(nx_file_map(&file, "a", &err), NX_OK);
	assert_true(nx_slice_is(file.bytes, "hello"));
	assert_string_equal(file.path, "a");
	nx_file_unmap(&file);
	nx_file_unmap(&file);
}

static void empty_file_is_an_empty_slice(void **state)
{
	struct nx_file file;

	(void)state;
	put_file("empty", "");
	assert_int_equal(nx_file_map(&file, "empty", NULL), NX_OK);
	assert_int_equal(file.bytes.len, 0);
	assert_non_null(file.bytes.data);
	nx_file_unmap(&file);
}

static void things_that_are_no_files_are_refused(void **state)
{
	struct nx_file file;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_file_map(&file, "missing", &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "missing"));
	assert_int_equal(nx_file_map(&file, ".", &err), NX_FORMAT);
	assert_string_equal(err.message, ". is a directory; give the path of a file");
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(nx_file_map(&file, "pipe", &err), NX_FORMAT);
	assert_int_equal(nx_file_map(&file, "/dev/null", &err), NX_FORMAT);
	if (geteuid() != 0) {
		put_file("secret", "x");
		chmod("secret", 0);
		assert_int_equal(nx_file_map(&file, "secret", &err), NX_PERMISSION);
	}
	assert_int_equal(file.bytes.len, 0);
}

static void forgotten_bytes_can_be_read_again(void **state)
{
	struct nx_output out;
	struct nx_file file;
	char page[4096];

	(void)state;
	memset(page, 'x', sizeof(page));
	assert_int_equal(nx_output_open(&out, "big", NULL), NX_OK);
	for (int i = 0; i < 16; i++)
		nx_output_write(&out, page, sizeof(page));
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	assert_int_equal(nx_file_map(&file, "big", NULL), NX_OK);
	nx_file_forget(nx_slice_part(file.bytes, 10, 40000));
	nx_file_forget(nx_slice_part(file.bytes, 10, 20));
	nx_file_forget(nx_slice_part(file.bytes, 0, 0));
	for (size_t i = 0; i < file.bytes.len; i++)
		assert_int_equal(file.bytes.data[i], 'x');
	nx_file_unmap(&file);
}

static int wait_for(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void shrinking_file_ends_with_code_8(void **state)
{
	pid_t child;
	int status;

	(void)state;
	put_file("shrinks", "some text");
	child = fork();
	if (child == 0) {
		struct nx_file file;
		volatile uint8_t byte;

		close(STDERR_FILENO);
		nx_file_guard_install();
		if (nx_file_map(&file, "shrinks", NULL) || truncate("shrinks", 0) < 0)
			_exit(1);
		byte = file.bytes.data[0];
		_exit(byte ? 2 : 3);
	}
	status = wait_for(child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 8);
}

/* In a child, because the mode is for the whole process. */
static int read_shrinking(void)
{
	struct nx_file whole, file;
	uint64_t sum = 0;
	long page = sysconf(_SC_PAGESIZE);

	nx_file_guard_tolerate();
	if (nx_file_map(&whole, "whole", NULL) || nx_file_map(&file, "shrinks", NULL) ||
	    truncate("shrinks", page) < 0)
		return 1;
	for (size_t i = 0; i < file.bytes.len; i++)
		sum += file.bytes.data[i];
	if (sum != (uint64_t)page)
		return 2;
	if (!nx_file_is_damaged(&file) || nx_file_is_damaged(&whole))
		return 3;
	nx_file_unmap(&file);
	if (nx_file_is_damaged(&file) || nx_file_map(&file, "shrinks", NULL) ||
	    nx_file_is_damaged(&file) || file.bytes.len != (size_t)page)
		return 4;
	nx_file_unmap(&file);
	nx_file_unmap(&whole);
	return 0;
}

static void a_server_survives_a_shrinking_file(void **state)
{
	size_t size = 16 * (size_t)sysconf(_SC_PAGESIZE);
	char *ones = nx_heap_alloc(size + 1);
	pid_t child;
	int status;

	(void)state;
	memset(ones, 1, size);
	ones[size] = '\0';
	put_file("whole", ones);
	put_file("shrinks", ones);
	nx_heap_free(ones);
	child = fork();
	if (child == 0)
		_exit(read_shrinking());
	status = wait_for(child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void target_appears_only_at_commit(void **state)
{
	struct nx_output out;

	(void)state;
	put_file("a", "old");
	assert_int_equal(nx_output_open(&out, "a", NULL), NX_OK);
	nx_output_write(&out, "new ", 4);
	nx_output_write(&out, NULL, 0);
	nx_output_write(&out, "text", 4);
	nx_output_flush(&out);
	assert_file("a", "old");
	assert_int_equal(count_entries(), 2);
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	assert_int_equal(out.written_bytes, 8);
	assert_file("a", "new text");
	assert_int_equal(count_entries(), 1);
	nx_output_abort(&out);
	assert_file("a", "new text");
}

static void abort_leaves_nothing(void **state)
{
	struct nx_output out;
	struct nx_output closed = {0};

	(void)state;
	put_file("a", "old");
	assert_int_equal(nx_output_open(&out, "a", NULL), NX_OK);
	nx_output_write(&out, "new", 3);
	nx_output_abort(&out);
	nx_output_abort(&out);
	nx_output_abort(&closed);
	assert_file("a", "old");
	assert_int_equal(count_entries(), 1);
}

static void umask_decides_the_permissions(void **state)
{
	struct nx_output out;
	struct stat st;
	mode_t old = umask(027);

	(void)state;
	assert_int_equal(nx_output_open(&out, "a", NULL), NX_OK);
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	umask(old);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void writes_of_every_size_keep_their_order(void **state)
{
	static const size_t sizes[] = {1, NX_OUTPUT_BUFFER_BYTES - 1, 1, 3 * NX_OUTPUT_BUFFER_BYTES,
				       5, NX_OUTPUT_BUFFER_BYTES,     7};
	struct nx_output out;
	struct nx_file file;
	size_t total = 0;
	uint8_t *data = nx_heap_alloc(3 * NX_OUTPUT_BUFFER_BYTES);

	(void)state;
	assert_int_equal(nx_output_open(&out, "a", NULL), NX_OK);
	for (size_t i = 0; i < 7; i++) {
		memset(data, (int)i, sizes[i]);
		nx_output_write(&out, data, sizes[i]);
	}
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	assert_int_equal(nx_file_map(&file, "a", NULL), NX_OK);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(file.bytes.data[total], i);
		assert_int_equal(file.bytes.data[total + sizes[i] - 1], i);
		total += sizes[i];
	}
	assert_int_equal(file.bytes.len, total);
	nx_file_unmap(&file);
	nx_heap_free(data);
}

static void reserve_and_advance_append(void **state)
{
	struct nx_output out;

	(void)state;
	assert_int_equal(nx_output_open(&out, "a", NULL), NX_OK);
	memcpy(nx_output_reserve(&out, 100), "abc", 3);
	nx_output_advance(&out, 3);
	assert_ptr_equal(nx_output_reserve(&out, NX_OUTPUT_BUFFER_BYTES), out.buffer);
	memcpy(out.buffer, "de", 2);
	nx_output_advance(&out, 2);
	assert_int_equal(out.written_bytes, 5);
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	assert_file("a", "abcde");
}

static void link_is_kept_and_its_file_replaced(void **state)
{
	struct nx_output out;
	struct stat st;

	(void)state;
	put_file("real", "old");
	assert_int_equal(symlink("real", "link"), 0);
	assert_int_equal(nx_output_open(&out, "link", NULL), NX_OK);
	nx_output_write(&out, "new", 3);
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_file("real", "new");
}

static void impossible_targets_are_named(void **state)
{
	struct nx_output out;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_output_open(&out, ".", &err), NX_USAGE);
	assert_string_equal(err.message, ". is a directory; give the name of a file");
	nx_output_abort(&out);
	assert_int_equal(nx_output_open(&out, "no/such/dir", &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "cannot create no/such/dir: "));
	nx_output_abort(&out);
}

static void devices_are_written_directly(void **state)
{
	struct nx_output out;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_output_open(&out, "/dev/null", &err), NX_OK);
	assert_null(out.temporary_path);
	nx_output_write(&out, "x", 1);
	assert_int_equal(nx_output_commit(&out, &err), NX_OK);
}

static void full_disk_is_said_so(void **state)
{
	struct nx_output out;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_output_open(&out, "/dev/full", &err), NX_OK);
	nx_output_write(&out, "x", 1);
	nx_output_flush(&out);
	assert_int_equal(out.status, NX_NO_SPACE);
	nx_output_write(&out, "y", 1);
	assert_int_equal(nx_output_commit(&out, &err), NX_NO_SPACE);
	assert_string_equal(err.message,
			    "cannot write /dev/full: the disk is full; free some space or choose "
			    "another place with --output-file");
}

static void closed_pipe_is_a_failed_write(void **state)
{
	struct nx_output out;
	struct nx_error err;
	int ends[2];
	int saved = dup(STDOUT_FILENO);

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(nx_output_open(&out, "-", &err), NX_OK);
	nx_output_write(&out, "x", 1);
	assert_int_equal(nx_output_commit(&out, &err), NX_IO);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_non_null(strstr(err.message, "cannot write standard output: "));
}

static void signal_removes_temporary_files(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			struct nx_output a;
			struct nx_output b;

			signal(signals[i], SIG_DFL); /* nohup and the like ignore some */
			nx_output_guard_install();
			if (nx_output_open(&a, "a", NULL) || nx_output_open(&b, "b", NULL))
				_exit(1);
			nx_output_write(&b, "x", 1);
			if (nx_output_commit(&b, NULL))
				_exit(1);
			raise(signals[i]);
			_exit(2);
		}
		status = wait_for(child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_int_equal(count_entries(), 1);
		assert_file("b", "x");
	}
}

static void ignored_signals_stay_ignored(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		signal(SIGHUP, SIG_IGN);
		nx_output_guard_install();
		raise(SIGHUP);
		_exit(7);
	}
	assert_int_equal(WEXITSTATUS(wait_for(child)), 7);
}

static void directories_are_made_with_parents(void **state)
{
	struct nx_error err;
	struct stat st;

	(void)state;
	assert_int_equal(nx_make_directories("x/y/z", &err), NX_OK);
	assert_int_equal(nx_make_directories("x/y/z/", &err), NX_OK);
	assert_int_equal(nx_make_directories("x//y/w", &err), NX_OK);
	assert_int_equal(nx_make_directories("/tmp", &err), NX_OK);
	assert_int_equal(stat("x/y/w", &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	put_file("x/file", "");
	assert_int_equal(nx_make_directories("x/file/y", &err), NX_USAGE);
	assert_string_equal(err.message, "cannot make directory x/file: a file has that name");
	assert_int_equal(nx_make_directories("", &err), NX_NOT_FOUND);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, enter_directory, leave_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(map_gives_the_bytes),
		IN_DIRECTORY(empty_file_is_an_empty_slice),
		IN_DIRECTORY(things_that_are_no_files_are_refused),
		IN_DIRECTORY(forgotten_bytes_can_be_read_again),
		IN_DIRECTORY(shrinking_file_ends_with_code_8),
		IN_DIRECTORY(a_server_survives_a_shrinking_file),
		IN_DIRECTORY(target_appears_only_at_commit),
		IN_DIRECTORY(abort_leaves_nothing),
		IN_DIRECTORY(umask_decides_the_permissions),
		IN_DIRECTORY(writes_of_every_size_keep_their_order),
		IN_DIRECTORY(reserve_and_advance_append),
		IN_DIRECTORY(link_is_kept_and_its_file_replaced),
		IN_DIRECTORY(impossible_targets_are_named),
		IN_DIRECTORY(devices_are_written_directly),
		IN_DIRECTORY(full_disk_is_said_so),
		IN_DIRECTORY(closed_pipe_is_a_failed_write),
		IN_DIRECTORY(signal_removes_temporary_files),
		IN_DIRECTORY(ignored_signals_stay_ignored),
		IN_DIRECTORY(directories_are_made_with_parents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
