/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "base/progress.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/status_file.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "cli/view.h"
#include "cli/view_directory.h"
#include "cli/view_store.h"
#include "cli/workspace_view.h"
#include "export/exporters.h"
#include "pipeline/device_profile.h"

#define DEFAULT_PORT 3001
#define FORMATS "parquet json perfetto summary-json summary-text"

struct view {
	const char *neff_path, *session_path, *directory;
	const char *format, *output_file, *status_file, *data_path, *display_name;
	bool ingest_only, pretty, force, terminology, perfetto_flows;
	bool skip_buffer_usage, skip_instructions, skip_events, skip_dma, skip_hierarchy;
	bool skip_device_profile, skip_system_profile, show_private, uncompressed;
	const char *core_filter, *type_filter, *instance_filter;
	const char *primary_group, *secondary_group;
	struct nx_number_value execution, port, verbosity, jobs;
	struct nx_list_value features;
};

static const struct nx_option options[] = {
	{"neff-path", 'n', NX_OPTION_FILE, "FILE", NX_FIELD(struct view, neff_path),
	 "The compiled model that was running. Without it names, layers, source lines and tensors "
	 "are missing.",
	 NULL},
	{"session-file", 's', NX_OPTION_FILE, "FILE", NX_FIELD(struct view, session_path),
	 "The session file (NTFF) that was captured.", NULL},
	{"session-dir", 'd', NX_OPTION_FOLDER, "DIR", NX_FIELD(struct view, directory),
	 "A directory that a capture wrote: the system profile of all processes in it, and every "
	 "session file with its NEFF. With -n, all session files are ranks of that model.",
	 NULL},
	{"output-format", 0, NX_OPTION_TEXT, "FORMAT", NX_FIELD(struct view, format),
	 "parquet keeps the profile as tables for queries, in the workspace or in the folder "
	 "--output-file; json writes every section of it to a file, perfetto the timeline for "
	 "ui.perfetto.dev; summary-json and summary-text print the metrics to standard output. "
	 "Without a format the profile is shown in a browser.",
	 FORMATS},
	{"output-file", 0, NX_OPTION_FILE, "FILE", NX_FIELD(struct view, output_file),
	 "Where json and perfetto go: ntff.json and ntff.pftrace if not given, standard output for "
	 "-. A file of that name is replaced once the new one is complete. For parquet and for a "
	 "directory, a folder.",
	 NULL},
	NX_OPTION_DATA_PATH(struct view),
	{"display-name", 0, NX_OPTION_TEXT, "NAME", NX_FIELD(struct view, display_name),
	 "What to call the profile in the workspace (default: the name of its file or folder).",
	 NULL},
	{"ingest-only", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, ingest_only),
	 "Put the profile into the workspace and end: the same as --output-format parquet.", NULL},
	{"json-pretty-print", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, pretty),
	 "Write JSON with line breaks and indents.", NULL},
	{"show-perfetto-flows", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, perfetto_flows),
	 "Draw arrows between instructions that depend on each other in the Perfetto trace.", NULL},
	{"uncompressed", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, uncompressed),
	 "Write Perfetto traces with plain packets: several times larger, for readers that cannot "
	 "inflate.",
	 NULL},
	{"system-trace-filter-neuron-core", 0, NX_OPTION_TEXT, "CORES",
	 NX_FIELD(struct view, core_filter),
	 "Of a directory, only events of these NeuronCores: \"0,1\". They are numbered within "
	 "their instance.",
	 NULL},
	{"system-trace-filter-event-type", 0, NX_OPTION_TEXT, "TYPES",
	 NX_FIELD(struct view, type_filter),
	 "Of a directory, only events of these types: names such as nrt_execute, hardware, "
	 "software; ^name leaves a type out.",
	 NULL},
	{"system-trace-filter-instance-id", 0, NX_OPTION_TEXT, "IDS",
	 NX_FIELD(struct view, instance_filter),
	 "Of a directory, only processes on these instances.", NULL},
	{"system-trace-primary-group", 0, NX_OPTION_TEXT, "FIELDS",
	 NX_FIELD(struct view, primary_group),
	 "What makes a process in the Perfetto trace of a directory (default "
	 "instance_id,process_id; also lnc_idx, thread_id, worker_gid).",
	 NULL},
	{"system-trace-secondary-group", 0, NX_OPTION_TEXT, "FIELDS",
	 NX_FIELD(struct view, secondary_group),
	 "What makes a row within it (default worker_gid,lnc_idx,thread_id).", NULL},
	{"ignore-device-profile", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct view, skip_device_profile), "Leave out the session files of a directory.",
	 NULL},
	{"ignore-system-profile", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct view, skip_system_profile), "Leave out the system profile of a directory.",
	 NULL},
	{"show-private", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, show_private),
	 "Also write addresses and names of hosts, which are left out otherwise.", NULL},
	{"jobs", 'j', NX_OPTION_NUMBER, "N", NX_FIELD(struct view, jobs),
	 "How many session files of a directory to read at once (default: one per processor).",
	 NULL},
	{"force", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, force),
	 "Join a session file and a NEFF that do not belong together; replace a profile of the "
	 "same "
	 "name in the workspace.",
	 NULL},
	{"execution", 0, NX_OPTION_NUMBER, "N", NX_FIELD(struct view, execution),
	 "Which execution of the session file to show, counted from 0 (default 0).", NULL},
	{"ignore-nc-buf-usage", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, skip_buffer_usage),
	 "Leave out the use of SBUF and PSUM, for speed.", NULL},
	{"ignore-instruction-trace", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct view, skip_instructions), "Leave out the instructions.", NULL},
	{"ignore-event-trace", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, skip_events),
	 "Leave out changes of semaphores and events.", NULL},
	{"ignore-dma-trace", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, skip_dma),
	 "Leave out DMA packets and transfers.", NULL},
	{"ignore-instruction-hierarchy", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct view, skip_hierarchy), "Leave out layers, source lines and dependencies.",
	 NULL},
	{NULL, 'F', NX_OPTION_LIST, "NAME=true", NX_FIELD(struct view, features),
	 "One of the --ignore options in another spelling: -F ignore-nc-buf-usage=true.", NULL},
	{"terminology", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct view, terminology),
	 "Explain all terms and metrics, and do nothing else.", NULL},
	{"port", 'p', NX_OPTION_NUMBER, "PORT", NX_FIELD(struct view, port),
	 "Where the browser finds the profile (default 3001).", NULL},
	{"processing-status-file", 0, NX_OPTION_FILE, "FILE", NX_FIELD(struct view, status_file),
	 "Tell programs how processing goes: JSON with the status_code of the run (-1 until it "
	 "ends, then the exit code) and the status of every profile: processing, success or "
	 "failed.",
	 NULL},
	{"verbosity", 'v', NX_OPTION_NUMBER, "LEVEL", NX_FIELD(struct view, verbosity),
	 "How much to say: 2 errors, 3 a few lines of warnings (default), 4 every warning.", NULL},

	{"db-endpoint", 0, NX_OPTION_LATER_TEXT, "URL", 0, "no database is used; leave it out",
	 NULL},
	{"db-org", 0, NX_OPTION_LATER_TEXT, "NAME", 0, "no database is used; leave it out", NULL},
	{"db-bucket", 0, NX_OPTION_LATER_TEXT, "NAME", 0, "no database is used; leave it out",
	 NULL},
	{"enable-memory-tracker", 0, NX_OPTION_LATER_FLAG, NULL, 0,
	 "the JSON output has the use of SBUF and PSUM over time", NULL},
	{"framework-source-root", 0, NX_OPTION_LATER_TEXT, "DIR", 0,
	 "the JSON output names source files and lines", NULL},
	{"nki-source-root", 0, NX_OPTION_LATER_TEXT, "DIR", 0,
	 "the JSON output names source files and lines", NULL},
	{"source-code-root", 0, NX_OPTION_LATER_TEXT, "DIR", 0,
	 "the JSON output names source files and lines", NULL},
	{"disable-ui", 0, NX_OPTION_LATER_FLAG, NULL, 0,
	 "use --output-format json to process without a browser", NULL},
	{"api-server-port", 0, NX_OPTION_LATER_TEXT, "PORT", 0,
	 "use --port; there is one port only", NULL},
	{0},
};

