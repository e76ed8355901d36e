/* SPDX-License-Identifier: Apache-2.0 */
/* Continuous recording of a program without the runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <nx/profiler.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "format/process_folder.h"
#include "format/snapshot_file.h"
#include "format/spans.h"

static char folder[64];
static nx_name tick, number;

/* A snapshot, decoded. */
struct left {
	struct nx_arena arena;
	struct nx_file file, description;
	struct nx_snapshot_file snapshot;
	struct NX_VEC_BODY(struct nx_spans_record) records;
};

static nx_profiler_continuous_options options_of_test(void)
{
	nx_profiler_continuous_options options = nx_profiler_continuous_options_default();

	options.output_dir = folder;
	return options;
}

static void start(const nx_profiler_continuous_options *options)
{
	if (nx_profiler_continuous_start(options))
		fail_msg("%s", nx_profiler_error());
}

/* One record with a number, from 1 on. */
static void put(uint64_t value)
{
	nx_attribute attribute = nx_attribute_u64(number, value);

	nx_profiler_instant(tick, &attribute, 1);
}

static void read_snapshot(struct left *left, const char *path)
{
	struct nx_ntrace_stream stream = {0};
	struct nx_slice message;
	char name[2000];

	memset(left, 0, sizeof(*left));
	snprintf(name, sizeof(name), "%s/" NX_SPANS_FILE, path);
	assert_int_equal(nx_file_map(&left->file, name, NULL), NX_OK);
	stream.file = left->file.bytes;
	while (nx_ntrace_next(&stream, &message)) {
		struct nx_spans_record record;

		assert_int_equal(nx_wire_decode(&nx_spans_record_message, message, &record,
						&left->arena, NULL, NULL),
				 NX_OK);
		nx_vec_push(&left->records, record);
	}
	assert_false(stream.is_torn);
	snprintf(name, sizeof(name), "%s/" NX_SNAPSHOT_FILE, path);
	assert_int_equal(nx_file_map(&left->description, name, NULL), NX_OK);
	assert_int_equal(nx_snapshot_file_decode(left->description.bytes, &left->arena,
						 &left->snapshot, NULL),
			 NX_OK);
	assert_int_equal(left->snapshot.end_sequence - left->snapshot.first_sequence,
			 left->snapshot.span_count + left->snapshot.event_count +
				 left->snapshot.cut_count);
}

static void save(struct left *left, const char *reason)
{
	nx_profiler_snapshot_options options = {sizeof(options), NULL, reason};
	char path[1500];

	if (nx_profiler_snapshot(&options, path, sizeof(path)))
		fail_msg("%s", nx_profiler_error());
	read_snapshot(left, path);
}

static void release(struct left *left)
{
	nx_vec_release(&left->records);
	nx_file_unmap(&left->file);
	nx_file_unmap(&left->description);
	nx_arena_release(&left->arena);
}

/* The numbers of put are consecutive; returns how many there are. */
static uint64_t count_ticks(const struct left *left, uint64_t *first, uint64_t *last)
{
	uint64_t count = 0;

	for (size_t i = 0; i < left->records.len; i++) {
		const struct nx_spans_record *record = &left->records.items[i];
		uint64_t value;

		if (record->what != NX_SPANS_INSTANT)
			continue;
		assert_int_equal(record->attributes.count, 1);
		value = record->attributes.items[0].integer;
		if (!count++)
			*first = value;
		else
			assert_int_equal(value, *last + 1);
		*last = value;
	}
	return count;
}

/* The process's folder; 1 for a snapshot, 0 for one that is not finished. */
static unsigned count_folders(bool is_finished)
{
	char path[1024], host[600] = "";
	struct dirent *entry;
	DIR *dir = opendir(folder);
	unsigned count = 0;

	while (dir && (entry = readdir(dir)))
		if (strstr(entry->d_name, "_pid_"))
			snprintf(host, sizeof(host), "%s", entry->d_name);
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "%s/%s", folder, host);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			count += is_finished;
		else if (strncmp(entry->d_name, NX_PROCESS_UNFINISHED, 5) == 0)
			count += !is_finished;
	if (dir)
		closedir(dir);
	return count;
}

static nx_profiler_continuous_counts counts_now(void)
{
	nx_profiler_continuous_counts counts = {.struct_size = sizeof(counts)};

	nx_profiler_continuous_count(&counts);
	return counts;
}

