/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_streams.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/nccom/nccom_launch.h"
#include "cli/nccom/nccom_measure.h"
#include "cli/nccom/nccom_table.h"
#include "cli/terminal.h"
#include "runtime/trace/trace_filter.h"

#define CORES "NEURON_RT_VISIBLE_CORES"

struct stream {
	const struct nx_nccom_request *request;
	uint32_t first_core;
	pid_t pid;
	int from;	      /* -1: closed */
	struct nx_bytes told; /* so far */
};

struct run {
	struct nx_nccom_runtime *runtime;
	struct stream streams[NX_NCCOM_MAX_STREAMS];
	size_t count;
	pid_t parent;
	int go[2]; /* closed by the parent when all are ready */
};

/* --- messages ------------------------------------------------------------------------------ */

void nx_nccom_news_send(int to, struct nx_nccom_news *news, const struct nx_nccom_result *result)
{
	assert(news->kind <= NX_NCCOM_NEWS_END);
	news->time_count = result ? result->time_count : 0;
	news->said_len = result ? result->said.len : 0;
	/* If the parent is gone, nobody reads the rest. */
	if (!nx_write_all(to, nx_slice_of(news, sizeof(*news))) || !result ||
	    !nx_write_all(to, nx_slice_of(result->times_us, result->time_count * sizeof(double))))
		return;
	(void)nx_write_all(to, nx_slice_of(result->said.items, result->said.len));
}

static struct nx_slice take(struct nx_slice *rest, size_t len)
{
	struct nx_slice part = nx_slice_part(*rest, 0, len);

	*rest = nx_slice_part(*rest, len, SIZE_MAX);
	return part;
}

bool nx_nccom_news_next(struct nx_slice told, size_t *at, struct nx_nccom_news *news,
			struct nx_nccom_result *result)
{
	struct nx_slice rest = nx_slice_part(told, *at, SIZE_MAX), times, said;

	memset(result, 0, sizeof(*result));
	if (rest.len < sizeof(*news))
		return false;
	memcpy(news, take(&rest, sizeof(*news)).data, sizeof(*news));
	if (news->time_count > rest.len / sizeof(double) ||
	    news->said_len > rest.len - news->time_count * sizeof(double))
		return false;
	times = take(&rest, (size_t)news->time_count * sizeof(double));
	said = take(&rest, (size_t)news->said_len);
	result->time_count = (size_t)news->time_count;
	result->times_us = nx_heap_alloc(times.len + sizeof(double));
	if (times.len)
		memcpy(result->times_us, times.data, times.len);
	if (said.len)
		nx_bytes_append(&result->said, said.data, said.len);
	result->algorithm = news->algorithm;
	result->is_wall_time = news->is_wall_time;
	*at = told.len - rest.len;
	return true;
}

/* --- a stream, in its process -------------------------------------------------------------- */

/* Streams must not receive each other's messages: stream i uses port + i. */
static enum nx_status set_root(size_t index, struct nx_error *err)
{
	const char *root = getenv(NX_NCCOM_ROOT), *colon = root ? strrchr(root, ':') : NULL;
	uint64_t port = 0;
	char text[320];

	if (!root)
		return NX_OK;
	if (!colon || colon - root > 280 || !nx_slice_to_u64(nx_slice_text(colon + 1), &port) ||
	    port + index > 65535)
		return nx_fail(err, NX_USAGE,
			       NX_NCCOM_ROOT "=%.60s is not host:port with one port for each "
					     "stream from there on",
			       root);
	snprintf(text, sizeof(text), "%.*s:%u", (int)(colon - root), root,
		 (unsigned)(port + index));
	setenv(NX_NCCOM_ROOT, text, 1);
	return NX_OK;
}

static enum nx_status measure(const struct run *run, const struct nx_nccom_request *r, size_t index,
			      int to, struct nx_error *err)
{
	struct nx_nccom_result result = {0};
	struct nx_nccom_news news = {.kind = NX_NCCOM_NEWS_SIZE};
	struct nx_nccom_case c;
	enum nx_status st = nx_nccom_case_make(r, r->ops[0], r->sizes[index], &c, err);

	if (!st)
		st = nx_nccom_measure(run->runtime, r, &c, &result, err);
	if (st) {
		news.kind = NX_NCCOM_NEWS_FAILURE;
		news.err = *err;
	} else {
		news.is_wall_time = result.is_wall_time;
		snprintf(news.algorithm, sizeof(news.algorithm), "%s", result.algorithm);
	}
	nx_nccom_news_send(to, &news, &result);
	nx_nccom_result_release(&result);
	return st;
}

