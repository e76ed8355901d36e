/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/input_files.h"
#include "cli/workspace_view.h"

#define FORMATS "parquet json perfetto xspace summary-json summary-text db"

#define VIEW struct nx_view_options
#define FIELD(member) NX_FIELD(VIEW, member)

const struct nx_option nx_view_option_table[] = {
	NX_ROW_NEFF(VIEW, "neff-path", 'n',
		    " Without it names, layers, source lines and tensors are missing."),
	NX_ROW_SESSION(VIEW, "session-file", 's',
		       " If no file has that name, all session files whose paths begin with it: "
		       "out/profile stands for out/profile_rank_0.ntff and its like."),
	NX_ROW_DIRECTORY(VIEW, "session-dir", 'd',
			 " With -n, all session files are ranks of that model."),
	{"output-format", 0, NX_CHOICE("FORMAT", FORMATS), FIELD(format),
	 "parquet stores the profile as tables for queries, in the workspace or in the folder "
	 "--output-file; db sends its rows to an InfluxDB; json writes every section to a file; "
	 "perfetto writes the timeline for ui.perfetto.dev; xspace writes a system profile for "
	 "XProf "
	 "and TensorBoard; summary-json and summary-text print "
	 "the metrics. Without a format the profile opens in a browser."},
	{"output-file", 0, NX_FILE("FILE"), FIELD(output_file),
	 "Where to write json and perfetto (default ntff.json and ntff.pftrace; - for standard "
	 "output). An existing file is replaced once the new one is complete. For parquet or a "
	 "directory, a folder."},
	NX_ROW_DATA_PATH(VIEW),
	NX_ROW_NAME(VIEW, "display-name"),
	{"ingest-only", 0, NX_FLAG, FIELD(ingest_only),
	 "Store the profile in the workspace, or as tables in the folder --output-file, and exit. "
	 "--output-format parquet does the same; db means the workspace here."},
	{"recommend", 0, NX_FLAG, FIELD(recommend),
	 "Store the profile as --ingest-only does, then print what to look at first, as Markdown: "
	 "findings of fixed rules, the worst first. Needs DuckDB, as 'query' does."},
	{"framework-source-root", 0, NX_FOLDER("DIR"), FIELD(framework_source_root),
	 "The folder of the model's source code. Source files named in the capture are stored with "
	 "the profile, to be shown beside it. For \"/a/b/c.py\" the longest matching path is "
	 "used: a/b/c.py, b/c.py or c.py."},
	{"nki-source-root", 0, NX_FOLDER("DIR"), FIELD(nki_source_root),
	 "The same for NKI kernels."},
	{"source-code-root", 0, NX_FOLDER("DIR"), FIELD(source_code_root), "The same for both."},
	{"store", 0, NX_TEXT("URL"), FIELD(store),
	 "With parquet: insert the rows into a ClickHouse instead, "
	 "clickhouse://[USER[:PASSWORD]@]HOST:PORT/DATABASE[?cluster=NAME]. An interrupted insert "
	 "resumes where it stopped."},
	{"db-endpoint", 0, NX_TEXT("URL"), FIELD(db_endpoint),
	 "With db: the InfluxDB (default http://localhost:8086). INFLUX_TOKEN holds its token."},
	{"db-org", 0, NX_TEXT("NAME"), FIELD(db_org), "With db: the organisation, for InfluxDB 2."},
	{"db-bucket", 0, NX_TEXT("NAME"), FIELD(db_bucket),
	 "With db: the bucket, or the database of InfluxDB 1 (default neuron_profile; as "
	 "neuron-profile, the id of the profile's contents). As neuron-profile, also the profile's "
	 "name."},
	{"json-pretty-print", 0, NX_FLAG, FIELD(pretty),
	 "Write JSON with line breaks and indentation."},
	{"show-perfetto-flows", 0, NX_FLAG, FIELD(perfetto_flows),
	 "Draw arrows between dependent instructions in the Perfetto trace."},
	{"uncompressed", 0, NX_FLAG, FIELD(uncompressed),
	 "Write uncompressed Perfetto traces: several times larger, for readers that cannot "
	 "decompress."},
	{"system-trace-filter-neuron-core", 0, NX_TEXT("CORES"), FIELD(core_filter),
	 "For a directory: only events of these NeuronCores, such as \"0,1\", numbered within "
	 "their instance."},
	{"system-trace-filter-event-type", 0, NX_TEXT("TYPES"), FIELD(type_filter),
	 "For a directory: only events of these types: names such as nrt_execute, hardware, "
	 "software; ^name excludes a type."},
	{"system-trace-filter-instance-id", 0, NX_TEXT("IDS"), FIELD(instance_filter),
	 "For a directory: only processes on these instances."},
	{"sessions", 0, NX_TEXT("NAMES"), FIELD(sessions),
	 "For a directory: only these sessions of the run, such as "
	 "\"2026_11_18_13_05_09,2026_11_18_14_00_00\"."},
	{"system-trace-primary-group", 0, NX_TEXT("FIELDS"), FIELD(primary_group),
	 "For a directory: the fields that make a process in the Perfetto trace (default "
	 "instance_id,process_id; also lnc_idx, thread_id, worker_gid)."},
	{"system-trace-secondary-group", 0, NX_TEXT("FIELDS"), FIELD(secondary_group),
	 "The fields that make a track within a process (default worker_gid,lnc_idx,thread_id)."},
	{"ignore-device-profile", 0, NX_FLAG, FIELD(skip_device_profile),
	 "For a directory: leave out the session files."},
	{"ignore-system-profile", 0, NX_FLAG, FIELD(skip_system_profile),
	 "For a directory: leave out the system profile."},
	{"show-private", 0, NX_FLAG, FIELD(show_private),
	 "Include addresses and host names, which are left out by default."},
	{"jobs", 'j', NX_NUMBER("N"), FIELD(jobs),
	 "For a directory: how many session files to read at once (default: one per processor)."},
	{"force", 0, NX_FLAG, FIELD(force),
	 "Join a session file and a NEFF that do not belong together; replace a profile of the "
	 "same name in the workspace."},
	{"execution", 0, NX_NUMBER("N"), FIELD(execution),
	 "Which execution of the session file to show, counted from 0. The default is 0, or all "
	 "of them if the session ran several models."},
	{"enable-memory-tracker", 0, NX_FLAG, FIELD(track_memory),
	 "Also find which tensors fill SBUF, PSUM, the scratchpad and HBM over time, and what "
	 "holds "
	 "each memory at its peak. Compile with XLA_IR_DEBUG=1 and XLA_HLO_DEBUG=1 and give the "
	 "NEFF for names; capture with --enable-dge-notifs to see dynamic DMAs."},
	{"ignore-nc-buf-usage", 0, NX_FLAG, FIELD(skip_buffer_usage),
	 "Leave out SBUF and PSUM usage, for speed."},
	{"ignore-instruction-trace", 0, NX_FLAG, FIELD(skip_instructions),
	 "Leave out the instructions."},
	{"ignore-event-trace", 0, NX_FLAG, FIELD(skip_events),
	 "Leave out changes of semaphores and events."},
	{"ignore-dma-trace", 0, NX_FLAG, FIELD(skip_dma), "Leave out DMA packets and transfers."},
	{"ignore-instruction-hierarchy", 0, NX_FLAG, FIELD(skip_hierarchy),
	 "Leave out layers, source lines and dependencies."},
	{NULL, 'F', NX_LIST("NAME=true"), FIELD(features),
	 "Another spelling of the --ignore options: -F ignore-nc-buf-usage=true."},
	{"terminology", 0, NX_FLAG, FIELD(terminology), "Explain all terms and metrics, and exit."},
	{"port", 'p', NX_NUMBER("PORT"), FIELD(port), "The port for the browser (default 3001)."},
	{"api-server-port", 0, NX_NUMBER("PORT"), FIELD(api_port),
	 "A second port for the HTTP API (default 3002)."},
	{"host", 0, NX_TEXT("NAME"), FIELD(host),
	 "The name or address to listen on (default: this machine only). Anyone who can reach it "
	 "can read, change and delete profiles, so another machine's needs a token."},
	NX_ROW_TOKEN(VIEW, "Require this access token; the printed address includes it."),
	NX_ROW_TOKEN_FILE(VIEW),
	{"query-memory-limit", 0, NX_TEXT("SIZE"), FIELD(query_memory_limit),
	 "How much memory SQL in the browser and the API may use, such as 4GB (default: half of "
	 "the "
	 "machine's). Four queries run at a time; each has a quarter."},
	{"disable-ui", 0, NX_FLAG, FIELD(disable_ui),
	 "Serve only the HTTP API, on its port; the browser's port is not used."},
	{"processing-status-file", 0, NX_FILE("FILE"), FIELD(status_file),
	 "Report processing to other programs: JSON with the status_code of the run (-1 while it "
	 "runs, then the exit code) and the status of every profile: processing, success or "
	 "failed."},
	{"progress-fd", 0, NX_NUMBER("N"), FIELD(progress_fd),
	 "Report progress to this open descriptor: lines such as \"0.42 storing\", the fraction of "
	 "the current stage. Processing stops when the reader closes it."},
	{"verbosity", 'v', NX_NUMBER("LEVEL"), FIELD(verbosity),
	 "How much to report: 2 errors, 3 a few lines of warnings (default), 4 every warning."},
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
		       "-F has no feature '%.*s'; choose from: ignore-nc-buf-usage "
		       "ignore-instruction-trace ignore-event-trace ignore-dma-trace "
		       "ignore-instruction-hierarchy",
		       (int)(len < 100 ? len : 100), text);
}

