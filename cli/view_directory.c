/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view -d: the system profile of a directory, and every device capture in it. Child processes read
 * the captures, so that a capture that fails does not affect the others.
 */
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/path.h"
#include "cli/status_file.h"
#include "cli/table.h"
#include "cli/view.h"
#include "export/exporters.h"
#include "export/json_sections.h"
#include "format/ntff.h"
#include "pipeline/system_profile.h"

struct directory {
	const struct nx_view_options *v;
	const struct nx_system_profile *profile;
	bool as_tables;	       /* into the workspace, or below --output-file; else in a format */
	const char *folder;    /* of all files; NULL: the current one */
	const char *main_file; /* of the system profile, else of the first device; NULL: named as
				  always */
	struct nx_status_file *status_file;
	struct nx_stored *stored;
	bool has_ranks;
	struct nx_arena arena;
};

static const char *file_in(struct directory *d, const char *name)
{
	return d->folder ? nx_arena_printf(&d->arena, "%s/%s", d->folder, name) : name;
}

/* --output-file is a folder, unless it looks like a file of the format: scripts give such a path
 * for a directory with one profile. Other profiles then go beside it. */
static void place_files(struct directory *d)
{
	static const char *const suffixes[] = {".pftrace", ".perfetto", ".perfetto-trace", ".json",
					       ".pb"};
	const char *path = d->v->output_file;
	const char *dot = path ? strrchr(nx_path_name(path), '.') : NULL;
	struct stat st;

	d->folder = path;
	for (size_t i = 0; dot && !d->as_tables && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(dot, suffixes[i]) && (stat(path, &st) || !S_ISDIR(st.st_mode))) {
			d->main_file = path;
			d->folder = nx_arena_copy(&d->arena, nx_path_folder(path));
		}
}

/* --- the system profile ---------------------------------------------------- */

static enum nx_status write_system(struct directory *d, struct nx_error *err)
{
	const struct nx_view_options *v = d->v;
	const struct nx_system_exporter *exporter = nx_system_exporter_find(v->format);
	const char *target = !exporter->default_file ? "-"
			     : d->main_file	     ? d->main_file
						     : file_in(d, exporter->default_file);
	uint64_t event_count = d->profile->rows[NX_SYSTEM_EVENT];
	struct nx_progress progress;
	const struct nx_system_export_options how = {
		.pretty = v->pretty,
		.include_private = v->show_private,
		.compress = !v->uncompressed,
		.primary_group = v->primary_group,
		.secondary_group = v->secondary_group,
		.progress = &progress,
	};
	char events[NX_COUNT_TEXT_MAX], size[NX_COUNT_TEXT_MAX];
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, target, err);

	if (st)
		return st;
	nx_progress_begin(&progress, "writing the system profile", event_count, nx_view_says(v));
	st = exporter->write(d->profile, &how, &out, err);
	nx_progress_end(&progress);
	st = nx_print_end(&out, st, err);
	if (!st && exporter->default_file && nx_view_says(v))
		nx_say("wrote %s: %s events of %u processes, %s", target,
		       nx_count_text(event_count, events), d->profile->process_count,
		       nx_size_text(out.written_bytes, size));
	return st;
}

/* --- as tables ------------------------------------------------------------- */

/* "train_2026_11_18_13_05_09" of one session of a run; NULL for a whole run. */
static const char *session_stem(struct directory *d)
{
	const struct nx_run_sessions *sessions = &d->profile->sessions;
	const char *run = d->profile->run_path;
	char real[PATH_MAX];

	if (!sessions->len || !realpath(d->profile->path, real) ||
	    (!d->v->sessions && !strcmp(real, run)))
		return NULL;
	if (sessions->len > 1 && d->v->sessions)
		return nx_arena_printf(&d->arena, "%s_%zu_sessions", nx_path_name(run),
				       sessions->len);
	/* a folder above the run or beside its sessions has a name of its own */
	if (sessions->len > 1 || (!d->v->sessions && !strstr(real, "/plugins/profile/")))
		return NULL;
	return nx_arena_printf(&d->arena, "%s_%s", nx_path_name(run), sessions->items[0].name);
}

