/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view_directory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "cli/device_jobs.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/view.h"
#include "pipeline/system_clock.h"

static bool says(const struct nx_directory_view *v)
{
	return v->verbosity > NX_SAY_ERRORS;
}

static const char *file_in(const struct nx_directory_view *v, struct nx_arena *arena,
			   const char *name)
{
	return v->output_dir ? nx_arena_printf(arena, "%s/%s", v->output_dir, name) : name;
}

/* --- the system profile ---------------------------------------------------- */

static enum nx_status write_system(struct nx_directory_view *v,
				   const struct nx_system_profile *profile, struct nx_arena *arena,
				   struct nx_error *err)
{
	const struct nx_system_exporter *exporter = nx_system_exporter_find(v->format);
	const char *target =
		exporter->default_file ? file_in(v, arena, exporter->default_file) : "-";
	struct nx_progress progress;
	char events[NX_COUNT_TEXT_MAX], size[NX_COUNT_TEXT_MAX];
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, target, err);

	if (st)
		return st;
	nx_progress_begin(&progress, "writing the system profile", profile->rows[NX_SYSTEM_EVENT],
			  says(v));
	v->system_export.progress = &progress;
	st = exporter->write(profile, &v->system_export, &out, err);
	nx_progress_end(&progress);
	if (st) {
		nx_output_abort(&out);
		return st;
	}
	st = nx_output_commit(&out, err);
	if (!st && exporter->default_file && says(v))
		nx_say("wrote %s: %s events of %u processes, %s", target,
		       nx_count_text(profile->rows[NX_SYSTEM_EVENT], events),
		       profile->process_count, nx_size_text(out.written_bytes, size));
	return st;
}

/* --- device captures ------------------------------------------------------- */

/*
 * device_profile_model_<id>, device_profile_rank_<i>, or the session's own name;
 * a number behind it when the same model has several captures.
 */
static const char *device_stem(const struct nx_device_capture *d, struct nx_arena *arena)
{
	const char *slash = strrchr(d->session_path, '/');
	const char *name = slash ? slash + 1 : d->session_path;
	const char *dot = strrchr(name, '.');

	if (d->rank != UINT32_MAX)
		return nx_arena_printf(arena, "device_profile_rank_%u", d->rank);
	if (d->model_id)
		return nx_arena_printf(arena, "device_profile_model_%" PRIu64, d->model_id);
	return nx_arena_printf(arena, "device_profile_%.*s",
			       dot ? (int)(dot - name) : (int)strlen(name), name);
}

static bool is_taken(const struct nx_device_jobs *jobs, const char *target)
{
	for (size_t i = 0; i < jobs->len; i++)
		if (!strcmp(jobs->items[i].target, target))
			return true;
	return false;
}

static const char *device_target(const struct nx_directory_view *v,
				 const struct nx_device_capture *d,
				 const struct nx_device_jobs *jobs, struct nx_arena *arena)
{
	const char *suffix = !strcmp(v->format, "perfetto") ? "pftrace" : "json";
	const char *stem = device_stem(d, arena);
	const char *target = file_in(v, arena, nx_arena_printf(arena, "%s.%s", stem, suffix));

	for (unsigned i = 1; is_taken(jobs, target); i++)
		target = file_in(v, arena, nx_arena_printf(arena, "%s_%u.%s", stem, i, suffix));
	return target;
}

static enum nx_status plan_jobs(const struct nx_directory_view *v,
				const struct nx_system_profile *profile, struct nx_arena *arena,
				struct nx_device_jobs *jobs, struct nx_error *err)
{
	int64_t *offsets = NX_NEW_ARRAY(arena, int64_t, profile->process_count);
	bool *known = NX_NEW_ARRAY(arena, bool, profile->process_count);
	size_t empty = 0;
	enum nx_status st = nx_system_clock_offsets(profile, offsets, known, err);

	for (size_t i = 0; !st && i < profile->devices.len; i++) {
		const struct nx_device_capture *d = &profile->devices.items[i];
		struct nx_device_job job = {.options = v->device, .capture = d};

		if (d->is_empty) {
			empty++;
			continue;
		}
		job.options.session_path = d->session_path;
		job.options.neff_path = d->neff_path;
		job.options.show_progress = false;
		if (d->process < profile->process_count && known[d->process]) {
			job.options.has_host_offset = true;
			job.options.host_offset_ns = offsets[d->process];
			job.options.host_pid = profile->processes[d->process].pid;
		}
		job.target = device_target(v, d, jobs, arena);
		nx_vec_push(jobs, job);
	}
	if (empty && says(v))
		nx_say("%zu session files are empty: their cores ran nothing", empty);
	return st;
}

static void report_jobs(const struct nx_directory_view *v, const struct nx_device_jobs *jobs,
			struct nx_arena *arena)
{
	struct nx_table_view table;
	struct nx_output out;
	uint64_t earliest = UINT64_MAX;
	char time[NX_COUNT_TEXT_MAX], start[NX_COUNT_TEXT_MAX], count[NX_COUNT_TEXT_MAX];