static bool has_format(const struct nx_view_options *v, const char *format)
{
	return v->format && !strcmp(v->format, format);
}

bool nx_view_wants_browser(const struct nx_view_options *v)
{
	return !v->format && !v->ingest_only && !v->store;
}

bool nx_view_wants_tables(const struct nx_view_options *v)
{
	return !v->format || v->ingest_only || v->store || has_format(v, "parquet") ||
	       has_format(v, "db");
}

struct nx_device_session_options nx_view_device_options(const struct nx_view_options *v)
{
	return (struct nx_device_session_options){
		.session_path = v->session_path,
		.neff_path = v->neff_path,
		.force = v->force,
		.is_execution_chosen = v->execution.is_given,
		.execution = v->execution.value,
		.track_memory = v->track_memory,
		.skip_buffer_usage = v->skip_buffer_usage,
		.skip_instructions = v->skip_instructions,
		.skip_events = v->skip_events,
		.skip_dma = v->skip_dma,
		.skip_hierarchy = v->skip_hierarchy,
		.show_progress = nx_view_says(v),
	};
}

struct nx_export_options nx_view_export_options(const struct nx_view_options *v)
{
	return (struct nx_export_options){
		.pretty = v->pretty,
		.compress = !v->uncompressed,
		.perfetto_flows = v->perfetto_flows,
	};
}

