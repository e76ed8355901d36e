/* SPDX-License-Identifier: Apache-2.0 */
#include "format/session_file.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/path.h"

#define TEXT(name, text) text,
static const char *const kinds[] = {NX_SESSION_KIND_MAP(TEXT)};
static const char *const host_states[] = {NX_SESSION_HOST_MAP(TEXT)};
#undef TEXT

const char *nx_session_kind_text(enum nx_session_kind kind)
{
	assert(kind < NX_SESSION_KIND_COUNT);
	return kinds[kind];
}

const char *nx_session_host_state_text(enum nx_session_host_state state)
{
	assert(state < NX_SESSION_HOST_STATE_COUNT);
	return host_states[state];
}

/* --- writing ----------------------------------------------------------------- */

static void put_u64(struct nx_json_writer *w, const char *key, uint64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	nx_json_key_text(w, key, text);
}

static void put_i64(struct nx_json_writer *w, const char *key, int64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRId64, value);
	nx_json_key_text(w, key, text);
}

static void put_host(struct nx_json_writer *w, const struct nx_session_host *host)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "address", host->address);
	nx_json_key_text(w, "state", nx_session_host_state_text(host->state));
	if (host->failure)
		nx_json_key_text(w, "failure", host->failure);
	if (host->has_clock) {
		put_i64(w, "clock_offset_ns", host->clock_offset_ns);
		put_u64(w, "clock_uncertainty_ns", host->clock_uncertainty_ns);
	}
	nx_json_key(w, "files");
	nx_json_begin_array(w);
	for (size_t i = 0; i < host->file_count; i++)
		nx_json_text(w, host->files[i]);
	nx_json_end_array(w);
	nx_json_end_object(w);
}

void nx_session_file_encode(const struct nx_session_file *session, struct nx_bytes *out)
{
	struct nx_json_writer w;

	nx_json_init_bytes(&w, out, true);
	nx_json_begin_object(&w);
	nx_json_key_u64(&w, "version", NX_SESSION_FILE_VERSION);
	nx_json_key_text(&w, "kind", nx_session_kind_text(session->kind));
	nx_json_key_text(&w, "session", session->name);
	if (session->reason)
		nx_json_key_text(&w, "reason", session->reason);
	put_u64(&w, "started_ns", session->started_ns);
	put_u64(&w, "ended_ns", session->ended_ns);
	nx_json_key(&w, "hosts");
	nx_json_begin_array(&w);
	for (size_t i = 0; i < session->host_count; i++)
		put_host(&w, &session->hosts[i]);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_bytes_append(out, "\n", 1);
}

enum nx_status nx_session_file_write(const char *folder, const struct nx_session_file *session,
				     struct nx_error *err)
{
	struct nx_bytes bytes = {0};
	struct nx_output out;
	char path[PATH_MAX];
	enum nx_status st;

	if (snprintf(path, sizeof(path), "%s/" NX_SESSION_FILE, folder) >= (int)sizeof(path))
		return nx_fail(err, NX_LIMIT, "%.200s...: the path is too long", folder);
	st = nx_output_open(&out, path, err);
	if (st)
		return st;
	nx_session_file_encode(session, &bytes);
	nx_output_write(&out, bytes.items, bytes.len);
	nx_vec_release(&bytes);
	return nx_output_commit(&out, err);
}

/* --- reading ----------------------------------------------------------------- */

static size_t find_text(const char *const *texts, size_t count, struct nx_slice text)
{
	size_t i = 0;

	while (i < count && !nx_slice_is(text, texts[i]))
		i++;
	return i;
}

static bool get_u64(const struct nx_json *object, const char *key, uint64_t *value)
{
	return nx_slice_to_u64(nx_json_as_slice(nx_json_get(object, key)), value);
}

static bool get_i64(const struct nx_json *object, const char *key, int64_t *value)
{
	struct nx_slice text = nx_json_as_slice(nx_json_get(object, key));
	bool is_negative = nx_slice_starts(text, "-");
	uint64_t size;

	if (!nx_slice_to_u64(is_negative ? nx_slice_part(text, 1, text.len) : text, &size) ||
	    size > INT64_MAX)
		return false;
	*value = is_negative ? -(int64_t)size : (int64_t)size;
	return true;
}

