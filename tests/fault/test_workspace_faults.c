/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * A workspace whose process dies or whose disk fails at every single step of
 * every change. The linker replaces the system calls that change the disk;
 * step n of a run can be made to kill the process or to fail.
 */
#include "store/durable.h"
#include "tests/unit/store/workspace_fixture.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>

#define STEPS_MAX 500
#define NEVER (-1)

static int *step_count; /* of the latest run, which is in another process */
static struct {
	int kill_at; /* the step before which the process dies */
	int fail_at; /* the step that fails, with error */
	int error;
	bool is_long; /* all steps from fail_at on fail */
	bool no_swap; /* the file system cannot exchange two names */
	FILE *log;    /* what was synced and renamed, by inode */
} faults = {.kill_at = NEVER, .fail_at = NEVER};

int __real_mkdirat(int folder, const char *name, mode_t mode);
int __real_renameat(int from, const char *a, int to, const char *b);
int __real_renameat2(int from, const char *a, int to, const char *b, unsigned flags);
int __real_unlinkat(int folder, const char *name, int flags);
ssize_t __real_write(int fd, const void *data, size_t len);
int __wrap_fsync(int fd);
int __wrap_mkdirat(int folder, const char *name, mode_t mode);
int __wrap_renameat(int from, const char *a, int to, const char *b);
int __wrap_renameat2(int from, const char *a, int to, const char *b, unsigned flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
ssize_t __wrap_write(int fd, const void *data, size_t len);

static bool fails(void)
{
	int step = (*step_count)++;

	if (step == faults.kill_at)
		raise(SIGKILL);
	if (faults.fail_at == NEVER || step < faults.fail_at ||
	    (step > faults.fail_at && !faults.is_long))
		return false;
	errno = faults.error;
	return true;
}

static unsigned long inode_of(int fd)
{
	struct stat st = {0};

	fstat(fd, &st);
	return (unsigned long)st.st_ino;
}

/* Syncing is slow and makes no difference after a kill. */
int __wrap_fsync(int fd)
{
	if (fails())
		return -1;
	if (faults.log)
		fprintf(faults.log, "s%lu\n", inode_of(fd));
	return 0;
}

int __wrap_mkdirat(int folder, const char *name, mode_t mode)
{
	return fails() ? -1 : __real_mkdirat(folder, name, mode);
}

int __wrap_renameat(int from, const char *a, int to, const char *b)
{
	return fails() ? -1 : __real_renameat(from, a, to, b);
}

int __wrap_renameat2(int from, const char *a, int to, const char *b, unsigned flags)
{
	if (fails())
		return -1;
	if (faults.no_swap) {
		errno = EINVAL;
		return -1;
	}
	if (faults.log)
		fprintf(faults.log, "r\n");
	return __real_renameat2(from, a, to, b, flags);
}

int __wrap_unlinkat(int folder, const char *name, int flags)
{
	return fails() ? -1 : __real_unlinkat(folder, name, flags);
}

/* Half of the data reaches the disk. */
ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (*step_count == faults.kill_at)
		(void)!__real_write(fd, data, len / 2);
	return fails() ? -1 : __real_write(fd, data, len);
}

/* --- the changes ----------------------------------------------------------- */

static enum nx_status change_add(struct nx_workspace *ws, struct nx_error *err)
{
	return store_profile(ws, "added", "version 2", false, err);
}

static enum nx_status change_replace(struct nx_workspace *ws, struct nx_error *err)
{
	return store_profile(ws, "target", "version 2", true, err);
}

static enum nx_status change_rename(struct nx_workspace *ws, struct nx_error *err)
{
	return nx_workspace_rename(ws, "target", "renamed", err);
}

static enum nx_status change_remove(struct nx_workspace *ws, struct nx_error *err)
{
	return nx_workspace_remove(ws, "target", err);
}

static enum nx_status change_mark(struct nx_workspace *ws, struct nx_error *err)
{
	return nx_workspace_mark(ws, "target", &(struct nx_profile_marks){.label = "x"}, err);
}

static enum nx_status change_fail(struct nx_workspace *ws, struct nx_error *err)
{
	struct nx_profile_record record = {.name = "added"};
	struct nx_staging *s;
	enum nx_status st = nx_staging_begin(&s, ws, &record, false, err);

	if (st)
		return st;
	put_table(s, "version 2");
	nx_staging_fail(s, "it could not be read");
	return NX_OK;
}

