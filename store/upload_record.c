/* SPDX-License-Identifier: Apache-2.0 */
/* upload.json, and the same members in the request that begins an upload. */
#include <assert.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "base/utf8.h"
#include "store/relative_path.h"
#include "store/upload.h"

#define COUNT_OF(list) ((unsigned)(sizeof(list) / sizeof((list)[0])))

static const char *const role_texts[] = {
#define ROLE_TEXT(name, text) text,
	NX_UPLOAD_ROLE_MAP(ROLE_TEXT)
#undef ROLE_TEXT
};
static const char *const state_texts[] = {
#define STATE_TEXT(name, text) text,
	NX_UPLOAD_STATE_MAP(STATE_TEXT)
#undef STATE_TEXT
};

static_assert(COUNT_OF(role_texts) == NX_UPLOAD_SOURCE + 1, "a text for each role");
static_assert(COUNT_OF(state_texts) == NX_UPLOAD_FAILED + 1, "a text for each state");

void nx_upload_release(struct nx_upload *u)
{
	nx_vec_release(&u->files);
}

uint64_t nx_upload_size(const struct nx_upload *u)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < u->files.len; i++)
		bytes += u->files.items[i].size_bytes;
	return bytes;
}

uint64_t nx_upload_received(const struct nx_upload *u)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < u->files.len; i++)
		bytes += u->files.items[i].received_bytes;
	return bytes;
}

bool nx_upload_is_system(const struct nx_upload *u)
{
	for (size_t i = 0; i < u->files.len; i++)
		if (u->files.items[i].role == NX_UPLOAD_DIRECTORY)
			return true;
	return false;
}

/* --- writing -------------------------------------------------------------------------- */

void nx_upload_write(const struct nx_upload *u, struct nx_bytes *bytes)
{
	struct nx_json_writer w;

	nx_json_init_bytes(&w, bytes, true);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "name", u->name);
	nx_json_key_text(&w, "folder", u->label);
	nx_json_key_bool(&w, "force", u->force);
	nx_json_key_text(&w, "state", state_texts[u->state]);
	nx_json_key_text(&w, "reason", u->reason);
	nx_json_key_u64(&w, "created_ms", u->created_ms);
	nx_json_key(&w, "files");
	nx_json_begin_array(&w);
	for (size_t i = 0; i < u->files.len; i++) {
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "path", u->files.items[i].path);
		nx_json_key_text(&w, "role", role_texts[u->files.items[i].role]);
		nx_json_key_u64(&w, "size_bytes", u->files.items[i].size_bytes);
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_bytes_append(bytes, "\n", 1);
}

/* --- files ---------------------------------------------------------------------------- */

/* A path is that of a file, or of a folder that leads to one. */
enum { IS_FOLDER = 1, IS_FILE = 2 };

struct reading {
	struct nx_arena *arena;
	struct nx_upload *u;
	struct nx_text_map seen; /* source code and the rest lie in folders of their own */
	uint64_t size_bytes;
};

static unsigned find_word(const char *const *words, unsigned count, struct nx_slice word)
{
	unsigned i = 0;

	while (i < count && !nx_slice_is(word, words[i]))
		i++;
	return i;
}

static bool see(struct reading *r, struct nx_slice key, uint64_t what)
{
	uint64_t before;

	if (nx_text_map_get(&r->seen, key, &before))
		return before == IS_FOLDER && what == IS_FOLDER;
	nx_text_map_put(&r->seen, key, what);
	return true;
}

/* No two files of one path, and no file where another needs a folder. */
static enum nx_status check_unique(struct reading *r, const struct nx_upload_file *f,
				   struct nx_error *err)
{
	const char *key = nx_arena_printf(r->arena, "%c/%s",
					  f->role == NX_UPLOAD_SOURCE ? 's' : 'c', f->path);
	bool is_new = see(r, nx_slice_text(key), IS_FILE);

	for (const char *slash = strchr(key + 2, '/'); slash; slash = strchr(slash + 1, '/'))
		is_new &= see(r, nx_slice_of(key, (size_t)(slash - key)), IS_FOLDER);
	if (is_new)
		return NX_OK;
	return nx_fail(err, NX_USAGE, "the path '%s' occurs twice", f->path);
}

static enum nx_status check_sizes(struct reading *r, const struct nx_upload_file *f,
				  struct nx_error *err)
{
	if (f->size_bytes > NX_UPLOAD_FILE_BYTES_MAX)
		return nx_fail(err, NX_LIMIT, "the file '%s' is larger than %llu GiB", f->path,
			       (unsigned long long)(NX_UPLOAD_FILE_BYTES_MAX >> 30));
	r->size_bytes += f->size_bytes;
	if (r->size_bytes > NX_UPLOAD_BYTES_MAX)
		return nx_fail(err, NX_LIMIT, "all files together are larger than %llu GiB",
			       (unsigned long long)(NX_UPLOAD_BYTES_MAX >> 30));
	return NX_OK;
}

static enum nx_status read_file(struct reading *r, const struct nx_json *item, struct nx_error *err)
{
	struct nx_slice path = nx_json_as_slice(nx_json_get(item, "path"));
	unsigned role = find_word(role_texts, COUNT_OF(role_texts),
				  nx_json_as_slice(nx_json_get(item, "role")));
	struct nx_upload_file f = {.role = (enum nx_upload_role)role};
	const struct nx_json *size = nx_json_get(item, "size_bytes");
	enum nx_status st = nx_relative_path_check(path, err);
	bool is_size;

