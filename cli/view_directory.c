/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view_directory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/path.h"
#include "cli/device_jobs.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/view.h"
#include "export/json_sections.h"

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

/* --- as tables ------------------------------------------------------------- */

/* The names of a directory's profiles in the workspace begin with this. */
static const char *store_stem(const struct nx_directory_view *v,
			      const struct nx_system_profile *profile, struct nx_arena *arena)
{
	char name[NX_PROFILE_NAME_MAX];

	if (*v->system_stored.name)
		return v->system_stored.name;
	if (v->store.name)
		return v->store.name;
	nx_profile_name_make(nx_path_stem(profile->path), name);
	return nx_arena_copy_text(arena, name);
}

static struct nx_store_target place_of(const struct nx_directory_view *v, const char *name,
				       const char *stem, struct nx_arena *arena)
{
	struct nx_store_target place = v->store;

	if (v->output_dir)
		place.folder = file_in(v, arena, name);
	else
		place.name = stem;
	return place;
}

static enum nx_status store_system(struct nx_directory_view *v,
				   const struct nx_system_profile *profile, struct nx_arena *arena,
				   struct nx_error *err)
{
	struct nx_store_target place =
		place_of(v, "system_profile", store_stem(v, profile, arena), arena);
	uint64_t started_ns = nx_now_ns();
	enum nx_status st = nx_store_system(&place, profile, &v->system_stored, err);

	if (!st && says(v))
		nx_view_say_stored(&v->system_stored, nx_now_ns() - started_ns);
	return st;
}

static const struct nx_store_target *device_place(const struct nx_directory_view *v,
						  const struct nx_system_profile *profile,
						  const char *name, struct nx_arena *arena)
{
	struct nx_store_target *place = NX_NEW_ARRAY(arena, struct nx_store_target, 1);

	*place = place_of(v, name,
			  nx_arena_printf(arena, "%s_%s", store_stem(v, profile, arena), name),
			  arena);
	place->show_progress = false; /* several at once would draw over each other */
	return place;
}

/* --- device captures ------------------------------------------------------- */

static void set_clock(struct nx_device_session_options *options,
		      const struct nx_system_process *process)
{
	if (!process->has_clock_offset)
		return;
	options->has_host_offset = true;
	options->host_offset_ns = process->clock_offset_ns;
	options->host_pid = process->pid;
}

static void plan_jobs(const struct nx_directory_view *v, const struct nx_system_profile *profile,
		      struct nx_arena *arena, struct nx_device_jobs *jobs)
{
	const char **names = nx_system_device_names(profile, arena);
	const char *suffix = v->format && !strcmp(v->format, "perfetto") ? "pftrace" : "json";
	size_t empty = 0;

	for (size_t i = 0; i < profile->devices.len; i++) {
		const struct nx_device_capture *d = &profile->devices.items[i];
		struct nx_device_job job = {.options = v->device, .capture = d};

		if (d->is_empty) {
			empty++;
			continue;
		}
		job.options.session_path = d->session_path;
		job.options.neff_path = d->neff_path;
		job.options.show_progress = false;
		if (d->process < profile->process_count)
			set_clock(&job.options, &profile->processes[d->process]);
		if (v->as_tables)
			job.store = device_place(v, profile, names[i], arena);
		else
			job.target = file_in(v, arena,
					     nx_arena_printf(arena, "%s.%s", names[i], suffix));
		nx_vec_push(jobs, job);
	}
	if (empty && says(v))
		nx_say("%zu session file%s empty: %s ran nothing", empty,
		       empty == 1 ? " is" : "s are", empty == 1 ? "its core" : "their cores");
}

static bool is_new(const struct nx_device_job *job)
{
	return !job->result.status && !job->result.is_known;
}

/* The file it is in, its name in the workspace or a database, or the folder of its tables. */
static const char *place_name(const struct nx_device_job *job)
{
	if (job->target)
		return job->target;
	return *job->result.name ? job->result.name : job->store->folder;
}

