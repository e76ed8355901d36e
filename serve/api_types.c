/* SPDX-License-Identifier: Apache-2.0 */
/* The description of the API: what the routes answer, and the types of the answers. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "serve/routes.h"

/*
 * One row for each field; the rows of a type are adjacent. A type is string, number, integer,
 * boolean, null, decimal (a 64-bit integer as text), texts (an object of strings), 'word', or the
 * name of another type; T[] is a list, T? may be null, A|B is either. A field whose name ends in
 * '?' may be missing. A row without a name defines the type itself; "..." includes all fields of
 * another type.
 */
static const struct {
	const char *type, *name, *is;
} fields[] = {
	/* clang-format off */
	{"ProfileState", NULL,
	 "'ready'|'processing'|'failed'|'unfinished'|'damaged'|'archived'|'uploading'"},
	{"Source", "name", "string"},
	{"Source", "size_bytes", "decimal"},
	{"Job", "name", "string"},
	{"Job", "addresses", "string[]"},
	{"Job", "failure", "string"},
	{"LocalService", "pid", "integer"},
	{"LocalService", "command", "string"},
	{"LocalService", "address", "string"},
	{"LocalService", "needs_token", "boolean"},
	{"Jobs", "jobs", "Job[]"},
	{"Jobs", "failure", "string"},
	{"Jobs", "local", "LocalService[]"},
	{"TaskHost", "address", "string"},
	{"TaskHost", "stage", "string"},
	{"TaskHost", "failure", "string"},
	{"Task", "id", "integer"},
	{"Task", "kind", "'capture'|'fetch'"},
	{"Task", "state", "'waiting'|'recording'|'processing'|'ready'|'failed'|'cancelled'"},
	{"Task", "job", "string"},
	{"Task", "profile", "string"},
	{"Task", "stage", "string"},
	{"Task", "fraction", "number"},
	{"Task", "message", "string"},
	{"Task", "duration_ms", "integer"},
	{"Task", "hosts", "TaskHost[]"},
	{"Tasks", "tasks", "Task[]"},
	{"TaskId", "id", "integer"},
	{"Run", "id", "string"},
	{"Run", "name", "string"},
	{"Session", "name", "string"},
	{"Session", "kind", "'programmatic'|'on_demand'|'snapshot'"},
	{"Session", "reason", "string"},
	{"Session", "start_ns", "decimal"},
	{"Session", "end_ns", "decimal"},
	{"Session", "host_count", "integer"},
	{"Session", "failed_count", "integer"},
	{"Profile", "name", "string"},
	{"Profile", "kind", "'device'|'system'"},
	{"Profile", "state", "ProfileState"},
	{"Profile", "reason", "string"},
	{"Profile", "created_ms", "number"},
	{"Profile", "opened_ms", "number"},
	{"Profile", "size_bytes", "decimal"},
	{"Profile", "row_count", "decimal"},
	{"Profile", "favourite", "boolean"},
	{"Profile", "folder", "string"},
	{"Profile", "parent", "string?"},
	{"Profile", "simulated", "boolean"},
	{"Profile", "sources", "Source[]"},
	{"Profile", "run", "Run?"},
	{"Profile", "sessions", "Session[]"},
	{"Profile", "stage", "string?"},
	{"Profile", "fraction", "number?"},
	{"Profiles", "profiles", "Profile[]"},
	{"TableSize", "name", "string"},
	{"TableSize", "row_count", "decimal"},
	{"DeviceLink", "name", "string"},
	{"DeviceLink", "profile", "string?"},
	{"ProfileDetails", "...", "Profile"},
	{"ProfileDetails", "id", "string"},
	{"ProfileDetails", "schema_version", "string"},
	{"ProfileDetails", "from_ns", "decimal"},
	{"ProfileDetails", "to_ns", "decimal"},
	{"ProfileDetails", "tables", "TableSize[]"},
	{"ProfileDetails", "devices", "DeviceLink[]"},
	{"Rank", "rank", "integer?"},
	{"Rank", "core", "integer"},
	{"Rank", "instance", "string"},
	{"Rank", "process", "integer?"},
	{"Rank", "profile", "string"},
	{"Rank", "offset_ns", "integer"},
	{"Rank", "total_ns", "integer"},
	{"Ranks", "ranks", "Rank[]"},
	{"Ranks", "aligned_by", "string"},
	{"Ranks", "span_ns", "integer"},
	{"Ranks", "collective_skew_ns", "integer?"},
	{"Track", "id", "integer"},
	{"Track", "parent", "integer?"},
	{"Track", "kind", "'group'|'spans'|'counter'"},
	{"Track", "name", "string"},
	{"Track", "unit", "string"},
	{"Track", "table", "string?"},
	{"Track", "depth_count", "integer"},
	{"Track", "row_count", "decimal"},
	{"Track", "lost_count", "decimal"},
	{"Track", "first_ns?", "decimal"},
	{"Track", "last_ns?", "decimal"},
	{"Track", "last_start_ns?", "decimal"},
	{"Track", "attributes", "texts"},
	{"Tracks", "from_ns", "decimal"},
	{"Tracks", "to_ns", "decimal"},
	{"Tracks", "name_count", "integer"},
	{"Tracks", "tracks", "Track[]"},
	{"Names", "names", "string[]"},
	{"Names", "total", "decimal"},
	{"Colours", "values", "string[]"},
	{"Cell", NULL, "string|number|boolean|null|Cell[]"},
	{"Column", "name", "string"},
	{"Column", "type", "string"},
	{"Column", "unit?", "string"},
	{"Column", "description?", "string"},
	{"TablePage", "table", "string"},
	{"TablePage", "total", "decimal"},
	{"TablePage", "columns", "Column[]"},
	{"TablePage", "rows", "Cell[][]"},
	{"Field", "name", "string"},
	{"Field", "value", "Cell"},
	{"Field", "unit", "string"},
	{"Field", "description", "string"},
	{"Field", "group", "string"},
	{"EventDetails", "table", "string"},
	{"EventDetails", "row", "decimal"},
	{"EventDetails", "track", "integer?"},
	{"EventDetails", "depth", "integer"},
	{"EventDetails", "start_ns", "decimal"},
	{"EventDetails", "end_ns", "decimal"},
	{"EventDetails", "fields", "Field[]"},
	{"EventSummary", "table", "string"},
	{"EventSummary", "row", "decimal"},
	{"EventSummary", "track", "integer?"},
	{"EventSummary", "depth", "integer"},
	{"EventSummary", "start_ns", "decimal"},
	{"EventSummary", "end_ns", "decimal"},
	{"EventSummary", "name", "string"},
	{"EventSummary", "engine", "string"},
	{"EventSummary", "pc", "integer|decimal|null"},
	{"EventSummary", "kind?", "string"},
	{"EventSummary", "gap_ns?", "integer|decimal|null"},
	{"Dependencies", "predecessors", "EventSummary[]"},
	{"Dependencies", "total_predecessors", "integer"},
	{"Dependencies", "successors", "EventSummary[]"},
	{"Dependencies", "total_successors", "integer"},
	{"SearchPage", "total", "decimal"},
	{"SearchPage", "duration_ns", "decimal"},
	{"SearchPage", "rows", "EventSummary[]"},
	{"CounterStatistics", "track", "integer"},
	{"CounterStatistics", "count", "decimal"},
	{"CounterStatistics", "lowest", "number?"},
	{"CounterStatistics", "highest", "number?"},
	{"CounterStatistics", "mean", "number?"},
	{"CounterStatistics", "last", "number?"},
	{"NameStatistics", "name", "string"},
	{"NameStatistics", "count", "decimal"},
	{"NameStatistics", "sum_ns", "decimal"},
	{"NameStatistics", "busy_ns", "decimal"},
	{"TrackStatistics", "track", "integer"},
	{"TrackStatistics", "count", "decimal"},
	{"TrackStatistics", "busy_ns", "decimal"},
	{"TrackStatistics", "sum_ns", "decimal"},
	{"TrackStatistics", "busy_fraction", "number"},
	{"TrackStatistics", "name_count", "integer"},
	{"TrackStatistics", "names", "NameStatistics[]"},
	{"Statistics", "from_ns", "decimal"},
	{"Statistics", "to_ns", "decimal"},
	{"Statistics", "tracks", "TrackStatistics|CounterStatistics[]"},
	{"SqlAnswer", "columns", "Column[]"},
	{"SqlAnswer", "rows", "Cell[][]"},
	{"SqlAnswer", "is_cut", "boolean"},
	{"SqlAnswer", "elapsed_ms", "number"},
	{"NamedParameter", "name", "string"},
	{"NamedParameter", "type", "'time'|'integer'|'text'|'word'"},
	{"NamedParameter", "description", "string"},
	{"NamedParameter", "default", "string"},
	{"NamedParameter", "words", "string[]"},
	{"NamedQuery", "name", "string"},
	{"NamedQuery", "description", "string"},
	{"NamedQuery", "parameters", "NamedParameter[]"},
	{"NamedQueries", "queries", "NamedQuery[]"},
	{"Band", "kind", "'throttling'|'small_dma'|'reload'|'barrier'|'collective'"},
	{"Band", "title", "string"},
	{"Band", "detail", "string"},
	{"Band", "from_ns", "decimal"},
	{"Band", "to_ns", "decimal"},
	{"Band", "tracks", "integer[]"},
	{"Finding", "kind", "string"},
	{"Finding", "severity", "number"},
	{"Finding", "title", "string"},
	{"Finding", "measured", "string"},
	{"Finding", "cause", "string"},
	{"Finding", "advice", "string"},
	{"Finding", "value", "number"},
	{"Finding", "unit", "string"},
	{"Finding", "place", "string"},
	{"Finding", "from_ns", "decimal"},
	{"Finding", "to_ns", "decimal"},
	{"Finding", "gain_frac", "number|null"},
	{"Finding", "path_frac", "number|null"},
	{"Finding", "confidence", "string"},
	{"Insights", "bands", "Band[]"},
	{"Insights", "findings", "Finding[]"},
	{"WhyPart", "cause", "string"},
	{"WhyPart", "engine", "string|null"},
	{"WhyPart", "time_ps", "integer"},
	{"WhyEngine", "core", "integer"},
	{"WhyEngine", "engine", "string|null"},
	{"WhyEngine", "cause", "string"},
	{"WhyEngine", "blocker", "string|null"},
	{"WhyEngine", "time_ps", "integer"},
	{"WhyReplay", "error_ps", "integer"},
	{"WhyReplay", "pinned", "integer"},
	{"WhyReplay", "nominal_ps", "integer"},
	{"WhatIf", "scenario", "string"},
	{"WhatIf", "total_ps", "integer"},
	{"WhatIf", "gain_ps", "integer"},
	{"WhatIf", "path_ps", "integer|null"},
	{"WhyGroup", "name", "string|null"},
	{"WhyGroup", "time_ps", "integer"},
	{"Why", "span_ps", "integer"},
	{"Why", "program_ps", "integer"},
	{"Why", "path_unexplained_ps", "integer"},
	{"Why", "gap_ps", "integer"},
	{"Why", "gap_unexplained_ps", "integer"},
	{"Why", "waits", "integer"},
	{"Why", "waits_matched", "integer"},
	{"Why", "waits_filled", "integer"},
	{"Why", "waits_assumed", "integer"},
	{"Why", "path", "WhyPart[]"},
	{"Why", "engines", "WhyEngine[]"},
	{"Why", "replay", "WhyReplay|null"},
	{"Why", "what_if", "WhatIf[]"},
	{"Why", "by?", "string"},
	{"Why", "groups?", "WhyGroup[]"},
	{"WhyStep", "start_ps", "integer"},
	{"WhyStep", "duration_ps", "integer"},
	{"WhyStep", "cause", "string"},
	{"WhyStep", "release", "integer"},
	{"WhyStep", "hops", "integer"},
	{"WhyStep", "engine", "string|null"},
	{"WhyStep", "opcode", "string|null"},
	{"WhyStep", "queue", "string|null"},
	{"WhyGap", "core", "integer"},
	{"WhyGap", "engine", "string"},
	{"WhyGap", "start_ps", "integer"},
	{"WhyGap", "duration_ps", "integer"},
	{"WhyGap", "before", "integer"},
	{"WhyGap", "sentence", "string"},
	{"WhyGap", "steps", "WhyStep[]"},
	{"At", "track", "integer"},
	{"At", "depth?", "integer"},
	{"At", "index?", "decimal"},
	{"At", "row?", "decimal"},
	{"At", "start_ns?", "decimal"},
	{"At", "end_ns?", "decimal"},
	{"At", "name?", "string"},
	{"At", "edge_ns?", "decimal"},
	{"At", "time_ns?", "decimal"},
	{"At", "value?", "number"},
	/* clang-format on */
};

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