	if (!jobs->len || !says(v) || nx_output_open(&out, "-", NULL))
		return;
	for (size_t i = 0; i < jobs->len; i++)
		if (jobs->items[i].result.start_epoch_ns &&
		    jobs->items[i].result.start_epoch_ns < earliest)
			earliest = jobs->items[i].result.start_epoch_ns;
	nx_table_begin(&table, arena, "device profile|>time|>instructions|>DMA packets|>start");
	for (size_t i = 0; i < jobs->len; i++) {
		const struct nx_device_job *job = &jobs->items[i];

		if (job->result.status)
			continue;
		snprintf(start, sizeof(start), "-");
		if (job->result.start_epoch_ns)
			nx_duration_text((job->result.start_epoch_ns - earliest) * 1000, start);
		nx_table_add(&table, "%s", job->target);
		nx_table_add(&table, "%s", nx_duration_text(job->result.total_time_ps, time));
		nx_table_add(&table, "%s", nx_count_text(job->result.instruction_count, count));
		nx_table_add(&table, "%s", nx_count_text(job->result.packet_count, count));
		nx_table_add(&table, "%s", start);
	}
	nx_table_end(&table, &out, 0);
	(void)!nx_output_commit(&out, NULL);
}

static enum nx_status say_failures(const struct nx_device_jobs *jobs, size_t *good,
				   struct nx_error *err)
{
	enum nx_status first = NX_OK;

	for (size_t i = 0; i < jobs->len; i++) {
		const struct nx_device_job *job = &jobs->items[i];

		if (job->result.note[0])
			nx_say_warning("%s", job->result.note);
		if (!job->result.status) {
			++*good;
			continue;
		}
		nx_say_warning("%s", job->result.message);
		if (!first)
			first = nx_fail(err, job->result.status, "%s", job->result.message);
	}
	return first;
}

/* Fails only when nothing at all could be read; single failures are told as warnings. */
static enum nx_status write_devices(const struct nx_directory_view *v,
				    const struct nx_system_profile *profile, struct nx_arena *arena,
				    struct nx_error *err)
{
	struct nx_device_jobs jobs = {0};
	enum nx_status st = plan_jobs(v, profile, arena, &jobs, err), failed;
	size_t good = 0;

	if (!st)
		st = nx_device_jobs_run(&jobs, nx_exporter_find(v->format), &v->device_export,
					v->jobs, err);
	if (!st) {
		failed = say_failures(&jobs, &good, err);
		report_jobs(v, &jobs, arena);
		if (!good && failed && !profile->process_count)
			st = failed;
	}
	nx_vec_release(&jobs);
	return st;
}

/* --- summaries of ranks ---------------------------------------------------- */

/* Without a system trace the summary is that of each rank, one after another. */
static enum nx_status summarise_devices(const struct nx_directory_view *v,
					const struct nx_system_profile *profile,
					struct nx_error *err)
{
	const struct nx_exporter *exporter = nx_exporter_find(v->format);
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	for (size_t i = 0; !st && i < profile->devices.len; i++) {
		const struct nx_device_capture *d = &profile->devices.items[i];
		struct nx_device_options how = v->device;
		struct nx_device_profile *device;

		if (d->is_empty)
			continue;
		how.session_path = d->session_path;
		how.neff_path = d->neff_path;
		st = nx_device_profile_open(&device, &how, err);
		if (st)
			break;
		if (!strcmp(v->format, "summary-text"))
			nx_print(&out, "%s%s\n", i ? "\n" : "", d->session_path);
		st = exporter->write(nx_device_profile_borrow(device), &v->device_export, &out,
				     err);
		nx_device_profile_close(device);
	}
	if (st) {
		nx_output_abort(&out);
		return st;
	}
	return nx_output_commit(&out, err);
}

static enum nx_status write_all(struct nx_directory_view *v,
				const struct nx_system_profile *profile, struct nx_error *err)
{
	const struct nx_exporter *exporter = nx_exporter_find(v->format);
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	if (!exporter->default_file && !profile->process_count)
		return summarise_devices(v, profile, err);
	if (v->output_dir && exporter->default_file)
		st = nx_make_directories(v->output_dir, err);
	if (!st && profile->process_count)
		st = write_system(v, profile, &arena, err);
	if (!st && exporter->default_file)
		st = write_devices(v, profile, &arena, err);
	nx_arena_release(&arena);
	return st;
}

enum nx_status nx_view_directory(struct nx_directory_view *v, struct nx_error *err)
{
	struct nx_system_run *run;
	enum nx_status st;

	v->system.show_progress = says(v);
	st = nx_system_run_open(&run, &v->system, err);
	if (st)
		return st;
	nx_view_say_warning_list(&nx_system_run_borrow(run)->warnings, v->verbosity);
	st = write_all(v, nx_system_run_borrow(run), err);
	nx_system_run_close(run);
	return st;
}
