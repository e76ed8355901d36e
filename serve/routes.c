/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/routes.h"

#include <assert.h>
#include <string.h>

#include "serve/handlers.h"
#include "store/profile_name.h"
#include "store/upload.h"

#define API "/api/v1"
#define PROFILE API "/profiles/{p}"
#define XPROF_PREFIX "/data/plugin/profile"
#define KIB(n) ((size_t)(n) << 10)
#define MIB(n) ((size_t)(n) << 20)

/* After the summary: other members of struct nx_route. */
#define ROUTE(method_name, path, handler, where, says, ...)                                        \
	{                                                                                          \
		.method = NX_##method_name, .pattern = (path), .handle = nx_handle_##handler,      \
		.place = NX_ROUTE_##where, .summary = (says), __VA_ARGS__                          \
	}
/* XProf's own server answers at both places, TensorBoard at the longer one. */
#define XPROF(method_name, path, handler, where, says, ...)                                        \
	ROUTE(method_name, XPROF_PREFIX path, handler, where, says, __VA_ARGS__),                  \
		ROUTE(method_name, path, handler, where, says, __VA_ARGS__)
#define JSON_BODY(most) .flags = NX_ROUTE_JSON_BODY, .body_bytes_max = (most)

/* clang-format off */
const struct nx_route nx_routes[] = {
	ROUTE(GET, "/health", health, AT_ONCE, "Whether the server works.",
	      .flags = NX_ROUTE_OPEN),
	ROUTE(GET, API "/health", health, AT_ONCE, "Whether the server works.",
	      .flags = NX_ROUTE_OPEN),
	ROUTE(GET, API "/openapi.json", openapi, AT_ONCE, "This description.", ),

	/* before {p}, which would match it too */
	ROUTE(GET, API "/profiles/search", profiles_search, QUICK,
	      "All profiles, as other tools ask for them.", ),
	ROUTE(GET, API "/profiles", profiles, QUICK, "All profiles.",
	      .answer = "Profiles"),
	ROUTE(GET, PROFILE, profile, QUICK, "One profile, with its tables.",
	      .answer = "ProfileDetails"),
	ROUTE(PATCH, PROFILE, profile_change, QUICK,
	      "Renames a profile, marks it as favourite or puts it into a folder.",
	      JSON_BODY(KIB(64))),
	ROUTE(DELETE, PROFILE, profile_delete, SLOW, "Deletes a profile.", ),

	ROUTE(GET, PROFILE "/ranks", ranks, QUICK,
	      "The profiles that ran one model at the same time, by their common name.",
	      .answer = "Ranks"),
	ROUTE(GET, PROFILE "/tracks", tracks, QUICK, "The tracks of the timeline.",
	      .answer = "Tracks"),
	ROUTE(GET, PROFILE "/names", names, QUICK, "Names of spans by their ids.",
	      .answer = "Names"),
	ROUTE(GET, PROFILE "/window", window, QUICK, "A time range of some tracks, to draw.",
	      .forget = nx_forget_window),
	ROUTE(GET, PROFILE "/colours", colours, QUICK, "What the colours of a window mean.",
	      .answer = "Colours"),
	ROUTE(GET, PROFILE "/at", at, QUICK, "What lies at a moment of a track.",
	      .answer = "At"),

	ROUTE(GET, PROFILE "/tables", tables, QUICK, "The tables of a profile.", ),
	ROUTE(GET, PROFILE "/tables/{T}", table, QUICK, "Rows of a table.",
	      .slow_with = {"where", "order"}, .answer = "TablePage"),
	ROUTE(GET, PROFILE "/tables/{T}/rows/{row}", row, QUICK, "One row with all its fields.",
	      .answer = "EventDetails"),

	ROUTE(GET, PROFILE "/tables/{T}/rows/{row}/dependencies", dependencies, SLOW,
	      "What a row waited for and what waited for it.",
	      .answer = "Dependencies"),
	ROUTE(GET, PROFILE "/search", search, SLOW, "Events that fit, in order of time.",
	      .answer = "SearchPage"),
	ROUTE(GET, PROFILE "/search/marks", marks, SLOW, "Where the events that fit lie, to draw.", ),
	ROUTE(GET, PROFILE "/statistics", statistics, SLOW, "What tracks cost in a part of time.",
	      .answer = "Statistics"),
	ROUTE(GET, PROFILE "/csv", csv, SLOW, "Rows of a part of time as CSV.",
	      .forget = nx_forget_csv),
	ROUTE(POST, API "/db/{p}/_search", db_search, SLOW,
	      "SQL, columns and files, as other tools ask for them.", JSON_BODY(KIB(256))),
	ROUTE(GET, PROFILE "/queries", queries, QUICK, "The named queries that fit a profile.",
	      .answer = "NamedQueries"),
	ROUTE(GET, PROFILE "/queries/{name}", query, SLOW, "The rows of a named query.",
	      .answer = "SqlAnswer"),
	ROUTE(GET, PROFILE "/tables/{T}/values", values, SLOW,
	      "How often each value of a column occurs.",
	      .answer = "SqlAnswer"),
	ROUTE(GET, PROFILE "/memory_bandwidth", bandwidth, SLOW,
	      "How fast data moved between hosts and devices.", ),
	ROUTE(GET, PROFILE "/insights", insights, SLOW, "What to look at first.",
	      .answer = "Insights"),
	ROUTE(GET, PROFILE "/why", why, SLOW, "What bound the run, in parts that add up.",
	      .answer = "Why"),
	ROUTE(GET, PROFILE "/why/gap", why_gap, SLOW, "Why an engine paused.",
	      .answer = "WhyGap"),
	ROUTE(POST, PROFILE "/sql", sql, SLOW, "Runs SQL.", JSON_BODY(KIB(256)),
	      .answer = "SqlAnswer"),

	ROUTE(GET, PROFILE "/annotations", documents, QUICK, "Sets of annotations.", ),
	ROUTE(GET, PROFILE "/annotations/{set}", document, QUICK, "A set of annotations.", ),
	ROUTE(PUT, PROFILE "/annotations/{set}", document_write, QUICK,
	      "Keeps a set of annotations.", JSON_BODY(MIB(1))),
	ROUTE(DELETE, PROFILE "/annotations/{set}", document_delete, QUICK,
	      "Deletes a set of annotations.", ),
	ROUTE(GET, API "/layouts", documents, QUICK, "Names of layouts.", ),
	ROUTE(GET, API "/layouts/{name}", document, QUICK, "A layout.", ),
	ROUTE(PUT, API "/layouts/{name}", document_write, QUICK, "Keeps a layout.",
	      JSON_BODY(MIB(1))),
	ROUTE(DELETE, API "/layouts/{name}", document_delete, QUICK, "Deletes a layout.", ),
	ROUTE(GET, API "/events", events, QUICK, "What changes, as server-sent events.", ),
	ROUTE(GET, PROFILE "/source", sources, QUICK, "The source files of a profile.", ),
	ROUTE(GET, PROFILE "/source/{path...}", source, QUICK, "One of them, as text.", ),

	ROUTE(GET, API "/jobs", jobs, SLOW, "Running programs that can be captured.",
	      .answer = "Jobs"),
	ROUTE(POST, API "/captures", capture, QUICK, "Captures a running job.",
	      JSON_BODY(KIB(128)), .answer = "TaskId"),
	ROUTE(GET, API "/tasks", tasks, QUICK, "Captures and fetches, newest first.",
	      .answer = "Tasks"),
	ROUTE(DELETE, API "/tasks/{id}", task_delete, QUICK, "Cancels a capture or a fetch.", ),
	ROUTE(POST, PROFILE "/fetch", profile_fetch, QUICK,
	      "Brings the files of an archived profile back.", .body_bytes_max = KIB(1),
	      .answer = "TaskId"),
	ROUTE(POST, API "/uploads", upload_begin, QUICK, "Begins an upload.",
	      JSON_BODY(NX_UPLOAD_RECORD_BYTES_MAX)),
	ROUTE(GET, API "/uploads/{id}", upload, QUICK, "How much of an upload has arrived.", ),
	ROUTE(PUT, API "/uploads/{id}/files/{index}", upload_file, QUICK,
	      "Takes the bytes of a file, from an offset on.",
	      .body_bytes_max = NX_UPLOAD_FILE_BYTES_MAX, .receive = nx_receive_upload_file,
	      .forget = nx_forget_upload_file),
	ROUTE(POST, API "/uploads/{id}/finish", upload_finish, QUICK,
	      "All has been sent: makes a profile of it.", .body_bytes_max = KIB(1)),
	ROUTE(DELETE, API "/uploads/{id}", upload_delete, SLOW, "Gives an upload up.", ),

	XPROF(GET, "/runs", xprof_runs, QUICK, "Names of profiles, newest first.", ),
	XPROF(GET, "/run_tools", xprof_run_tools, QUICK, "What XProf's pages can show of a profile.", ),
	XPROF(GET, "/hosts", xprof_hosts, QUICK, "The hosts of a profile.", ),
	XPROF(GET, "/data", xprof_data, SLOW, "The trace of a profile, for XProf's trace viewer.", ),
	XPROF(GET, "/data_csv", xprof_data_csv, SLOW, "The same events as CSV.", ),
	XPROF(GET, "/module_list", xprof_module_list, QUICK, "The XLA modules of a profile: none.", ),
	XPROF(GET, "/config", xprof_config, AT_ONCE, "What XProf's pages may offer.", ),
	XPROF(GET, "/version", xprof_version, AT_ONCE, "The version of this program.", ),
	XPROF(GET, "/capture_profile", xprof_capture, AT_ONCE,
	      "Names the command that captures a program.", ),
	XPROF(POST, "/generate_cache", xprof_generate_cache, AT_ONCE,
	      "Nothing to do: profiles are ready when they are stored.", .body_bytes_max = KIB(64)),

	ROUTE(GET, "/", page, AT_ONCE, "The pages.", ),
	ROUTE(GET, "/{page...}", page, AT_ONCE, "The pages and their files.", ),
};
/* clang-format on */

