/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view_options.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/suggest.h"
#include "cli/workspace_view.h"
#include "export/exporters.h"

#define FORMATS "parquet json perfetto summary-json summary-text db"

const struct nx_option nx_view_option_table[] = {
	{"neff-path", 'n', NX_OPTION_FILE, "FILE", NX_FIELD(struct nx_view_options, neff_path),
	 "The compiled model that was running. Without it names, layers, source lines and tensors "
	 "are missing.",
	 NULL},
	{"session-file", 's', NX_OPTION_FILE, "FILE",
	 NX_FIELD(struct nx_view_options, session_path),
	 "The session file (NTFF) that was captured.", NULL},
	{"session-dir", 'd', NX_OPTION_FOLDER, "DIR", NX_FIELD(struct nx_view_options, directory),
	 "A directory that a capture wrote: the system profile of all processes in it, and every "
	 "session file with its NEFF. With -n, all session files are ranks of that model.",
	 NULL},
	{"output-format", 0, NX_OPTION_TEXT, "FORMAT", NX_FIELD(struct nx_view_options, format),
	 "parquet keeps the profile as tables for queries, in the workspace or in the folder "
	 "--output-file; db sends its rows to an InfluxDB; json writes every section of it to a "
	 "file, perfetto the timeline for "
	 "ui.perfetto.dev; summary-json and summary-text print the metrics to standard output. "
	 "Without a format the profile is shown in a browser.",
	 FORMATS},
	{"output-file", 0, NX_OPTION_FILE, "FILE", NX_FIELD(struct nx_view_options, output_file),
	 "Where json and perfetto go: ntff.json and ntff.pftrace if not given, standard output for "
	 "-. A file of that name is replaced once the new one is complete. For parquet and for a "
	 "directory, a folder.",
	 NULL},
	NX_OPTION_DATA_PATH(struct nx_view_options),
	{"display-name", 0, NX_OPTION_TEXT, "NAME", NX_FIELD(struct nx_view_options, display_name),
	 "What to call the profile in the workspace (default: the name of its file or folder).",
	 NULL},
	{"ingest-only", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct nx_view_options, ingest_only),
	 "Put the profile into the workspace and end: the same as --output-format parquet.", NULL},
	{"framework-source-root", 0, NX_OPTION_FOLDER, "DIR",
	 NX_FIELD(struct nx_view_options, framework_source_root),
	 "Where the model's source code lies: files that the capture names are kept with the "
	 "profile in the workspace, so that they can be shown beside it. Of \"/a/b/c.py\" the "
	 "longest end that is there is taken: a/b/c.py, b/c.py or c.py.",
	 NULL},
	{"nki-source-root", 0, NX_OPTION_FOLDER, "DIR",
	 NX_FIELD(struct nx_view_options, nki_source_root), "The same, for NKI kernels.", NULL},
	{"source-code-root", 0, NX_OPTION_FOLDER, "DIR",
	 NX_FIELD(struct nx_view_options, source_code_root), "The same, for both.", NULL},
	{"store", 0, NX_OPTION_TEXT, "URL", NX_FIELD(struct nx_view_options, store),
	 "With parquet: put the rows into a ClickHouse instead, "
	 "clickhouse://[USER[:PASSWORD]@]HOST:PORT/DATABASE[?cluster=NAME]. A push that was cut "
	 "off goes on where it stopped.",
	 NULL},
	{"db-endpoint", 0, NX_OPTION_TEXT, "URL", NX_FIELD(struct nx_view_options, db_endpoint),
	 "With db: the InfluxDB (default http://localhost:8086). A token is taken from "
	 "INFLUX_TOKEN.",
	 NULL},
	{"db-org", 0, NX_OPTION_TEXT, "NAME", NX_FIELD(struct nx_view_options, db_org),
	 "With db: the organisation, for InfluxDB 2.", NULL},
	{"db-bucket", 0, NX_OPTION_TEXT, "NAME", NX_FIELD(struct nx_view_options, db_bucket),
	 "With db: the bucket, or the database of InfluxDB 1 (default neuron_profile).", NULL},
	{"json-pretty-print", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct nx_view_options, pretty),
	 "Write JSON with line breaks and indents.", NULL},
	{"show-perfetto-flows", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct nx_view_options, perfetto_flows),
	 "Draw arrows between instructions that depend on each other in the Perfetto trace.", NULL},
	{"uncompressed", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct nx_view_options, uncompressed),
	 "Write Perfetto traces with plain packets: several times larger, for readers that cannot "
	 "inflate.",
	 NULL},
	{"system-trace-filter-neuron-core", 0, NX_OPTION_TEXT, "CORES",
	 NX_FIELD(struct nx_view_options, core_filter),
	 "Of a directory, only events of these NeuronCores: \"0,1\". They are numbered within "
	 "their instance.",
	 NULL},
	{"system-trace-filter-event-type", 0, NX_OPTION_TEXT, "TYPES",
	 NX_FIELD(struct nx_view_options, type_filter),
	 "Of a directory, only events of these types: names such as nrt_execute, hardware, "
	 "software; ^name leaves a type out.",
	 NULL},
	{"system-trace-filter-instance-id", 0, NX_OPTION_TEXT, "IDS",
	 NX_FIELD(struct nx_view_options, instance_filter),
	 "Of a directory, only processes on these instances.", NULL},
	{"system-trace-primary-group", 0, NX_OPTION_TEXT, "FIELDS",
	 NX_FIELD(struct nx_view_options, primary_group),
	 "What makes a process in the Perfetto trace of a directory (default "
	 "instance_id,process_id; also lnc_idx, thread_id, worker_gid).",
	 NULL},
	{"system-trace-secondary-group", 0, NX_OPTION_TEXT, "FIELDS",
	 NX_FIELD(struct nx_view_options, secondary_group),
	 "What makes a row within it (default worker_gid,lnc_idx,thread_id).", NULL},
	{"ignore-device-profile", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct nx_view_options, skip_device_profile),
	 "Leave out the session files of a directory.", NULL},
	{"ignore-system-profile", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct nx_view_options, skip_system_profile),
	 "Leave out the system profile of a directory.", NULL},
	{"show-private", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct nx_view_options, show_private),
	 "Also write addresses and names of hosts, which are left out otherwise.", NULL},
	{"jobs", 'j', NX_OPTION_NUMBER, "N", NX_FIELD(struct nx_view_options, jobs),
	 "How many session files of a directory to read at once (default: one per processor).",
	 NULL},
	{"force", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct nx_view_options, force),
	 "Join a session file and a NEFF that do not belong together; replace a profile of the "
	 "same "
	 "name in the workspace.",
	 NULL},
	{"execution", 0, NX_OPTION_NUMBER, "N", NX_FIELD(struct nx_view_options, execution),
	 "Which execution of the session file to show, counted from 0 (default 0).", NULL},
	{"ignore-nc-buf-usage", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct nx_view_options, skip_buffer_usage),
	 "Leave out the use of SBUF and PSUM, for speed.", NULL},
	{"ignore-instruction-trace", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct nx_view_options, skip_instructions), "Leave out the instructions.", NULL},
	{"ignore-event-trace", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct nx_view_options, skip_events),
	 "Leave out changes of semaphores and events.", NULL},
	{"ignore-dma-trace", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct nx_view_options, skip_dma),
	 "Leave out DMA packets and transfers.", NULL},
	{"ignore-instruction-hierarchy", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct nx_view_options, skip_hierarchy),
	 "Leave out layers, source lines and dependencies.", NULL},
	{NULL, 'F', NX_OPTION_LIST, "NAME=true", NX_FIELD(struct nx_view_options, features),
	 "One of the --ignore options in another spelling: -F ignore-nc-buf-usage=true.", NULL},
	{"terminology", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct nx_view_options, terminology),
	 "Explain all terms and metrics, and do nothing else.", NULL},
	{"port", 'p', NX_OPTION_NUMBER, "PORT", NX_FIELD(struct nx_view_options, port),
	 "Where the browser finds the profiles (default 3001).", NULL},
	{"api-server-port", 0, NX_OPTION_NUMBER, "PORT", NX_FIELD(struct nx_view_options, api_port),
	 "Where programs find the HTTP API as well (default 3002).", NULL},
	{"host", 0, NX_OPTION_TEXT, "NAME", NX_FIELD(struct nx_view_options, host),
	 "The name or address to listen on (default: this machine only). Everybody who reaches it "
	 "can read, change and delete profiles: use --token with it.",
	 NULL},
	NX_OPTION_TOKEN(struct nx_view_options,
			"Answer only those who know this token; the printed address has it."),
	{"disable-ui", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct nx_view_options, disable_ui),
	 "Serve the HTTP API without pages.", NULL},
	{"processing-status-file", 0, NX_OPTION_FILE, "FILE",
	 NX_FIELD(struct nx_view_options, status_file),
	 "Tell programs how processing goes: JSON with the status_code of the run (-1 until it "
	 "ends, then the exit code) and the status of every profile: processing, success or "
	 "failed.",
	 NULL},
	{"progress-fd", 0, NX_OPTION_NUMBER, "N", NX_FIELD(struct nx_view_options, progress_fd),
	 "Tell a program how far it is: lines such as \"0.42 storing\", the part of this stage "
	 "that "
	 "is done, written to this open descriptor. When nobody reads them any more, processing "
	 "ends.",
	 NULL},
	{"verbosity", 'v', NX_OPTION_NUMBER, "LEVEL", NX_FIELD(struct nx_view_options, verbosity),
	 "How much to say: 2 errors, 3 a few lines of warnings (default), 4 every warning.", NULL},

	{"enable-memory-tracker", 0, NX_OPTION_LATER_FLAG, NULL, 0,
	 "the JSON output has the use of SBUF and PSUM over time", NULL},
	{0},
};

