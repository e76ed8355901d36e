/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of running jobs, archived profiles, and what can be captured. */
#include <string.h>

#include "serve/handlers.h"
#include "serve/job_registry.h"

#define JOB_NAME_MAX 100u

NX_HANDLER(jobs)
{
	struct nx_json_writer w;

	(void)err;
	nx_reply_json(reply, &w);
	nx_job_registry_put(&w, server->workspace, &request->arena);
	nx_json_end_object(&w);
	return NX_OK;
}

NX_HANDLER(tasks)
{
	struct nx_json_writer w;

	(void)request, (void)err;
	nx_reply_json(reply, &w);
	nx_json_key_array(&w, "tasks");
	nx_tasks_put(server->tasks, &w);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	return NX_OK;
}

/* --- captures ----------------------------------------------------------------------------- */

static enum nx_status read_addresses(const struct nx_json *list, struct nx_arena *arena,
				     struct nx_capture_wish *wish, struct nx_error *err)
{
	const char **addresses;

	if (!list || list->kind != NX_JSON_ARRAY || !list->count ||
	    list->count > NX_CAPTURE_HOSTS_MAX)
		return nx_fail(err, NX_USAGE, "'addresses' should be a list of 1 to %u addresses",
			       NX_CAPTURE_HOSTS_MAX);
	addresses = NX_NEW_ARRAY(arena, const char *, list->count);
	for (size_t i = 0; i < list->count; i++) {
		struct nx_slice text = nx_json_as_slice(&list->children[i]);

		addresses[i] = nx_json_as_text(&list->children[i], arena, "");
		if ((text.len && memchr(text.data, 0, text.len)) ||
		    !nx_job_address_is_valid(addresses[i]))
			return nx_fail(err, NX_USAGE, "'%.100s' is not an address; write host:port",
				       addresses[i]);
	}
	wish->addresses = addresses;
	wish->address_count = list->count;
	return NX_OK;
}

static enum nx_status read_level(const struct nx_json *body, const char *key, uint32_t otherwise,
				 uint32_t most, uint32_t *level, struct nx_error *err)
{
	const struct nx_json *member = nx_json_get(body, key);
	uint64_t value = member ? nx_json_as_u64(member, UINT64_MAX) : otherwise;

	*level = (uint32_t)value;
	return value <= most
		       ? NX_OK
		       : nx_fail(err, NX_USAGE, "'%s' should be a number from 0 to %u", key, most);
}

static enum nx_status read_wish(const struct nx_json *body, struct nx_arena *arena,
				struct nx_capture_wish *wish, struct nx_error *err)
{
	const struct nx_json *job = nx_json_get(body, "job");
	struct nx_slice name = nx_json_as_slice(job);
	enum nx_status st = read_addresses(nx_json_get(body, "addresses"), arena, wish, err);

	if (!st)
		st = read_level(body, "duration_ms", 1000, NX_CAPTURE_DURATION_MS_MAX,
				&wish->duration_ms, err);
	if (!st)
		st = read_level(body, "host_level", 2, 3, &wish->host_level, err);
	if (!st)
		st = read_level(body, "device_level", 1, 1, &wish->device_level, err);
	if (!st)
		st = read_level(body, "python_level", 0, 1, &wish->python_level, err);
	if (!st && !wish->duration_ms)
		st = nx_fail(err, NX_USAGE, "'duration_ms' should be at least 1");
	if (!st && job &&
	    (job->kind != NX_JSON_TEXT || name.len > JOB_NAME_MAX ||
	     (name.len && memchr(name.data, 0, name.len))))
		st = nx_fail(err, NX_USAGE, "'job' should be a text of at most %u bytes",
			     JOB_NAME_MAX);
	wish->job = nx_json_as_text(job, arena, "");
	if (!*wish->job)
		wish->job = "capture";
	return st;
}

static void put_id(struct nx_reply *reply, uint64_t id)
{
	struct nx_json_writer w;

	nx_reply_json(reply, &w);
	nx_json_key_u64(&w, "id", id);
	nx_json_end_object(&w);
	reply->http_status = 202;
}

NX_HANDLER(capture)
{
	struct nx_capture_wish wish = {0};
	const struct nx_json *body = NULL;
	uint64_t id = 0;
	enum nx_status st = nx_request_json(request, &body, err);

	if (!st)
		st = read_wish(body, &request->arena, &wish, err);
	if (!st)
		st = nx_tasks_capture(server->tasks, &wish, &id, err);
	if (!st)
		put_id(reply, id);
	return st;
}

/* --- the rest ------------------------------------------------------------------------------ */

NX_HANDLER(profile_fetch)
{
	const char *name = nx_request_variable(request, "p");
	const struct nx_profile_record *r;
	struct nx_catalogue catalogue = {0};
	uint64_t id = 0;
	enum nx_status st = nx_catalogue_load(&catalogue, server->workspace, err);

	r = st ? NULL : nx_catalogue_find(&catalogue, name);
	if (!st && !r)
		st = nx_fail(err, NX_NOT_FOUND, "there is no profile '%s'", name);
	else if (!st && r->state != NX_PROFILE_ARCHIVED)
		st = nx_fail(err, NX_USAGE, "profile '%s' is not archived", name);
	nx_catalogue_release(&catalogue);
	if (!st)
		st = nx_tasks_fetch(server->tasks, name, &id, err);
	if (!st)
		put_id(reply, id);
	return st;
}

NX_HANDLER(task_delete)
{
	uint64_t id;
	enum nx_status st = nx_request_variable_u64(request, "id", &id, err);

	if (!st && !nx_tasks_cancel(server->tasks, id))
		st = nx_fail(err, NX_NOT_FOUND, "there is no task %llu", (unsigned long long)id);
	reply->http_status = st ? 0 : 204;
	return st;
}
