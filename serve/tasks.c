/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/tasks.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/thread.h"
#include "base/workers.h"
#include "serve/processing_child.h"
#include "serve/reply.h"
#include "store/profile_name.h"
#include "store/retention.h"

#define AT_ONCE 2
#define WAITING_MAX 16
#define KEPT_MAX 20u
#define THIS_PROGRAM "/proc/self/exe"
#define FIRST_CLEANING_MS (60 * 1000)
#define CLEANING_MS (3600 * 1000)
#define STAGE_MAX 64
#define MESSAGE_MAX 512

enum kind { CAPTURE, FETCH };
enum state { WAITING, RECORDING, PROCESSING, READY, FAILED, CANCELLED };

static const char *const kind_texts[] = {"capture", "fetch"};
static const char *const state_texts[] = {"waiting", "recording", "processing",
					  "ready",   "failed",	  "cancelled"};

struct host {
	const char *address;
	char stage[STAGE_MAX];
	char failure[MESSAGE_MAX];
};

struct task {
	struct nx_tasks *tasks;
	struct nx_arena arena;
	uint64_t id;
	enum kind kind;
	enum state state;
	struct nx_capture_wish wish;
	struct host *hosts; /* of the wish */
	char profile[NX_PROFILE_NAME_MAX];
	char stage[STAGE_MAX];
	double fraction;
	char message[MESSAGE_MAX];
	char folder[1024]; /* of the session */
	atomic_bool is_cancelled;
	struct nx_job job;
	struct task *next; /* older */
};

struct nx_tasks {
	struct nx_tasks_options options;
	struct nx_workers *workers;
	pthread_mutex_t lock;
	struct task *newest;
	uint64_t last_id;
	struct nx_alarm cleaning;
	struct nx_job clean_job;
	atomic_bool is_cleaning;
	atomic_bool is_stopping;
};

/* --- telling ------------------------------------------------------------------------- */

static void put_task(struct nx_json_writer *w, const struct task *t)
{
	nx_json_begin_object(w);
	nx_json_key_u64(w, "id", t->id);
	nx_json_key_text(w, "kind", kind_texts[t->kind]);
	nx_json_key_text(w, "state", state_texts[t->state]);
	nx_json_key_text(w, "job", t->wish.job ? t->wish.job : "");
	nx_json_key_text(w, "profile", t->profile);
	nx_json_key_text(w, "stage", t->stage);
	nx_json_key_f64(w, "fraction", t->fraction);
	nx_json_key_text(w, "message", t->message);
	nx_json_key_u64(w, "duration_ms", t->wish.duration_ms);
	nx_json_key_array(w, "hosts");
	for (size_t i = 0; i < t->wish.address_count; i++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "address", t->hosts[i].address);
		nx_json_key_text(w, "stage", t->hosts[i].stage);
		nx_json_key_text(w, "failure", t->hosts[i].failure);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	nx_json_end_object(w);
}

/* With the lock held. */
static void tell(struct task *t)
{
	struct nx_bytes json = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &json, false);
	put_task(&w, t);
	nx_events_tell(t->tasks->options.events, "task", nx_slice_of(json.items, json.len));
	nx_vec_release(&json);
}

static void enter(struct task *t, enum state state, const char *stage)
{
	nx_lock(&t->tasks->lock);
	t->state = state;
	t->fraction = 0;
	snprintf(t->stage, sizeof(t->stage), "%s", stage);
	tell(t);
	nx_unlock(&t->tasks->lock);
}

/* --- one child ------------------------------------------------------------------------- */

static const char *status_path(struct task *t)
{
	return nx_arena_printf(&t->arena, "%s/captures/task-%d-%llu.json",
			       nx_workspace_path(t->tasks->options.workspace), (int)getpid(),
			       (unsigned long long)t->id);
}

static enum nx_status run_child(struct task *t, const char *const *arguments,
				void (*on_step)(void *context, double fraction, const char *stage),
				struct nx_error *err)
{
	const struct nx_tasks_options *o = &t->tasks->options;
	struct nx_processing_child run = {
		.program = o->program ? o->program : THIS_PROGRAM,
		.arguments = arguments,
		.status_file = status_path(t),
		.is_cancelled = &t->is_cancelled,
		.on_step = on_step,
		.context = t,
	};
	enum nx_status st = nx_processing_child_run(&run, err);