static enum nx_status change_collect(struct nx_workspace *ws, struct nx_error *err)
{
	struct nx_leftovers leftovers = {0};
	struct nx_arena arena = {0};
	enum nx_status st = nx_workspace_collect(ws, false, &arena, &leftovers, err);

	nx_vec_release(&leftovers);
	nx_arena_release(&arena);
	return st;
}

/* Names that may exist afterwards, and names that must. */
struct change {
	enum nx_status (*run)(struct nx_workspace *ws, struct nx_error *err);
	const char *other_name; /* target may have this name instead */
	bool may_lose;		/* target may be gone */
	bool makes_target_new;	/* target may have version 2 */
};

static const struct change changes[] = {
	{change_add, NULL, false, false},	  {change_replace, NULL, false, true},
	{change_rename, "renamed", false, false}, {change_remove, NULL, true, false},
	{change_mark, NULL, false, false},	  {change_fail, NULL, false, false},
	{change_collect, NULL, false, false},
};
#define CHANGE_COUNT (sizeof(changes) / sizeof(changes[0]))

/* --- what must hold -------------------------------------------------------- */

static bool table_is(const char *name, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "ws/profiles/global/%s@latest/Instruction.parquet", name);
	return has_text(path, text);
}

/* A ready profile has the table that its record counts. */
static void check_ready(const struct nx_profile_record *r)
{
	assert_int_equal(r->tables.len, 1);
	assert_int_equal(nx_profile_record_rows(r), 9);
	assert_true(table_is(r->name, "version 1") || table_is(r->name, "version 2"));
}

static void check_target(const struct change *change, const struct nx_catalogue *c)
{
	const struct nx_profile_record *target = nx_catalogue_find(c, "target"), *other = NULL;
	bool is_target = target && target->state == NX_PROFILE_READY;

	if (change->other_name)
		other = nx_catalogue_find(c, change->other_name);
	assert_false(is_target && other);
	if (!change->may_lose)
		assert_true(is_target || other);
	if (is_target && !change->makes_target_new)
		assert_true(table_is("target", "version 1"));
}

static void check_workspace(const struct change *change)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_catalogue c;
	size_t ready = 0;

	assert_int_equal(nx_catalogue_load(&c, ws, NULL), NX_OK);
	for (size_t i = 0; i < c.records.len; i++) {
		const struct nx_profile_record *r = &c.records.items[i];

		assert_int_not_equal(r->state, NX_PROFILE_DAMAGED);
		assert_int_not_equal(r->state, NX_PROFILE_PROCESSING);
		if (r->state == NX_PROFILE_READY)
			check_ready(r);
		else
			assert_true(r->reason[0]);
		ready += r->state == NX_PROFILE_READY;
	}
	assert_true(table_is("bystander", "version 1"));
	check_target(change, &c);
	nx_catalogue_release(&c);

	/* gc keeps the finished profiles and nothing else. */
	assert_int_equal(change_collect(ws, NULL), NX_OK);
	assert_int_equal(count_in("ws/staging"), 0);
	assert_int_equal(count_in("ws/trash"), 0);
	assert_int_equal(count_in("ws/profiles/global"), ready);
	assert_int_equal(count_in("ws/profiles/global/bystander@latest"), 2);
	nx_workspace_close(ws);
}

static void prepare(void)
{
	struct nx_workspace *ws = NULL;
	int here = open(".", O_RDONLY | O_DIRECTORY);

	assert_int_equal(nx_durable_remove_tree(here, "ws", ".", NULL), NX_OK);
	close(here);
	ws = open_workspace();
	must_store(ws, "bystander", "version 1");
	must_store(ws, "target", "version 1");
	nx_workspace_close(ws);
}

/* --- at every step --------------------------------------------------------- */