static int run_stream(struct run *run, size_t index, int to)
{
	const struct stream *s = &run->streams[index];
	struct nx_error err = {0};
	struct nx_nccom_news news = {.kind = NX_NCCOM_NEWS_READY};
	char cores[32], byte;
	enum nx_status st;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != run->parent)
		return 1;
	close(run->go[1]);
	snprintf(cores, sizeof(cores), "%u-%u", s->first_core,
		 s->first_core + s->request->options.local_rank_count - 1);
	setenv(CORES, cores, 1);
	unsetenv("NEURON_RT_NUM_CORES");
	st = set_root(index, &err);
	if (!st)
		st = nx_nccom_start(s->request, run->runtime, &err);
	if (st) {
		news.kind = NX_NCCOM_NEWS_FAILURE;
		news.err = err;
	}
	nx_nccom_news_send(to, &news, NULL);
	while (!st && read(run->go[0], &byte, 1) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < s->request->size_count && !st; i++)
		st = measure(run, s->request, i, to, &err);
	news.kind = NX_NCCOM_NEWS_END;
	nx_nccom_news_send(to, &news, NULL);
	nx_nccom_runtime_close(run->runtime);
	return st != NX_OK;
}

/* --- all of them ---------------------------------------------------------------------------- */

static enum nx_status start_stream(struct run *run, size_t index, struct nx_error *err)
{
	struct stream *s = &run->streams[index];
	int ends[2];

	assert(index < run->count);
	if (pipe(ends))
		return nx_fail_errno(err, errno, "cannot make a pipe for stream %zu", index + 1);
	s->pid = fork();
	if (s->pid == 0) {
		close(ends[0]);
		_exit(run_stream(run, index, ends[1]));
	}
	close(ends[1]);
	s->from = ends[0];
	if (s->pid > 0)
		return NX_OK;
	return nx_fail_errno(err, errno, "cannot start a process for stream %zu", index + 1);
}

static void hear(struct stream *s)
{
	uint8_t bytes[65536];
	ssize_t len = read(s->from, bytes, sizeof(bytes));

	if (len > 0) {
		nx_bytes_append(&s->told, bytes, (size_t)len);
	} else if (len == 0 || errno != EINTR) {
		close(s->from);
		s->from = -1;
	}
}

/* Until all pipes are closed; the first message of each stream is that it is ready. */
static void hear_all(struct run *run)
{
	for (;;) {
		struct pollfd ends[NX_NCCOM_MAX_STREAMS];
		size_t open = 0, ready = 0;

		for (size_t i = 0; i < run->count; i++) {
			const struct stream *s = &run->streams[i];

			ends[i] = (struct pollfd){.fd = s->from, .events = POLLIN};
			open += s->from >= 0;
			ready += s->from < 0 || s->told.len >= sizeof(struct nx_nccom_news);
		}
		if (ready == run->count && run->go[1] >= 0) {
			close(run->go[1]);
			run->go[1] = -1;
		}
		if (!open)
			return;
		if (poll(ends, run->count, -1) < 0)
			continue;
		for (size_t i = 0; i < run->count; i++)
			if (ends[i].fd >= 0 && ends[i].revents)
				hear(&run->streams[i]);
	}
}

/* --- results -------------------------------------------------------------------------------- */

static enum nx_status show_size(struct nx_nccom_table *table, size_t index,
				struct nx_nccom_result *result, struct nx_error *err)
{
	const struct nx_nccom_request *r = table->request;
	struct nx_nccom_case c;
	enum nx_status st;

	assert(index < r->size_count);
	st = nx_nccom_case_make(r, r->ops[0], r->sizes[index], &c, err);
	if (!st && r->options.first_rank == 0)
		nx_nccom_table_add(table, &c, result);
	return st;
}

static enum nx_status show_stream(const struct stream *s, struct nx_nccom_table *table,
				  struct nx_error *err)
{
	struct nx_nccom_news news = {.kind = NX_NCCOM_NEWS_READY};
	struct nx_nccom_result result;
	struct nx_slice told = nx_slice_of(s->told.items, s->told.len);
	enum nx_status st = NX_OK;
	size_t at = 0, size_count = 0;

	while (news.kind != NX_NCCOM_NEWS_END) {
		if (!nx_nccom_news_next(told, &at, &news, &result))
			return nx_fail(err, NX_IO, "its process was killed");
		if (news.kind == NX_NCCOM_NEWS_SIZE && !st)
			st = show_size(table, size_count++, &result, err);
		if (news.kind == NX_NCCOM_NEWS_FAILURE && !st)
			st = nx_fail(err, news.err.status, "%s", news.err.message);
		if (result.said.len)
			nx_bytes_append(&table->said, result.said.items, result.said.len);
		nx_nccom_result_release(&result);
	}
	return st;
}