/* --- options --------------------------------------------------------------- */

static enum nx_status apply_feature(struct nx_view_options *v, const char *text,
				    struct nx_error *err)
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

static enum nx_status check_format(const char *format, struct nx_error *err)
{
	const char *near;

	if (nx_exporter_find(format) || !strcmp(format, "parquet") || !strcmp(format, "db"))
		return NX_OK;
	near = nx_suggest_word(FORMATS, format);
	return nx_fail(err, NX_USAGE, "there is no output format '%.100s' (there are: %s)%s%.*s%s",
		       format, FORMATS, near ? "; did you mean '" : "",
		       near ? (int)strcspn(near, " ") : 0, near ? near : "", near ? "'?" : "");
}

bool nx_view_has_format(const struct nx_view_options *v, const char *format)
{
	return v->format && !strcmp(v->format, format);
}

bool nx_view_wants_tables(const struct nx_view_options *v)
{
	return v->ingest_only || v->store || nx_view_has_format(v, "parquet") ||
	       nx_view_has_format(v, "db");
}

bool nx_view_wants_browser(const struct nx_view_options *v)
{
	return !v->format && !nx_view_wants_tables(v);
}

/* It changes no row, but who names a folder wants its files with the profile. */
static const char *source_recipe(const struct nx_view_options *v, struct nx_arena *arena)
{
	const char *const roots[] = {v->framework_source_root, v->nki_source_root,
				     v->source_code_root};
	const char *recipe = "";

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		if (roots[i])
			recipe = nx_arena_printf(arena, "%s source=%s", recipe, roots[i]);
	return recipe;
}

