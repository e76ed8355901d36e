/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/upload_client.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/path.h"
#include "store/relative_path.h"

#define API "/api/v1"
#define PATIENCE_MS 60000
#define LOOK_NS 300000000

/* --- the plan ------------------------------------------------------------------------------ */

void nx_upload_plan_release(struct nx_upload_plan *plan)
{
	nx_vec_release(&plan->files);
	nx_arena_release(&plan->arena);
}

static enum nx_status add_file(struct nx_upload_plan *plan, const char *local, const char *path,
			       enum nx_upload_role role, uint64_t size_bytes, struct nx_error *err)
{
	enum nx_status st = nx_relative_path_check(nx_slice_text(path), err);

	if (st)
		return nx_context(err, "%s cannot be uploaded", local);
	if (plan->files.len >= NX_UPLOAD_FILES_MAX)
		return nx_fail(err, NX_LIMIT,
			       "there are more than %u files; upload fewer, or source code as a "
			       ".tar.gz",
			       NX_UPLOAD_FILES_MAX);
	plan->size_bytes += size_bytes;
	nx_vec_push(&plan->files, ((struct nx_planned_file){
					  .local = local,
					  .path = path,
					  .role = role,
					  .size_bytes = size_bytes,
				  }));
	return NX_OK;
}

static int is_shown(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Sorted by name, so that two uploads of a folder are the same. */
static enum nx_status add_folder(struct nx_upload_plan *plan, const char *local, const char *path,
				 enum nx_upload_role role, struct nx_error *err)
{
	struct dirent **entries = NULL;
	int count = scandir(local, &entries, is_shown, alphasort);
	enum nx_status st = NX_OK;

	if (count < 0)
		return nx_fail_errno(err, errno, "cannot list %s", local);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		const char *from = nx_arena_printf(&plan->arena, "%s/%s", local, name);
		const char *to = nx_arena_printf(&plan->arena, "%s/%s", path, name);
		bool is_hidden = role == NX_UPLOAD_SOURCE && name[0] == '.';
		struct stat info;

		nx_heap_free(entries[i]);
		if (st || is_hidden)
			continue;
		if (lstat(from, &info)) {
			if (errno != ENOENT) /* it may have been deleted meanwhile */
				st = nx_fail_errno(err, errno, "cannot inspect %s", from);
		} else if (S_ISDIR(info.st_mode)) {
			st = add_folder(plan, from, to, role, err);
		} else if (S_ISREG(info.st_mode)) {
			st = add_file(plan, from, to, role, (uint64_t)info.st_size, err);
		}
	}
	nx_heap_free(entries);
	return st;
}

enum nx_status nx_upload_plan_add(struct nx_upload_plan *plan, const char *path,
				  enum nx_upload_role role, struct nx_error *err)
{
	char *absolute = realpath(path, NULL);
	const char *name = nx_arena_copy(&plan->arena, nx_path_last(absolute ? absolute : path));
	struct stat st;
	bool is_folder;

	nx_heap_free(absolute);
	if (stat(path, &st))
		return nx_fail_errno(err, errno, "cannot inspect %s", path);
	is_folder = S_ISDIR(st.st_mode);
	if (is_folder && (role == NX_UPLOAD_NEFF || role == NX_UPLOAD_NTFF))
		return nx_fail(err, NX_USAGE,
			       "%s is a folder; give a directory that a capture wrote with "
			       "--profile-directory",
			       path);
	if (!is_folder && role == NX_UPLOAD_DIRECTORY)
		return nx_fail(err, NX_USAGE,
			       "%s is not a folder; give files with --neff and --ntff", path);
	if (is_folder)
		return add_folder(plan, path, name, role, err);
	if (!S_ISREG(st.st_mode))
		return nx_fail(err, NX_USAGE, "%s is not a file", path);
	return add_file(plan, path, name, role, (uint64_t)st.st_size, err);
}

