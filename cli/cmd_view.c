/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "cli/help.h"
#include "cli/status_file.h"
#include "cli/terminal.h"
#include "cli/view.h"
#include "store/workspace.h"

static enum nx_status write_profile(const struct nx_view_options *v,
				    const struct nx_profile *profile, uint64_t started_ns,
				    struct nx_error *err)
{
	const struct nx_exporter *exporter = nx_exporter_find(v->format);
	struct nx_export_options how = nx_view_export_options(v);
	const char *target = "-";
	struct nx_progress progress;
	struct nx_output out;
	enum nx_status st;

	assert(exporter); /* the format was checked */
	if (exporter->default_file)
		target = v->output_file ? v->output_file : exporter->default_file;
	st = nx_output_open(&out, target, err);
	if (st)
		return st;
	/* A reader that has seen enough, such as head, ends the program at once. */
	if (!strcmp(target, "-") && !v->status_file)
		signal(SIGPIPE, SIG_DFL);
	nx_progress_begin(&progress, "writing", nx_profile_row_count(profile), nx_view_says(v));
	how.progress = &progress;
	st = exporter->write(profile, &how, &out, err);
	nx_progress_end(&progress);
	st = nx_print_end(&out, st, err);
	if (!st && strcmp(target, "-") != 0 && nx_view_says(v))
		nx_view_say_result(profile, target, out.written_bytes, nx_now_ns() - started_ns);
	return st;
}

static enum nx_status store_profile(const struct nx_view_options *v,
				    const struct nx_profile *profile, uint64_t started_ns,
				    struct nx_stored *stored, struct nx_error *err)
{
	struct nx_store_target target = nx_view_store_target(v);
	const char *sources[] = {v->session_path, v->neff_path};
	enum nx_status st =
		nx_store_device(&target, profile, sources, v->neff_path ? 2 : 1, stored, err);

	if (!st && nx_view_says(v))
		nx_view_say_stored(stored, nx_now_ns() - started_ns);
	return st;
}

/* Scripts for neuron-profile expect rows in their InfluxDB. Unless the user named one it may be
 * missing: the browser reads the workspace. */
static bool names_influx(const struct nx_view_options *v)
{
	return v->db_endpoint || v->db_org || v->db_bucket;
}

static enum nx_status send_to_influx(const struct nx_view_options *v,
				     const struct nx_profile *profile, const char *name,
				     struct nx_error *err)
{
	uint64_t started_ns = nx_now_ns();
	struct nx_store_target target = nx_view_store_target(v);
	const char *sources[] = {v->session_path, v->neff_path};
	struct nx_error reason = {0};
	struct nx_stored sent;
	enum nx_status st;

	target.to_influx = true;
	target.name = name;
	st = nx_store_device(&target, profile, sources, v->neff_path ? 2 : 1, &sent, &reason);
	if (st && names_influx(v))
		return nx_fail(err, st, "%s", reason.message);
	if (st)
		nx_say("no InfluxDB at http://localhost:8086, which is fine; to fill one, name it "
		       "with --db-endpoint");
	else if (nx_view_says(v))
		nx_view_say_stored(&sent, nx_now_ns() - started_ns);
	return NX_OK;
}

/* A database that the user named gets the rows even if the workspace has them. */
static bool must_send(const struct nx_view_options *v)
{
	return v->is_legacy && nx_view_wants_browser(v) && names_influx(v);
}

/* A capture that was stored before and has not changed is not processed again. */
static bool is_stored(const struct nx_view_options *v, struct nx_stored *stored)
{
	const char *sources[] = {v->directory ? v->directory : v->session_path, v->neff_path};
	struct nx_store_target target = nx_view_store_target(v);

	if (!nx_view_wants_tables(v) ||
	    !nx_stored_find(&target, v->directory ? NX_PROFILE_SYSTEM : NX_PROFILE_DEVICE, sources,
			    !v->directory && v->neff_path ? 2 : 1, stored))
		return false;
	if (nx_view_says(v))
		nx_say("%s has not changed since it was stored as %s; --force processes it again",
		       sources[0], stored->name);
	return true;
}