/* Triggers are dealt with by the thread, some time later. */
static void wait_for_snapshots(uint64_t count)
{
	const struct timespec moment = {0, 2000000};

	while (counts_now().snapshots < count)
		nanosleep(&moment, NULL);
}

/* --- start, stop, save ------------------------------------------------------------------------ */

static void it_is_on_until_it_is_stopped(void **state)
{
	nx_profiler_continuous_options options = options_of_test();

	(void)state;
	assert_false(nx_profiler_continuous_is_on());
	assert_int_equal(nx_profiler_snapshot(NULL, NULL, 0), NX_PROFILER_IDLE);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_IDLE);
	start(&options);
	assert_true(nx_profiler_continuous_is_on());
	assert_true(nx_profiler_is_on());
	assert_int_equal(nx_profiler_continuous_start(&options), NX_PROFILER_BUSY);
	assert_int_equal(nx_profiler_stop(), NX_PROFILER_IDLE);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
	assert_false(nx_profiler_is_on());
	assert_int_equal(count_folders(true), 0);
}

static void wrong_options_are_refused(void **state)
{
	nx_profiler_continuous_options options = options_of_test();

	(void)state;
	options.budget_bytes = 1000;
	assert_int_equal(nx_profiler_continuous_start(&options), NX_PROFILER_INVALID);
	assert_non_null(strstr(nx_profiler_error(), "4 MiB"));
	options = options_of_test();
	options.cores = "none";
	assert_int_equal(nx_profiler_continuous_start(&options), NX_PROFILER_INVALID);
	options = options_of_test();
	options.signal_number = SIGKILL;
	assert_int_equal(nx_profiler_continuous_start(&options), NX_PROFILER_INVALID);
	options.struct_size = 1;
	assert_int_equal(nx_profiler_continuous_start(&options), NX_PROFILER_INVALID);
	assert_false(nx_profiler_continuous_is_on());
}

static void a_snapshot_has_what_was_recorded_and_why_it_was_saved(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	uint64_t first, last;
	struct left left;

	(void)state;
	start(&options);
	for (uint64_t i = 1; i <= 1000; i++)
		put(i);
	save(&left, "a reason");
	assert_int_equal(count_ticks(&left, &first, &last), 1000);
	assert_int_equal(first, 1);
	assert_int_equal(left.snapshot.trigger, NX_SNAPSHOT_CALL);
	assert_string_equal(left.snapshot.reason, "a reason");
	assert_int_equal(left.snapshot.number, 1);
	assert_int_equal(left.snapshot.first_sequence, 0);
	assert_int_equal(left.snapshot.end_sequence, 1000);
	assert_int_equal(left.snapshot.missed_count, 0);
	release(&left);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
	assert_int_equal(count_folders(false), 0);
}

static void snapshots_overlap_and_name_what_they_need(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	uint64_t first, last;
	struct left left;

	(void)state;
	start(&options);
	for (uint64_t round = 1; round <= 3; round++) {
		bool is_named = false;

		for (uint64_t i = 1; i <= 100; i++)
			put((round - 1) * 100 + i);
		save(&left, NULL);
		assert_int_equal(count_ticks(&left, &first, &last), 100 * round);
		for (size_t i = 0; i < left.records.len; i++)
			is_named |= left.records.items[i].what == NX_SPANS_DEFINITION &&
				    left.records.items[i].name == tick;
		assert_true(is_named);
		release(&left);
	}
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
}

static void ends_without_a_beginning_are_left_out(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	uint64_t begins = 0, ends = 0;
	struct left left;
	nx_span span;

	(void)state;
	options.budget_bytes = 4 << 20;
	start(&options);
	span = nx_profiler_begin(tick);
	for (uint64_t i = 1; !counts_now().overwritten; i++)
		for (int k = 0; k < 1000; k++)
			put(1000 * i + (uint64_t)k);
	nx_profiler_end(span);
	nx_profiler_end(nx_profiler_begin(tick));
	save(&left, NULL);
	for (size_t i = 0; i < left.records.len; i++) {
		begins += left.records.items[i].what == NX_SPANS_BEGIN;
		ends += left.records.items[i].what == NX_SPANS_END;
	}
	assert_int_equal(begins, 1);
	assert_int_equal(ends, 1);
	assert_int_equal(left.snapshot.cut_count, 1);
	release(&left);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
}

/* --- the budget ------------------------------------------------------------------------------- */

