/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Model Context Protocol over standard input and output: JSON-RPC 2.0, one message per line.
 * This thread reads and answers what is quick; a second one answers questions about profiles in
 * their order, so that they can be cancelled.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "cli/help.h"
#include "cli/mcp_tools.h"
#include "cli/options.h"
#include "model/profile.h"

#define LINE_BYTES_MAX ((size_t)1 << 20)
#define ID_DIGITS_MAX 64u
#define WAITING_MAX 64u

/* Codes of JSON-RPC. */
#define PARSE_ERROR (-32700)
#define INVALID_REQUEST (-32600)
#define METHOD_NOT_FOUND (-32601)
#define INVALID_PARAMS (-32602)
#define SERVER_BUSY (-32000)

struct mcp_options {
	const char *data_path;
};

static const struct nx_option options[] = {
	NX_ROW_DATA_PATH(struct mcp_options),
	{0},
};

/* A question that waits or is being answered. */
struct task {
	struct nx_arena arena;
	const struct nx_json *id, *arguments;
	const struct nx_mcp_tool *tool;
	atomic_bool is_cancelled;
};

struct mcp {
	struct nx_mcp_tools tools;
	pthread_mutex_t output_lock; /* of standard output */
	atomic_bool is_gone;	     /* nobody reads it any more */
	pthread_mutex_t lock;	     /* of what follows */
	pthread_cond_t changed;
	NX_VEC(struct task *) tasks; /* the first one is being answered */
	bool is_ending;
};

/* --- answers --------------------------------------------------------------- */

static void send(struct mcp *mcp, struct nx_bytes *message)
{
	nx_vec_push(message, '\n');
	pthread_mutex_lock(&mcp->output_lock);
	if (!nx_write_all(STDOUT_FILENO, nx_slice_of(message->items, message->len)))
		atomic_store(&mcp->is_gone, true);
	pthread_mutex_unlock(&mcp->output_lock);
	nx_vec_release(message);
}

/* Begins the object; the caller adds "result" or "error" and ends it. */
static void begin(struct nx_json_writer *w, struct nx_bytes *message, const struct nx_json *id)
{
	nx_json_init_bytes(w, message, false);
	nx_json_begin_object(w);
	nx_json_key_text(w, "jsonrpc", "2.0");
	nx_json_key(w, "id");
	if (id && id->kind == NX_JSON_TEXT)
		nx_json_slice(w, id->text);
	else if (id && id->kind == NX_JSON_NUMBER)
		nx_json_digits(w, id->text);
	else
		nx_json_null(w);
}

static void send_error(struct mcp *mcp, const struct nx_json *id, int code, const char *message)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	begin(&w, &bytes, id);
	nx_json_key(&w, "error");
	nx_json_begin_object(&w);
	nx_json_key_i64(&w, "code", code);
	nx_json_key_text(&w, "message", message);
	nx_json_end_object(&w);
	nx_json_end_object(&w);
	send(mcp, &bytes);
}

/* The versions of the protocol that this program speaks, the newest first. */
static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

static void put_initialize(struct nx_json_writer *w, const struct nx_json *params)
{
	struct nx_slice asked = nx_json_as_slice(nx_json_get(params, "protocolVersion"));
	const char *version = versions[0];

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (nx_slice_is(asked, versions[i]))
			version = versions[i];
	nx_json_key_text(w, "protocolVersion", version);
	nx_json_key(w, "capabilities");
	nx_json_begin_object(w);
	nx_json_key(w, "tools");
	nx_json_begin_object(w);
	nx_json_end_object(w);
	nx_json_end_object(w);
	nx_json_key(w, "serverInfo");
	nx_json_begin_object(w);
	nx_json_key_text(w, "name", NX_PROGRAM);
	nx_json_key_text(w, "version", NX_PRODUCT_VERSION);
	nx_json_end_object(w);
	nx_json_key_text(w, "instructions",
			 "Profiles of AWS Neuron devices. Call list, then why and recommend for a "
			 "device profile; sql answers what they do not.");
}