const size_t nx_route_count = sizeof(nx_routes) / sizeof(nx_routes[0]);

/* --- matching ------------------------------------------------------------------------ */

static bool add_variable(struct nx_request *request, struct nx_slice name, const char *value)
{
	if (request->variable_count == NX_REQUEST_VARIABLES_MAX)
		return false;
	request->variables[request->variable_count].name = nx_arena_copy(&request->arena, name);
	request->variables[request->variable_count++].value = value;
	return true;
}

/* Whether a path stays below its root; encoded slashes count as slashes here. */
static bool is_safe_path(const char *path)
{
	for (;;) {
		size_t len = strcspn(path, "/");

		if (!len || (len == 1 && path[0] == '.') || (len == 2 && !strncmp(path, "..", 2)))
			return false;
		path += len;
		if (!*path)
			return true;
		path++;
	}
}

static bool match_rest(struct nx_request *request, struct nx_slice name, size_t *segment)
{
	const char *path = request->segments[(*segment)++];

	/* programs that misspell a resource get an error, not a page */
	if (nx_slice_is(name, "page") &&
	    (request->method != NX_GET || !strcmp(request->segments[0], "api") ||
	     !strcmp(request->segments[0], "db")))
		return false;
	for (; *segment < request->segment_count; ++*segment)
		path = nx_arena_printf(&request->arena, "%s/%s", path, request->segments[*segment]);
	if (!is_safe_path(path))
		return false;
	return add_variable(request, name, path);
}