/* A folder's name ends with a slash. */
static bool names_file_inside(struct nx_slice name)
{
	if (nx_slice_ends(name, "/"))
		name.len--;
	return nx_path_is_inside(name);
}

static enum nx_status get_files(const struct nx_json *list, struct nx_arena *arena,
				struct nx_session_host *host, struct nx_error *err)
{
	size_t count = list && list->kind == NX_JSON_ARRAY ? list->count : 0;
	const char **files = NX_NEW_ARRAY(arena, const char *, count);

	for (size_t i = 0; i < count; i++) {
		struct nx_slice name = nx_json_as_slice(&list->children[i]);

		if (!names_file_inside(name))
			return nx_fail(err, NX_FORMAT,
				       "a host's file could lie outside of the session's folder");
		files[i] = nx_arena_copy(arena, name);
	}
	host->files = files;
	host->file_count = count;
	return NX_OK;
}

static enum nx_status get_host(const struct nx_json *from, struct nx_arena *arena,
			       struct nx_session_host *host, struct nx_error *err)
{
	size_t state = find_text(host_states, NX_SESSION_HOST_STATE_COUNT,
				 nx_json_as_slice(nx_json_get(from, "state")));

	host->address = nx_json_as_text(nx_json_get(from, "address"), arena, NULL);
	if (!host->address || state == NX_SESSION_HOST_STATE_COUNT)
		return nx_fail(err, NX_FORMAT, "a host has no address or no known state");
	host->state = (enum nx_session_host_state)state;
	host->failure = nx_json_as_text(nx_json_get(from, "failure"), arena, NULL);
	host->has_clock = get_i64(from, "clock_offset_ns", &host->clock_offset_ns) &&
			  get_u64(from, "clock_uncertainty_ns", &host->clock_uncertainty_ns);
	return get_files(nx_json_get(from, "files"), arena, host, err);
}

enum nx_status nx_session_file_decode(struct nx_slice input, struct nx_arena *arena,
				      struct nx_session_file *session, struct nx_error *err)
{
	struct nx_json *root;
	enum nx_status st = nx_json_parse(input, arena, &root, err);
	const struct nx_json *list;
	struct nx_session_host *hosts;
	uint64_t version;
	size_t kind;

	*session = (struct nx_session_file){0};
	if (st)
		return st;
	version = nx_json_as_u64(nx_json_get(root, "version"), 0);
	kind = find_text(kinds, NX_SESSION_KIND_COUNT, nx_json_as_slice(nx_json_get(root, "kind")));
	if (version > NX_SESSION_FILE_VERSION)
		return nx_fail(err, NX_VERSION,
			       "version %" PRIu64 " is newer than this program; update it",
			       version);
	session->name = nx_json_as_text(nx_json_get(root, "session"), arena, NULL);
	if (!version || kind == NX_SESSION_KIND_COUNT || !session->name)
		return nx_fail(err, NX_FORMAT,
			       "not the description of a session: version, kind or session is "
			       "missing");
	session->kind = (enum nx_session_kind)kind;
	session->reason = nx_json_as_text(nx_json_get(root, "reason"), arena, NULL);
	(void)get_u64(root, "started_ns", &session->started_ns);
	(void)get_u64(root, "ended_ns", &session->ended_ns);
	list = nx_json_get(root, "hosts");
	session->host_count = list && list->kind == NX_JSON_ARRAY ? list->count : 0;
	session->hosts = hosts = NX_NEW_ARRAY(arena, struct nx_session_host, session->host_count);
	for (size_t i = 0; !st && i < session->host_count; i++)
		st = get_host(&list->children[i], arena, &hosts[i], err);
	return st;
}

enum nx_status nx_session_file_read(const char *folder, struct nx_arena *arena,
				    struct nx_session_file *session, struct nx_error *err)
{
	const char *path = nx_arena_printf(arena, "%s/" NX_SESSION_FILE, folder);
	struct nx_file file;
	struct nx_slice bytes;
	enum nx_status st = nx_file_map(&file, path, err);

	if (st)
		return st;
	/* the texts borrow from it */
	bytes = nx_slice_of(nx_arena_copy(arena, file.bytes), file.bytes.len);
	nx_file_unmap(&file);
	st = nx_session_file_decode(bytes, arena, session, err);
	return st ? nx_context(err, "%s", path) : NX_OK;
}
