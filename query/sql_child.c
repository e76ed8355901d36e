/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side: starts the process, asks, and explains its end. */
#include "query/sql_child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bare/bits.h"
#include "query/row_wire.h"
#include "query/sql_child_internal.h"

#define ROW_BYTES_USUAL ((size_t)32 << 20)
#define PROCESSOR_SECONDS_USUAL 120u
/* Of one message besides the rows: columns, or rows before the last one. */
#define MESSAGE_BYTES_MORE ((size_t)4 << 20)
#define VARIABLES_MAX 16

extern char **environ;

struct nx_sql_child {
	struct nx_sql_child_options how;
	pid_t pid;
	int fd;
	_Atomic bool is_stopped;
	bool is_over; /* seen to have ended */
	struct nx_bytes message;
};

/* --- messages ------------------------------------------------------------------------------- */

static bool send_all(int fd, struct nx_slice bytes)
{
	while (bytes.len) {
		ssize_t n = send(fd, bytes.data, bytes.len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		bytes.data += n;
		bytes.len -= (size_t)n;
	}
	return true;
}

bool nx_sql_message_send(int fd, enum nx_sql_message type, struct nx_slice contents)
{
	uint8_t head[NX_SQL_MESSAGE_HEAD_BYTES] = {(uint8_t)type};

	assert(contents.len <= UINT32_MAX);
	nx_store32(head + 1, (uint32_t)contents.len);
	return send_all(fd, nx_slice_of(head, sizeof(head))) && send_all(fd, contents);
}

static bool receive_all(int fd, uint8_t *to, size_t len)
{
	while (len) {
		ssize_t n = recv(fd, to, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		len -= (size_t)n;
	}
	return true;
}

bool nx_sql_message_receive(int fd, size_t bytes_max, enum nx_sql_message *type,
			    struct nx_bytes *contents)
{
	uint8_t head[NX_SQL_MESSAGE_HEAD_BYTES];
	uint32_t len;

	nx_vec_clear(contents);
	if (!receive_all(fd, head, sizeof(head)))
		return false;
	len = nx_load32(head + 1);
	if (len > bytes_max)
		return false;
	*type = (enum nx_sql_message)head[0];
	nx_bytes_append_zeros(contents, len);
	return receive_all(fd, contents->items, len);
}

/* --- starting ------------------------------------------------------------------------------- */

/* What the child needs of the environment; the rest, which may hold secrets, is not passed on. */
static void choose_environment(char *chosen[VARIABLES_MAX])
{
	static const char *const wanted[] = {
		"NEURON_EXPLORER_DUCKDB=",
		"LD_LIBRARY_PATH=",
		"LD_PRELOAD=",
		"LANG=",
		"LC_ALL=",
		"TZ=",
		"TZDIR=",
		"ASAN_OPTIONS=",
		"UBSAN_OPTIONS=",
		"TSAN_OPTIONS=",
		"LSAN_OPTIONS=",
	};
	size_t count = 0;

	static_assert(sizeof(wanted) / sizeof(wanted[0]) < VARIABLES_MAX, "and the NULL");
	for (char **variable = environ; *variable && count + 1 < VARIABLES_MAX; variable++)
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (!strncmp(*variable, wanted[i], strlen(wanted[i]))) {
				chosen[count++] = *variable;
				break;
			}
	chosen[count] = NULL;
}

static int spawn(const struct nx_sql_child_options *how, int fd, pid_t *pid)
{
	char *const arguments[] = {(char *)(uintptr_t) "neuron-explorer",
				   (char *)(uintptr_t)NX_SQL_CHILD_ARGUMENT,
				   (char *)(uintptr_t)how->library_path, NULL};
	char *variables[VARIABLES_MAX];
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int failure;

	choose_environment(variables);
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	/* a group of its own, so that ctrl-c reaches the parent alone */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, fd, NX_SQL_CHILD_FD);
	posix_spawn_file_actions_addclosefrom_np(&files, NX_SQL_CHILD_FD + 1);
	failure = posix_spawn(pid, how->program, &files, &attributes, arguments, variables);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return failure;
}

enum nx_status nx_sql_child_start(struct nx_sql_child **out,
				  const struct nx_sql_child_options *options, struct nx_error *err)
{
	struct nx_sql_child *child;
	int ends[2], failure;
	pid_t pid;

	assert(options->program && options->memory_limit_bytes);
	*out = NULL;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return nx_fail_errno(err, errno, "cannot start a process for SQL");
	failure = spawn(options, ends[1], &pid);
	close(ends[1]);
	if (failure) {
		close(ends[0]);
		return nx_fail_errno(err, failure, "cannot start a process for SQL");
	}
	child = nx_heap_alloc(sizeof(*child));
	*child = (struct nx_sql_child){.how = *options, .pid = pid, .fd = ends[0]};
	if (!child->how.row_bytes_max)
		child->how.row_bytes_max = ROW_BYTES_USUAL;
	if (!child->how.processor_seconds)
		child->how.processor_seconds = PROCESSOR_SECONDS_USUAL;
	*out = child;
	return NX_OK;
}

/* --- the end -------------------------------------------------------------------------------- */

void nx_sql_child_stop(struct nx_sql_child *child)
{
	atomic_store(&child->is_stopped, true);
	kill(child->pid, SIGKILL);
}

/* How it ended. It stays a zombie until it is closed: nx_sql_child_stop must not meet another
 * process of the same pid. */
static siginfo_t see_end(struct nx_sql_child *child)
{
	siginfo_t end = {0};

	kill(child->pid, SIGKILL); /* if it only talks nonsense */
	while (waitid(P_PID, (id_t)child->pid, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		continue;
	child->is_over = true;
	return end;
}

void nx_sql_child_close(struct nx_sql_child *child)
{
	if (!child)
		return;
	close(child->fd);
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	nx_vec_release(&child->message);
	nx_heap_free(child);
}

bool nx_sql_child_is_alive(const struct nx_sql_child *child)
{
	struct pollfd end = {.fd = child->fd, .events = POLLIN | POLLRDHUP};

	return !child->is_over && !atomic_load(&child->is_stopped) && poll(&end, 1, 0) == 0;
}

static enum nx_status explain_end(struct nx_sql_child *child, struct nx_error *err)
{
	siginfo_t end = see_end(child);

	if (atomic_load(&child->is_stopped))
		return nx_fail(err, NX_CANCELLED, "the query was interrupted");
	if (end.si_code != CLD_EXITED && end.si_status == SIGXCPU)
		return nx_fail(err, NX_LIMIT,
			       "the query was stopped after %u s of processor time, the limit; "
			       "ask for less",
			       child->how.processor_seconds);
	if (end.si_code != CLD_EXITED && end.si_status == SIGSEGV)
		return nx_fail(err, NX_LIMIT,
			       "the query crashed the SQL engine, perhaps because it is nested too "
			       "deeply; write it in a simpler way");
	return nx_fail(err, NX_LIMIT,
		       "the query needs more memory than the limit of %.1f MB and was stopped; ask "
		       "for less",
		       (double)child->how.memory_limit_bytes / 1e6);
}

/* --- asking --------------------------------------------------------------------------------- */

static enum nx_status take_failure(const struct nx_bytes *message, struct nx_error *err)
{
	enum nx_status st = message->len ? (enum nx_status)message->items[0] : NX_OK;

	if (st <= NX_OK || st > NX_CANCELLED)
		return nx_fail(err, NX_UNSUPPORTED, "the SQL engine failed without a reason");
	return nx_fail(err, st, "%.*s", (int)(message->len - 1), (char *)message->items + 1);
}

/* Sends a question and receives the answer, whose type is in *got unless it is FAILED. */
static enum nx_status ask(struct nx_sql_child *child, enum nx_sql_message type,
			  struct nx_slice contents, enum nx_sql_message *got, struct nx_error *err)
{
	if (child->is_over)
		return explain_end(child, err);
	if (!nx_sql_message_send(child->fd, type, contents) ||
	    !nx_sql_message_receive(child->fd, child->how.row_bytes_max + MESSAGE_BYTES_MORE, got,
				    &child->message))
		return explain_end(child, err);
	return *got == NX_SQL_FAILED ? take_failure(&child->message, err) : NX_OK;
}

enum nx_status nx_sql_child_open(struct nx_sql_child *child, const char *path, struct nx_error *err)
{
	const struct nx_sql_open_head head = {
		.memory_limit_bytes = child->how.memory_limit_bytes,
		.statement_limit_bytes = child->how.statement_limit_bytes,
		.row_bytes_max = child->how.row_bytes_max,
		.thread_count = child->how.thread_count,
		.processor_seconds = child->how.processor_seconds,
	};
	struct nx_bytes contents = {0};
	enum nx_sql_message got = NX_SQL_FAILED;
	enum nx_status st;

	nx_bytes_append(&contents, &head, sizeof(head));
	nx_bytes_append(&contents, path, strlen(path));
	st = ask(child, NX_SQL_OPEN, nx_slice_of(contents.items, contents.len), &got, err);
	nx_vec_release(&contents);
	if (!st && got != NX_SQL_OPENED)
		st = explain_end(child, err);
	return st;
}

/* --- rows ----------------------------------------------------------------------------------- */

struct stream {
	struct nx_row_stream rows; /* first, so that one is the other */
	struct nx_sql_child *child;
	struct nx_arena arena, row_arena;
	struct nx_value *values;
	struct nx_slice rest; /* of the child's message */
	bool is_over;
};

static enum nx_status turn(struct stream *s, struct nx_error *err)
{
	enum nx_sql_message got = NX_SQL_FAILED;
	enum nx_status st = ask(s->child, NX_SQL_NEXT, (struct nx_slice){0}, &got, err);

	s->is_over = st || got != NX_SQL_ROWS;
	if (!st && got != NX_SQL_ROWS && got != NX_SQL_END)
		return explain_end(s->child, err);
	if (!s->is_over)
		s->rest = nx_slice_of(s->child->message.items, s->child->message.len);
	return st;
}

static enum nx_status stream_next(struct nx_row_stream *rows, const struct nx_value **row,
				  struct nx_error *err)
{
	struct stream *s = (struct stream *)rows;
	enum nx_status st = NX_OK;

	*row = NULL;
	if (!s->rest.len && !s->is_over)
		st = turn(s, err);
	if (st || s->is_over)
		return st;
	nx_arena_reset(&s->row_arena);
	if (nx_row_wire_get_row(&s->rest, &s->row_arena, s->values, rows->column_count)) {
		s->is_over = true;
		return explain_end(s->child, err);
	}
	*row = s->values;
	return NX_OK;
}

static enum nx_status stream_count_rest(struct nx_row_stream *rows, uint64_t *count,
					struct nx_error *err)
{
	const struct nx_value *row;
	enum nx_status st;

	for (*count = 0; !(st = stream_next(rows, &row, err)) && row;)
		++*count;
	return st;
}

static void stream_close(struct nx_row_stream *rows)
{
	struct stream *s = (struct stream *)rows;

	/* if it cannot be sent, the next question finds out */
	if (!s->is_over && !s->child->is_over)
		(void)nx_sql_message_send(s->child->fd, NX_SQL_CLOSE, (struct nx_slice){0});
	nx_arena_release(&s->row_arena);
	nx_arena_release(&s->arena);
	nx_heap_free(s);
}

static const struct nx_row_stream_ops stream_ops = {stream_next, stream_count_rest, stream_close};

static struct stream *new_stream(struct nx_sql_child *child)
{
	struct stream *s = nx_heap_alloc(sizeof(*s));
	struct nx_slice from = nx_slice_of(child->message.items, child->message.len);
	struct nx_column *columns;

	*s = (struct stream){.rows.ops = &stream_ops, .child = child};
	if (nx_row_wire_get_columns(&from, &s->arena, &columns, &s->rows.column_count) ||
	    from.len || !s->rows.column_count) {
		nx_arena_release(&s->arena);
		nx_heap_free(s);
		return NULL;
	}
	s->rows.columns = columns;
	s->values = NX_NEW_ARRAY(&s->arena, struct nx_value, s->rows.column_count);
	return s;
}

enum nx_status nx_sql_child_query(struct nx_sql_child *child, struct nx_slice sql,
				  struct nx_row_stream **out, struct nx_error *err)
{
	enum nx_sql_message got = NX_SQL_FAILED;
	struct stream *s = NULL;
	enum nx_status st = NX_OK;

	*out = NULL;
	if (sql.len > NX_SQL_QUESTION_BYTES_MAX)
		return nx_fail(err, NX_LIMIT, "the statement is longer than %zu kB",
			       NX_SQL_QUESTION_BYTES_MAX >> 10);
	st = ask(child, NX_SQL_QUERY, sql, &got, err);
	if (st)
		return st;
	if (got == NX_SQL_COLUMNS)
		s = new_stream(child);
	if (!s)
		return explain_end(child, err);
	*out = &s->rows;
	return NX_OK;
}

static enum nx_status ask_engine(void *context, struct nx_slice sql, struct nx_row_stream **out,
				 struct nx_error *err)
{
	return nx_sql_child_query(context, sql, out, err);
}

struct nx_query_engine nx_sql_child_as_engine(struct nx_sql_child *child)
{
	return (struct nx_query_engine){NX_SQL_DUCKDB, ask_engine, child};
}