/* stored has a name if the workspace has the profile already. */
static enum nx_status view_session(const struct nx_view_options *v, uint64_t started_ns,
				   struct nx_stored *stored, struct nx_error *err)
{
	struct nx_device_session_options how = nx_view_device_options(v);
	struct nx_device_session *device;
	const struct nx_profile *profile;
	enum nx_status st = nx_device_session_open(&device, &how, err);

	if (st)
		return st;
	profile = nx_device_session_borrow(device);
	nx_view_say_warnings(&profile->warnings, nx_view_verbosity(v));
	if (nx_view_wants_tables(v) && !*stored->name)
		st = store_profile(v, profile, started_ns, stored, err);
	else if (!nx_view_wants_tables(v))
		st = write_profile(v, profile, started_ns, err);
	if (!st && v->is_legacy && nx_view_wants_browser(v))
		st = send_to_influx(v, profile, stored->name, err);
	nx_device_session_close(device);
	return st;
}

/* A workspace that cannot be written is found before a capture is processed. */
static enum nx_status check_workspace(const struct nx_view_options *v, struct nx_error *err)
{
	struct nx_store_target target = nx_view_store_target(v);
	struct nx_workspace_options where = {.path = target.data_path};
	struct nx_workspace *workspace = NULL;
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	if (!nx_view_wants_tables(v) || target.folder || target.url || target.to_influx)
		return NX_OK;
	if (!where.path)
		st = nx_workspace_default_path(&arena, &where.path, err);
	if (!st)
		st = nx_workspace_open(&workspace, &where, err);
	nx_workspace_close(workspace);
	nx_arena_release(&arena);
	return st;
}

static const char *in_url(struct nx_arena *arena, const char *name)
{
	struct nx_bytes encoded = {0};
	const char *copy;

	nx_bytes_append_percent(&encoded, nx_slice_text(name));
	copy = nx_arena_copy(arena, nx_slice_of(encoded.items, encoded.len));
	nx_vec_release(&encoded);
	return copy;
}

/* The lines that scripts for AWS's tools wait for; documented, so on standard output whatever -v
 * is.
 */
static enum nx_status say_processed(const struct nx_view_options *v, const struct nx_stored *stored,
				    bool has_ranks, struct nx_error *err)
{
	const char *folder = v->data_path;
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	if (v->recommend)
		return nx_view_recommend(v, stored->name, err);
	if (!*stored->name || v->store || (!nx_view_wants_browser(v) && !v->ingest_only))
		return NX_OK;
	if (!folder)
		st = nx_workspace_default_path(&arena, &folder, err);
	if (!st && !v->ingest_only)
		printf("Processing for %s is complete\n", stored->name);
	else if (!st && v->is_legacy)
		printf("Profile \"%s\" is ready to view\n",
		       *stored->key && !v->display_name ? stored->key : stored->name);
	else if (!st)
		printf("View profile at http://localhost:%u/%s/%s (start the server first with: %s "
		       "view --data-path %s)\n",
		       v->port.is_given ? v->port.value : NX_VIEW_DEFAULT_PORT,
		       has_ranks ? "profile_cc" : "profile", in_url(&arena, stored->name),
		       NX_PROGRAM, folder);
	fflush(stdout);
	nx_arena_release(&arena);
	return st;
}

static enum nx_status view(const struct nx_view_options *v, uint64_t started_ns,
			   struct nx_error *err)
{
	const struct nx_exporter *exporter = v->format ? nx_exporter_find(v->format) : NULL;
	struct nx_status_file status_file;
	struct nx_stored stored = {0};
	bool has_ranks = false, is_known = false;
	enum nx_status st;