/* --- options --------------------------------------------------------------- */

static enum nx_status apply_feature(struct view *v, const char *text, struct nx_error *err)
{
	const struct {
		const char *name;
		bool *field;
	} features[] = {
		{"ignore-nc-buf-usage", &v->skip_buffer_usage},
		{"ignore-instruction-trace", &v->skip_instructions},
		{"ignore-event-trace", &v->skip_events},
		{"ignore-dma-trace", &v->skip_dma},
		{"ignore-instruction-hierarchy", &v->skip_hierarchy},
	};
	size_t len = strcspn(text, "=");
	const char *value = text[len] ? text + len + 1 : "true";

	if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
		return nx_fail(err, NX_USAGE, "-F %.100s: the value must be true or false", text);
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (strlen(features[i].name) == len && !strncmp(features[i].name, text, len)) {
			*features[i].field = !strcmp(value, "true");
			return NX_OK;
		}
	return nx_fail(err, NX_USAGE,
		       "-F has no feature '%.*s'; there are: ignore-nc-buf-usage "
		       "ignore-instruction-trace ignore-event-trace ignore-dma-trace "
		       "ignore-instruction-hierarchy",
		       (int)(len < 100 ? len : 100), text);
}

static enum nx_status refuse_operand(const char *word, struct nx_error *err)
{
	struct nx_slice name = nx_slice_text(word);

