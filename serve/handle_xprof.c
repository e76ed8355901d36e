/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the pages of XProf and TensorBoard ask, so that they can be pointed here. A run is a
 * profile; its only tool is the trace viewer. Answers are gzipped for clients that accept it.
 */
#include <math.h>
#include <string.h>

#include "format/gzip_pack.h"
#include "model/profile.h"
#include "model/schema.h"
#include "query/table_rows.h"
#include "serve/handlers.h"
#include "serve/row_json.h"
#include "serve/xprof_trace.h"
#include "store/catalogue.h"

#define TOOL "trace_viewer"
#define STREAMING_TOOL TOOL "@"
#define HOSTS_MAX 4096
#define RESOLUTION_MAX 65536
#define PACKED_BYTES_MIN 512 /* less than that hardly shrinks */

/* --- answers -------------------------------------------------------------------- */

/* Browsers send "gzip, deflate, br"; q=0 means never. */
static bool accepts_gzip(const struct nx_request *request)
{
	const char *list = nx_request_header(request, "Accept-Encoding");
	const char *word = list ? strstr(list, "gzip") : NULL;

	return word && strncmp(word, "gzip;q=0", 8) != 0;
}

static void pack(const struct nx_request *request, struct nx_reply *reply)
{
	struct nx_bytes packed = {0};

	nx_reply_add_header(reply, "Vary", "Accept-Encoding");
	if (reply->body.len < PACKED_BYTES_MIN || !accepts_gzip(request) ||
	    !nx_gzip_pack(nx_slice_of(reply->body.items, reply->body.len), &packed)) {
		nx_vec_release(&packed);
		return;
	}
	nx_vec_release(&reply->body);
	reply->body = packed;
	nx_reply_add_header(reply, "Content-Encoding", "gzip");
}

static void put_text(struct nx_reply *reply, const char *text)
{
	reply->type = NX_TYPE_TEXT;
	nx_bytes_append(&reply->body, text, strlen(text));
}

/* XProf reads these folders itself; here they would open any file of the machine. */
static enum nx_status refuse_paths(const struct nx_request *request, struct nx_error *err)
{
	if (!nx_request_find(request, "session_path") && !nx_request_find(request, "run_path"))
		return NX_OK;
	return nx_fail(err, NX_USAGE,
		       "this server shows profiles of its workspace, not paths; store the folder "
		       "first: neuron-explorer view -d FOLDER --ingest-only");
}

static enum nx_status open_run(struct nx_server *server, struct nx_request *request,
			       const struct nx_timeline **timeline,
			       struct nx_xprof_processes *processes, struct nx_error *err)
{
	const char *run;
	enum nx_status st = refuse_paths(request, err);

	if (!st)
		st = nx_request_need(request, "run", &run, err);
	if (!st)
		st = nx_request_open_named(server, request, run, err);
	if (!st)
		st = nx_open_profile_timeline(request->profile, timeline, err);
	if (!st)
		nx_xprof_processes_list(processes, *timeline, request->profile->name,
					&request->arena);
	return st;
}

/* --- lists ---------------------------------------------------------------------- */

NX_HANDLER(xprof_runs)
{
	struct nx_catalogue catalogue = {0};
	struct nx_json_writer w;
	enum nx_status st = refuse_paths(request, err);

	if (!st)
		st = nx_catalogue_load(&catalogue, server->workspace, err);
	nx_json_init_bytes(&w, &reply->body, false);
	nx_json_begin_array(&w);
	for (size_t i = 0; !st && i < catalogue.records.len; i++)
		if (catalogue.records.items[i].state == NX_PROFILE_READY)
			nx_json_text(&w, catalogue.records.items[i].name);
	nx_json_end_array(&w);
	nx_catalogue_release(&catalogue);
	pack(request, reply);
	return st;
}