static void report_jobs(const struct nx_directory_view *v, const struct nx_device_jobs *jobs,
			struct nx_arena *arena)
{
	struct nx_table_view table;
	struct nx_output out;
	uint64_t earliest = UINT64_MAX;
	size_t known = 0;
	char time[NX_COUNT_TEXT_MAX], start[NX_COUNT_TEXT_MAX], count[NX_COUNT_TEXT_MAX];

	for (size_t i = 0; i < jobs->len; i++)
		known += jobs->items[i].result.is_known;
	if (known && says(v))
		nx_say("%zu of %zu device profiles are stored and have not changed; --force "
		       "processes them again",
		       known, jobs->len);
	if (jobs->len == known || !says(v) || nx_output_open(&out, "-", NULL))
		return;
	for (size_t i = 0; i < jobs->len; i++)
		if (jobs->items[i].result.start_epoch_ns &&
		    jobs->items[i].result.start_epoch_ns < earliest)
			earliest = jobs->items[i].result.start_epoch_ns;
	nx_table_begin(&table, arena, "device profile|>time|>instructions|>DMA packets|>start");
	for (size_t i = 0; i < jobs->len; i++) {
		const struct nx_device_job *job = &jobs->items[i];

		if (!is_new(job))
			continue;
		snprintf(start, sizeof(start), "-");
		if (job->result.start_epoch_ns)
			nx_duration_text((job->result.start_epoch_ns - earliest) * 1000, start);
		nx_table_add(&table, "%s", place_name(job));
		nx_table_add(&table, "%s", nx_duration_text(job->result.total_time_ps, time));
		nx_table_add(&table, "%s", nx_count_text(job->result.instruction_count, count));
		nx_table_add(&table, "%s", nx_count_text(job->result.packet_count, count));
		nx_table_add(&table, "%s", start);
	}
	nx_table_end(&table, &out, 0);
	(void)!nx_output_commit(&out, NULL);
}

static enum nx_status say_failures(const struct nx_directory_view *v,
				   const struct nx_device_jobs *jobs, size_t *good,
				   struct nx_error *err)
{
	enum nx_status first = NX_OK;