/* The names of a directory's profiles in the workspace begin with this. */
static const char *store_stem(struct directory *d)
{
	const char *session = session_stem(d);
	char name[NX_PROFILE_NAME_MAX];

	if (*d->stored->name || d->v->display_name)
		return *d->stored->name ? d->stored->name : d->v->display_name;
	nx_profile_name_make(session ? nx_slice_text(session)
				     : nx_path_stem(d->v->session_prefix ? d->v->session_prefix
									 : d->profile->path),
			     name);
	return nx_arena_copy_text(&d->arena, name);
}

static struct nx_store_target place_of(struct directory *d, const char *name, const char *stem)
{
	struct nx_store_target place = nx_view_store_target(d->v);

	if (d->v->output_file)
		place.folder = file_in(d, name);
	else
		place.name = stem;
	return place;
}

static enum nx_status store_system(struct directory *d, struct nx_error *err)
{
	struct nx_store_target place = place_of(d, "system_profile", store_stem(d));
	uint64_t started_ns = nx_now_ns();
	enum nx_status st = nx_store_system(&place, d->profile, d->stored, err);

	if (!st && nx_view_says(d->v))
		nx_view_say_stored(d->stored, nx_now_ns() - started_ns);
	return st;
}

/* --- device captures ------------------------------------------------------- */

static struct nx_device_job job_of(const struct directory *d, const struct nx_device_capture *c)
{
	struct nx_device_job job = {.options = nx_view_device_options(d->v)};

	job.options.session_path = c->session_path;
	job.options.neff_path = c->neff_path;
	job.options.other_neffs = c->other_neffs;
	job.options.show_progress = false; /* several at once would draw over each other */
	return job;
}

/*
 * A core that ran nothing leaves an empty file. Beside others that is worth a line; if there is
 * nothing else, the first of them fails as it would alone.
 */
static enum nx_status report_empty(struct directory *d, struct nx_error *err)
{
	const char *first = NULL;
	size_t count = 0;
	struct nx_ntff ntff;

	for (size_t i = 0; i < d->profile->devices.len; i++) {
		const struct nx_device_capture *c = &d->profile->devices.items[i];

		first = c->is_empty && !first ? c->session_path : first;
		count += c->is_empty;
	}
	if (first && count == d->profile->devices.len && !d->profile->process_count) {
		enum nx_status st = nx_ntff_read((struct nx_slice){0}, &d->arena, &ntff, err);

		nx_context(err, "%s", first);
		nx_status_file_leave(d->status_file, first, NX_PROFILE_DEVICE, st, err->message);
		return st;
	}
	if (count == 1 && nx_view_says(d->v))
		nx_say("%s is empty: its core ran nothing", first);
	else if (count && nx_view_says(d->v))
		nx_say("%s and %zu more session file%s are empty: their cores ran nothing", first,
		       count - 1, count == 2 ? "" : "s");
	return NX_OK;
}

static void plan_jobs(struct directory *d, struct nx_device_jobs *jobs)
{
	const struct nx_system_profile *profile = d->profile;
	const char **names = nx_system_device_names(profile, &d->arena);
	const char *suffix = d->v->format && !strcmp(d->v->format, "perfetto") ? "pftrace" : "json";

	assert(!jobs->len);
	for (size_t i = 0; i < profile->devices.len; i++) {
		const struct nx_device_capture *c = &profile->devices.items[i];
		struct nx_device_job job = job_of(d, c);

		if (c->is_empty)
			continue;
		if (c->process < profile->process_count &&
		    profile->processes[c->process].has_clock_offset) {
			job.options.has_host_offset = true;
			job.options.host_offset_ns = profile->processes[c->process].clock_offset_ns;
			job.options.host_pid = profile->processes[c->process].pid;
		}
		if (d->as_tables) {
			struct nx_store_target *place =
				NX_NEW_ARRAY(&d->arena, struct nx_store_target, 1);

			*place = place_of(d, names[i],
					  nx_arena_printf(&d->arena, "%s_%s", store_stem(d),
							  names[i]));
			place->show_progress = false;
			place->recipe = d->v->device_recipe;
			job.store = place;
		} else {
			bool is_main = d->main_file && !profile->process_count && !jobs->len;

			job.target = is_main ? d->main_file
					     : file_in(d, nx_arena_printf(&d->arena, "%s.%s",
									  names[i], suffix));
		}
		nx_vec_push(jobs, job);
	}
}