NX_HANDLER(xprof_run_tools)
{
	struct nx_xprof_processes processes;
	const struct nx_timeline *timeline;
	struct nx_json_writer w;
	enum nx_status st = open_run(server, request, &timeline, &processes, err);

	if (st)
		return st;
	nx_json_init_bytes(&w, &reply->body, false);
	nx_json_begin_array(&w);
	nx_json_text(&w, STREAMING_TOOL);
	nx_json_end_array(&w);
	return NX_OK;
}

static bool is_new_host(const struct nx_xprof_processes *processes, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (nx_slice_equal(processes->items[i].host, processes->items[at].host))
			return false;
	return true;
}

NX_HANDLER(xprof_hosts)
{
	struct nx_xprof_processes processes = {0};
	const struct nx_timeline *timeline;
	struct nx_json_writer w;
	enum nx_status st = open_run(server, request, &timeline, &processes, err);

	if (st)
		return st;
	nx_json_init_bytes(&w, &reply->body, false);
	nx_json_begin_array(&w);
	for (size_t i = 0; i < processes.count; i++) {
		if (!is_new_host(&processes, i))
			continue;
		nx_json_begin_object(&w);
		nx_json_key(&w, "hostname");
		nx_json_slice(&w, processes.items[i].host);
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	pack(request, reply);
	return NX_OK;
}

/* --- the trace ------------------------------------------------------------------ */

static bool parse_number(struct nx_request *request, const char *text, double *number)
{
	struct nx_json *value;

	if (nx_json_parse(nx_slice_text(text), &request->arena, &value, NULL) ||
	    value->kind != NX_JSON_NUMBER)
		return false;
	*number = nx_json_as_f64(value, (double)INFINITY);
	return isfinite(*number);
}

/* Milliseconds with decimals since the start of the trace. */
static enum nx_status read_ms(struct nx_request *request, const char *name, uint64_t zero_ns,
			      uint64_t *time_ns, struct nx_error *err)
{
	const char *text = nx_request_find(request, name);
	double ms;

	if (!text || !*text)
		return NX_OK;
	if (!parse_number(request, text, &ms) || ms > 1e15)
		return nx_fail(err, NX_USAGE,
			       "'%s' should be a number of milliseconds, not '%.100s'", name, text);
	*time_ns = zero_ns + (uint64_t)(ms > 0 ? ms * 1e6 : 0);
	return NX_OK;
}

/* hosts is a list, host one of them; ALL_HOSTS and none are all. */
static enum nx_status read_hosts(struct nx_request *request, struct nx_xprof_choice *choice,
				 struct nx_error *err)
{
	const char *one = nx_request_find(request, "host");
	enum nx_status st = nx_request_list(request, "hosts", HOSTS_MAX, &choice->hosts,
					    &choice->host_count, err);

	if (!st && !choice->host_count && one && *one) {
		choice->hosts = NX_NEW(&request->arena, const char *);
		choice->hosts[choice->host_count++] = one;
	}
	for (size_t i = 0; i < choice->host_count; i++)
		if (!strcmp(choice->hosts[i], "ALL_HOSTS"))
			choice->host_count = 0;
	if (!choice->host_count)
		choice->hosts = NULL;
	return st;
}

static bool has_host(const struct nx_xprof_processes *processes, const char *host)
{
	for (size_t i = 0; i < processes->count; i++)
		if (nx_slice_is(processes->items[i].host, host))
			return true;
	return false;
}

static enum nx_status check_hosts(const struct nx_xprof_processes *processes,
				  const struct nx_xprof_choice *choice, struct nx_error *err)
{
	for (size_t i = 0; i < choice->host_count; i++)
		if (!has_host(processes, choice->hosts[i]))
			return nx_fail(err, NX_NOT_FOUND,
				       "the profile has no host '%.100s'; /hosts lists them",
				       choice->hosts[i]);
	return NX_OK;
}

static uint64_t span_count(const struct nx_timeline *timeline)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nx_timeline_track_count(timeline); i++) {
		struct nx_track track;

		nx_timeline_track(timeline, i, &track);
		sum += track.kind == NX_TRACK_SPANS ? track.row_count : 0;
	}
	return sum;
}