struct nx_store_target nx_view_store_target(const struct nx_view_options *v)
{
	return (struct nx_store_target){
		.folder = v->output_file,
		.data_path = v->data_path,
		.name = v->display_name,
		.url = v->store,
		.to_influx = has_format(v, "db") && !v->ingest_only,
		.influx = {.endpoint = v->db_endpoint,
			   .org = v->db_org,
			   .bucket = v->db_bucket,
			   .token = getenv("INFLUX_TOKEN")},
		.has_own_bucket = v->is_legacy,
		.recipe = v->recipe,
		.source_roots = {v->framework_source_root, v->nki_source_root, v->source_code_root},
		.force = v->force,
		.may_number = nx_view_wants_browser(v) && !v->display_name,
		.show_progress = nx_view_says(v),
	};
}

/* Source code changes no row, but the files of a new folder must be stored. */
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

const char *nx_view_device_recipe(const struct nx_view_options *v, struct nx_arena *arena)
{
	return nx_arena_printf(arena, "%s%s%s%s%s%s%s%s%s execution=%u%s", NX_PRODUCT_VERSION,
			       source_recipe(v, arena), v->force ? " force" : "",
			       v->track_memory ? " track-memory" : "",
			       v->skip_buffer_usage ? " no-buffers" : "",
			       v->skip_instructions ? " no-instructions" : "",
			       v->skip_events ? " no-events" : "", v->skip_dma ? " no-dma" : "",
			       v->skip_hierarchy ? " no-hierarchy" : "", v->execution.value,
			       v->execution.is_given ? " chosen" : "");
}

