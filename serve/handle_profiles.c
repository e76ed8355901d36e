/* SPDX-License-Identifier: Apache-2.0 */
/* The list of profiles, one profile, and what can be changed of it. */
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/path.h"
#include "serve/handlers.h"
#include "store/related_profiles.h"

static void put_sources(struct nx_json_writer *w, const struct nx_profile_record *r)
{
	nx_json_key_array(w, "sources");
	for (size_t i = 0; i < r->sources.len; i++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "name", nx_path_name(r->sources.items[i].path));
		nx_json_key_u64_text(w, "size_bytes", r->sources.items[i].size_bytes);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

/* The folder of a run is private; its hash tells runs of one name apart. */
static void put_sessions(struct nx_json_writer *w, const struct nx_profile_record *r)
{
	bool has_run = r->run && *r->run;

	if (has_run) {
		char id[17];

		snprintf(id, sizeof(id), "%016llx",
			 (unsigned long long)nx_fnv1a(NX_FNV_SEED, r->run, strlen(r->run)));
		nx_json_key(w, "run");
		nx_json_begin_object(w);
		nx_json_key_text(w, "id", id);
		nx_json_key_text(w, "name", nx_path_name(r->run));
		nx_json_end_object(w);
	} else {
		nx_json_key_text_or_null(w, "run", NULL);
	}
	nx_json_key_array(w, "sessions");
	for (size_t i = 0; i < r->sessions.len; i++) {
		const struct nx_profile_session *s = &r->sessions.items[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "name", s->name);
		nx_json_key_text(w, "kind", s->kind);
		nx_json_key_text(w, "reason", s->reason);
		nx_json_key_u64_text(w, "start_ns", s->start_ns);
		nx_json_key_u64_text(w, "end_ns", s->end_ns);
		nx_json_key_u64(w, "host_count", s->host_count);
		nx_json_key_u64(w, "failed_count", s->failed_count);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void put_step(struct nx_json_writer *w, struct nx_server *server,
		     const struct nx_profile_record *r)
{
	struct nx_processing_step step;
	bool is_known = r->state == NX_PROFILE_PROCESSING &&
			nx_processing_find(server->processing, r->name, &step);

	nx_json_key_text_or_null(w, "stage", is_known ? step.stage : NULL);
	nx_json_key_f64_or_null(w, "fraction", is_known, is_known ? step.fraction : 0);
}

/* The members of P in docs/api.md. */
static void put_record(struct nx_json_writer *w, struct nx_server *server,
		       const struct nx_catalogue *catalogue, const struct nx_profile_record *r)
{
	const struct nx_profile_record *parent = nx_related_parent(catalogue, r);

	nx_json_key_text(w, "name", r->name);
	nx_json_key_text(w, "kind", nx_profile_kind_text(r->kind));
	nx_json_key_text(w, "state", nx_profile_state_text(r->state));
	nx_json_key_text(w, "reason", r->reason ? r->reason : "");
	nx_json_key_u64(w, "created_ms", r->created_ms);
	nx_json_key_u64(w, "opened_ms", r->opened_ms);
	nx_json_key_u64_text(w, "size_bytes", r->size_bytes);
	nx_json_key_u64_text(w, "row_count", nx_profile_record_rows(r));
	nx_json_key_bool(w, "favourite", r->is_favourite);
	nx_json_key_text(w, "folder", r->label ? r->label : "");
	nx_json_key_text_or_null(w, "parent", parent ? parent->name : NULL);
	nx_json_key_bool(w, "simulated", nx_related_is_simulated(catalogue, r));
	put_sources(w, r);
	put_sessions(w, r);
	put_step(w, server, r);
}

NX_HANDLER(profiles)
{
	struct nx_catalogue catalogue = {0};
	enum nx_status st = nx_catalogue_load(&catalogue, server->workspace, err);
	struct nx_json_writer w;

	(void)request;
	if (!st) {
		nx_reply_json(reply, &w);
		nx_json_key_array(&w, "profiles");
		for (size_t i = 0; i < catalogue.records.len; i++) {
			nx_json_begin_object(&w);
			put_record(&w, server, &catalogue, &catalogue.records.items[i]);
			nx_json_end_object(&w);
		}
		nx_json_end_array(&w);
		nx_json_end_object(&w);
	}
	nx_catalogue_release(&catalogue);
	return st;
}

/* --- one ---------------------------------------------------------------------------------- */

static void put_tables(struct nx_json_writer *w, const struct nx_profile_record *r)
{
	nx_json_key_array(w, "tables");
	for (size_t i = 0; i < r->tables.len; i++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "name", r->tables.items[i].name);
		nx_json_key_u64_text(w, "row_count", r->tables.items[i].row_count);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

/* A profile that failed has no times but can be queried. */
static void put_times(struct nx_json_writer *w, struct nx_server *server, const char *name)
{
	struct nx_open_profile *profile = NULL;
	uint64_t from_ns = 0, to_ns = 0;
	enum nx_status st = nx_open_profiles_take(server->profiles, name, &profile, NULL);

	if (!st && profile->timeline)
		nx_timeline_extent(profile->timeline, &from_ns, &to_ns);
	nx_open_profiles_return(profile);
	nx_json_key_u64_text(w, "from_ns", from_ns);
	nx_json_key_u64_text(w, "to_ns", to_ns);
}

static enum nx_status put_profile(struct nx_server *server, const struct nx_catalogue *catalogue,
				  const char *name, struct nx_reply *reply, struct nx_error *err)
{
	const struct nx_profile_record *r = nx_catalogue_find(catalogue, name);
	struct nx_json_writer w;

	if (!r)
		return nx_fail(err, NX_NOT_FOUND, "there is no profile '%s'", name);
	nx_reply_json(reply, &w);
	put_record(&w, server, catalogue, r);
	nx_json_key_text(&w, "id", r->id);
	nx_json_key_text(&w, "schema_version", r->schema_version);
	put_times(&w, server, name);
	put_tables(&w, r);
	nx_put_devices(&w, server, catalogue, r);
	nx_json_end_object(&w);
	return NX_OK;
}

NX_HANDLER(profile)
{
	const char *name = nx_request_variable(request, "p");
	struct nx_workspace *workspace = server->workspace;
	struct nx_catalogue catalogue = {0};
	enum nx_status st = nx_catalogue_load(&catalogue, workspace, err);

	if (!st)
		st = put_profile(server, &catalogue, name, reply, err);
	nx_catalogue_release(&catalogue);
	/* Only a finished profile can note when it was opened; others are shown all the same. */
	if (!st)
		(void)!nx_workspace_touch(workspace, name, NULL);
	return st;
}

/* --- changes ------------------------------------------------------------------------------ */

/* A member that is present but not a text is an error. */
static enum nx_status take_text(const struct nx_json *object, const char *key,
				struct nx_arena *arena, const char **text, struct nx_error *err)
{
	const struct nx_json *member = nx_json_get(object, key);

	*text = NULL;
	if (!member)
		return NX_OK;
	if (member->kind != NX_JSON_TEXT ||
	    (member->text.len && memchr(member->text.data, 0, member->text.len)))
		return nx_fail(err, NX_USAGE, "'%s' should be a text", key);
	*text = nx_json_as_text(member, arena, "");
	return NX_OK;
}

static enum nx_status take_flag(const struct nx_json *object, const char *key, bool *flag,
				bool *is_given, struct nx_error *err)
{
	const struct nx_json *member = nx_json_get(object, key);

	*is_given = member != NULL;
	if (member && member->kind != NX_JSON_BOOL)
		return nx_fail(err, NX_USAGE, "'%s' should be true or false", key);
	*flag = member && nx_slice_is(member->text, "true");
	return NX_OK;
}

/* Renames last: later changes would not find the profile any more. */
static enum nx_status change(struct nx_workspace *workspace, const char *name,
			     const struct nx_profile_marks *marks, const char *new_name,
			     struct nx_error *err)
{
	struct nx_profile_record record;
	struct nx_arena arena = {0};
	enum nx_status st = nx_workspace_load(workspace, name, &arena, &record, err);

	/* a profile that an older program stored can still be renamed */
	st = st == NX_NOT_FOUND ? st : NX_OK;
	nx_profile_record_release(&record);
	nx_arena_release(&arena);
	if (!st && new_name)
		st = nx_profile_name_check_new(nx_slice_text(new_name), err);
	if (!st && (marks->is_favourite || marks->label))
		st = nx_workspace_mark(workspace, name, marks, err);
	if (!st && new_name)
		st = nx_workspace_rename(workspace, name, new_name, err);
	return st;
}

NX_HANDLER(profile_change)
{
	const char *new_name, *folder;
	const struct nx_json *body = NULL;
	bool is_favourite, has_favourite;
	enum nx_status st = nx_request_json(request, &body, err);

	if (!st)
		st = take_text(body, "name", &request->arena, &new_name, err);
	if (!st)
		st = take_text(body, "folder", &request->arena, &folder, err);
	if (!st)
		st = take_flag(body, "favourite", &is_favourite, &has_favourite, err);
	if (st)
		return st;
	st = change(server->workspace, nx_request_variable(request, "p"),
		    &(struct nx_profile_marks){.is_favourite = has_favourite ? &is_favourite : NULL,
					       .label = folder},
		    new_name, err);
	if (!st)
		nx_events_look(server->events);
	reply->http_status = st ? 0 : 204;
	return st;
}

NX_HANDLER(profile_delete)
{
	const char *name = nx_request_variable(request, "p");
	bool was_processed = nx_processing_cancel(server->processing, NULL, name);
	enum nx_status st = nx_workspace_remove(server->workspace, name, err);

	/* given up, and nothing else had the name */
	if (st == NX_NOT_FOUND && was_processed)
		st = NX_OK;
	reply->http_status = st ? 0 : 204;
	if (!st)
		nx_events_look(server->events);
	return st;
}
