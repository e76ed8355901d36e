/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "cli/status_file.h"
#include "cli/terminal.h"
#include "cli/view.h"
#include "cli/view_directory.h"
#include "cli/view_options.h"
#include "export/exporters.h"
#include "pipeline/device_session.h"
#include "pipeline/stored_profile.h"

#define DEFAULT_PORT 3001
#define DEFAULT_API_PORT 3002

static enum nx_status show_terminology(struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	nx_view_print_terminology(&out);
	return nx_output_commit(&out, err);
}

static unsigned verbosity_of(const struct nx_view_options *v)
{
	return v->verbosity.is_given ? v->verbosity.value : NX_SAY_WARNINGS;
}

static bool wants_tables(const struct nx_view_options *v)
{
	return nx_view_wants_tables(v) || nx_view_wants_browser(v);
}

static const char *target_of(const struct nx_view_options *v, const struct nx_exporter *exporter)
{
	if (!exporter->default_file)
		return "-";
	return v->output_file ? v->output_file : exporter->default_file;
}

static enum nx_status write_profile(const struct nx_view_options *v,
				    const struct nx_profile *profile, uint64_t started_ns,
				    struct nx_error *err)
{
	const struct nx_exporter *exporter = nx_exporter_find(v->format);
	const char *target = target_of(v, exporter);
	struct nx_progress progress;
	struct nx_export_options how = {
		.pretty = v->pretty,
		.compress = !v->uncompressed,
		.perfetto_flows = v->perfetto_flows,
		.progress = &progress,
	};
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, target, err);

	if (st)
		return st;
	nx_progress_begin(&progress, "writing", nx_profile_row_count(profile),
			  verbosity_of(v) > NX_SAY_ERRORS);
	st = exporter->write(profile, &how, &out, err);
	nx_progress_end(&progress);
	if (st) {
		nx_output_abort(&out);
		return st;
	}
	st = nx_output_commit(&out, err);
	if (!st && strcmp(target, "-") != 0 && verbosity_of(v) > NX_SAY_ERRORS)
		nx_view_say_result(profile, target, out.written_bytes, nx_now_ns() - started_ns);
	return st;
}

static struct nx_device_session_options device_options(const struct nx_view_options *v)
{
	return (struct nx_device_session_options){
		.session_path = v->session_path,
		.neff_path = v->neff_path,
		.force = v->force,
		.execution = v->execution.value,
		.skip_buffer_usage = v->skip_buffer_usage,
		.skip_instructions = v->skip_instructions,
		.skip_events = v->skip_events,
		.skip_dma = v->skip_dma,
		.skip_hierarchy = v->skip_hierarchy,
		.show_progress = verbosity_of(v) > NX_SAY_ERRORS,
	};
}

static enum nx_status open_profile(const struct nx_view_options *v, struct nx_device_session **out,
				   struct nx_error *err)
{
	struct nx_device_session_options how = device_options(v);

	return nx_device_session_open(out, &how, err);
}

static struct nx_store_target store_target(const struct nx_view_options *v)
{
	return (struct nx_store_target){
		.folder = v->output_file,
		.data_path = v->data_path,
		.name = v->display_name,
		.url = v->store,
		.to_influx = nx_view_has_format(v, "db"),
		.influx = {.endpoint = v->db_endpoint,
			   .org = v->db_org,
			   .bucket = v->db_bucket,
			   .token = getenv("INFLUX_TOKEN")},
		.recipe = v->recipe,
		.source_roots = {v->framework_source_root, v->nki_source_root, v->source_code_root},
		.force = v->force,
		.may_number = nx_view_wants_browser(v) && !v->display_name,
		.show_progress = verbosity_of(v) > NX_SAY_ERRORS,
	};
}

static enum nx_status store_profile(const struct nx_view_options *v,
				    const struct nx_profile *profile, uint64_t started_ns,
				    struct nx_stored *stored, struct nx_error *err)
{
	struct nx_store_target target = store_target(v);
	enum nx_status st =
		nx_store_device(&target, profile, v->session_path, v->neff_path, stored, err);