const char *nx_view_recipe(const struct nx_view_options *v, struct nx_arena *arena)
{
	const char *core = v->core_filter, *type = v->type_filter, *instance = v->instance_filter;
	const char *prefix = v->session_prefix, *names = v->sessions;

	return nx_arena_printf(arena, "%s%s%s%s%s%s%s%s%s%s%s%s%s", nx_view_device_recipe(v, arena),
			       v->skip_device_profile ? " no-devices" : "",
			       v->skip_system_profile ? " no-system" : "",
			       prefix ? " sessions=" : "", prefix ? prefix : "",
			       names ? " named=" : "", names ? names : "", core ? " cores=" : "",
			       core ? core : "", type ? " types=" : "", type ? type : "",
			       instance ? " instances=" : "", instance ? instance : "");
}

/* Checked early, before anything is processed. */
static enum nx_status check_roots(const struct nx_view_options *v, struct nx_error *err)
{
	const struct {
		const char *option, *path;
	} roots[] = {{"framework-source-root", v->framework_source_root},
		     {"nki-source-root", v->nki_source_root},
		     {"source-code-root", v->source_code_root}};
	struct stat st;

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		if (roots[i].path && (stat(roots[i].path, &st) || !S_ISDIR(st.st_mode)))
			return nx_fail(err, NX_NOT_FOUND, "--%s: there is no folder %s",
				       roots[i].option, roots[i].path);
	return NX_OK;
}

enum nx_status nx_view_find_sessions(struct nx_view_options *v, struct nx_arena *arena,
				     struct nx_error *err)
{
	struct nx_session_paths found = {0};

	if (v->session_path && !v->directory)
		nx_session_paths_find(v->session_path, arena, &found);
	if (found.len == 1)
		v->session_path = found.items[0];
	if (found.len > 1) {
		v->session_prefix = v->session_path;
		v->directory = nx_arena_copy(arena, nx_path_folder(v->session_path));
		v->session_path = NULL;
		v->skip_system_profile = true;
	}
	nx_vec_release(&found);
	return nx_input_files_check(&(struct nx_input_files){.neff_path = v->neff_path,
							     .session_path = v->session_path,
							     .neff_option = "-n",
							     .session_option = "-s"},
				    err);
}

enum nx_status nx_view_take_operand(struct nx_view_options *v, const struct nx_operands *operands,
				    struct nx_error *err)
{
	const char *path = operands->count ? operands->items[0] : NULL;

	if (!path)
		return NX_OK;
	if (operands->count > 1)
		return nx_fail(
			err, NX_USAGE,
			"view shows one file or directory, and '%.200s' is a second one; put "
			"files of one run into a directory and give that",
			operands->items[1]);
	if (v->directory || v->session_path)
		return nx_fail(err, NX_USAGE,
			       "'%.200s' is a second input beside %s %.200s; give only one", path,
			       v->directory ? "-d" : "-s",
			       v->directory ? v->directory : v->session_path);
	if (nx_slice_ends(nx_slice_text(path), ".ntff"))
		v->session_path = path;
	else if (nx_slice_ends(nx_slice_text(path), ".neff") && !v->neff_path)
		v->neff_path = path;
	else
		v->directory = path;
	return NX_OK;
}

enum nx_status nx_view_take_name(struct nx_view_options *v, struct nx_arena *arena,
				 struct nx_error *err)
{
	const struct nx_profile_record *r = NULL;
	struct nx_catalogue catalogue = {0};
	struct nx_workspace *ws = NULL;
	enum nx_status st = NX_OK;

	if (!v->directory || access(v->directory, F_OK) == 0 || strchr(v->directory, '/'))
		return NX_OK;
	/* without a workspace it is a path that does not exist, which is reported later */
	if (nx_workspace_view_open(&ws, v->data_path, true, NULL) || !ws)
		return NX_OK;
	if (!nx_catalogue_load(&catalogue, ws, NULL))
		r = nx_catalogue_find(&catalogue, v->directory);
	if (r && v->format)
		st = nx_fail(err, NX_USAGE,
			     "%s is a profile of the workspace; 'export -d %s' writes its tables",
			     r->name, r->name);
	else if (r && r->state == NX_PROFILE_ARCHIVED)
		st = nx_workspace_view_fetch(ws, r, err);
	if (!st && r) {
		v->stored_name = nx_arena_copy_text(arena, r->name);
		v->directory = NULL;
	}
	nx_catalogue_release(&catalogue);
	nx_workspace_close(ws);
	return st;
}