static void the_latest_records_stay_and_the_rest_is_counted(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	nx_profiler_continuous_counts counts;
	uint64_t first, last, total = 0;
	struct left left;

	(void)state;
	options.budget_bytes = 4 << 20;
	start(&options);
	/* in portions that fit into the ring */
	for (; total < 200000; total += 1000) {
		for (uint64_t i = 1; i <= 1000; i++)
			put(total + i);
		counts = counts_now();
		assert_int_equal(counts.recorded, total + 1000);
		assert_int_equal(counts.kept + counts.overwritten, counts.recorded);
	}
	assert_int_equal(counts.lost, 0);
	/* Half of the budget, in records of 4 words and one: each segment has room for 819. */
	assert_true(counts.kept > 63 * 819 && counts.kept <= 64 * 819);
	save(&left, NULL);
	assert_int_equal(count_ticks(&left, &first, &last), counts.kept);
	assert_int_equal(first, counts.overwritten + 1);
	assert_int_equal(last, total);
	assert_int_equal(left.snapshot.first_sequence, counts.overwritten);
	release(&left);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
}

static void what_lies_between_two_snapshots_and_in_none_is_counted(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	uint64_t first, last, total = 0, seen;
	struct left left;

	(void)state;
	options.budget_bytes = 4 << 20;
	start(&options);
	put(++total);
	save(&left, NULL);
	seen = left.snapshot.end_sequence;
	release(&left);
	while (total < 200001) {
		put(++total);
		if (total % 1000 == 0)
			(void)counts_now();
	}
	save(&left, NULL);
	assert_true(count_ticks(&left, &first, &last) > 0);
	assert_int_equal(left.snapshot.missed_count, left.snapshot.first_sequence - seen);
	assert_int_equal(first, 1 + left.snapshot.missed_count + 1);
	release(&left);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
}

/* --- consecutive snapshots, with threads and sessions beside ------------------------------------
 */

#define WRITERS 3
static _Atomic bool is_over;
static _Atomic uint64_t put_count;

static void *write_ticks(void *unused)
{
	const struct timespec moment = {0, 1000000};

	(void)unused;
	/* No more than the history has room for, however slow the reader is. */
	while (!atomic_load(&is_over) && atomic_load(&put_count) < 40000) {
		for (int i = 0; i < 50; i++)
			put(atomic_fetch_add(&put_count, 1));
		nanosleep(&moment, NULL);
	}
	return NULL;
}

/* Marks each sequence number of a tick; a number must always stand for the same tick. */
static void mark(const struct left *left, uint64_t *values, size_t cap)
{
	for (size_t i = 0; i < left->records.len; i++) {
		const struct nx_spans_record *record = &left->records.items[i];

		if (record->what != NX_SPANS_INSTANT)
			continue;
		assert_true(record->sequence < cap);
		assert_true(!values[record->sequence] ||
			    values[record->sequence] == record->attributes.items[0].integer + 1);
		values[record->sequence] = record->attributes.items[0].integer + 1;
	}
}

static void consecutive_snapshots_lose_nothing(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	nx_profiler_options session = NX_PROFILER_OPTIONS;
	size_t cap = (size_t)1 << 17;
	uint64_t *values = calloc(cap, sizeof(*values)), end = 0;
	pthread_t threads[WRITERS];

	(void)state;
	atomic_store(&is_over, false);
	atomic_store(&put_count, 0);
	session.output_dir = folder;
	options.horizon_ms = 3600000; /* nothing expires, however slow the machine is */
	start(&options);
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, write_ticks, NULL);
	for (int round = 0; round < 12; round++) {
		struct left left;

		/* a session begins, lasts, ends */
		if (round % 4 == 1)
			assert_int_equal(nx_profiler_start(&session), NX_PROFILER_OK);
		if (round % 4 == 3)
			assert_int_equal(nx_profiler_stop(), NX_PROFILER_OK);
		if (round == 11) {
			atomic_store(&is_over, true);
			for (int i = 0; i < WRITERS; i++)
				pthread_join(threads[i], NULL);
		}
		save(&left, NULL);
		assert_int_equal(left.snapshot.missed_count, 0);
		assert_int_equal(left.snapshot.lost_count, 0);
		assert_true(left.snapshot.end_sequence >= end);
		end = left.snapshot.end_sequence;
		mark(&left, values, cap);
		release(&left);
	}
	assert_int_equal(end, atomic_load(&put_count));
	for (uint64_t i = 0; i < end; i++)
		assert_true(values[i] != 0);
	free(values);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
}