void nx_upload_plan_describe(const struct nx_upload_plan *plan, const char *name,
			     const char *folder, bool force, struct nx_bytes *json)
{
	static const char *const roles[] = {
#define ROLE_TEXT(role, text) text,
		NX_UPLOAD_ROLE_MAP(ROLE_TEXT)
#undef ROLE_TEXT
	};
	struct nx_json_writer w;

	assert(name);
	nx_json_init_bytes(&w, json, false);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "name", name);
	nx_json_key_text(&w, "folder", folder ? folder : "");
	nx_json_key_bool(&w, "force", force);
	nx_json_key(&w, "files");
	nx_json_begin_array(&w);
	for (size_t i = 0; i < plan->files.len; i++) {
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "path", plan->files.items[i].path);
		nx_json_key_text(&w, "role", roles[plan->files.items[i].role]);
		nx_json_key_u64(&w, "size_bytes", plan->files.items[i].size_bytes);
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
}

/* --- the client ----------------------------------------------------------------------------- */

void nx_upload_client_open(struct nx_upload_client *c, const char *endpoint, const char *token,
			   bool shows_progress)
{
	size_t len = strlen(endpoint);

	*c = (struct nx_upload_client){.http = nx_http_client_new(),
				       .shows_progress = shows_progress};
	while (len && endpoint[len - 1] == '/')
		len--;
	c->endpoint = nx_arena_copy(&c->arena, nx_slice_of(endpoint, len));
	if (token && *token)
		c->authorization = nx_arena_printf(&c->arena, "Authorization: Bearer %s", token);
}

void nx_upload_client_close(struct nx_upload_client *c)
{
	nx_http_answer_release(&c->answer);
	nx_http_client_free(c->http);
	nx_arena_release(&c->arena);
}

/* --- answers ------------------------------------------------------------------------------ */

/* Points into the bytes of the answer: copy before the next request. */
static const struct nx_json *answer_json(struct nx_upload_client *c)
{
	struct nx_json *root = NULL;

	if (nx_json_parse(nx_slice_of(c->answer.body.items, c->answer.body.len), &c->arena, &root,
			  NULL))
		return NULL;
	return root;
}

static enum nx_status status_of(unsigned code)
{
	switch (code) {
	case 400:
	case 415:
		return NX_USAGE;
	case 401:
	case 403:
	case 421:
		return NX_PERMISSION;
	case 404:
		return NX_NOT_FOUND;
	case 409:
		return NX_MISMATCH;
	case 413:
	case 422:
		return NX_LIMIT;
	case 507:
		return NX_NO_SPACE;
	default:
		return NX_IO;
	}
}

static enum nx_status refuse(struct nx_upload_client *c, struct nx_error *err)
{
	const char *detail = nx_json_as_text(nx_json_get(answer_json(c), "detail"), &c->arena, "");
	unsigned code = c->answer.code;

	if (code == 401)
		return nx_fail(err, NX_PERMISSION,
			       "the server at %s requires a token; give it with --token or "
			       "NEURON_EXPLORER_TOKEN",
			       c->endpoint);
	if (*detail)
		return nx_fail(err, status_of(code), "the server says: %s", detail);
	return nx_fail(err, status_of(code),
		       "%s responds with code %u; is it a neuron-explorer that serves a "
		       "workspace?",
		       c->endpoint, code);
}

/* --- one request ---------------------------------------------------------------------------- */

/* IO: no response. Codes other than 2xx are failures. */
static enum nx_status ask_once(struct nx_upload_client *c, struct nx_http_request *request,
			       const char *path, struct nx_error *err)
{
	enum nx_status st;

	request->url = nx_arena_printf(&c->arena, "%s" API "%s", c->endpoint, path);
	request->header = c->authorization;
	st = nx_http_client_ask(c->http, request, &c->answer, err);
	if (st)
		return nx_context(err, "cannot reach %s", c->endpoint);
	return c->answer.code / 100 == 2 ? NX_OK : refuse(c, err);
}

