/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for what takes time, and how they are stopped. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runtime/service/service_internal.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* measures by CLOCK_MONOTONIC once is_ready */
	bool is_ready;
	bool is_ending;
	struct nx_service_task jobs[NX_JOB_KIND_COUNT];
	unsigned answering_count;	    /* jobs that are free, but still use the server */
	char terminated[NX_SERVICE_MAX_ID]; /* for a capture that comes after its end */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t nx_service_epoch_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void prepare(void)
{
	pthread_condattr_t clock;

	if (all.is_ready)
		return;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&all.changed, &clock);
	pthread_condattr_destroy(&clock);
	all.is_ready = true;
}

/* Called by the server, whose lock it holds. */
static void cancel(void *context)
{
	struct nx_service_task *job = context;

	pthread_mutex_lock(&all.lock);
	job->is_stopped = job->is_cancelled = true;
	pthread_cond_broadcast(&all.changed);
	pthread_mutex_unlock(&all.lock);
}

static void run(void *context)
{
	struct nx_service_task *job = context;

	job->run(job); /* nx_job_finish is part of it, after which the job may be another one */
}

/* The caller may send its next request as soon as it has the answer: the job is free before. */
void nx_job_finish(struct nx_service_task *job, struct nx_rpc_answer *answer)
{
	struct nx_rpc_call *call = job->call;

	nx_rpc_call_on_end(call, NULL, NULL);
	pthread_mutex_lock(&all.lock);
	job->is_busy = false;
	all.answering_count++;
	pthread_mutex_unlock(&all.lock);
	nx_rpc_call_answer(call, answer);
	pthread_mutex_lock(&all.lock);
	all.answering_count--;
	pthread_cond_broadcast(&all.changed);
	pthread_mutex_unlock(&all.lock);
}

void nx_job_refuse(struct nx_service_task *job, enum nx_grpc_status status, const char *fmt, ...)
{
	struct nx_rpc_answer answer;
	va_list args;

	va_start(args, fmt);
	answer = nx_rpc_answer_failed(status, fmt, args);
	va_end(args);
	nx_job_finish(job, &answer);
}

void nx_job_fail(struct nx_service_task *job, enum nx_status st, const char *sentence)
{
	nx_job_refuse(job,
		      st == NX_LIMIT || st == NX_NO_SPACE ? NX_GRPC_RESOURCE_EXHAUSTED
							  : NX_GRPC_INTERNAL,
		      "%s", sentence);
}

/* Claims the job for the server's thread; false if it is busy, or the server ends. */
static bool claim(struct nx_service_task *job)
{
	bool is_free;

	pthread_mutex_lock(&all.lock);
	prepare();
	is_free = !job->is_busy && !all.is_ending;
	if (is_free)
		job->is_busy = true;
	pthread_mutex_unlock(&all.lock);
	return is_free;
}

static void fill(struct nx_service_task *job, const struct nx_service_task *wanted)
{
	pthread_mutex_lock(&all.lock);
	*job = *wanted;
	job->is_busy = true;
	job->is_stopped = all.is_ending;
	if (*job->session_id && !strcmp(job->session_id, all.terminated)) {
		job->is_stopped = true;
		*all.terminated = 0;
	}
	pthread_mutex_unlock(&all.lock);
}

/* Called by the server's thread only, so the thread of the last job is joined here. */
void nx_job_start(enum nx_job_kind kind, const struct nx_service_task *wanted)
{
	struct nx_service_task *job = &all.jobs[kind];
	struct nx_error err = {0};

	if (!claim(job)) {
		if (kind == NX_JOB_CAPTURE)
			nx_rpc_call_fail(wanted->call, NX_GRPC_INTERNAL,
					 "Another profiling session active.");
		else
			nx_rpc_call_fail(wanted->call, NX_GRPC_UNAVAILABLE,
					 "another answer is being made; try again");
		return;
	}
	nx_thread_join(&job->thread); /* it has answered, and removes its files at most */
	fill(job, wanted);
	nx_rpc_call_on_end(job->call, cancel, job);
	if (nx_thread_start(&job->thread, "nx-capture", run, job, &err))
		nx_job_refuse(job, NX_GRPC_RESOURCE_EXHAUSTED, "%s", err.message);
}

void nx_job_terminate(struct nx_slice session_id)
{
	struct nx_service_task *job = &all.jobs[NX_JOB_CAPTURE];

	pthread_mutex_lock(&all.lock);
	prepare();
	if (job->is_busy && nx_slice_is(session_id, job->session_id)) {
		job->is_stopped = true;
		pthread_cond_broadcast(&all.changed);
	} else if (session_id.len < sizeof(all.terminated)) {
		snprintf(all.terminated, sizeof(all.terminated), "%.*s", (int)session_id.len,
			 (const char *)session_id.data);
	}
	pthread_mutex_unlock(&all.lock);
}

bool nx_job_wait(struct nx_service_task *job, uint64_t ns)
{
	struct timespec then;
	bool is_cancelled;

	clock_gettime(CLOCK_MONOTONIC, &then);
	if (ns / 1000000000u > (uint64_t)INT32_MAX) /* for ever */
		ns = (uint64_t)INT32_MAX * 1000000000u;
	ns += (uint64_t)then.tv_nsec;
	then.tv_sec += (time_t)(ns / 1000000000u);
	then.tv_nsec = (long)(ns % 1000000000u);
	pthread_mutex_lock(&all.lock);
	while (!job->is_stopped)
		if (pthread_cond_timedwait(&all.changed, &all.lock, &then))
			break;
	is_cancelled = job->is_cancelled;
	pthread_mutex_unlock(&all.lock);
	return !is_cancelled;
}

bool nx_job_is_cancelled(struct nx_service_task *job)
{
	bool is_cancelled;

	pthread_mutex_lock(&all.lock);
	is_cancelled = job->is_cancelled;
	pthread_mutex_unlock(&all.lock);
	return is_cancelled;
}

void nx_jobs_stop(void)
{
	pthread_mutex_lock(&all.lock);
	prepare();
	all.is_ending = true;
	for (size_t i = 0; i < NX_JOB_KIND_COUNT; i++)
		all.jobs[i].is_stopped = true;
	pthread_cond_broadcast(&all.changed);
	for (size_t i = 0; i < NX_JOB_KIND_COUNT; i++)
		while (all.jobs[i].is_busy || all.answering_count)
			pthread_cond_wait(&all.changed, &all.lock);
	pthread_mutex_unlock(&all.lock);
}

void nx_jobs_join(void)
{
	for (size_t i = 0; i < NX_JOB_KIND_COUNT; i++)
		nx_thread_join(&all.jobs[i].thread);
	all.is_ending = false;
}

void nx_jobs_abandon(void)
{
	pthread_mutex_init(&all.lock, NULL);
	all.is_ready = all.is_ending = false;
	memset(all.jobs, 0, sizeof(all.jobs));
	all.answering_count = 0;
	*all.terminated = 0;
}