enum nx_status nx_view_options_check(struct nx_view_options *v, struct nx_error *err)
{
	bool in_browser = nx_view_wants_browser(v) && !v->recommend, is_db = has_format(v, "db");
	bool reads = !v->terminology, is_legacy_db = v->is_legacy && in_browser;
	const struct nx_rule rules[] = {
		{reads && v->directory && v->session_path,
		 "give a session file (-s) or a directory (-d), not both"},
		{reads && v->directory && v->output_file && !strcmp(v->output_file, "-"),
		 "a directory gives several files, which cannot go to standard output; name a "
		 "folder with --output-file"},
		{reads && v->directory && v->skip_device_profile && v->skip_system_profile,
		 "--ignore-device-profile and --ignore-system-profile leave nothing to show; use "
		 "only one"},
		{reads && !v->directory && !v->session_path && !v->neff_path && !v->stored_name &&
			 !in_browser,
		 "nothing to view: give a session file with -s SESSION.ntff and the NEFF that was "
		 "running with -n MODEL.neff"},
		{reads && has_format(v, "xspace") && !v->directory,
		 "an XSpace shows a system profile: give its directory with -d"},
		{(v->db_endpoint || v->db_org || v->db_bucket) && !is_db && !is_legacy_db &&
			 !v->ingest_only,
		 "--db-endpoint, --db-org and --db-bucket are for InfluxDB: add --output-format "
		 "db"},
		{v->store && v->format && !has_format(v, "parquet"),
		 "--store writes tables to a ClickHouse; leave out --output-format"},
		{(v->store || (is_db && !v->ingest_only)) && v->output_file,
		 "rows go to the database; leave out --output-file"},
		{v->ingest_only && v->format && !has_format(v, "parquet") && !is_db,
		 "--ingest-only stores tables; leave out either it or --output-format"},
		{v->recommend && (v->format || v->output_file || v->store),
		 "--recommend reads the profile in the workspace and prints Markdown; leave out "
		 "--output-format, --output-file and --store"},
		{!v->format && v->output_file && !v->ingest_only,
		 "--output-file needs a format: add --output-format json"},
		{!v->format && v->pretty,
		 "--json-pretty-print needs a format: add --output-format json"},
		{v->perfetto_flows && !has_format(v, "perfetto"),
		 "--show-perfetto-flows is for Perfetto traces: add --output-format perfetto"},
		{0},
	};
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < v->features.count; i++)
		st = apply_feature(v, v->features.items[i], err);
	if (!st && reads && !v->directory && !v->session_path && v->neff_path)
		st = nx_fail(err, NX_USAGE,
			     "a NEFF has the model, not what happened: add the session file with "
			     "-s, or look inside with 'neff %.300s'",
			     v->neff_path);
	if (!st && v->track_memory && v->skip_buffer_usage) /* which a feature may have set */
		st = nx_fail(err, NX_USAGE,
			     "--enable-memory-tracker needs what ignore-nc-buf-usage leaves out; "
			     "use only one");
	if (!st)
		st = nx_rules_check(rules, err);
	if (!st && (v->port.value > UINT16_MAX || v->api_port.value > UINT16_MAX))
		st = nx_fail(err, NX_USAGE, "--%s %u: the highest port is 65535",
			     v->port.value > UINT16_MAX ? "port" : "api-server-port",
			     v->port.value > UINT16_MAX ? v->port.value : v->api_port.value);
	v->ingest_only = v->ingest_only || v->recommend;
	/* AWS's tool names a profile after its bucket. */
	if (!st && is_legacy_db && v->db_bucket && !v->display_name &&
	    !nx_profile_name_check(nx_slice_text(v->db_bucket), NULL))
		v->display_name = v->db_bucket;
	if (!st)
		st = nx_token_find(v->token_file, &v->token, err);
	if (!st && v->query_memory_limit)
		st = nx_size_parse("query-memory-limit", v->query_memory_limit,
				   &v->query_memory_limit_bytes, err);
	return st ? st : check_roots(v, err);
}