/* Retry if the server is busy or briefly unreachable. */
static bool may_pass(const struct nx_upload_client *c, enum nx_status st)
{
	return st == NX_IO && (!c->answer.code || c->answer.code >= 500);
}

static enum nx_status ask(struct nx_upload_client *c, struct nx_http_request request,
			  const char *path, struct nx_error *err)
{
	struct nx_backoff backoff;
	enum nx_status st;

	nx_backoff_init(&backoff, PATIENCE_MS);
	do
		st = ask_once(c, &request, path, err);
	while (st && may_pass(c, st) && nx_backoff_wait(&backoff));
	return st;
}

/* --- beginning ------------------------------------------------------------------------------- */

/* Sent once: a second request might collide with the upload that the first one began. */
static enum nx_status begin(struct nx_upload_client *c, struct nx_slice json, struct nx_error *err)
{
	struct nx_http_request request = {.content_type = "application/json", .body = json};
	enum nx_status st = ask_once(c, &request, "/uploads", err);

	if (st == NX_MISMATCH) /* the name is taken */
		return nx_fail(err, st, "%s with --overwrite", err->message);
	if (st)
		return st;
	c->id = nx_json_as_text(nx_json_get(answer_json(c), "id"), &c->arena, "");
	if (*c->id)
		return NX_OK;
	return nx_fail(err, NX_FORMAT, "unexpected response from %s; is it a neuron-explorer?",
		       c->endpoint);
}

/* --- files ----------------------------------------------------------------------------------- */

struct sending {
	struct nx_upload_client *client;
	int fd;
	uint64_t done_before; /* bytes of other files */
	uint64_t offset;
};

static size_t give(void *context, void *to, size_t room)
{
	struct sending *s = context;
	ssize_t n = pread(s->fd, to, room, (off_t)s->offset);

	if (n <= 0)
		return 0;
	s->offset += (uint64_t)n;
	/* bytes that are sent again are counted once */
	s->client->progress.done = s->done_before + s->offset - (uint64_t)n;
	nx_progress_add(&s->client->progress, (uint64_t)n);
	return (size_t)n;
}

static enum nx_status learn_received(struct nx_upload_client *c, size_t index, uint64_t *received,
				     struct nx_error *err)
{
	const char *path = nx_arena_printf(&c->arena, "/uploads/%s", c->id);
	enum nx_status st = ask(c, (struct nx_http_request){0}, path, err);
	const struct nx_json *files;

	if (st)
		return st;
	files = nx_json_get(answer_json(c), "files");
	if (!files || files->kind != NX_JSON_ARRAY || index >= files->count ||
	    !nx_slice_to_u64(nx_json_as_slice(nx_json_get(&files->children[index], "received")),
			     received))
		return nx_fail(err, NX_FORMAT, "unexpected response from %s", c->endpoint);
	return NX_OK;
}

/* Retry while bytes arrive. MISMATCH: the server still holds the old connection. */
static enum nx_status put_file(struct sending *s, const struct nx_planned_file *f, size_t index,
			       struct nx_error *err)
{
	struct nx_upload_client *c = s->client;
	struct nx_backoff backoff;
	uint64_t received = 0;
	enum nx_status st;

	nx_backoff_init(&backoff, PATIENCE_MS);
	for (;;) {
		uint64_t before = received;
		struct nx_http_request request = {
			.give = give, .give_context = s, .give_bytes = f->size_bytes - received};

		s->offset = received;
		st = ask_once(c, &request,
			      nx_arena_printf(&c->arena, "/uploads/%s/files/%zu?offset=%llu", c->id,
					      index, (unsigned long long)received),
			      err);
		if (!st || (st != NX_MISMATCH && !may_pass(c, st)) || !nx_backoff_wait(&backoff))
			return st;
		st = learn_received(c, index, &received, err);
		if (st || received >= f->size_bytes)
			return st;
		if (received > before)
			nx_backoff_init(&backoff, PATIENCE_MS);
	}
}