/* Runs in a child process that may die; returns its wait status. */
static int run_in_child(const struct change *change)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct nx_workspace_options how = {.path = "ws"};
		struct nx_workspace *ws;
		struct nx_error err = {0};
		enum nx_status st;

		*step_count = 0;
		st = nx_workspace_open(&ws, &how, &err);
		if (!st)
			st = change->run(ws, &err);
		_exit(!st ? 0 : err.message[0] ? 1 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int kill_at_every_step(const struct change *change)
{
	for (int step = 0; step < STEPS_MAX; step++) {
		int status;

		prepare();
		faults.kill_at = step;
		status = run_in_child(change);
		faults.kill_at = NEVER;
		check_workspace(change);
		if (WIFEXITED(status)) {
			assert_int_equal(WEXITSTATUS(status), 0);
			return step;
		}
	}
	return STEPS_MAX;
}

static void a_kill_at_any_step_breaks_nothing(void **state)
{
	(void)state;
	faults.no_swap = false;
	for (size_t i = 0; i < CHANGE_COUNT; i++) {
		int steps = kill_at_every_step(&changes[i]);

		/* Fewer would mean that the calls are not replaced. */
		assert_in_range(steps, changes[i].run == change_collect ? 1 : 4, STEPS_MAX - 1);
	}
}

static void a_kill_breaks_nothing_if_names_cannot_be_swapped(void **state)
{
	(void)state;
	faults.no_swap = true;
	for (size_t i = 0; i < CHANGE_COUNT; i++)
		assert_in_range(kill_at_every_step(&changes[i]), 1, STEPS_MAX - 1);
	faults.no_swap = false;
}

static void fail_at_every_step(const struct change *change, int error, bool is_long)
{
	bool is_reached = true;
	faults.error = error;
	faults.is_long = is_long;
	for (int step = 0; is_reached && step < STEPS_MAX; step++) {
		int status;

		prepare();
		faults.fail_at = step;
		status = run_in_child(change);
		faults.fail_at = NEVER;
		/* A failure has a message, unless it is harmless. */
		assert_true(WIFEXITED(status));
		assert_in_range(WEXITSTATUS(status), 0, 1);
		is_reached = *step_count > step;
		check_workspace(change);
	}
}

static void a_disk_that_fills_up_at_any_step_breaks_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < CHANGE_COUNT; i++)
		fail_at_every_step(&changes[i], ENOSPC, true);
}

static void one_error_at_any_step_breaks_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < CHANGE_COUNT; i++)
		fail_at_every_step(&changes[i], EIO, false);
}

/* --- at any moment --------------------------------------------------------- */

static void change_for_ever(unsigned seed)
{
	struct nx_workspace *ws = open_workspace();

	for (unsigned i = seed;; i++) {
		(void)!store_profile(ws, "target", i % 2 ? "version 1" : "version 2", true, NULL);
		(void)!nx_workspace_mark(ws, "target", &(struct nx_profile_marks){.label = "x"},
					 NULL);
		(void)!nx_workspace_rename(ws, "target", "renamed", NULL);
		(void)!nx_workspace_rename(ws, "renamed", "target", NULL);
		(void)!store_profile(ws, "added", "version 2", false, NULL);
		(void)!nx_workspace_remove(ws, "added", NULL);
		if (i % 5 == 0)
			(void)!change_collect(ws, NULL);
	}
}

static void kills_at_random_times_break_nothing(void **state)
{
	const struct change any = {NULL, "renamed", false, true};
	unsigned random = 12345;

	(void)state;
	prepare();
	for (int round = 0; round < 25; round++) {
		pid_t pids[2];
		struct nx_workspace *ws;

		for (unsigned i = 0; i < 2; i++) {
			pids[i] = fork();
			if (!pids[i])
				change_for_ever(i);
		}
		random = random * 1664525u + 1013904223u;
		usleep(2000 + (random >> 16) % 30000);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(kill(pids[i], SIGKILL), 0);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
		/* A rename may meet the other process's replacement: both names may exist. */
		ws = open_workspace();
		if (state_of(ws, "target") == NX_PROFILE_READY)
			(void)!nx_workspace_remove(ws, "renamed", NULL);
		nx_workspace_close(ws);
		check_workspace(&any);
	}
}

