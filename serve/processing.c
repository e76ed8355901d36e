/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/processing.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/progress.h"
#include "base/thread.h"
#include "base/workers.h"
#include "serve/processing_child.h"
#include "serve/upload_profile.h"

#define AT_ONCE 2
#define WAITING_MAX NX_UPLOADS_MAX
#define ORPHAN_LOOK_NS 20000000
#define ORPHAN_PATIENCE_NS (UINT64_C(60) * 1000000000)
#define THIS_PROGRAM "/proc/self/exe"

/* An upload that waits or is being processed. */
struct job {
	struct nx_processing *processing;
	struct nx_arena arena;
	const char *id, *name;
	int lock; /* of its folder */
	atomic_bool is_cancelled;
	atomic_bool is_given_up; /* deleted by a user; else the server ends */
	bool is_running;
	bool is_resumed; /* an earlier server was killed while it processed this, or before */
	struct nx_processing_step step;
	struct nx_job job;
	struct job *next;
};

struct nx_processing {
	struct nx_processing_options options;
	struct nx_workers *workers;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct job *first;
	bool is_stopping;
};

/* --- telling ---------------------------------------------------------------------------------- */

static void tell_step(void *context, double fraction, const char *stage)
{
	struct job *job = context;
	struct nx_processing *p = job->processing;
	struct nx_bytes json = {0};
	struct nx_json_writer w;

	nx_lock(&p->lock);
	snprintf(job->step.stage, sizeof(job->step.stage), "%s", stage);
	job->step.fraction = fraction;
	nx_unlock(&p->lock);
	nx_json_init_bytes(&w, &json, false);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "name", job->name);
	nx_json_key_text(&w, "stage", stage);
	nx_json_key_f64(&w, "fraction", fraction);
	nx_json_end_object(&w);
	nx_events_tell(p->options.events, "processing", nx_slice_of(json.items, json.len));
	nx_vec_release(&json);
}

/* --- one job, on a thread of the workers ----------------------------------------------- */

static enum nx_status run_child(struct job *job, const struct nx_upload *u, struct nx_error *err)
{
	const struct nx_processing_options *o = &job->processing->options;
	struct nx_processing_child run = {
		.program = o->program ? o->program : THIS_PROGRAM,
		.status_file = nx_upload_path(o->workspace, &job->arena, job->id, "status.json"),
		.is_cancelled = &job->is_cancelled,
		.on_step = tell_step,
		.context = job,
	};

	run.arguments = nx_upload_profile_arguments(o->workspace, u, run.status_file, &job->arena);
	return nx_processing_child_run(&run, err);
}

/* A child of a server that was killed ends by itself, but it may need a moment. */
static void wait_for_orphan(struct job *job)
{
	const struct timespec pause = {.tv_nsec = ORPHAN_LOOK_NS};
	uint64_t begin_ns = nx_now_ns();

	while (job->is_resumed && !atomic_load(&job->is_cancelled) &&
	       nx_now_ns() - begin_ns < ORPHAN_PATIENCE_NS &&
	       nx_upload_has_live_try(job->processing->options.workspace, job->name))
		nanosleep(&pause, NULL);
}

static void process(struct job *job)
{
	struct nx_workspace *ws = job->processing->options.workspace;
	struct nx_error err = {0};
	struct nx_upload u = {0};
	enum nx_status st = nx_upload_load(ws, job->id, &job->arena, &u, &err);

	if (!st) {
		tell_step(job, 0, "beginning");
		wait_for_orphan(job);
		st = nx_upload_profile_unpack(ws, &u, &job->arena, &err);
		if (!st)
			st = run_child(job, &u, &err);
		if (!st) {
			tell_step(job, 1, "ending");
			st = nx_upload_profile_finish(ws, &u, &err);
		}
		if (st)
			nx_upload_forget_tries(ws, job->name);
		if (st && !atomic_load(&job->is_cancelled)) {
			/* lists show the reason until the upload is deleted or retried */
			u.state = NX_UPLOAD_FAILED;
			u.reason = nx_upload_profile_reason(ws, job->id, err.message, &job->arena);
			(void)!nx_upload_save(ws, &u, NULL);
		}
	}
	nx_upload_release(&u);
}

static void end_job(struct job *job)
{
	struct nx_processing *p = job->processing;
	struct job **at = &p->first;

	if (atomic_load(&job->is_given_up))
		(void)!nx_upload_remove(p->options.workspace, job->id, NULL);
	close(job->lock);
	nx_lock(&p->lock);
	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	pthread_cond_broadcast(&p->ended);
	nx_unlock(&p->lock);
	nx_arena_release(&job->arena);
	nx_heap_free(job);
	nx_events_look(p->options.events);
}

static void run_job(void *context)
{
	struct job *job = context;

	nx_lock(&job->processing->lock);
	job->is_running = true;
	nx_unlock(&job->processing->lock);
	if (!atomic_load(&job->is_cancelled))
		process(job);
	end_job(job);
}

/* --- adding -------------------------------------------------------------------------- */