	if (exporter && !exporter->default_file && v->output_file &&
	    strcmp(v->output_file, "-") != 0 && nx_view_says(v))
		nx_say("--output-file is not used: %s goes to standard output", v->format);
	if (v->ingest_only && (v->db_endpoint || v->db_org || v->db_bucket) && nx_view_says(v))
		nx_say("--ingest-only stores in the workspace; --db-endpoint, --db-org and "
		       "--db-bucket are not used");
	st = nx_view_wants_browser(v) ? nx_view_check_ports(v, err) : NX_OK;
	if (!st)
		st = check_workspace(v, err);
	if (!st)
		st = nx_status_file_begin(&status_file, v->status_file, err);
	if (st)
		return st;
	if (!v->directory && v->session_path)
		nx_status_file_enter(&status_file, v->session_path, NX_PROFILE_DEVICE);
	if (v->stored_name)
		snprintf(stored.name, sizeof(stored.name), "%s", v->stored_name);
	if (v->directory || v->session_path)
		is_known = is_stored(v, &stored);
	if ((v->directory && !is_known) || (v->session_path && (!is_known || must_send(v))))
		st = v->directory ? nx_view_directory(v, &status_file, &stored, &has_ranks, err)
				  : view_session(v, started_ns, &stored, err);
	if (!st)
		st = say_processed(v, &stored, has_ranks, err);
	if (st || !nx_view_wants_browser(v))
		return nx_status_file_end(&status_file, st, err);
	/* The status file ends before serving: programs that wait for it may then continue. */
	st = nx_status_file_end(&status_file, NX_OK, err);
	return st ? st : nx_view_serve(v, stored.name, has_ranks, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	struct nx_view_options *v = values;
	uint64_t started_ns = nx_now_ns();
	struct nx_arena arena = {0};
	enum nx_status st;

	v->is_legacy = call->is_legacy;
	st = nx_view_take_operand(v, operands, err);
	if (!st)
		st = nx_view_take_name(v, &arena, err);
	if (!st)
		st = nx_view_options_check(v, err);
	if (!st && v->terminology)
		st = nx_print_page(nx_view_print_terminology, err);
	if (st || v->terminology) {
		nx_arena_release(&arena);
		return st;
	}
	if (v->progress_fd.is_given)
		nx_progress_tell((int)v->progress_fd.value);
	st = nx_view_find_sessions(v, &arena, err);
	v->device_recipe = nx_view_device_recipe(v, &arena);
	v->recipe = v->directory ? nx_view_recipe(v, &arena) : v->device_recipe;
	if (!st)
		st = view(v, started_ns, err);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"View a profile in the browser:", "view -n model.neff -s profile.ntff"},
	{"Write every section as JSON:",
	 "view -n model.neff -s profile.ntff --output-format json --output-file profile.json"},
	{"Write the timeline for ui.perfetto.dev:",
	 "view -n model.neff -s profile.ntff --output-format perfetto"},
	{"Write a system profile of all processes and instances for ui.perfetto.dev:",
	 "view -d output --output-format perfetto"},
	{"View a profile of the workspace, which may be archived:", "view bert"},
	{"View a profile that JAX or PyTorch wrote:", "view host.xplane.pb"},
	{"Print only the metrics:",
	 "view -n model.neff -s profile.ntff --output-format summary-text -v 2"},
	{0},
};

const struct nx_command nx_command_view = {
	.name = "view",
	.summary = "show a profile, or write it as JSON, trace or summary",
	.operands = "[FILE]",
	.description =
		"Reads a session file (NTFF) and the compiled model that was running (NEFF), and "
		"shows the profile in a browser or writes it in the chosen format.\n"
		"\n"
		"FILE may also be a directory, as with -d, or a profile of another profiler, which "
		"is shown as a system profile: an XSpace (.xplane.pb) of JAX, TensorFlow or XProf, "
		"or a trace of PyTorch's profiler (.json, .json.gz). If there is no such file, it "
		"may be the name of a profile in the workspace; an archived one is fetched first.\n"
		"\n"
		"The session file alone has times, instructions and DMA packets; the NEFF adds "
		"names, layers, source lines and tensors. Warnings on standard error list what a "
		"capture lacks or lost. A directory fails only if nothing in it can be read; a "
		"session file that is empty or damaged is named, and the others are shown.",
	.options = nx_view_option_table,
	.examples = examples,
	.values_bytes = sizeof(struct nx_view_options),
	.run = run,
};