static void readers_always_see_the_profile(void **state)
{
	struct nx_workspace *ws;
	pid_t pid;

	(void)state;
	prepare();
	pid = fork();
	if (!pid) {
		ws = open_workspace();
		for (;;)
			(void)!store_profile(ws, "target", "version 2", true, NULL);
	}
	ws = open_workspace();
	for (int i = 0; i < 300; i++) {
		struct nx_arena arena = {0};
		struct nx_profile_record r;

		assert_true(is_there("ws/profiles/global/target@latest"));
		assert_int_equal(nx_workspace_load(ws, "target", &arena, &r, NULL), NX_OK);
		nx_profile_record_release(&r);
		nx_arena_release(&arena);
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	nx_workspace_close(ws);
}

/* --- the disk -------------------------------------------------------------- */

static unsigned long inode_at(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (unsigned long)st.st_ino;
}

/* Whether "s<inode>" is before (or, behind: after) the first "r". */
static bool is_synced(const char *log, unsigned long inode, bool behind)
{
	const char *swap = strstr(log, "r\n"), *found;
	char line[32];

	snprintf(line, sizeof(line), "s%lu\n", inode);
	found = strstr(behind ? swap : log, line);
	return found && (behind || found < swap);
}

/* A kill does not lose data like a power cut does, so check the order of the calls. */
static void files_are_synced_before_they_are_renamed(void **state)
{
	struct nx_workspace *ws;
	struct nx_profile_record record = {.name = "target"};
	struct nx_staging *s;
	unsigned long folder, table;
	char *log = NULL, path[300];
	size_t len;

	(void)state;
	prepare();
	ws = open_workspace();
	assert_int_equal(nx_staging_begin(&s, ws, &record, true, NULL), NX_OK);
	put_table(s, "version 2");
	snprintf(path, sizeof(path), "%s/Instruction.parquet", nx_staging_path(s));
	table = inode_at(path);
	folder = inode_at(nx_staging_path(s));
	faults.log = open_memstream(&log, &len);
	assert_int_equal(nx_staging_commit(s, NULL), NX_OK);
	fclose(faults.log);
	faults.log = NULL;
	assert_non_null(strstr(log, "r\n"));
	assert_true(is_synced(log, table, false));
	assert_true(is_synced(log, folder, false));
	assert_true(
		is_synced(log, inode_at("ws/profiles/global/target@latest/profile.json"), false));
	assert_true(is_synced(log, inode_at("ws/profiles/global"), true));
	assert_true(is_synced(log, inode_at("ws/staging"), true));
	free(log);
	nx_workspace_close(ws);
}

/* Mounts a small disk; 77 if the system does not allow that. */
static int fill_small_disk(void)
{
	static char large[1 << 18];
	struct nx_workspace *ws;
	struct nx_profile_record record = {.name = "large"};
	struct nx_staging *s;
	struct nx_error err = {0};
	char path[300];
	FILE *f;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mkdir("ws", 0700) < 0 || mount("none", "ws", "tmpfs", 0, "size=128k") < 0)
		return 77;
	ws = open_workspace();
	if (store_profile(ws, "small", "version 1", false, &err) ||
	    nx_staging_begin(&s, ws, &record, false, &err))
		return 1;
	snprintf(path, sizeof(path), "%s/Instruction.parquet", nx_staging_path(s));
	f = fopen(path, "w");
	if (!f || (fwrite(large, 1, sizeof(large), f) == sizeof(large) && fflush(f) == 0))
		return 2;
	fclose(f);
	/* Fill the disk, so that the record cannot be written. */
	if (nx_staging_commit(s, &err) != NX_NO_SPACE ||
	    !strstr(err.message, "is full, which has the folder"))
		return 3;
	if (state_of(ws, "large") != NX_PROFILE_FAILED || state_of(ws, "small") != NX_PROFILE_READY)
		return 4;
	if (change_collect(ws, &err) || store_profile(ws, "large", "version 2", false, &err))
		return 5;
	nx_workspace_close(ws);
	return 0;
}

static void a_full_disk_is_reported_and_survived(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(fill_small_disk());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		print_message("# no small disk: mounting is not allowed here\n");
	else
		assert_int_equal(WEXITSTATUS(status), 0);
}

/* A failed test must not affect the next one. */
static int begin_test(void **state)
{
	faults.kill_at = faults.fail_at = NEVER;
	faults.no_swap = false;
	faults.log = NULL;
	(void)state;
	/* Thousands of renames take two seconds in memory, but half a minute on
	 * a disk. */
	return enter_folder_in(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_test, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_kill_at_any_step_breaks_nothing),
		CASE(a_kill_breaks_nothing_if_names_cannot_be_swapped),
		CASE(a_disk_that_fills_up_at_any_step_breaks_nothing),
		CASE(one_error_at_any_step_breaks_nothing),
		CASE(kills_at_random_times_break_nothing),
		CASE(readers_always_see_the_profile),
		CASE(files_are_synced_before_they_are_renamed),
		CASE(a_full_disk_is_reported_and_survived),
	};

	step_count = mmap(NULL, sizeof(*step_count), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (step_count == MAP_FAILED)
		return 1;

	return cmocka_run_group_tests(tests, NULL, NULL);
}