static enum nx_status read_choice(struct nx_request *request, const struct nx_timeline *timeline,
				  struct nx_xprof_choice *choice, struct nx_error *err)
{
	uint64_t zero_ns = 0, end_ns = 0, fallback;
	const char *prefix = nx_request_find(request, "search_prefix");
	enum nx_status st;

	*choice = (struct nx_xprof_choice){
		.to_ns = UINT64_MAX, .is_wanted = nx_request_is_wanted, .context = request};
	if (prefix)
		choice->prefix = nx_slice_text(prefix);
	nx_timeline_extent(timeline, &zero_ns, &end_ns);
	fallback = span_count(timeline) < NX_XPROF_EVENTS_MAX ? 0 : NX_XPROF_RESOLUTION;
	st = nx_request_u64(request, "resolution", fallback, RESOLUTION_MAX, &choice->resolution,
			    err);
	if (!st)
		st = read_ms(request, "start_time_ms", zero_ns, &choice->from_ns, err);
	if (!st)
		st = read_ms(request, "end_time_ms", zero_ns, &choice->to_ns, err);
	return st ? st : read_hosts(request, choice, err);
}

static enum nx_status check_tool(const struct nx_request *request, struct nx_error *err)
{
	const char *tag, *form = nx_request_find(request, "format");
	enum nx_status st = nx_request_need(request, "tag", &tag, err);

	if (!st && strcmp(tag, TOOL) != 0 && strcmp(tag, STREAMING_TOOL) != 0)
		st = nx_fail(err, NX_NOT_FOUND, "there is no tool '%.100s' here, only %s", tag,
			     STREAMING_TOOL);
	if (!st && form && strcmp(form, "json") != 0)
		st = nx_fail(err, NX_UNSUPPORTED, "the trace is sent as JSON; ask for format=json");
	return st;
}

typedef enum nx_status (*trace_fn)(const struct nx_timeline *timeline,
				   const struct nx_xprof_processes *processes,
				   const struct nx_xprof_choice *choice, struct nx_bytes *body,
				   struct nx_error *err);

static enum nx_status put_trace(struct nx_server *server, struct nx_request *request,
				struct nx_reply *reply, trace_fn fn, struct nx_error *err)
{
	struct nx_xprof_processes processes = {0};
	const struct nx_timeline *timeline;
	struct nx_xprof_choice choice;
	enum nx_status st = check_tool(request, err);

	if (!st)
		st = open_run(server, request, &timeline, &processes, err);
	if (!st)
		st = read_choice(request, timeline, &choice, err);
	if (!st)
		st = check_hosts(&processes, &choice, err);
	if (!st)
		st = fn(timeline, &processes, &choice, &reply->body, err);
	if (!st)
		pack(request, reply);
	return st;
}

/* --- one event ------------------------------------------------------------------ */

/* The attributes without a column are members of a JSON text: the viewer shows each. */
static void put_extra(struct nx_json_writer *w, struct nx_slice text, struct nx_arena *arena)
{
	struct nx_json *root;

	if (nx_json_parse(text, arena, &root, NULL) || root->kind != NX_JSON_OBJECT)
		return;
	for (size_t i = 0; i < root->count; i++) {
		nx_json_key_slice(w, root->children[i].key);
		nx_json_slice(w, root->children[i].text);
	}
}

static void put_args(struct nx_json_writer *w, const struct nx_stored_table *table,
		     const struct nx_value *values, struct nx_arena *arena)
{
	nx_json_key(w, "args");
	nx_json_begin_object(w);
	for (size_t i = 0; i < table->field_count; i++) {
		if (values[i].kind == NX_VALUE_NULL)
			continue;
		if (values[i].kind == NX_VALUE_TEXT &&
		    !strcmp(table->fields[i].name, "extra_attributes_json"))
			put_extra(w, values[i].text, arena);
		else
			nx_row_json_key(w, table->fields[i].name, &values[i]);
	}
	nx_json_end_object(w);
}