	if (nx_slice_ends(name, ".ntff"))
		return nx_fail(err, NX_USAGE, "give the session file with -s: view -s %.300s",
			       word);
	if (nx_slice_ends(name, ".neff"))
		return nx_fail(err, NX_USAGE,
			       "give the NEFF with -n: view -n %.300s -s SESSION.ntff", word);
	return nx_fail(err, NX_USAGE, "view takes options only, not '%.100s' (see 'view --help')",
		       word);
}

static enum nx_status check_format(const struct nx_invocation *call, const char *format,
				   struct nx_error *err)
{
	const char *near;

	if (nx_exporter_find(format) || !strcmp(format, "parquet"))
		return NX_OK;
	if (!strcmp(format, "db"))
		return nx_fail(err, NX_UNSUPPORTED,
			       "--output-format %s is not in this version of %s yet; use parquet, "
			       "json, perfetto, summary-json or summary-text",
			       format, call->program);
	near = nx_suggest_word(FORMATS, format);
	return nx_fail(err, NX_USAGE, "there is no output format '%.100s' (there are: %s)%s%.*s%s",
		       format, FORMATS, near ? "; did you mean '" : "",
		       near ? (int)strcspn(near, " ") : 0, near ? near : "", near ? "'?" : "");
}

static enum nx_status check_directory(const struct view *v, struct nx_error *err)
{
	if (v->output_file && !strcmp(v->output_file, "-"))
		return nx_fail(err, NX_USAGE,
			       "a directory becomes several files, which cannot share standard "
			       "output; name a folder for them with --output-file");
	if (v->skip_device_profile && v->skip_system_profile)
		return nx_fail(err, NX_USAGE,
			       "--ignore-device-profile and --ignore-system-profile together "
			       "leave nothing to show; leave one out");
	return NX_OK;
}