static void put_schema(struct nx_json_writer *w, struct nx_slice is);

/* "anyOf" of the types between bars, and null. */
static void put_choice(struct nx_json_writer *w, struct nx_slice is, bool or_null)
{
	nx_json_key_array(w, "anyOf");
	for (size_t from = 0, at = 0; at <= is.len; at++)
		if (at == is.len || is.data[at] == '|') {
			put_schema(w, nx_slice_part(is, from, at - from));
			from = at + 1;
		}
	if (or_null)
		put_schema(w, nx_slice_text("null"));
	nx_json_end_array(w);
}

static void put_base(struct nx_json_writer *w, struct nx_slice is)
{
	static const char *const plain[] = {"string", "number", "integer", "boolean", "null"};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (nx_slice_is(is, plain[i])) {
			nx_json_key_text(w, "type", plain[i]);
			return;
		}
	if (is.data[0] == '\'') {
		nx_json_key(w, "const");
		nx_json_slice(w, nx_slice_part(is, 1, is.len - 2));
	} else if (nx_slice_is(is, "decimal")) {
		nx_json_key_text(w, "type", "string");
		nx_json_key_text(w, "pattern", "^-?[0-9]+$");
	} else if (nx_slice_is(is, "texts")) {
		nx_json_key_text(w, "type", "object");
		nx_json_key(w, "additionalProperties");
		put_schema(w, nx_slice_text("string"));
	} else {
		char reference[128] = "#/components/schemas/";

		assert(is.len < sizeof(reference) - strlen(reference));
		strncat(reference, (const char *)is.data, is.len);
		nx_json_key_text(w, "$ref", reference);
	}
}