static bool match_variable(struct nx_request *request, struct nx_slice part, size_t *segment)
{
	struct nx_slice name = nx_slice_part(part, 1, part.len - 2);
	const char *value;

	if (*segment >= request->segment_count)
		return false;
	if (nx_slice_ends(name, "..."))
		return match_rest(request, nx_slice_part(name, 0, name.len - 3), segment);
	value = request->segments[(*segment)++];
	/* only the last variable may be a path */
	if (strchr(value, '/') ||
	    (nx_slice_is(name, "p") && nx_profile_name_check(nx_slice_text(value), NULL)))
		return false;
	return add_variable(request, name, value);
}

static bool matches(struct nx_request *request, const char *pattern)
{
	size_t segment = 0;

	request->variable_count = 0;
	if (request->ends_in_slash && !strstr(pattern, "{page...}"))
		return false;
	while (*pattern && strcmp(pattern, "/") != 0) {
		size_t len = strcspn(pattern + 1, "/");
		struct nx_slice part = nx_slice_of(pattern + 1, len);

		pattern += 1 + len;
		if (part.data[0] == '{') {
			if (!match_variable(request, part, &segment))
				return false;
		} else if (segment >= request->segment_count ||
			   !nx_slice_is(part, request->segments[segment++])) {
			return false;
		}
	}
	return segment == request->segment_count;
}

enum nx_status nx_route_find(struct nx_request *request, const char **allowed, struct nx_error *err)
{
	*allowed = NULL;
	for (size_t i = 0; i < nx_route_count; i++) {
		const struct nx_route *route = &nx_routes[i];
		const char *word =
			route->method == NX_GET ? "GET, HEAD" : nx_method_word(route->method);

		if (!matches(request, route->pattern))
			continue;
		if (route->method == request->method) {
			request->route = route;
			return NX_OK;
		}
		*allowed = *allowed ? nx_arena_printf(&request->arena, "%s, %s", *allowed, word)
				    : word;
	}
	if (*allowed)
		return nx_fail(err, NX_USAGE, "%s is not possible here; use %s",
			       nx_method_word(request->method), *allowed);
	return nx_fail(err, NX_NOT_FOUND,
		       "there is nothing at this address; %s lists what there "
		       "is",
		       API "/openapi.json");
}

bool nx_route_is_slow(const struct nx_request *request)
{
	const struct nx_route *route = request->route;

	assert(route);
	for (size_t i = 0; i < sizeof(route->slow_with) / sizeof(route->slow_with[0]); i++)
		if (route->slow_with[i] && nx_request_find(request, route->slow_with[i]))
			return true;
	return route->place == NX_ROUTE_SLOW;
}