static enum nx_status check_inputs(const struct view *v, struct nx_error *err)
{
	if (v->directory && v->session_path)
		return nx_fail(err, NX_USAGE,
			       "give a session file (-s) or a directory (-d), not both");
	if (v->directory && !v->format && !v->ingest_only)
		return nx_fail(err, NX_UNSUPPORTED,
			       "showing a directory in a browser is not in this version yet; write "
			       "it with --output-format parquet, perfetto or json, or print "
			       "summary-text");
	if (v->directory)
		return check_directory(v, err);
	if (!v->session_path && v->neff_path)
		return nx_fail(err, NX_USAGE,
			       "a NEFF says what was compiled, not what happened: add the session "
			       "file with -s, or look inside with 'neff %.300s'",
			       v->neff_path);
	if (!v->session_path)
		return nx_fail(err, NX_USAGE,
			       "nothing to view: give a session file with -s SESSION.ntff and the "
			       "NEFF that was running with -n MODEL.neff");
	return NX_OK;
}

static enum nx_status check_combination(const struct view *v, struct nx_error *err)
{
	if (v->format && v->port.is_given)
		return nx_fail(
			err, NX_USAGE,
			"--port is for viewing in a browser; leave it or --output-format out");
	if (v->ingest_only && (v->output_file || (v->format && strcmp(v->format, "parquet") != 0)))
		return nx_fail(err, NX_USAGE,
			       "--ingest-only puts tables into the workspace; leave --output-file "
			       "and other formats out");
	if (!v->format && v->output_file)
		return nx_fail(err, NX_USAGE,
			       "--output-file needs a format: add --output-format json");
	if (!v->format && v->pretty)
		return nx_fail(err, NX_USAGE,
			       "--json-pretty-print needs a format: add --output-format json");
	if (v->perfetto_flows && (!v->format || strcmp(v->format, "perfetto") != 0))
		return nx_fail(err, NX_USAGE,
			       "--show-perfetto-flows is for Perfetto traces: add --output-format "
			       "perfetto");
	if (v->port.value > UINT16_MAX)
		return nx_fail(err, NX_USAGE, "--port %u: ports end at 65535", v->port.value);
	return NX_OK;
}

static enum nx_status check(const struct nx_invocation *call, struct view *v,
			    const struct nx_operands *operands, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (operands->count)
		return refuse_operand(operands->items[0], err);
	for (size_t i = 0; !st && i < v->features.count; i++)
		st = apply_feature(v, v->features.items[i], err);
	if (!st && v->format)
		st = check_format(call, v->format, err);
	if (!st && !v->terminology)
		st = check_inputs(v, err);
	return st ? st : check_combination(v, err);
}

/* --- what it does ---------------------------------------------------------- */

static enum nx_status show_terminology(struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	nx_view_print_terminology(&out);
	return nx_output_commit(&out, err);
}

static unsigned verbosity_of(const struct view *v)
{
	return v->verbosity.is_given ? v->verbosity.value : NX_SAY_WARNINGS;
}

static const char *target_of(const struct view *v, const struct nx_exporter *exporter)
{
	if (!exporter->default_file)
		return "-";
	return v->output_file ? v->output_file : exporter->default_file;
}

static enum nx_status write_profile(const struct view *v, const struct nx_profile *profile,
				    uint64_t started_ns, struct nx_error *err)
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

static struct nx_device_options device_options(const struct view *v)
{
	return (struct nx_device_options){
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

static enum nx_status open_profile(const struct view *v, struct nx_device_profile **out,
				   struct nx_error *err)
{
	struct nx_device_options how = device_options(v);

	return nx_device_profile_open(out, &how, err);
}

static bool wants_tables(const struct view *v)
{
	return v->ingest_only || (v->format && !strcmp(v->format, "parquet"));
}

static struct nx_store_view store_view(const struct view *v)
{
	return (struct nx_store_view){.folder = v->output_file,
				      .data_path = v->data_path,
				      .name = v->display_name,
				      .force = v->force,
				      .verbosity = verbosity_of(v)};
}

static enum nx_status store_profile(const struct view *v, const struct nx_profile *profile,
				    uint64_t started_ns, struct nx_error *err)
{
	struct nx_store_view how = store_view(v);
	struct nx_stored stored;
	enum nx_status st =
		nx_store_device(&how, profile, v->session_path, v->neff_path, &stored, err);

	if (!st && verbosity_of(v) > NX_SAY_ERRORS)
		nx_store_say(&stored, nx_now_ns() - started_ns);
	return st;
}

static enum nx_status view_directory(const struct view *v, struct nx_status_file *status_file,
				     struct nx_error *err)
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
		.store = store_view(v),
		.output_dir = v->output_file,
		.jobs = v->jobs.value,
		.verbosity = verbosity_of(v),
		.status_file = status_file,
	};