static enum nx_status send_file(struct nx_upload_client *c, const struct nx_planned_file *f,
				size_t index, uint64_t done_before, struct nx_error *err)
{
	struct sending s = {.client = c, .done_before = done_before};
	enum nx_status st;

	if (!f->size_bytes)
		return NX_OK;
	s.fd = open(f->local, O_RDONLY | O_CLOEXEC);
	if (s.fd < 0)
		return nx_fail_errno(err, errno, "cannot open %s", f->local);
	st = put_file(&s, f, index, err);
	close(s.fd);
	return st ? nx_context(err, "%s", f->local) : NX_OK;
}

static enum nx_status send_files(struct nx_upload_client *c, const struct nx_upload_plan *plan,
				 struct nx_error *err)
{
	uint64_t done = 0;
	enum nx_status st = NX_OK;

	nx_progress_begin(&c->progress, "uploading", plan->size_bytes, c->shows_progress);
	for (size_t i = 0; !st && i < plan->files.len; i++) {
		st = send_file(c, &plan->files.items[i], i, done, err);
		done += plan->files.items[i].size_bytes;
	}
	nx_progress_end(&c->progress);
	return st;
}

enum nx_status nx_upload_client_send(struct nx_upload_client *c, const struct nx_upload_plan *plan,
				     struct nx_slice json, struct nx_error *err)
{
	struct nx_http_request empty = {.body = nx_slice_text("")};
	enum nx_status st = begin(c, json, err);

	assert(st || *c->id);
	if (!st)
		st = send_files(c, plan, err);
	if (!st)
		st = ask(c, empty, nx_arena_printf(&c->arena, "/uploads/%s/finish", c->id), err);
	return st;
}

/* --- waiting ------------------------------------------------------------------------- */

static void show_step(struct nx_upload_client *c, const char *path)
{
	const struct nx_json *profile;
	double fraction;

	if (ask_once(c, &(struct nx_http_request){0}, path, NULL))
		return;
	profile = answer_json(c);
	fraction = nx_json_as_f64(nx_json_get(profile, "fraction"), 0);
	c->progress.done = (uint64_t)(fraction * (double)c->progress.total);
	nx_progress_add(&c->progress, 0);
}

/* The upload disappears when its profile is ready. */
static enum nx_status look(struct nx_upload_client *c, bool *is_over, struct nx_error *err)
{
	const char *path = nx_arena_printf(&c->arena, "/uploads/%s", c->id);
	enum nx_status st = ask(c, (struct nx_http_request){0}, path, err);
	const struct nx_json *upload;

	*is_over = st == NX_NOT_FOUND;
	if (*is_over || st)
		return *is_over ? NX_OK : st;
	upload = answer_json(c);
	if (nx_slice_is(nx_json_as_slice(nx_json_get(upload, "state")), "failed"))
		return nx_fail(err, NX_FORMAT, "processing failed: %s",
			       nx_json_as_text(nx_json_get(upload, "reason"), &c->arena, ""));
	return NX_OK;
}

enum nx_status nx_upload_client_wait(struct nx_upload_client *c, const char *name,
				     struct nx_error *err)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	struct nx_bytes escaped = {0};
	const char *path;
	bool is_over = false;
	enum nx_status st;

	assert(c->id);
	nx_bytes_append_percent(&escaped, nx_slice_text(name));
	path = nx_arena_printf(&c->arena, "/profiles/%.*s", (int)escaped.len,
			       (const char *)escaped.items);
	nx_vec_release(&escaped);
	nx_progress_begin(&c->progress, "processing", 1000, c->shows_progress);
	for (;;) {
		st = look(c, &is_over, err);
		if (st || is_over)
			break;
		show_step(c, path);
		nanosleep(&pause, NULL);
	}
	nx_progress_end(&c->progress);
	/* The profile may have been deleted meanwhile. */
	return st ? st : ask(c, (struct nx_http_request){0}, path, err);
}