static struct job *new_job(struct nx_processing *p, const char *id, const char *name, int lock,
			   bool is_resumed)
{
	struct job *job = nx_heap_alloc(sizeof(*job));

	*job = (struct job){.processing = p,
			    .lock = lock,
			    .is_resumed = is_resumed,
			    .step = {.stage = "waiting"}};
	job->job = (struct nx_job){.run = run_job, .context = job, .is_detached = true};
	job->id = nx_arena_copy_text(&job->arena, id);
	job->name = nx_arena_copy_text(&job->arena, name);
	nx_lock(&p->lock);
	job->next = p->first;
	p->first = job;
	atomic_store(&job->is_cancelled, p->is_stopping);
	nx_unlock(&p->lock);
	return job;
}

static enum nx_status add(struct nx_processing *p, const char *id, const char *name,
			  bool is_resumed, struct nx_error *err)
{
	struct job *job;
	int lock;
	enum nx_status st = nx_upload_lock(p->options.workspace, id, &lock, err);

	assert(id && name);
	if (st)
		return st;
	job = new_job(p, id, name, lock, is_resumed);
	if (nx_workers_add(p->workers, &job->job))
		return NX_OK;
	end_job(job);
	return nx_fail(err, NX_CANCELLED, "too many uploads are waiting; finish this one later");
}

enum nx_status nx_processing_add(struct nx_processing *p, const char *id, const char *name,
				 struct nx_error *err)
{
	return add(p, id, name, false, err);
}

/* What an earlier server left. */
static void resume(struct nx_processing *p)
{
	struct nx_upload_ids ids = {0};
	struct nx_arena arena = {0};
	struct nx_upload u;

	(void)!nx_uploads_list(p->options.workspace, &arena, &ids, NULL);
	for (size_t i = 0; i < ids.len; i++) {
		if (!nx_upload_load(p->options.workspace, ids.items[i], &arena, &u, NULL) &&
		    u.state == NX_UPLOAD_COMPLETE)
			(void)!add(p, u.id, u.name, true, NULL);
		nx_upload_release(&u);
	}
	nx_vec_release(&ids);
	nx_arena_release(&arena);
}

/* --- life ---------------------------------------------------------------------------- */

enum nx_status nx_processing_new(struct nx_processing **processing,
				 const struct nx_processing_options *options, struct nx_error *err)
{
	struct nx_processing *p = nx_heap_alloc(sizeof(*p));
	enum nx_status st;

	*p = (struct nx_processing){.options = *options};
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->ended, NULL);
	p->workers = nx_workers_new("nx-processing", AT_ONCE, WAITING_MAX);
	st = nx_workers_start(p->workers, err);
	if (st) {
		nx_processing_free(p);
		return st;
	}
	*processing = p;
	resume(p);
	return NX_OK;
}

void nx_processing_free(struct nx_processing *p)
{
	if (!p)
		return;
	nx_lock(&p->lock);
	p->is_stopping = true;
	for (struct job *job = p->first; job; job = job->next)
		atomic_store(&job->is_cancelled, true);
	nx_unlock(&p->lock);
	nx_workers_stop(p->workers);
	nx_workers_free(p->workers);
	pthread_cond_destroy(&p->ended);
	pthread_mutex_destroy(&p->lock);
	nx_heap_free(p);
}

/* --- asking -------------------------------------------------------------------------- */

static bool is_meant(const struct job *job, const char *id, const char *name)
{
	return (id && !strcmp(job->id, id)) || (name && !strcmp(job->name, name));
}

/* Uploads that wait are removed at once; otherwise they would keep their files until their turn. */
struct waiting {
	struct nx_arena arena;
	struct nx_upload_ids ids;
};

static bool give_up(struct nx_processing *p, const char *id, const char *name,
		    struct waiting *waiting, bool *is_running)
{
	bool was_there = false;

	*is_running = false;
	for (struct job *job = p->first; job; job = job->next) {
		if (!is_meant(job, id, name))
			continue;
		was_there = true;
		*is_running |= job->is_running;
		if (!job->is_running && !atomic_load(&job->is_given_up))
			nx_vec_push(&waiting->ids, nx_arena_copy_text(&waiting->arena, job->id));
		atomic_store(&job->is_given_up, true);
		atomic_store(&job->is_cancelled, true);
	}
	return was_there;
}

bool nx_processing_cancel(struct nx_processing *p, const char *id, const char *name)
{
	struct waiting waiting = {0};
	bool was_there, is_running;

	assert(!id != !name);
	nx_lock(&p->lock);
	was_there = give_up(p, id, name, &waiting, &is_running);
	while (is_running) {
		pthread_cond_wait(&p->ended, &p->lock);
		(void)give_up(p, id, name, &waiting, &is_running);
	}
	nx_unlock(&p->lock);
	for (size_t i = 0; i < waiting.ids.len; i++)
		(void)!nx_upload_remove(p->options.workspace, waiting.ids.items[i], NULL);
	nx_vec_release(&waiting.ids);
	nx_arena_release(&waiting.arena);
	return was_there;
}

bool nx_processing_find(struct nx_processing *p, const char *name, struct nx_processing_step *step)
{
	const struct job *job;

	nx_lock(&p->lock);
	job = p->first;
	while (job && !is_meant(job, NULL, name))
		job = job->next;
	if (job)
		*step = job->step;
	nx_unlock(&p->lock);
	return job;
}