static void a_session_beside_has_only_its_own_records(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	nx_profiler_options session = NX_PROFILER_OPTIONS;
	struct nx_ntrace_stream stream = {0};
	uint64_t recorded, lost, count = 0;
	struct nx_arena arena = {0};
	struct nx_slice message;
	struct nx_file file;
	struct left left;
	char path[2000];
	nx_span before;

	(void)state;
	session.output_dir = folder;
	start(&options);
	put(1);
	before = nx_profiler_begin(tick);
	assert_int_equal(nx_profiler_start(&session), NX_PROFILER_OK);
	nx_profiler_end(before);
	for (uint64_t i = 0; i < 10; i++)
		nx_profiler_end(nx_profiler_begin(tick));
	nx_profiler_counts(&recorded, &lost);
	assert_int_equal(recorded, 21);
	assert_int_equal(lost, 0);
	assert_int_equal(nx_profiler_stop(), NX_PROFILER_OK);
	assert_true(nx_profiler_is_on());
	put(2);
	snprintf(path, sizeof(path), "%s/" NX_SPANS_FILE, nx_profiler_directory());
	assert_int_equal(nx_file_map(&file, path, NULL), NX_OK);
	stream.file = file.bytes;
	while (nx_ntrace_next(&stream, &message)) {
		struct nx_spans_record record;

		assert_int_equal(nx_wire_decode(&nx_spans_record_message, message, &record, &arena,
						NULL, NULL),
				 NX_OK);
		count += record.what == NX_SPANS_BEGIN || record.what == NX_SPANS_END;
		assert_int_not_equal(record.what, NX_SPANS_INSTANT);
	}
	assert_int_equal(count, 20);
	nx_file_unmap(&file);
	nx_arena_release(&arena);
	save(&left, NULL);
	assert_int_equal(left.snapshot.span_count, 24);
	release(&left);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
}

static void recording_may_begin_and_end_within_a_session(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	nx_profiler_options session = NX_PROFILER_OPTIONS;
	uint64_t recorded, lost, first, last;
	struct left left;

	(void)state;
	session.output_dir = folder;
	assert_int_equal(nx_profiler_start(&session), NX_PROFILER_OK);
	put(1);
	nx_profiler_flush();
	start(&options);
	put(2);
	put(3);
	save(&left, NULL);
	assert_int_equal(count_ticks(&left, &first, &last), 2);
	assert_int_equal(first, 2);
	release(&left);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
	put(4);
	nx_profiler_counts(&recorded, &lost);
	assert_int_equal(recorded, 4);
	assert_int_equal(nx_profiler_stop(), NX_PROFILER_OK);
	assert_false(nx_profiler_is_on());
}

/* --- triggers --------------------------------------------------------------------------------- */

static char newest[1500];

/* The latest snapshot below the folder. */
static void read_newest(struct left *left)
{
	char path[1024], host[600] = "";
	unsigned long long latest = 0;
	struct dirent *entry;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir)))
		if (strstr(entry->d_name, "_pid_"))
			snprintf(host, sizeof(host), "%s", entry->d_name);
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "%s/%s", folder, host);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (strtoull(entry->d_name, NULL, 10) > latest)
			latest = strtoull(entry->d_name, NULL, 10);
	if (dir)
		closedir(dir);
	snprintf(newest, sizeof(newest), "%s/%llu", path, latest);
	read_snapshot(left, newest);
}

static void a_signal_saves_a_snapshot(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	struct sigaction action;
	struct left left;

	(void)state;
	options.signal_number = SIGUSR2;
	start(&options);
	put(1);
	kill(getpid(), SIGUSR2);
	wait_for_snapshots(1);
	read_newest(&left);
	assert_int_equal(left.snapshot.trigger, NX_SNAPSHOT_SIGNAL);
	assert_int_equal(left.snapshot.span_count, 1);
	release(&left);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
	sigaction(SIGUSR2, NULL, &action);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
}

static void ignore(int signal_number)
{
	(void)signal_number;
}

