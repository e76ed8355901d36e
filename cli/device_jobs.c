/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/device_jobs.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

/* A child must not wait until its parent reads: pipes hold at least this much. */
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
	return nx_device_session_open(out, &job->options, err);
}

static void note_counts(struct nx_device_result *r, const struct nx_profile *p)
{
	r->total_time_ps = p->capture.total_time_ps;
	r->start_epoch_ns = p->start_epoch_ns;
	for (uint32_t g = 0; g < p->capture.graph_count; g++) {
		r->packet_count += p->graphs[g].packet_count;
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			r->instruction_count += p->graphs[g].instruction_count[e];
	}
}

static enum nx_status store_capture(struct nx_device_job *job, const struct nx_profile *profile,
				    struct nx_error *err)
{
	struct nx_stored stored;
	enum nx_status st = nx_store_device(job->store, profile, job->options.session_path,
					    job->options.neff_path, &stored, err);

	job->result.written_bytes = stored.counts.file_bytes;
	snprintf(job->result.name, sizeof(job->result.name), "%s", stored.name);
	return st;
}

static bool is_known(struct nx_device_job *job)
{
	const char *sources[] = {job->options.session_path, job->options.neff_path};
	struct nx_stored stored;

	if (!job->store ||
	    !nx_stored_find(job->store, NX_PROFILE_DEVICE, sources, sources[1] ? 2 : 1, &stored))
		return false;
	snprintf(job->result.name, sizeof(job->result.name), "%s", stored.name);
	return true;
}

static enum nx_status write_capture(struct nx_device_job *job, const struct nx_exporter *exporter,
				    const struct nx_export_options *how, struct nx_error *err)
{
	struct nx_device_session *device;
	struct nx_output out;
	enum nx_status st;

	job->result.is_known = is_known(job);
	if (job->result.is_known)
		return NX_OK;
	st = nx_device_job_open(job, &device, err);
	if (st)
		return st;
	note_counts(&job->result, nx_device_session_borrow(device));
	if (job->store) {
		st = store_capture(job, nx_device_session_borrow(device), err);
		nx_device_session_close(device);
		return st;
	}
	st = nx_output_open(&out, job->target, err);
	if (!st) {
		st = exporter->write(nx_device_session_borrow(device), how, &out, err);
		if (st)
			nx_output_abort(&out);
		else
			st = nx_output_commit(&out, err);
		job->result.written_bytes = out.written_bytes;
	}
	nx_device_session_close(device);
	return st;
}

static void be_child(struct nx_device_job *job, const struct nx_exporter *exporter,
		     const struct nx_export_options *how, int pipe)
{
	struct nx_error err = {0};

	/* Without the parent its result has no use. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	job->result.status = write_capture(job, exporter, how, &err);
	snprintf(job->result.message, sizeof(job->result.message), "%s", err.message);
	/* the parent reports a result that is cut short */
	(void)nx_write_all(pipe, nx_slice_of(&job->result, sizeof(job->result)));
	_exit(0);
}

/* --- in the parent --------------------------------------------------------- */

static enum nx_status start(struct nx_device_jobs *jobs, size_t index,
			    const struct nx_exporter *exporter, const struct nx_export_options *how,
			    struct child *child, struct nx_error *err)
{
	int ends[2];

	if (pipe(ends) != 0)
		return nx_fail_errno(err, errno, "cannot start reading %s",
				     jobs->items[index].options.session_path);
	child->pid = fork();
	if (child->pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return nx_fail_errno(err, errno, "cannot start reading %s",
				     jobs->items[index].options.session_path);
	}
	if (!child->pid) {
		close(ends[0]);
		be_child(&jobs->items[index], exporter, how, ends[1]);
	}
	close(ends[1]);
	child->pipe = ends[0];
	child->job = index;
	return NX_OK;
}

/* A child that died without a word (killed, out of memory) fails its own job only. */
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
			/* also when the system has no room for more at once */
			finish(jobs, &children[0]);
			memmove(children, children + 1, sizeof(*children) * --running);
			st = NX_OK;
		}
	}
	for (size_t i = 0; i < running; i++)
		finish(jobs, &children[i]);
	return st;
}