	for (size_t i = 0; i < jobs->len; i++) {
		const struct nx_device_job *job = &jobs->items[i];

		nx_status_file_leave(v->status_file, job->options.session_path, NX_PROFILE_DEVICE,
				     job->result.status, job->result.message);
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

/* Which profile to show if there is no system profile. Ranks that were stored before under other
 * names are found by the name of any of them. */
static void name_devices(struct nx_directory_view *v, const struct nx_device_jobs *jobs,
			 const char *stem)
{
	const char *first = NULL;
	size_t good = 0, len = strlen(stem);
	bool are_alike = true;

	for (size_t i = 0; i < jobs->len; i++) {
		const char *name = jobs->items[i].result.name;

		if (jobs->items[i].result.status || !*name)
			continue;
		first = first ? first : name;
		are_alike = are_alike && !strncmp(name, stem, len) && name[len] == '_';
		good++;
	}
	v->has_ranks = good > 1;
	if (first)
		snprintf(v->devices_name, sizeof(v->devices_name), "%s",
			 v->has_ranks && are_alike ? stem : first);
}

/* Fails only if no capture could be read; single failures are reported as warnings. */
static enum nx_status write_devices(struct nx_directory_view *v,
				    const struct nx_system_profile *profile, struct nx_arena *arena,
				    struct nx_error *err)
{
	struct nx_device_jobs jobs = {0};
	enum nx_status st, failed;
	size_t good = 0;

	plan_jobs(v, profile, arena, &jobs);
	st = nx_device_jobs_run(&jobs, v->as_tables ? NULL : nx_exporter_find(v->format),
				&v->device_export, v->jobs, err);
	if (!st) {
		failed = say_failures(v, &jobs, &good, err);
		report_jobs(v, &jobs, arena);
		if (!profile->process_count && v->as_tables)
			name_devices(v, &jobs, store_stem(v, profile, arena));
		if (!good && failed && !profile->process_count)
			st = failed;
	}
	nx_vec_release(&jobs);
	return st;
}

/* --- summaries of ranks ---------------------------------------------------- */

struct rank_summaries {
	struct nx_output out;
	struct nx_json_writer json; /* one object, a member per rank */
	bool is_json;
	size_t good;
};

static void write_rank(const struct nx_directory_view *v, const struct nx_device_capture *d,
		       const struct nx_profile *profile, struct rank_summaries *s)
{
	char key[NX_PROFILE_KEY_MAX];

	if (s->is_json) {
		nx_profile_key(profile, key);
		nx_json_key(&s->json, key);
		nx_json_summary(&s->json, profile);
	} else {
		nx_print(&s->out, "%s%s\n", s->good ? "\n" : "", d->session_path);
		(void)!nx_export_summary_text(profile, &v->device_export, &s->out, NULL);
	}
	s->good++;
}

static enum nx_status summarise_one(const struct nx_directory_view *v,
				    const struct nx_device_capture *d, struct rank_summaries *s,
				    struct nx_error *err)
{
	struct nx_device_job job = {.options = v->device, .capture = d};
	struct nx_device_session *device;
	enum nx_status st;

	job.options.session_path = d->session_path;
	job.options.neff_path = d->neff_path;
	job.options.show_progress = false;
	st = nx_device_job_open(&job, &device, err);
	if (job.result.note[0])
		nx_say_warning("%s", job.result.note);
	if (st)
		return st;
	write_rank(v, d, nx_device_session_borrow(device), s);
	nx_device_session_close(device);
	return NX_OK;
}

/* Fails only if no capture could be read. */
static enum nx_status summarise_each(const struct nx_directory_view *v,
				     const struct nx_system_profile *profile,
				     struct rank_summaries *s, struct nx_error *err)
{
	struct nx_error first = {0}, one = {0};
	enum nx_status st;

	for (size_t i = 0; i < profile->devices.len; i++) {
		const struct nx_device_capture *d = &profile->devices.items[i];

		if (d->is_empty)
			continue;
		st = summarise_one(v, d, s, &one);
		nx_status_file_leave(v->status_file, d->session_path, NX_PROFILE_DEVICE, st,
				     one.message);
		if (!st)
			continue;
		if (first.status)
			nx_say_warning("%s", one.message);
		else
			first = one;
	}
	if (first.status && !s->good)
		return nx_fail(err, first.status, "%s", first.message);
	if (first.status)
		nx_say_warning("%s", first.message);
	return NX_OK;
}

/* Without a system trace, each rank has its own summary. */
static enum nx_status summarise_devices(const struct nx_directory_view *v,
					const struct nx_system_profile *profile,
					struct nx_error *err)
{
	struct rank_summaries s = {.is_json = !strcmp(v->format, "summary-json")};
	enum nx_status st = nx_output_open(&s.out, "-", err);

	if (st)
		return st;
	nx_json_init_output(&s.json, &s.out, v->device_export.pretty);
	if (s.is_json)
		nx_json_begin_object(&s.json);
	st = summarise_each(v, profile, &s, err);
	if (s.is_json) {
		nx_json_end_object(&s.json);
		nx_output_write(&s.out, "\n", 1);
	}
	if (st) {
		nx_output_abort(&s.out);
		return st;
	}
	return nx_output_commit(&s.out, err);
}

static enum nx_status write_all(struct nx_directory_view *v,
				const struct nx_system_profile *profile, struct nx_error *err)
{
	const struct nx_exporter *exporter = v->as_tables ? NULL : nx_exporter_find(v->format);
	bool has_files = !exporter || exporter->default_file;
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	if (!has_files && !profile->process_count)
		return summarise_devices(v, profile, err);
	if (v->output_dir && has_files)
		st = nx_make_directories(v->output_dir, err);
	if (!st && profile->process_count) {
		nx_status_file_enter(v->status_file, v->system.directory, NX_PROFILE_SYSTEM);
		st = v->as_tables ? store_system(v, profile, &arena, err)
				  : write_system(v, profile, &arena, err);
		if (!st)
			nx_status_file_leave(v->status_file, v->system.directory, NX_PROFILE_SYSTEM,
					     NX_OK, "");
	}
	if (!st && has_files)
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