static enum nx_status show_all(const struct run *run, struct nx_nccom_table *table,
			       struct nx_error *err)
{
	enum nx_status first = NX_OK;

	for (size_t i = 0; i < run->count; i++) {
		const struct nx_nccom_request *r = run->streams[i].request;
		struct nx_error own = {0};
		enum nx_status st;

		table->request = r;
		table->stream = i + 1;
		if (r->options.first_rank == 0)
			nx_print(&table->out, "stream %zu: %s, %u ranks\n", i + 1, r->ops[0]->name,
				 r->rank_count);
		st = show_stream(&run->streams[i], table, &own);
		if (r->options.first_rank == 0)
			nx_nccom_table_end(table);
		if (st && !first)
			first = nx_fail(err, st, "stream %zu: %s", i + 1, own.message);
	}
	return first;
}

/* --- together ------------------------------------------------------------------------------- */

/* Wrong sizes are reported before anything runs. */
static enum nx_status check_sizes(const struct run *run, struct nx_error *err)
{
	uint64_t available = nx_memory_available_bytes(), sum = 0;
	char need[NX_COUNT_TEXT_MAX], have[NX_COUNT_TEXT_MAX];

	for (size_t i = 0; i < run->count; i++) {
		const struct nx_nccom_request *r = run->streams[i].request;
		uint64_t bytes, most = 0;
		struct nx_nccom_case c;

		for (size_t k = 0; k < r->size_count; k++) {
			if (nx_nccom_case_make(r, r->ops[0], r->sizes[k], &c, err))
				return nx_context(err, "stream %zu", i + 1);
			bytes = nx_nccom_memory_needed_bytes(&c, &r->options);
			most = bytes > most ? bytes : most;
		}
		sum = sum > UINT64_MAX - most ? UINT64_MAX : sum + most;
	}
	if (!run->runtime->calls.is_own || !available || sum <= available)
		return NX_OK;
	return nx_fail(err, NX_LIMIT,
		       "the streams need about %s of memory together, and %s are available here; "
		       "give them fewer ranks or smaller sizes",
		       nx_size_text(sum, need), nx_size_text(available, have));
}

/* Streams take consecutive cores, from the first that this process may use. */
static uint32_t first_core(void)
{
	const char *text = getenv(CORES);
	struct nx_trace_filter chosen = {0};
	uint32_t core = 0;
	struct nx_error err;

	if (!text || !*text || nx_trace_filter_parse_cores(&chosen, text, &err))
		return 0;
	while (core < NX_NCCOM_MAX_RANKS && !nx_trace_filter_has_core(&chosen, core))
		core++;
	return core < NX_NCCOM_MAX_RANKS ? core : 0;
}

enum nx_status nx_nccom_streams_run(const struct nx_nccom_streams *streams,
				    struct nx_nccom_runtime *runtime, struct nx_nccom_table *table,
				    struct nx_error *err)
{
	struct run run = {.runtime = runtime, .count = streams->count, .parent = getpid()};
	uint32_t core = first_core();
	enum nx_status st = NX_OK;

	assert(streams->count > 0 && streams->count <= NX_NCCOM_MAX_STREAMS);
	if (pipe(run.go))
		return nx_fail_errno(err, errno, "cannot make a pipe for the streams");
	for (size_t i = 0; i < run.count; i++) {
		run.streams[i] = (struct stream){
			.request = &streams->items[i], .first_core = core, .from = -1};
		core += streams->items[i].options.local_rank_count;
	}
	st = check_sizes(&run, err);
	nx_output_flush(&table->out);
	for (size_t i = 0; i < run.count && !st; i++)
		st = start_stream(&run, i, err);
	for (size_t i = 0; i < run.count && st; i++)
		if (run.streams[i].pid > 0)
			kill(run.streams[i].pid, SIGTERM);
	hear_all(&run);
	for (size_t i = 0; i < run.count; i++)
		while (run.streams[i].pid > 0 && waitpid(run.streams[i].pid, NULL, 0) < 0 &&
		       errno == EINTR)
			;
	if (!st)
		st = show_all(&run, table, err);
	for (size_t i = 0; i < run.count; i++)
		nx_vec_release(&run.streams[i].told);
	close(run.go[0]);
	if (run.go[1] >= 0)
		close(run.go[1]);
	return st;
}
