/* SPDX-License-Identifier: Apache-2.0 */
/* The child's side: limits itself, runs DuckDB, sends rows. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bare/bits.h"
#include "base/file.h"
#include "base/thread.h"
#include "query/duckdb_internal.h"
#include "query/row_wire.h"
#include "query/sql_child.h"
#include "query/sql_child_internal.h"

#define BATCH_BYTES ((size_t)256 << 10)
#define MEMORY_BYTES_MORE (UINT64_C(96) << 20)
#define THREAD_BYTES (UINT64_C(10) << 20) /* a stack and the allocator's share */
#define FILES_MAX 1024

struct serving {
	struct nx_profile_folder folder;
	struct nx_duckdb *db;
	struct nx_row_stream *rows; /* of the query that is being answered */
	struct nx_sql_open_head how;
	struct nx_bytes answer;
	const char *library_path;
	struct nx_error err;
};

/* --- limits --------------------------------------------------------------------------------- */

static void set_limit(__rlimit_resource_t resource, rlim_t most)
{
	struct rlimit limit = {most, most};

	setrlimit(resource, &limit);
}

/* Without these a query does nothing worse, so a system that lacks one is no reason to fail. */
static void limit_process(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* when memory is full, the system ends this process first, not the server */
	if (fd >= 0)
		(void)nx_write_all(fd, nx_slice_text("1000"));
	if (fd >= 0)
		close(fd);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_NOFILE, FILES_MAX);
#ifndef __SANITIZE_ADDRESS__ /* the sanitized build writes its coverage at the end */
	set_limit(RLIMIT_FSIZE, 0);
#endif
}

/* What this process has now; writable memory is what RLIMIT_DATA counts. */
static uint64_t data_bytes(void)
{
	unsigned long long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "re");

	if (statm && fscanf(statm, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* DuckDB stops at the limit in most cases; the system does in all others. */
static void limit_memory(const struct nx_sql_open_head *how)
{
	uint64_t bytes = how->memory_limit_bytes + how->memory_limit_bytes / 4 + MEMORY_BYTES_MORE;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t threads = how->thread_count ? how->thread_count
			   : processors > 0  ? (uint64_t)processors
					     : 1;

	set_limit(RLIMIT_DATA, data_bytes() + bytes + threads * THREAD_BYTES);
}

static void limit_processor_time(uint32_t seconds)
{
	struct rusage used;
	struct rlimit limit;

	if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &limit))
		return;
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1) + seconds;
	setrlimit(RLIMIT_CPU, &limit);
}

/* --- answering ------------------------------------------------------------------------------ */

static bool answer(enum nx_sql_message type, const struct nx_bytes *contents)
{
	return nx_sql_message_send(NX_SQL_CHILD_FD, type,
				   contents ? nx_slice_of(contents->items, contents->len)
					    : (struct nx_slice){0});
}

static bool answer_failure(struct serving *s, enum nx_status st)
{
	uint8_t status = (uint8_t)st;

	nx_vec_clear(&s->answer);
	nx_bytes_append(&s->answer, &status, 1);
	nx_bytes_append(&s->answer, s->err.message, strlen(s->err.message));
	return answer(NX_SQL_FAILED, &s->answer);
}

static void close_rows(struct serving *s)
{
	nx_row_stream_close(s->rows);
	s->rows = NULL;
}

static bool open_profile(struct serving *s, struct nx_bytes *question)
{
	struct nx_duckdb_options options = {0};
	enum nx_status st;

	if (s->db || question->len <= sizeof(s->how))
		return false;
	nx_bytes_append_zeros(question, 1);
	memcpy(&s->how, question->items, sizeof(s->how));
	options.memory_limit_bytes = s->how.memory_limit_bytes;
	options.statement_limit_bytes = s->how.statement_limit_bytes;
	options.thread_count = s->how.thread_count;
	options.library_path = s->library_path;
	limit_memory(&s->how);
	limit_processor_time(s->how.processor_seconds);
	st = nx_profile_folder_open(&s->folder, (char *)question->items + sizeof(s->how), &s->err);
	if (!st)
		st = nx_duckdb_open(&s->db, &s->folder, &options, &s->err);
	return st ? answer_failure(s, st) : answer(NX_SQL_OPENED, NULL);
}