static void put_schema(struct nx_json_writer *w, struct nx_slice is)
{
	assert(is.len);
	nx_json_begin_object(w);
	if (nx_slice_ends(is, "?")) {
		put_choice(w, nx_slice_part(is, 0, is.len - 1), true);
	} else if (nx_slice_ends(is, "[]") && !nx_slice_starts(is, "string|")) {
		nx_json_key_text(w, "type", "array");
		nx_json_key(w, "items");
		put_schema(w, nx_slice_part(is, 0, is.len - 2));
	} else if (memchr(is.data, '|', is.len)) {
		put_choice(w, is, false);
	} else {
		put_base(w, is);
	}
	nx_json_end_object(w);
}

static void put_object(struct nx_json_writer *w, size_t first, size_t last)
{
	nx_json_begin_object(w);
	if (!strcmp(fields[first].name, "...")) {
		nx_json_key_array(w, "allOf");
		put_schema(w, nx_slice_text(fields[first++].is));
		nx_json_end_array(w);
	}
	nx_json_key_text(w, "type", "object");
	nx_json_key(w, "properties");
	nx_json_begin_object(w);
	for (size_t i = first; i < last; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(fields[i].name, "?"),
			 fields[i].name);
		nx_json_key(w, name);
		put_schema(w, nx_slice_text(fields[i].is));
	}
	nx_json_end_object(w);
	nx_json_key_array(w, "required");
	for (size_t i = first; i < last; i++)
		if (!strchr(fields[i].name, '?'))
			nx_json_slice(w, nx_slice_text(fields[i].name));
	nx_json_end_array(w);
	nx_json_end_object(w);
}