	if (st)
		return st;
	f.path = nx_arena_copy(r->arena, path);
	if (role == COUNT_OF(role_texts))
		return nx_fail(err, NX_USAGE,
			       "the role of '%s' should be neff, ntff, directory or source",
			       f.path);
	/* A text as well as a number: JavaScript's numbers end at 2^53. */
	if (size && size->kind == NX_JSON_TEXT)
		is_size = nx_slice_to_u64(size->text, &f.size_bytes);
	else
		is_size = (f.size_bytes = nx_json_as_u64(size, UINT64_MAX)) != UINT64_MAX;
	if (!is_size)
		return nx_fail(err, NX_USAGE, "the size_bytes of '%s' should be a whole number",
			       f.path);
	st = check_unique(r, &f, err);
	if (!st)
		st = check_sizes(r, &f, err);
	if (!st)
		nx_vec_push(&r->u->files, f);
	return st;
}

/* A session file, with its NEFF or without, or all files of a directory. */
static enum nx_status check_roles(const struct nx_upload *u, struct nx_error *err)
{
	size_t counts[COUNT_OF(role_texts)] = {0};

	for (size_t i = 0; i < u->files.len; i++)
		counts[u->files.items[i].role]++;
	if (counts[NX_UPLOAD_DIRECTORY] && (counts[NX_UPLOAD_NEFF] || counts[NX_UPLOAD_NTFF]))
		return nx_fail(err, NX_USAGE,
			       "an upload is one session file or one directory, not both");
	if (!counts[NX_UPLOAD_DIRECTORY] && counts[NX_UPLOAD_NTFF] != 1)
		return nx_fail(err, NX_USAGE,
			       "an upload needs one file of role ntff (the session file), or files "
			       "of role directory");
	if (counts[NX_UPLOAD_NEFF] > 1)
		return nx_fail(err, NX_USAGE, "a session file has one NEFF, not %zu",
			       counts[NX_UPLOAD_NEFF]);
	return NX_OK;
}

static enum nx_status read_files(struct reading *r, const struct nx_json *files,
				 struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (!files || files->kind != NX_JSON_ARRAY)
		return nx_fail(err, NX_USAGE, "files should be a list");
	if (files->count > NX_UPLOAD_FILES_MAX)
		return nx_fail(err, NX_LIMIT, "there are more than %u files", NX_UPLOAD_FILES_MAX);
	for (size_t i = 0; !st && i < files->count; i++)
		st = read_file(r, &files->children[i], err);
	return st ? st : check_roles(r->u, err);
}

/* --- the rest --------------------------------------------------------------------------- */

static enum nx_status check_label(struct nx_slice label, struct nx_error *err)
{
	if (label.len > NX_PROFILE_LABEL_MAX)
		return nx_fail(err, NX_USAGE, "a folder's name may have %d characters",
			       NX_PROFILE_LABEL_MAX);
	for (size_t i = 0, len; i < label.len; i += len) {
		len = label.data[i] < 0x80 ? 1
					   : nx_utf8_length(label.data + i, label.data + label.len);
		if (!len || label.data[i] <= ' ' || label.data[i] == 0x7f)
			return nx_fail(err, NX_USAGE,
				       "a folder's name should be UTF-8 text without blanks");
	}
	return NX_OK;
}

static enum nx_status read_members(const struct nx_json *root, struct reading *r,
				   struct nx_error *err)
{
	struct nx_slice name = nx_json_as_slice(nx_json_get(root, "name"));
	struct nx_slice label = nx_json_as_slice(nx_json_get(root, "folder"));
	const struct nx_json *force = nx_json_get(root, "force");
	unsigned state = find_word(state_texts, COUNT_OF(state_texts),
				   nx_json_as_slice(nx_json_get(root, "state")));
	enum nx_status st = nx_profile_name_check_new(name, err);

	if (!st)
		st = check_label(label, err);
	if (st)
		return st;
	r->u->name = nx_arena_copy(r->arena, name);
	r->u->label = nx_arena_copy(r->arena, label);
	r->u->force = force && force->kind == NX_JSON_BOOL && nx_slice_is(force->text, "true");
	r->u->state =
		state < COUNT_OF(state_texts) ? (enum nx_upload_state)state : NX_UPLOAD_RECEIVING;
	r->u->reason = nx_json_as_text(nx_json_get(root, "reason"), r->arena, "");
	r->u->created_ms = nx_json_as_u64(nx_json_get(root, "created_ms"), 0);
	return read_files(r, nx_json_get(root, "files"), err);
}

enum nx_status nx_upload_read(struct nx_slice json, struct nx_arena *arena, struct nx_upload *u,
			      struct nx_error *err)
{
	struct reading r = {.arena = arena, .u = u};
	struct nx_arena scratch = {0};
	struct nx_json *root;
	enum nx_status st = nx_json_parse(json, &scratch, &root, err);

	*u = (struct nx_upload){.id = "", .name = "", .label = "", .reason = ""};
	if (st)
		st = nx_fail(err, NX_USAGE, "the description of an upload should be JSON");
	else
		st = read_members(root, &r, err);
	nx_text_map_release(&r.seen);
	nx_arena_release(&scratch);
	return st;
}