	unlink(run.status_file);
	return st;
}

static void show_step(void *context, double fraction, const char *stage)
{
	struct task *t = context;

	nx_lock(&t->tasks->lock);
	t->fraction = fraction;
	snprintf(t->stage, sizeof(t->stage), "%.*s", STAGE_MAX - 1, stage);
	tell(t);
	nx_unlock(&t->tasks->lock);
}

/* "= FOLDER" or "! SENTENCE" at the end; before it "2 records" or "2 !SENTENCE" of a host. */
static void show_host(void *context, double fraction, const char *line)
{
	struct task *t = context;
	char *rest;
	size_t host = strtoul(line, &rest, 10);

	(void)fraction;
	nx_lock(&t->tasks->lock);
	if (line[0] == '=' && line[1])
		snprintf(t->folder, sizeof(t->folder), "%s", line + 2);
	else if (line[0] == '!' && line[1])
		snprintf(t->message, sizeof(t->message), "%.*s", MESSAGE_MAX - 1, line + 2);
	else if (rest != line && *rest == ' ' && host < t->wish.address_count && rest[1] == '!')
		snprintf(t->hosts[host].failure, MESSAGE_MAX, "%.*s", MESSAGE_MAX - 1, rest + 2);
	else if (rest != line && *rest == ' ' && host < t->wish.address_count)
		snprintf(t->hosts[host].stage, STAGE_MAX, "%.*s", STAGE_MAX - 1, rest + 1);
	tell(t);
	nx_unlock(&t->tasks->lock);
}

/* --- captures ---------------------------------------------------------------------------- */

static const char *number_text(struct task *t, uint32_t number)
{
	return nx_arena_printf(&t->arena, "%u", number);
}

static enum nx_status record(struct task *t, struct nx_error *err)
{
	const struct nx_capture_wish *wish = &t->wish;
	char name[NX_PROFILE_NAME_MAX];
	const char *addresses = "";

	nx_profile_name_make(nx_slice_text(wish->job), name);
	for (size_t i = 0; i < wish->address_count; i++)
		addresses = nx_arena_printf(&t->arena, "%s%s%s", addresses, i ? "," : "",
					    wish->addresses[i]);
	return run_child(t,
			 (const char *const[]){
				 "capture", "--service-addr", addresses, "--duration-ms",
				 number_text(t, wish->duration_ms), "--host-tracer-level",
				 number_text(t, wish->host_level), "--device-tracer-level",
				 number_text(t, wish->device_level), "--python-tracer-level",
				 number_text(t, wish->python_level), "--logdir",
				 nx_arena_printf(&t->arena, "%s/captures/%s",
						 nx_workspace_path(t->tasks->options.workspace),
						 name),
				 "--progress-fd", "3", NULL},
			 show_host, err);
}

static enum nx_status process(struct task *t, struct nx_error *err)
{
	char job[NX_PROFILE_NAME_MAX];

	nx_profile_name_make(nx_slice_text(t->wish.job), job);
	nx_lock(&t->tasks->lock);
	nx_profile_name_make(
		nx_slice_text(nx_arena_printf(&t->arena, "%s_%s", job, nx_path_name(t->folder))),
		t->profile);
	nx_unlock(&t->tasks->lock);
	enter(t, PROCESSING, "processing");
	return run_child(
		t,
		(const char *const[]){"view", "--ingest-only", "-d", t->folder, "--data-path",
				      nx_workspace_path(t->tasks->options.workspace),
				      "--display-name", t->profile, "--processing-status-file",
				      status_path(t), "--progress-fd", "3", NULL},
		show_step, err);
}

/* Hosts that failed are named in the session; the others are shown. */
static enum nx_status capture(struct task *t, struct nx_error *err)
{
	struct nx_error why = {0};
	enum nx_status st;

	enter(t, RECORDING, "recording");
	st = record(t, &why);
	if (st && (!*t->folder || atomic_load(&t->is_cancelled)))
		return nx_fail(err, st, "%s", *t->message ? t->message : why.message);
	return process(t, err);
}