static void describe_types(struct nx_json_writer *w)
{
	nx_json_begin_object(w);
	for (size_t first = 0, last; first < FIELD_COUNT; first = last) {
		last = first + 1;
		while (last < FIELD_COUNT && !strcmp(fields[last].type, fields[first].type))
			last++;
		nx_json_key(w, fields[first].type);
		if (fields[first].name)
			put_object(w, first, last);
		else
			put_schema(w, nx_slice_text(fields[first].is));
	}
	nx_json_end_object(w);
}

/* --- the description ------------------------------------------------------------------ */

/* All variables of a pattern as parameters. */
static void describe_variables(struct nx_json_writer *w, const char *pattern)
{
	nx_json_key_array(w, "parameters");
	for (const char *at = strchr(pattern, '{'); at; at = strchr(at + 1, '{')) {
		size_t len = strcspn(at + 1, ".}");

		nx_json_begin_object(w);
		nx_json_key(w, "name");
		nx_json_slice(w, nx_slice_of(at + 1, len));
		nx_json_key_text(w, "in", "path");
		nx_json_key_bool(w, "required", true);
		nx_json_key(w, "schema");
		put_schema(w, nx_slice_text("string"));
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void describe_route(struct nx_json_writer *w, const struct nx_route *route)
{
	static const char *const words[NX_METHOD_COUNT] = {"get", "post", "put", "patch", "delete"};

	nx_json_key(w, words[route->method]);
	nx_json_begin_object(w);
	nx_json_key_text(w, "summary", route->summary);
	describe_variables(w, route->pattern);
	nx_json_key(w, "responses");
	nx_json_begin_object(w);
	nx_json_key(w, route->answer ? "200" : "default");
	nx_json_begin_object(w);
	nx_json_key_text(w, "description", "see docs/api.md");
	if (route->answer) {
		nx_json_key(w, "content");
		nx_json_begin_object(w);
		nx_json_key(w, "application/json");
		nx_json_begin_object(w);
		nx_json_key(w, "schema");
		put_schema(w, nx_slice_text(route->answer));
		nx_json_end_object(w);
		nx_json_end_object(w);
	}
	nx_json_end_object(w);
	nx_json_end_object(w);
	nx_json_end_object(w);
}

static void describe_path(struct nx_json_writer *w, size_t first)
{
	const char *pattern = nx_routes[first].pattern;
	char path[256];
	size_t len = 0;

	for (size_t i = 0; i < first; i++)
		if (!strcmp(nx_routes[i].pattern, pattern))
			return; /* described with the first route of the pattern */
	for (const char *at = pattern; *at && len < sizeof(path) - 1; at++)
		if (*at != '.' || strncmp(at, "...}", 4) != 0)
			path[len++] = *at;
		else
			at += 2;
	path[len] = '\0';
	nx_json_key(w, path);
	nx_json_begin_object(w);
	for (size_t i = first; i < nx_route_count; i++)
		if (!strcmp(nx_routes[i].pattern, pattern))
			describe_route(w, &nx_routes[i]);
	nx_json_end_object(w);
}

void nx_routes_describe(struct nx_json_writer *w)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "openapi", "3.1.0");
	nx_json_key(w, "info");
	nx_json_begin_object(w);
	nx_json_key_text(w, "title", "Open Neuron Explorer");
	nx_json_key_text(w, "version", "1");
	nx_json_end_object(w);
	nx_json_key(w, "paths");
	nx_json_begin_object(w);
	for (size_t i = 0; i < nx_route_count; i++)
		describe_path(w, i);
	nx_json_end_object(w);
	nx_json_key(w, "components");
	nx_json_begin_object(w);
	nx_json_key(w, "schemas");
	describe_types(w);
	nx_json_end_object(w);
	nx_json_end_object(w);
}