static bool begin_query(struct serving *s, const struct nx_bytes *question)
{
	enum nx_status st;

	if (!s->db || s->rows)
		return false;
	limit_processor_time(s->how.processor_seconds);
	st = nx_duckdb_query(s->db, nx_slice_of(question->items, question->len), &s->rows, &s->err);
	if (st)
		return answer_failure(s, st);
	nx_vec_clear(&s->answer);
	nx_row_wire_put_columns(&s->answer, s->rows->columns, s->rows->column_count);
	return answer(NX_SQL_COLUMNS, &s->answer);
}

/* Rows until the message is long enough. */
static enum nx_status collect(struct serving *s)
{
	const struct nx_value *row;
	enum nx_status st = NX_OK;

	nx_vec_clear(&s->answer);
	while (s->answer.len < BATCH_BYTES) {
		st = nx_row_stream_next(s->rows, &row, &s->err);
		if (st || !row)
			break;
		if (nx_row_wire_put_row(&s->answer, row, s->rows->column_count,
					s->how.row_bytes_max))
			continue;
		return nx_fail(&s->err, NX_LIMIT,
			       "a row of the answer is larger than %zu MB; ask for shorter values",
			       (size_t)s->how.row_bytes_max >> 20);
	}
	return st;
}

static bool send_rows(struct serving *s)
{
	enum nx_status st;

	if (!s->rows)
		return false;
	st = collect(s);
	if (!st && s->answer.len)
		return answer(NX_SQL_ROWS, &s->answer);
	close_rows(s);
	return st ? answer_failure(s, st) : answer(NX_SQL_END, NULL);
}

static bool react(struct serving *s, enum nx_sql_message type, struct nx_bytes *question)
{
	switch (type) {
	case NX_SQL_OPEN:
		return open_profile(s, question);
	case NX_SQL_QUERY:
		return begin_query(s, question);
	case NX_SQL_NEXT:
		return send_rows(s);
	case NX_SQL_CLOSE:
		close_rows(s);
		return true;
	default:
		return false;
	}
}

static atomic_bool is_busy; /* with a question; else a parent that hangs up is noticed anyway */

static void watch_parent(void *unused)
{
	struct pollfd parent = {.fd = NX_SQL_CHILD_FD, .events = POLLRDHUP};

	(void)unused;
	while (poll(&parent, 1, -1) <= 0 || !(parent.revents & (POLLRDHUP | POLLHUP | POLLERR)))
		continue;
	if (atomic_load(&is_busy))
		kill(getpid(), SIGKILL);
}

int nx_sql_child_serve(const char *library_path)
{
	static struct nx_thread watcher; /* ends with the process */
	const struct nx_duckdb_api *api;
	struct serving s = {.library_path = library_path};
	struct nx_bytes question = {0};
	enum nx_sql_message type;

	limit_process();
	/* early, so that a process that waits for its profile is quick; a failure shows later */
	(void)!nx_duckdb_load(&api, library_path, NULL);
	if (nx_thread_start(&watcher, "nx-parent", watch_parent, NULL, NULL))
		return nx_status_exit_code(NX_LIMIT);
	pthread_detach(watcher.id);
	while (nx_sql_message_receive(NX_SQL_CHILD_FD, NX_SQL_QUESTION_BYTES_MAX, &type,
				      &question)) {
		bool is_right;

		atomic_store(&is_busy, true);
		is_right = react(&s, type, &question);
		atomic_store(&is_busy, false);
		if (!is_right)
			break;
	}
	close_rows(&s);
	nx_duckdb_close(s.db);
	nx_profile_folder_release(&s.folder);
	nx_vec_release(&s.answer);
	nx_vec_release(&question);
	return nx_status_exit_code(NX_OK);
}