static void put_tools(struct nx_json_writer *w)
{
	nx_json_key(w, "tools");
	nx_json_begin_array(w);
	for (const struct nx_mcp_tool *tool = nx_mcp_tool_list; tool->name; tool++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "name", tool->name);
		nx_json_key_text(w, "description", tool->description);
		nx_json_key(w, "inputSchema");
		nx_json_begin_object(w);
		nx_json_raw_members(w, nx_slice_text(tool->schema));
		nx_json_end_object(w);
		nx_json_key(w, "annotations");
		nx_json_begin_object(w);
		nx_json_key(w, "readOnlyHint");
		nx_json_bool(w, true);
		nx_json_end_object(w);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

/* --- questions about profiles ---------------------------------------------- */

struct wanted {
	struct mcp *mcp;
	struct task *task;
};

static bool is_wanted(void *context)
{
	const struct wanted *wanted = context;

	return !atomic_load(&wanted->task->is_cancelled) && !atomic_load(&wanted->mcp->is_gone);
}

/* A failure of a tool is an answer that the agent reads; only a wrong request is an error. */
static void answer(struct mcp *mcp, struct task *task)
{
	struct wanted wanted = {mcp, task};
	const struct nx_mcp_question question = {task->arguments, &task->arena, is_wanted, &wanted};
	struct nx_bytes text = {0}, message = {0};
	struct nx_error err = {0};
	struct nx_json_writer w;
	enum nx_status st;

	nx_json_init_bytes(&w, &text, false);
	nx_json_begin_object(&w);
	st = task->tool->answer(&mcp->tools, &question, &w, &err);
	if (!st)
		nx_json_end_object(&w);
	begin(&w, &message, task->id);
	nx_json_key(&w, "result");
	nx_json_begin_object(&w);
	nx_json_key(&w, "content");
	nx_json_begin_array(&w);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "type", "text");
	nx_json_key(&w, "text");
	nx_json_slice(&w, st ? nx_slice_text(err.message) : nx_slice_of(text.items, text.len));
	nx_json_end_object(&w);
	nx_json_end_array(&w);
	nx_json_key(&w, "isError");
	nx_json_bool(&w, st != NX_OK);
	nx_json_end_object(&w);
	nx_json_end_object(&w);
	if (is_wanted(&wanted))
		send(mcp, &message);
	nx_vec_release(&message);
	nx_vec_release(&text);
}

static void free_task(struct task *task)
{
	nx_arena_release(&task->arena);
	nx_heap_free(task);
}

static void answer_tasks(void *context)
{
	struct mcp *mcp = context;

	pthread_mutex_lock(&mcp->lock);
	for (;;) {
		struct task *task;

		while (!mcp->tasks.len && !mcp->is_ending)
			pthread_cond_wait(&mcp->changed, &mcp->lock);
		if (!mcp->tasks.len)
			break;
		task = mcp->tasks.items[0];
		pthread_mutex_unlock(&mcp->lock);
		if (!atomic_load(&task->is_cancelled))
			answer(mcp, task);
		pthread_mutex_lock(&mcp->lock);
		mcp->tasks.len--;
		memmove(mcp->tasks.items, mcp->tasks.items + 1,
			mcp->tasks.len * sizeof(struct task *));
		free_task(task);
	}
	pthread_mutex_unlock(&mcp->lock);
}

static bool is_same_id(const struct nx_json *a, const struct nx_json *b)
{
	return a && b && a->kind == b->kind && nx_slice_equal(a->text, b->text);
}

static void cancel(struct mcp *mcp, const struct nx_json *params)
{
	const struct nx_json *id = nx_json_get(params, "requestId");

	pthread_mutex_lock(&mcp->lock);
	for (size_t i = 0; i < mcp->tasks.len; i++)
		if (is_same_id(mcp->tasks.items[i]->id, id))
			atomic_store(&mcp->tasks.items[i]->is_cancelled, true);
	pthread_mutex_unlock(&mcp->lock);
}

/* Takes the task, or sends an error and frees it. */
static void add_task(struct mcp *mcp, struct task *task, const struct nx_json *params)
{
	bool is_full;

	task->tool = nx_mcp_tool_find(nx_json_as_slice(nx_json_get(params, "name")));
	task->arguments = nx_json_get(params, "arguments");
	if (!task->tool) {
		send_error(mcp, task->id, INVALID_PARAMS,
			   "there is no tool of that name; "
			   "tools/list names all");
		free_task(task);
		return;
	}
	pthread_mutex_lock(&mcp->lock);
	is_full = mcp->tasks.len >= WAITING_MAX;
	if (!is_full) {
		nx_vec_push(&mcp->tasks, task);
		pthread_cond_signal(&mcp->changed);
	}
	pthread_mutex_unlock(&mcp->lock);
	if (is_full) {
		send_error(mcp, task->id, SERVER_BUSY,
			   "too many questions wait; ask again when some are answered");
		free_task(task);
	}
}

/* --- requests -------------------------------------------------------------- */

static bool is_id(const struct nx_json *id)
{
	return id && (id->kind == NX_JSON_TEXT ||
		      (id->kind == NX_JSON_NUMBER && id->text.len <= ID_DIGITS_MAX));
}

static void answer_at_once(struct mcp *mcp, const struct nx_json *id, struct nx_slice method,
			   const struct nx_json *params)
{
	struct nx_bytes message = {0};
	struct nx_json_writer w;

	begin(&w, &message, id);
	nx_json_key(&w, "result");
	nx_json_begin_object(&w);
	if (nx_slice_is(method, "initialize"))
		put_initialize(&w, params);
	else if (nx_slice_is(method, "tools/list"))
		put_tools(&w);
	nx_json_end_object(&w);
	nx_json_end_object(&w);
	send(mcp, &message);
}

