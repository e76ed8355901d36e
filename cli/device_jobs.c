/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal.h"

/* A child must not block until its parent reads: pipes hold at least this much. */
static_assert(sizeof(struct nx_device_result) <= PIPE_BUF, "a result fits into a pipe");

struct child {
	pid_t pid;
	int pipe;
	size_t job;
};

#define MAX_CHILDREN 256

/* --- in the child ---------------------------------------------------------- */

enum nx_status nx_device_job_open(struct nx_device_job *job, struct nx_device_session **out,
				  struct nx_error *err)
{
	enum nx_status st = nx_device_session_open(out, &job->options, err);

	if (st != NX_MISMATCH)
		return st;
	snprintf(job->result.note, sizeof(job->result.note),
		 "%.450s does not belong to %.450s; read without a NEFF", job->options.neff_path,
		 job->options.session_path);
	job->options.neff_path = NULL;
	job->options.other_neffs = NULL;
	return nx_device_session_open(out, &job->options, err);
}

static void note_counts(struct nx_device_result *r, const struct nx_profile *p)
{
	r->total_time_ps = p->capture.total_time_ps;
	r->rank = p->capture.rank;
	r->start_epoch_ns = p->start_epoch_ns;
	r->collective_end_ns = nx_rank_collective(&p->capture, r->collective);
	for (uint32_t g = 0; g < p->capture.graph_count; g++) {
		r->packet_count += p->graphs[g].packet_count;
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			r->instruction_count += p->graphs[g].instruction_count[e];
	}
}

void nx_device_job_keep_warnings(struct nx_device_job *job, const struct nx_warnings *warnings)
{
	char *at = job->result.warnings, *end = at + sizeof(job->result.warnings);

	for (size_t i = 0; i < warnings->len; i++) {
		const struct nx_warning *w = &warnings->items[i];
		size_t len = strlen(w->category) + 2 + strlen(w->message);

		if (len + 2 > (size_t)(end - at)) /* with the empty text at the end */
			continue;
		at += snprintf(at, (size_t)(end - at), "%s: %s", w->category, w->message) + 1;
	}
	*at = '\0';
}

static enum nx_status write_capture(struct nx_device_job *job, const struct nx_exporter *exporter,
				    const struct nx_export_options *how, struct nx_error *err)
{
	const char *sources[NX_DEVICE_SOURCES_MAX];
	size_t source_count = nx_device_session_sources(&job->options, sources);
	struct nx_device_result *r = &job->result;
	struct nx_device_session *device;
	const struct nx_profile *profile;
	struct nx_stored stored = {0};
	struct nx_output out;
	enum nx_status st;

	r->is_known = job->store &&
		      nx_stored_find(job->store, NX_PROFILE_DEVICE, sources, source_count, &stored);
	snprintf(r->name, sizeof(r->name), "%s", r->is_known ? stored.name : "");
	if (r->is_known)
		return NX_OK;
	st = nx_device_job_open(job, &device, err);
	if (st)
		return st;
	profile = nx_device_session_borrow(device);
	note_counts(r, profile);
	nx_device_job_keep_warnings(job, &profile->warnings);
	if (job->store) {
		st = nx_store_device(job->store, profile, sources,
				     nx_device_session_sources(&job->options, sources), &stored,
				     err);
		snprintf(r->name, sizeof(r->name), "%s", stored.name);
	} else {
		st = nx_output_open(&out, job->target, err);
		if (!st)
			st = nx_print_end(&out, exporter->write(profile, how, &out, err), err);
	}
	nx_device_session_close(device);
	return st;
}

static void be_child(struct nx_device_job *job, const struct nx_exporter *exporter,
		     const struct nx_export_options *how, int pipe, pid_t parent)
{
	struct nx_error err = {0};

	/* Nobody else reads the result. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it ended before that */
		_exit(0);
	job->result.status = write_capture(job, exporter, how, &err);
	snprintf(job->result.message, sizeof(job->result.message), "%s", err.message);
	/* the parent reports a truncated result */
	(void)nx_write_all(pipe, nx_slice_of(&job->result, sizeof(job->result)));
	_exit(0);
}

/* --- in the parent --------------------------------------------------------- */

static enum nx_status start(struct nx_device_jobs *jobs, size_t index,
			    const struct nx_exporter *exporter, const struct nx_export_options *how,
			    struct child *child, struct nx_error *err)
{
	int ends[2] = {-1, -1};
	pid_t parent = getpid();

	assert(index < jobs->len);
	child->pid = pipe(ends) == 0 ? fork() : -1;
	if (child->pid < 0) {
		enum nx_status st = nx_fail_errno(err, errno, "cannot start reading %s",
						  jobs->items[index].options.session_path);

		close(ends[0]);
		close(ends[1]);
		return st;
	}
	if (!child->pid) {
		close(ends[0]);
		be_child(&jobs->items[index], exporter, how, ends[1], parent);
	}
	close(ends[1]);
	child->pipe = ends[0];
	child->job = index;
	return NX_OK;
}

/* A child that died without a result (killed, out of memory) fails its own job only. */
static void finish(struct nx_device_jobs *jobs, struct child *child)
{
	struct nx_device_job *job = &jobs->items[child->job];
	uint8_t *at = (uint8_t *)&job->result;
	size_t got = 0;
	int status;

	while (got < sizeof(job->result)) {
		ssize_t n = read(child->pipe, at + got, sizeof(job->result) - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	close(child->pipe);
	waitpid(child->pid, &status, 0);
	if (got == sizeof(job->result))
		return;
	memset(&job->result, 0, sizeof(job->result));
	job->result.status = NX_IO;
	snprintf(job->result.message, sizeof(job->result.message),
		 "reading %.900s ended before it was done; is there enough memory?",
		 job->options.session_path);
}

enum nx_status nx_device_jobs_run(struct nx_device_jobs *jobs, const struct nx_exporter *exporter,
				  const struct nx_export_options *how, uint32_t at_once,
				  struct nx_error *err)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t limit = at_once ? at_once : processors > 0 ? (size_t)processors : 1;
	struct child children[MAX_CHILDREN] = {{0}};
	size_t running = 0;
	enum nx_status st = NX_OK;

	limit = limit < MAX_CHILDREN ? limit : MAX_CHILDREN;
	for (size_t i = 0; i < jobs->len; i++)
		assert(!jobs->items[i].store != !jobs->items[i].target);
	fflush(NULL);
	for (size_t i = 0; i < jobs->len && !st;) {
		if (running < limit)
			st = start(jobs, i, exporter, how, &children[running], err);
		if (running < limit && !st) {
			running++;
			i++;
		} else if (running) {
			/* also if the system cannot start another child now */
			finish(jobs, &children[0]);
			memmove(children, children + 1, sizeof(*children) * --running);
			st = NX_OK;
		}
	}
	for (size_t i = 0; i < running; i++)
		finish(jobs, &children[i]);
	return st;
}