	if (!st && verbosity_of(v) > NX_SAY_ERRORS)
		nx_view_say_stored(stored, nx_now_ns() - started_ns);
	return st;
}

/* Scripts for neuron-profile expect rows in their InfluxDB. Unless the user named one it may be
 * missing: the browser reads the workspace. */
static enum nx_status send_to_influx(const struct nx_view_options *v,
				     const struct nx_profile *profile, const char *name,
				     struct nx_error *err)
{
	struct nx_store_target target = store_target(v);
	struct nx_error reason = {0};
	struct nx_stored sent;
	enum nx_status st;

	if (!v->is_legacy)
		return NX_OK;
	target.to_influx = true;
	target.name = name;
	st = nx_store_device(&target, profile, v->session_path, v->neff_path, &sent, &reason);
	if (st && (v->db_endpoint || v->db_org || v->db_bucket))
		return nx_fail(err, st, "%s", reason.message);
	if (st)
		nx_say("no InfluxDB at http://localhost:8086, which is fine; to fill one, name it "
		       "with --db-endpoint");
	else if (verbosity_of(v) > NX_SAY_ERRORS)
		nx_view_say_stored(&sent, 0);
	return NX_OK;
}

/* What was stored before and has not changed is not processed again. */
static bool is_stored(const struct nx_view_options *v, struct nx_stored *stored)
{
	const char *sources[] = {v->directory ? v->directory : v->session_path, v->neff_path};
	struct nx_store_target target = store_target(v);

	if (!wants_tables(v) ||
	    !nx_stored_find(&target, v->directory ? NX_PROFILE_SYSTEM : NX_PROFILE_DEVICE, sources,
			    !v->directory && v->neff_path ? 2 : 1, stored))
		return false;
	if (verbosity_of(v) > NX_SAY_ERRORS)
		nx_say("%s has not changed since it was stored as %s; --force processes it again",
		       sources[0], stored->name);
	return true;
}

static enum nx_status view_directory(const struct nx_view_options *v,
				     struct nx_status_file *status_file, struct nx_stored *stored,
				     bool *has_ranks, struct nx_error *err)
{
	struct nx_directory_view how = {
		.system = {.directory = v->directory,
			   .neff_path = v->neff_path,
			   .filter = {v->core_filter, v->type_filter, v->instance_filter},
			   .skip_system = v->skip_system_profile,
			   .skip_device = v->skip_device_profile},
		.device = device_options(v),
		.device_export = {.pretty = v->pretty,
				  .perfetto_flows = v->perfetto_flows,
				  .compress = !v->uncompressed},
		.system_export = {.pretty = v->pretty,
				  .include_private = v->show_private,
				  .compress = !v->uncompressed,
				  .primary_group = v->primary_group,
				  .secondary_group = v->secondary_group},
		.format = v->format,
		.as_tables = wants_tables(v),
		.store = store_target(v),
		.output_dir = v->output_file,
		.jobs = v->jobs.value,
		.verbosity = verbosity_of(v),
		.status_file = status_file,
	};
	enum nx_status st;

	memset(stored, 0, sizeof(*stored));
	if (is_stored(v, stored))
		return NX_OK;
	st = nx_view_directory(&how, err);
	*stored = how.system_stored;
	if (!*stored->name)
		snprintf(stored->name, sizeof(stored->name), "%s", how.devices_name);
	*has_ranks = how.has_ranks;
	return st;
}

static void say_ignored(const struct nx_view_options *v)
{
	const struct nx_exporter *exporter = v->format ? nx_exporter_find(v->format) : NULL;

	if (exporter && !exporter->default_file && v->output_file &&
	    strcmp(v->output_file, "-") != 0 && verbosity_of(v) > NX_SAY_ERRORS)
		nx_say("--output-file is not used: %s goes to standard output", v->format);
}