/* Takes the task, whose arena holds the request. */
static void take_request(struct mcp *mcp, struct task *task, const struct nx_json *request)
{
	const struct nx_json *params = nx_json_get(request, "params");
	struct nx_slice method = nx_json_as_slice(nx_json_get(request, "method"));

	if (nx_slice_is(method, "tools/call")) {
		add_task(mcp, task, params);
		return;
	}
	if (nx_slice_is(method, "initialize") || nx_slice_is(method, "ping") ||
	    nx_slice_is(method, "tools/list"))
		answer_at_once(mcp, task->id, method, params);
	else
		send_error(mcp, task->id, METHOD_NOT_FOUND,
			   "this server has tools only: initialize, ping, tools/list, tools/call");
	free_task(task);
}

static void take_line(struct mcp *mcp, struct nx_slice line)
{
	struct task *task = nx_heap_alloc(sizeof(*task));
	const struct nx_json *id;
	struct nx_json *root = NULL;
	struct nx_error err = {0};
	struct nx_slice method;

	memset(task, 0, sizeof(*task));
	line = nx_slice_of(nx_arena_copy(&task->arena, line), line.len);
	if (nx_json_parse(line, &task->arena, &root, &err)) {
		send_error(mcp, NULL, PARSE_ERROR, err.message);
		free_task(task);
		return;
	}
	id = nx_json_get(root, "id");
	method = nx_json_as_slice(nx_json_get(root, "method"));
	task->id = id;
	if (root->kind == NX_JSON_OBJECT && method.len && is_id(id)) {
		take_request(mcp, task, root);
		return;
	}
	if (root->kind == NX_JSON_OBJECT && method.len && !id) { /* a notification */
		if (nx_slice_is(method, "notifications/cancelled"))
			cancel(mcp, nx_json_get(root, "params"));
	} else if (root->kind != NX_JSON_OBJECT || method.len ||
		   !(nx_json_get(root, "result") || nx_json_get(root, "error"))) {
		send_error(mcp, NULL, INVALID_REQUEST,
			   "a request is an object with jsonrpc, method and an id that is a text "
			   "or a number");
	}
	free_task(task);
}

/* --- lines ----------------------------------------------------------------- */

static void read_lines(struct mcp *mcp)
{
	static char chunk[65536];
	struct nx_bytes line = {0};
	bool is_skipping = false;

	while (!atomic_load(&mcp->is_gone)) {
		ssize_t len = read(STDIN_FILENO, chunk, sizeof(chunk));

		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			break;
		for (ssize_t i = 0; i < len; i++) {
			if (chunk[i] != '\n') {
				is_skipping = is_skipping || line.len >= LINE_BYTES_MAX;
				if (!is_skipping)
					nx_vec_push(&line, (uint8_t)chunk[i]);
				continue;
			}
			if (is_skipping)
				send_error(mcp, NULL, PARSE_ERROR,
					   "the message is larger than 1 MiB");
			else if (line.len && !(line.len == 1 && line.items[0] == '\r'))
				take_line(mcp, nx_slice_of(line.items, line.len));
			is_skipping = false;
			nx_vec_clear(&line);
		}
	}
	nx_vec_release(&line);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct mcp_options *o = values;
	struct mcp mcp = {.output_lock = PTHREAD_MUTEX_INITIALIZER,
			  .lock = PTHREAD_MUTEX_INITIALIZER,
			  .changed = PTHREAD_COND_INITIALIZER};
	struct nx_thread worker = {0};
	enum nx_status st = nx_mcp_tools_open(&mcp.tools, o->data_path, err);

	(void)call, (void)operands;
	if (!st)
		st = nx_thread_start(&worker, "answers", answer_tasks, &mcp, err);
	if (!st)
		read_lines(&mcp);
	pthread_mutex_lock(&mcp.lock);
	mcp.is_ending = true;
	pthread_cond_signal(&mcp.changed);
	pthread_mutex_unlock(&mcp.lock);
	nx_thread_join(&worker);
	nx_vec_release(&mcp.tasks);
	nx_mcp_tools_close(&mcp.tools);
	return st;
}

static const struct nx_example examples[] = {
	{"Offer the profiles of this machine to a coding agent (its configuration names this):",
	 "mcp"},
	{"Those of another workspace:", "mcp --data-path /data/profiles"},
	{0},
};

const struct nx_command nx_command_mcp = {
	.name = "mcp",
	.summary = "answer questions of coding agents about profiles (Model Context Protocol)",
	.operands = "",
	.operand_hint = "it takes no file: agents name profiles of the workspace",
	.description =
		"Speaks the Model Context Protocol on standard input and output, for coding agents "
		"that start programs as tools. The tools are list, summary, why, recommend, "
		"compare, sql and source_lines: what the commands of these names answer, as "
		"JSON.\n"
		"\n"
		"All tools only read. Profiles are named by their names in the workspace, never by "
		"paths, and an agent cannot reach other files. SQL runs in processes of its own, "
		"with the limits of the server: 30 seconds for a question, 100,000 rows, 32 MB. "
		"Questions are answered one after the other and can be cancelled. The program ends "
		"at the end of its input, after the questions that it has read. Needs DuckDB, like "
		"'query'.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct mcp_options),
	.run = run,
};