static void a_handler_of_the_program_stays(void **state)
{
	nx_profiler_continuous_options options = options_of_test();

	(void)state;
	options.signal_number = SIGUSR1;
	signal(SIGUSR1, ignore);
	assert_int_equal(nx_profiler_continuous_start(&options), NX_PROFILER_INVALID);
	assert_non_null(strstr(nx_profiler_error(), "handler"));
	signal(SIGUSR1, SIG_DFL);
}

/* test_profiler_triggers.c checks which steps are slow; here some step is, sooner or later. */
static void a_slow_step_saves_a_snapshot(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	struct left left;

	(void)state;
	options.slow_step_factor = 2;
	options.min_interval_ms = 3600000;
	start(&options);
	for (int64_t step = 0; !counts_now().snapshots; step++) {
		nx_span span = nx_profiler_step_begin(tick, step);

		if (step > 200)
			nanosleep(&(struct timespec){0, 5000000}, NULL);
		nx_profiler_step_end(span);
	}
	read_newest(&left);
	assert_int_equal(left.snapshot.trigger, NX_SNAPSHOT_SLOW_STEP);
	assert_non_null(strstr(left.snapshot.reason, " of \"tick\" took "));
	release(&left);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
}

/* --- fork and kill ---------------------------------------------------------------------------- */

#if !defined(__SANITIZE_THREAD__) /* a child of a program with threads may not start any there */
static void a_child_does_not_record_but_may_begin_to(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	int status;
	pid_t child;

	(void)state;
	start(&options);
	put(1);
	child = fork();
	if (child == 0) {
		uint64_t first = 0, last;
		struct left left;

		if (nx_profiler_continuous_is_on() || nx_profiler_is_on() ||
		    nx_profiler_snapshot(NULL, NULL, 0) != NX_PROFILER_IDLE ||
		    nx_profiler_continuous_start(&options))
			_exit(1);
		put(7);
		save(&left, NULL);
		_exit(count_ticks(&left, &first, &last) == 1 && first == 7 ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(nx_profiler_continuous_stop(), NX_PROFILER_OK);
}

#endif

/* Snapshots without end, until the process is killed. */
static void a_killed_process_leaves_only_complete_snapshots(void **state)
{
	nx_profiler_continuous_options options = options_of_test();
	int pipes[2];
	pid_t child;
	char path[256];
	int status;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		if (nx_profiler_continuous_start(&options))
			_exit(1);
		for (uint64_t i = 1;; i++) {
			char name[1500] = "";

			for (int k = 0; k < 1000; k++)
				put(1000 * i + (uint64_t)k);
			if (nx_profiler_snapshot(NULL, name, sizeof(name)) ||
			    write(pipes[1], name, sizeof(name)) < 0)
				_exit(2);
		}
	}
	for (int i = 0; i < 5; i++) {
		char name[1500];
		struct left left;

		assert_int_equal(read(pipes[0], name, sizeof(name)), sizeof(name));
		if (i == 4)
			kill(child, SIGKILL);
		read_snapshot(&left, name);
		release(&left);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	close(pipes[0]);
	close(pipes[1]);
	snprintf(path, sizeof(path),
		 "find %s -name spans.pb -not -path '*/.unfinished_*' | "
		 "while read f; do test -s $(dirname $f)/snapshot.json -a -s "
		 "$(dirname $f)/trace_info.pb || echo $f; done | grep -q .",
		 folder);
	assert_int_not_equal(system(path), 0);
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/nx_continuous_XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	(void)nx_profiler_continuous_stop();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(it_is_on_until_it_is_stopped),
		CASE(wrong_options_are_refused),
		CASE(a_snapshot_has_what_was_recorded_and_why_it_was_saved),
		CASE(snapshots_overlap_and_name_what_they_need),
		CASE(ends_without_a_beginning_are_left_out),
		CASE(the_latest_records_stay_and_the_rest_is_counted),
		CASE(what_lies_between_two_snapshots_and_in_none_is_counted),
		CASE(consecutive_snapshots_lose_nothing),
		CASE(a_session_beside_has_only_its_own_records),
		CASE(recording_may_begin_and_end_within_a_session),
		CASE(a_signal_saves_a_snapshot),
		CASE(a_handler_of_the_program_stays),
		CASE(a_slow_step_saves_a_snapshot),
#if !defined(__SANITIZE_THREAD__)
		CASE(a_child_does_not_record_but_may_begin_to),
#endif
		CASE(a_killed_process_leaves_only_complete_snapshots),
	};

	tick = nx_profiler_name("tick");
	number = nx_profiler_name("number");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