	return nx_view_directory(&how, err);
}

static void say_ignored(const struct view *v)
{
	const struct nx_exporter *exporter = v->format ? nx_exporter_find(v->format) : NULL;

	if (exporter && !exporter->default_file && v->output_file &&
	    strcmp(v->output_file, "-") != 0 && verbosity_of(v) > NX_SAY_ERRORS)
		nx_say("--output-file is not used: %s goes to standard output", v->format);
}

/* Once it is served, processing is over: whoever waits for the status file may go on. */
static enum nx_status serve_profile(const struct view *v, const struct nx_profile *profile,
				    struct nx_status_file *status_file, struct nx_error *err)
{
	enum nx_status st = nx_status_file_end(status_file, NX_OK, err);

	if (st)
		return st;
	return nx_view_serve(profile, v->port.is_given ? (uint16_t)v->port.value : DEFAULT_PORT,
			     err);
}

static enum nx_status view_session(const struct view *v, struct nx_status_file *status_file,
				   uint64_t started_ns, struct nx_error *err)
{
	struct nx_device_profile *device;
	const struct nx_profile *profile;
	enum nx_status st;

	nx_status_file_enter(status_file, v->session_path, NX_PROFILE_DEVICE);
	st = open_profile(v, &device, err);
	if (st)
		return st;
	profile = nx_device_profile_borrow(device);
	nx_view_say_warnings(profile, verbosity_of(v));
	if (wants_tables(v))
		st = store_profile(v, profile, started_ns, err);
	else
		st = v->format ? write_profile(v, profile, started_ns, err)
			       : serve_profile(v, profile, status_file, err);
	nx_device_profile_close(device);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, int argc, char **argv,
			  struct nx_error *err)
{
	struct nx_status_file status_file;
	struct view v = {0};
	struct nx_operands operands;
	uint64_t started_ns = nx_now_ns();
	bool wants_help;
	enum nx_status st;

	st = nx_options_parse(&nx_command_view, argc, argv, &v, &operands, &wants_help, err);
	if (!st && wants_help)
		return nx_help_show(call, &nx_command_view, err);
	if (!st)
		st = check(call, &v, &operands, err);
	if (!st && v.terminology)
		return show_terminology(err);
	if (st)
		return st;
	say_ignored(&v);
	st = nx_status_file_begin(&status_file, v.status_file, err);
	if (st)
		return st;
	st = v.directory ? view_directory(&v, &status_file, err)
			 : view_session(&v, &status_file, started_ns, err);
	return nx_status_file_end(&status_file, st, err);
}

static const struct nx_example examples[] = {
	{"Look at a profile in the browser:", "view -n model.neff -s profile.ntff"},
	{"Write every section as JSON:",
	 "view -n model.neff -s profile.ntff --output-format json --output-file profile.json"},
	{"Write the timeline for ui.perfetto.dev:",
	 "view -n model.neff -s profile.ntff --output-format perfetto"},
	{"A system profile, all processes and instances, for ui.perfetto.dev:",
	 "view -d output --output-format perfetto"},
	{"Print the metrics, quickly and without other words:",
	 "view -n model.neff -s profile.ntff --output-format summary-text -v 2"},
	{0},
};

const struct nx_command nx_command_view = {
	"view",
	"show a profile, or write it as JSON, trace or summary",
	"",
	"Reads a session file (NTFF) and the compiled model that was running (NEFF), and shows "
	"the profile in a browser or writes it in the chosen format.\n"
	"\n"
	"The session file alone is enough for times, instructions and DMA packets; the NEFF adds "
	"names, layers, source lines and tensors. What a capture lacks or lost is told on standard "
	"error.",
	options,
	examples,
	run,
};