/* The viewer asks for the arguments of the event that was clicked. */
static enum nx_status put_event(struct nx_server *server, struct nx_request *request,
				struct nx_reply *reply, struct nx_error *err)
{
	struct nx_xprof_processes processes;
	const struct nx_timeline *timeline;
	const struct nx_stored_table *table;
	const struct nx_value *values;
	struct nx_row_stream *rows = NULL;
	uint64_t number, table_id = 0, row = 0;
	struct nx_json_writer w;
	enum nx_status st = nx_request_need_u64(request, "unique_id", UINT64_MAX, &number, err);

	if (!st)
		st = open_run(server, request, &timeline, &processes, err);
	if (!st)
		nx_xprof_event_place(number, &table_id, &row);
	if (!st && table_id >= NX_SCHEMA_TABLE_COUNT)
		st = nx_fail(err, NX_NOT_FOUND, "the trace has no event with this unique_id");
	if (!st)
		st = nx_open_profile_table(request->profile, nx_schema_tables[table_id].name,
					   &table, err);
	if (!st)
		st = nx_table_rows_find(&rows, table, row, &values, err);
	if (!st) {
		nx_reply_json(reply, &w);
		nx_json_key_array(&w, "traceEvents");
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "name", nx_request_find(request, "event_name"));
		nx_json_key_u64(&w, "z", number);
		put_args(&w, table, values, &request->arena);
		nx_json_end_object(&w);
		nx_json_end_array(&w);
		nx_json_end_object(&w);
		pack(request, reply);
	}
	nx_row_stream_close(rows);
	return st;
}

NX_HANDLER(xprof_data)
{
	enum nx_status st = check_tool(request, err);

	if (st)
		return st;
	if (nx_request_find(request, "event_name"))
		return put_event(server, request, reply, err);
	return put_trace(server, request, reply, nx_xprof_trace_json, err);
}

NX_HANDLER(xprof_data_csv)
{
	reply->type = "text/csv; charset=utf-8";
	nx_reply_add_header(reply, "Content-Disposition", "attachment; filename=\"" TOOL ".csv\"");
	return put_trace(server, request, reply, nx_xprof_trace_csv, err);
}

/* --- the rest ------------------------------------------------------------------- */

NX_HANDLER(xprof_module_list)
{
	struct nx_xprof_processes processes;
	const struct nx_timeline *timeline;

	put_text(reply, "");
	return open_run(server, request, &timeline, &processes, err);
}

NX_HANDLER(xprof_config)
{
	struct nx_json_writer w;

	(void)server, (void)request, (void)err;
	nx_reply_json(reply, &w);
	nx_json_key_bool(&w, "hideCaptureProfileButton", true);
	nx_json_key_text(&w, "srcPathPrefix", "");
	nx_json_key_bool(&w, "enableTabNameLabel", false);
	nx_json_end_object(&w);
	return NX_OK;
}

NX_HANDLER(xprof_version)
{
	(void)server, (void)request, (void)err;
	put_text(reply, NX_PRODUCT_VERSION);
	return NX_OK;
}

/* A page of any site could make a browser send this GET: it must not start anything. */
NX_HANDLER(xprof_capture)
{
	struct nx_json_writer w;

	(void)server, (void)request, (void)err;
	reply->http_status = 500;
	nx_reply_json(reply, &w);
	nx_json_key_text(&w, "error",
			 "this address does not capture; run: neuron-explorer capture "
			 "--service-addr HOST:PORT --duration-ms MS --logdir DIR");
	nx_json_end_object(&w);
	return NX_OK;
}

NX_HANDLER(xprof_generate_cache)
{
	(void)server, (void)request, (void)err;
	reply->http_status = 202;
	return NX_OK;
}