const char *nx_view_recipe(const struct nx_view_options *v, struct nx_arena *arena)
{
	const char *core = v->core_filter, *type = v->type_filter, *instance = v->instance_filter;

	return nx_arena_printf(arena, "%s%s%s%s%s%s%s%s%s%s execution=%u%s%s%s%s%s%s",
			       NX_PRODUCT_VERSION, source_recipe(v, arena),
			       v->force ? " force" : "", v->skip_buffer_usage ? " no-buffers" : "",
			       v->skip_instructions ? " no-instructions" : "",
			       v->skip_events ? " no-events" : "", v->skip_dma ? " no-dma" : "",
			       v->skip_hierarchy ? " no-hierarchy" : "",
			       v->skip_device_profile ? " no-devices" : "",
			       v->skip_system_profile ? " no-system" : "", v->execution.value,
			       core ? " cores=" : "", core ? core : "", type ? " types=" : "",
			       type ? type : "", instance ? " instances=" : "",
			       instance ? instance : "");
}

static enum nx_status check_directory(const struct nx_view_options *v, struct nx_error *err)
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

/* Told at once, not when all else is done. */
static enum nx_status check_root(const char *option, const char *root, struct nx_error *err)
{
	struct stat st;

	if (!root || (!stat(root, &st) && S_ISDIR(st.st_mode)))
		return NX_OK;
	return nx_fail(err, NX_NOT_FOUND, "--%s: there is no folder %s", option, root);
}