/* The status file ends before serving: programs that wait for it may then continue. */
static enum nx_status serve_workspace(const struct nx_view_options *v, const char *open_name,
				      bool opens_ranks, struct nx_status_file *status_file,
				      struct nx_error *err)
{
	struct nx_serve_view how = {
		.data_path = v->data_path,
		.open_name = open_name,
		.opens_ranks = opens_ranks,
		.host = v->host,
		.token = v->token,
		.port = v->port.is_given ? (uint16_t)v->port.value : DEFAULT_PORT,
		.api_port = v->api_port.is_given ? (uint16_t)v->api_port.value : DEFAULT_API_PORT,
		.is_api_port_asked = v->api_port.is_given,
		.disable_ui = v->disable_ui,
	};
	enum nx_status st = nx_status_file_end(status_file, NX_OK, err);

	return st ? st : nx_view_serve(&how, err);
}

static enum nx_status view_session(const struct nx_view_options *v,
				   struct nx_status_file *status_file, uint64_t started_ns,
				   struct nx_stored *stored, struct nx_error *err)
{
	struct nx_device_session *device;
	const struct nx_profile *profile;
	enum nx_status st;

	nx_status_file_enter(status_file, v->session_path, NX_PROFILE_DEVICE);
	if (is_stored(v, stored))
		return NX_OK;
	st = open_profile(v, &device, err);
	if (st)
		return st;
	profile = nx_device_session_borrow(device);
	nx_view_say_warnings(profile, verbosity_of(v));
	if (wants_tables(v))
		st = store_profile(v, profile, started_ns, stored, err);
	else
		st = write_profile(v, profile, started_ns, err);
	if (!st && nx_view_wants_browser(v))
		st = send_to_influx(v, profile, stored->name, err);
	nx_device_session_close(device);
	return st;
}

static enum nx_status view(const struct nx_view_options *v, uint64_t started_ns,
			   struct nx_error *err)
{
	struct nx_status_file status_file;
	struct nx_stored stored = {0};
	bool has_ranks = false;
	enum nx_status st;

	say_ignored(v);
	st = nx_status_file_begin(&status_file, v->status_file, err);
	if (st)
		return st;
	if (v->directory)
		st = view_directory(v, &status_file, &stored, &has_ranks, err);
	else if (v->session_path)
		st = view_session(v, &status_file, started_ns, &stored, err);
	if (!st && nx_view_wants_browser(v))
		st = serve_workspace(v, *stored.name ? stored.name : NULL, has_ranks, &status_file,
				     err);
	return nx_status_file_end(&status_file, st, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	struct nx_view_options *v = values;
	uint64_t started_ns = nx_now_ns();
	struct nx_arena arena = {0};
	enum nx_status st;

	(void)operands;
	v->is_legacy = call->is_legacy;
	st = nx_view_options_check(v, err);
	if (!st && v->terminology)
		return show_terminology(err);
	if (st)
		return st;
	if (v->progress_fd.is_given)
		nx_progress_tell((int)v->progress_fd.value);
	v->recipe = nx_view_recipe(v, &arena);
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
	{"Print only the metrics:",
	 "view -n model.neff -s profile.ntff --output-format summary-text -v 2"},
	{0},
};

const struct nx_command nx_command_view = {
	.name = "view",
	.summary = "show a profile, or write it as JSON, trace or summary",
	.operands = "",
	.operand_hint = "give a session file with -s, its NEFF with -n",
	.description =
		"Reads a session file (NTFF) and the compiled model that was running (NEFF), and "
		"shows the profile in a browser or writes it in the chosen format.\n"
		"\n"
		"The session file alone has times, instructions and DMA packets; the NEFF adds "
		"names, layers, source lines and tensors. Warnings on standard error list what a "
		"capture lacks or lost.",
	.options = nx_view_option_table,
	.examples = examples,
	.values_bytes = sizeof(struct nx_view_options),
	.run = run,
};