static void report_jobs(struct directory *d, const struct nx_device_jobs *jobs)
{
	struct nx_output out;
	size_t known = 0;

	for (size_t i = 0; i < jobs->len; i++)
		known += jobs->items[i].result.is_known;
	if (known && nx_view_says(d->v))
		nx_say("%zu of %zu device profiles are stored and have not changed; --force "
		       "processes them again",
		       known, jobs->len);
	if (jobs->len == known || !nx_view_says(d->v) || nx_output_open(&out, "-", NULL))
		return;
	nx_view_report_devices(jobs, &out);
	(void)!nx_output_commit(&out, NULL);
}

static enum nx_status say_failures(const struct directory *d, const struct nx_device_jobs *jobs,
				   size_t *good, struct nx_error *err)
{
	enum nx_status first = NX_OK;

	for (size_t i = 0; i < jobs->len; i++) {
		const struct nx_device_job *job = &jobs->items[i];

		nx_status_file_leave(d->status_file, job->options.session_path, NX_PROFILE_DEVICE,
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
static void name_devices(struct directory *d, const struct nx_device_jobs *jobs, const char *stem)
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
	d->has_ranks = good > 1;
	if (first)
		snprintf(d->stored->name, sizeof(d->stored->name), "%s",
			 d->has_ranks && are_alike ? stem : first);
}

/* Fails only if no capture could be read; single failures are reported as warnings. */
static enum nx_status write_devices(struct directory *d, struct nx_error *err)
{
	struct nx_export_options how = nx_view_export_options(d->v);
	struct nx_device_jobs jobs = {0};
	enum nx_status st, failed;
	size_t good = 0;

	plan_jobs(d, &jobs);
	st = nx_device_jobs_run(&jobs, d->as_tables ? NULL : nx_exporter_find(d->v->format), &how,
				d->v->jobs.value, err);
	if (!st) {
		failed = say_failures(d, &jobs, &good, err);
		nx_view_say_device_warnings(&jobs, nx_view_verbosity(d->v));
		if (good > 1 && d->v->format && !strcmp(d->v->format, "json"))
			st = nx_view_write_ranks(&jobs, file_in(d, "ranks.json"), d->v->pretty,
						 err);
		report_jobs(d, &jobs);
		if (!d->profile->process_count && d->as_tables)
			name_devices(d, &jobs, store_stem(d));
		if (!good && failed && !d->profile->process_count)
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
	struct nx_device_jobs jobs; /* for their warnings */
};

static enum nx_status summarise_one(const struct directory *d, const struct nx_device_capture *c,
				    struct rank_summaries *s, struct nx_error *err)
{
	struct nx_export_options how = nx_view_export_options(d->v);
	struct nx_device_job job = job_of(d, c);
	struct nx_device_session *device;
	const struct nx_profile *profile;
	char key[NX_PROFILE_KEY_MAX];
	enum nx_status st = nx_device_job_open(&job, &device, err);

	if (job.result.note[0])
		nx_say_warning("%s", job.result.note);
	if (st)
		return st;
	profile = nx_device_session_borrow(device);
	if (s->is_json) {
		nx_profile_key(profile, key);
		nx_json_key(&s->json, key);
		nx_json_summary_alone(&s->json, profile);
	} else {
		nx_print(&s->out, "%s%s\n", s->good ? "\n" : "", c->session_path);
		(void)!nx_export_summary_text(profile, &how, &s->out, NULL);
	}
	s->good++;
	nx_device_job_keep_warnings(&job, &profile->warnings);
	nx_vec_push(&s->jobs, job);
	nx_device_session_close(device);
	return NX_OK;
}

/* Fails only if no capture could be read. */
static enum nx_status summarise_each(const struct directory *d, struct rank_summaries *s,
				     struct nx_error *err)
{
	struct nx_error first = {0}, one = {0};
	enum nx_status st;

	for (size_t i = 0; i < d->profile->devices.len; i++) {
		const struct nx_device_capture *c = &d->profile->devices.items[i];

		if (c->is_empty)
			continue;
		st = summarise_one(d, c, s, &one);
		nx_status_file_leave(d->status_file, c->session_path, NX_PROFILE_DEVICE, st,
				     one.message);
		if (st && first.status)
			nx_say_warning("%s", one.message);
		else if (st)
			first = one;
	}
	if (first.status && !s->good)
		return nx_fail(err, first.status, "%s", first.message);
	if (first.status)
		nx_say_warning("%s", first.message);
	return NX_OK;
}

/* Without a system trace, each rank has its own summary. */
static enum nx_status summarise_devices(const struct directory *d, struct nx_error *err)
{
	struct rank_summaries s = {.is_json = !strcmp(d->v->format, "summary-json")};
	enum nx_status st = nx_output_open(&s.out, "-", err);

	if (st)
		return st;
	nx_json_init_output(&s.json, &s.out, d->v->pretty);
	if (s.is_json)
		nx_json_begin_object(&s.json);
	st = summarise_each(d, &s, err);
	nx_view_say_device_warnings(&s.jobs, nx_view_verbosity(d->v));
	nx_vec_release(&s.jobs);
	if (s.is_json) {
		nx_json_end_object(&s.json);
		nx_output_write(&s.out, "\n", 1);
	}
	return nx_print_end(&s.out, st, err);
}

static enum nx_status write_all(struct directory *d, struct nx_error *err)
{
	const char *path = d->v->directory;
	const struct nx_exporter *device = d->as_tables ? NULL : nx_exporter_find(d->v->format);
	bool has_files = d->as_tables || !device || device->default_file;
	enum nx_status st = report_empty(d, err);

	if (st)
		return st;
	if (!d->as_tables && !device && !d->profile->process_count)
		return nx_fail(err, NX_UNSUPPORTED,
			       "%s has no system profile, and %s cannot show a device profile; "
			       "choose perfetto",
			       path, d->v->format);

	if (!has_files && !d->profile->process_count)
		return summarise_devices(d, err);
	if (d->folder && has_files)
		st = nx_make_directories(d->folder, err);
	if (!st && d->profile->process_count) {
		nx_status_file_enter(d->status_file, path, NX_PROFILE_SYSTEM);
		st = d->as_tables ? store_system(d, err) : write_system(d, err);
		if (!st)
			nx_status_file_leave(d->status_file, path, NX_PROFILE_SYSTEM, NX_OK, "");
	}
	if (!st && !d->as_tables && !device) {
		if (d->profile->devices.len && nx_view_says(d->v))
			nx_say("%s has no form for device profiles: %zu session file%s left out",
			       d->v->format, d->profile->devices.len,
			       d->profile->devices.len == 1 ? " is" : "s are");
		return NX_OK;
	}
	return !st && has_files ? write_devices(d, err) : st;
}

enum nx_status nx_view_directory(const struct nx_view_options *v,
				 struct nx_status_file *status_file, struct nx_stored *stored,
				 bool *has_ranks, struct nx_error *err)
{
	struct nx_system_options how = {
		.directory = v->directory,
		.neff_path = v->neff_path,
		.sessions = v->sessions,
		.session_prefix = v->session_prefix,
		.filter = {v->core_filter, v->type_filter, v->instance_filter},
		.skip_system = v->skip_system_profile,
		.skip_device = v->skip_device_profile,
		.show_progress = nx_view_says(v),
	};
	struct directory d = {.v = v,
			      .as_tables = nx_view_wants_tables(v),
			      .status_file = status_file,
			      .stored = stored};
	struct nx_system_run *run;
	enum nx_status st = nx_system_run_open(&run, &how, err);

	assert(v->directory && (d.as_tables || v->format));
	memset(stored, 0, sizeof(*stored));
	if (st)
		return st;
	d.profile = nx_system_run_borrow(run);
	nx_view_say_warnings(&d.profile->warnings, nx_view_verbosity(v));
	place_files(&d);
	st = write_all(&d, err);
	*has_ranks = d.has_ranks;
	nx_system_run_close(run);
	nx_arena_release(&d.arena);
	return st;
}