static enum nx_status fetch(struct task *t, struct nx_error *err)
{
	enter(t, PROCESSING, "fetching");
	return run_child(t,
			 (const char *const[]){"view", "--ingest-only", "--data-path",
					       nx_workspace_path(t->tasks->options.workspace),
					       "--processing-status-file", status_path(t),
					       "--progress-fd", "3", "--", t->profile, NULL},
			 show_step, err);
}

static void run_task(void *context)
{
	struct task *t = context;
	struct nx_tasks *tasks = t->tasks; /* the task may be forgotten once it has ended */
	struct nx_error err = {0};
	enum nx_status st = NX_CANCELLED;

	if (!atomic_load(&t->is_cancelled))
		st = t->kind == CAPTURE ? capture(t, &err) : fetch(t, &err);
	nx_lock(&tasks->lock);
	t->state = !st ? READY : atomic_load(&t->is_cancelled) ? CANCELLED : FAILED;
	if (st && t->state == FAILED)
		snprintf(t->message, sizeof(t->message), "%.*s", MESSAGE_MAX - 1, err.message);
	t->fraction = 1;
	tell(t);
	nx_unlock(&tasks->lock);
	nx_events_look(tasks->options.events);
}

/* --- the list --------------------------------------------------------------------------- */

static void free_task(struct task *t)
{
	nx_arena_release(&t->arena);
	nx_heap_free(t);
}

/* With the lock held: forgets the oldest that have ended. */
static void forget_some(struct nx_tasks *tasks)
{
	unsigned count = 0;

	for (struct task **at = &tasks->newest; *at;) {
		struct task *t = *at;

		if (++count > KEPT_MAX && t->state >= READY) {
			*at = t->next;
			free_task(t);
		} else {
			at = &t->next;
		}
	}
}

static enum nx_status add(struct nx_tasks *tasks, struct task *t, uint64_t *id,
			  struct nx_error *err)
{
	bool is_taken;

	t->job = (struct nx_job){.run = run_task, .context = t, .is_detached = true};
	nx_lock(&tasks->lock);
	forget_some(tasks);
	*id = t->id = ++tasks->last_id;
	is_taken = !atomic_load(&tasks->is_stopping) && nx_workers_add(tasks->workers, &t->job);
	if (is_taken) {
		t->next = tasks->newest;
		tasks->newest = t;
		tell(t);
	}
	nx_unlock(&tasks->lock);
	if (is_taken)
		return NX_OK;
	free_task(t);
	return nx_fail(err, NX_CANCELLED, "too many tasks are waiting; try again in a minute");
}

static struct task *new_task(struct nx_tasks *tasks, enum kind kind)
{
	struct task *t = nx_heap_alloc(sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->tasks = tasks;
	t->kind = kind;
	return t;
}

enum nx_status nx_tasks_capture(struct nx_tasks *tasks, const struct nx_capture_wish *wish,
				uint64_t *id, struct nx_error *err)
{
	struct task *t = new_task(tasks, CAPTURE);
	const char **addresses = NX_NEW_ARRAY(&t->arena, const char *, wish->address_count);

	assert(wish->address_count && wish->address_count <= NX_CAPTURE_HOSTS_MAX);
	t->wish = *wish;
	t->wish.job = nx_arena_copy_text(&t->arena, wish->job);
	t->wish.addresses = addresses;
	t->hosts = NX_NEW_ARRAY(&t->arena, struct host, wish->address_count);
	for (size_t i = 0; i < wish->address_count; i++)
		t->hosts[i].address = addresses[i] =
			nx_arena_copy_text(&t->arena, wish->addresses[i]);
	return add(tasks, t, id, err);
}

enum nx_status nx_tasks_fetch(struct nx_tasks *tasks, const char *profile, uint64_t *id,
			      struct nx_error *err)
{
	struct task *t = new_task(tasks, FETCH);