static enum nx_status check_roots(const struct nx_view_options *v, struct nx_error *err)
{
	enum nx_status st = check_root("framework-source-root", v->framework_source_root, err);

	if (!st)
		st = check_root("nki-source-root", v->nki_source_root, err);
	return st ? st : check_root("source-code-root", v->source_code_root, err);
}

static enum nx_status check_inputs(const struct nx_view_options *v, struct nx_error *err)
{
	if (v->directory && v->session_path)
		return nx_fail(err, NX_USAGE,
			       "give a session file (-s) or a directory (-d), not both");
	if (v->directory)
		return check_directory(v, err);
	if (!v->session_path && v->neff_path)
		return nx_fail(err, NX_USAGE,
			       "a NEFF says what was compiled, not what happened: add the session "
			       "file with -s, or look inside with 'neff %.300s'",
			       v->neff_path);
	if (!v->session_path && !nx_view_wants_browser(v))
		return nx_fail(err, NX_USAGE,
			       "nothing to view: give a session file with -s SESSION.ntff and the "
			       "NEFF that was running with -n MODEL.neff");
	return NX_OK;
}

static enum nx_status check_database(const struct nx_view_options *v, struct nx_error *err)
{
	bool to_influx = nx_view_has_format(v, "db") || (v->is_legacy && nx_view_wants_browser(v));

	if ((v->db_endpoint || v->db_org || v->db_bucket) && !to_influx)
		return nx_fail(err, NX_USAGE,
			       "--db-endpoint, --db-org and --db-bucket are for InfluxDB: add "
			       "--output-format db");
	if (v->store &&
	    (nx_view_has_format(v, "db") || (v->format && !nx_view_has_format(v, "parquet"))))
		return nx_fail(err, NX_USAGE,
			       "--store puts tables into a ClickHouse; leave --output-format out");
	if ((v->store || nx_view_has_format(v, "db")) && v->output_file)
		return nx_fail(err, NX_USAGE, "rows go to the database; leave --output-file out");
	return NX_OK;
}

static enum nx_status check_ports(const struct nx_view_options *v, struct nx_error *err)
{
	if (v->format && v->port.is_given)
		return nx_fail(
			err, NX_USAGE,
			"--port is for viewing in a browser; leave it or --output-format out");
	if (!nx_view_wants_browser(v) &&
	    (v->host || v->token || v->disable_ui || v->api_port.is_given))
		return nx_fail(err, NX_USAGE,
			       "--host, --token, --disable-ui and --api-server-port are for "
			       "viewing in a browser; leave them or --output-format out");
	if (v->port.value > UINT16_MAX || v->api_port.value > UINT16_MAX)
		return nx_fail(err, NX_USAGE, "--%s %u: ports end at 65535",
			       v->port.value > UINT16_MAX ? "port" : "api-server-port",
			       v->port.value > UINT16_MAX ? v->port.value : v->api_port.value);
	return NX_OK;
}

static enum nx_status check_combination(const struct nx_view_options *v, struct nx_error *err)
{
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
	return check_ports(v, err);
}

enum nx_status nx_view_options_check(struct nx_view_options *v, const struct nx_operands *operands,
				     struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (operands->count)
		return refuse_operand(operands->items[0], err);
	for (size_t i = 0; !st && i < v->features.count; i++)
		st = apply_feature(v, v->features.items[i], err);
	if (!st && v->format)
		st = check_format(v->format, err);
	if (!st && !v->terminology)
		st = check_inputs(v, err);
	if (!st)
		st = check_database(v, err);
	if (!st)
		st = check_roots(v, err);
	return st ? st : check_combination(v, err);
}