	snprintf(t->profile, sizeof(t->profile), "%s", profile);
	return add(tasks, t, id, err);
}

void nx_tasks_put(struct nx_tasks *tasks, struct nx_json_writer *w)
{
	nx_lock(&tasks->lock);
	for (const struct task *t = tasks->newest; t; t = t->next)
		put_task(w, t);
	nx_unlock(&tasks->lock);
}

bool nx_tasks_cancel(struct nx_tasks *tasks, uint64_t id)
{
	bool is_there = false;

	nx_lock(&tasks->lock);
	for (struct task *t = tasks->newest; t; t = t->next)
		if (t->id == id) {
			atomic_store(&t->is_cancelled, true);
			is_there = true;
		}
	nx_unlock(&tasks->lock);
	return is_there;
}

/* --- retention -------------------------------------------------------------------------- */

static void ignore_step(void *context, double fraction, const char *stage)
{
	(void)context, (void)fraction, (void)stage;
}

/* Only if the workspace has rules: cleaning is the user's choice. */
static void clean(void *context)
{
	struct nx_tasks *tasks = context;
	const char *workspace = nx_workspace_path(tasks->options.workspace);
	struct nx_arena arena = {0};
	const char *arguments[] = {"gc", "--data-path", workspace, NULL};
	struct nx_processing_child run = {
		.program = tasks->options.program ? tasks->options.program : THIS_PROGRAM,
		.arguments = arguments,
		.status_file = "",
		.is_cancelled = &tasks->is_stopping,
		.on_step = ignore_step,
	};
	struct nx_error why = {0};

	if (access(nx_arena_printf(&arena, "%s/" NX_RETENTION_FILE, workspace), F_OK) == 0) {
		(void)!nx_processing_child_run(&run, &why);
		nx_events_look(tasks->options.events);
	}
	nx_arena_release(&arena);
	atomic_store(&tasks->is_cleaning, false);
}

static void ring(void *context)
{
	struct nx_tasks *tasks = context;

	if (!atomic_exchange(&tasks->is_cleaning, true) &&
	    !nx_workers_add(tasks->workers, &tasks->clean_job))
		atomic_store(&tasks->is_cleaning, false);
	nx_timer_set(tasks->options.timer, &tasks->cleaning, CLEANING_MS);
}

/* --- life ------------------------------------------------------------------------------- */

enum nx_status nx_tasks_new(struct nx_tasks **out, const struct nx_tasks_options *options,
			    struct nx_error *err)
{
	struct nx_tasks *tasks = nx_heap_alloc(sizeof(*tasks));
	struct nx_arena arena = {0};
	enum nx_status st;

	memset(tasks, 0, sizeof(*tasks));
	tasks->options = *options;
	pthread_mutex_init(&tasks->lock, NULL);
	tasks->clean_job = (struct nx_job){.run = clean, .context = tasks, .is_detached = true};
	tasks->cleaning = (struct nx_alarm){.ring = ring, .context = tasks};
	tasks->workers = nx_workers_new("nx-tasks", AT_ONCE, WAITING_MAX);
	st = nx_workers_start(tasks->workers, err);
	if (st) {
		nx_tasks_free(tasks);
		return st;
	}
	/* for the captures, and for the status of children; a failure shows when it is used */
	(void)!mkdir(nx_arena_printf(&arena, "%s/captures", nx_workspace_path(options->workspace)),
		     0777);
	nx_arena_release(&arena);
	nx_timer_set(options->timer, &tasks->cleaning, FIRST_CLEANING_MS);
	*out = tasks;
	return NX_OK;
}

void nx_tasks_free(struct nx_tasks *tasks)
{
	if (!tasks)
		return;
	nx_timer_clear(tasks->options.timer, &tasks->cleaning);
	nx_lock(&tasks->lock);
	atomic_store(&tasks->is_stopping, true);
	for (struct task *t = tasks->newest; t; t = t->next)
		atomic_store(&t->is_cancelled, true);
	nx_unlock(&tasks->lock);
	nx_workers_stop(tasks->workers);
	nx_workers_free(tasks->workers);
	while (tasks->newest) {
		struct task *t = tasks->newest;

		tasks->newest = t->next;
		free_task(t);
	}
	pthread_mutex_destroy(&tasks->lock);
	nx_heap_free(tasks);
}
