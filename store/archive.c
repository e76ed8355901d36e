/* SPDX-License-Identifier: Apache-2.0 */
#include "store/archive.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/path.h"
#include "base/temporary.h"
#include "store/archive_place.h"
#include "store/durable.h"
#include "store/relative_path.h"
#include "store/staging.h"
#include "store/workspace_internal.h"

#define LIST_FILE "archive.json"
#define LIST_BYTES_MAX ((size_t)16 << 20)
#define LIST_VERSION 1
#define DEPTH_MAX 12

struct moving {
	struct nx_workspace *ws;
	struct nx_arena arena;
	const struct nx_archive_options *options;
	struct nx_archive_place *place;
	struct nx_profile_record record;
	const char *key; /* "<name>@<id>" */
	struct nx_archived_files NX_VEC_BODY(struct nx_archived_file) files;
};

static enum nx_status load(struct moving *m, struct nx_workspace *ws, const char *name,
			   struct nx_error *err)
{
	char folder[NX_PROFILE_FOLDER_MAX];
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);
	int lock;

	m->ws = ws;
	if (st)
		return st;
	lock = nx_workspace_lock_shared(ws);
	nx_profile_folder_name(name, folder);
	if (ws->profiles < 0 || !nx_profile_exists(ws, name))
		st = nx_fail(err, NX_NOT_FOUND, "there is no profile '%s' in %s", name, ws->path);
	else
		st = nx_profile_folder_read(ws->profiles, folder, &m->arena, &m->record, err);
	nx_workspace_unlock(lock);
	m->record.name = nx_arena_copy_text(&m->arena, name);
	if (!st && m->record.store_version > NX_STORE_VERSION)
		st = nx_fail(err, NX_VERSION,
			     "profile '%s' was stored by a newer program; update neuron-explorer",
			     name);
	return st;
}

static void release(struct moving *m)
{
	nx_archive_place_close(m->place);
	nx_profile_record_release(&m->record);
	nx_vec_release(&m->files);
	nx_arena_release(&m->arena);
}

/*
 * Puts a new version of the profile in place: only its record, or with the files that were put
 * into its folder. The old one stays until then. A profile that was stored again meanwhile is
 * left alone.
 */
static enum nx_status replace(struct moving *m,
			      enum nx_status (*fill)(struct moving *m, const char *path,
						     struct nx_error *err),
			      struct nx_error *err)
{
	uint64_t created_ms = m->record.created_ms;
	const char *id = m->record.id;
	struct nx_staging *staging;
	enum nx_status st = nx_staging_begin(&staging, m->ws, &m->record, true, err);

	if (st)
		return st;
	m->record.created_ms = created_ms;
	nx_staging_expect(staging, id);
	if (fill)
		st = fill(m, nx_staging_path(staging), err);
	if (!st)
		return nx_staging_commit(staging, err);
	nx_staging_abandon(staging);
	return st;
}

/* --- storing ------------------------------------------------------------------------ */

struct walk {
	struct moving *m;
	int folder;
	const char *key;  /* of the folder in the archive, with a slash */
	const char *path; /* of the folder, relative, with a slash, or "" */
	unsigned depth;
};

static enum nx_status put_one(const struct walk *w, const char *name, struct nx_error *err)
{
	struct moving *m = w->m;
	struct nx_archived_file file = {
		.path = nx_arena_printf(&m->arena, "%s%s%s", w->key, w->path, name)};
	int fd = openat(w->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	enum nx_status st;

	if (fd < 0)
		return nx_fail_errno(err, errno, "cannot read %s%s of profile '%s'", w->path, name,
				     m->record.name);
	if (m->options->on_file)
		m->options->on_file(m->options->context, file.path);
	st = nx_archive_place_put(m->place, nx_arena_printf(&m->arena, "%s/%s", m->key, file.path),
				  fd, &file, err);
	close(fd);
	nx_vec_push(&m->files, file);
	return st;
}

/* What can be made again, what another process may be writing, and what stays here. */
static bool is_left_out(const struct walk *w, const char *name)
{
	static const char *const names[] = {NX_PROFILE_RECORD_FILE, "codes", "annotations"};

	for (size_t i = 0; !w->depth && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return nx_slice_ends(nx_slice_text(name), NX_DURABLE_ASIDE_SUFFIX);
}

static enum nx_status put_entry(void *context, const char *name, struct nx_error *err)
{
	const struct walk *w = context;
	struct walk below = {.m = w->m, .key = w->key, .depth = w->depth + 1};
	enum nx_status st;
	struct stat st_buf;

	if (is_left_out(w, name) || fstatat(w->folder, name, &st_buf, AT_SYMLINK_NOFOLLOW))
		return NX_OK;
	if (S_ISREG(st_buf.st_mode))
		return put_one(w, name, err);
	if (!S_ISDIR(st_buf.st_mode) || w->depth == DEPTH_MAX)
		return NX_OK;
	below.folder = nx_durable_open_folder(w->folder, name);
	if (below.folder < 0)
		return nx_fail_errno(err, errno, "cannot read %s%s of profile '%s'", w->path, name,
				     w->m->record.name);
	below.path = nx_arena_printf(&w->m->arena, "%s%s/", w->path, name);
	st = nx_durable_each(below.folder, below.path, put_entry, &below, err);
	close(below.folder);
	return st;
}

static enum nx_status put_folder(struct moving *m, int folder, const char *key, unsigned depth,
				 struct nx_error *err)
{
	struct walk w = {.m = m, .folder = folder, .key = key, .path = "", .depth = depth};

	return nx_durable_each(folder, m->record.name, put_entry, &w, err);
}

/* A raw file that is gone is an error: the user asked for it. */
static enum nx_status put_raw(struct moving *m, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && m->options->has_raw && i < m->record.sources.len; i++) {
		const char *path = m->record.sources.items[i].path;
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		struct stat st_buf;

		if (fd < 0 || fstat(fd, &st_buf) < 0) {
			st = nx_fail_errno(err, errno, "cannot read %s; archive without --raw",
					   path);
		} else if (S_ISDIR(st_buf.st_mode)) {
			/* from depth 1, where no name is special */
			st = put_folder(m, fd,
					nx_arena_printf(&m->arena, "raw/%zu-%s/", i,
							nx_path_name(path)),
					1, err);
		} else {
			int parent = open(nx_arena_copy(&m->arena, nx_path_folder(path)),
					  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			struct walk w = {.m = m, .folder = parent, .path = "", .depth = 1};

			w.key = nx_arena_printf(&m->arena, "raw/%zu-", i);
			st = parent < 0 ? nx_fail_errno(err, errno, "cannot read %s", path)
					: put_one(&w, nx_path_name(path), err);
			nx_durable_close(parent);
		}
		nx_durable_close(fd);
	}
	return st;
}

static void write_list(const struct moving *m, struct nx_bytes *bytes)
{
	struct nx_json_writer w;

	nx_json_init_bytes(&w, bytes, true);
	nx_json_begin_object(&w);
	nx_json_key_u64(&w, "version", LIST_VERSION);
	nx_json_key_text(&w, "name", m->record.name);
	nx_json_key_text(&w, "id", m->record.id);
	nx_json_key(&w, "files");
	nx_json_begin_array(&w);
	for (size_t i = 0; i < m->files.len; i++) {
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "path", m->files.items[i].path);
		nx_json_key_u64(&w, "size_bytes", m->files.items[i].size_bytes);
		nx_json_key_text(&w, "sha256", m->files.items[i].sha256);
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
}

static enum nx_status put_list(struct moving *m, struct nx_archived_file *list,
			       struct nx_error *err)
{
	struct nx_bytes bytes = {0};
	struct nx_temporary file;
	enum nx_status st = nx_temporary_open(&file, err);

	if (st)
		return st;
	write_list(m, &bytes);
	st = nx_temporary_write(&file, bytes.items, bytes.len, 0, err);
	if (!st)
		st = nx_archive_place_put(m->place,
					  nx_arena_printf(&m->arena, "%s/" LIST_FILE, m->key),
					  file.fd, list, err);
	nx_temporary_close(&file);
	nx_vec_release(&bytes);
	return st;
}

static enum nx_status put_all(struct moving *m, struct nx_error *err)
{
	struct nx_archived_file list = {.path = LIST_FILE};
	char folder[NX_PROFILE_FOLDER_MAX];
	enum nx_status st;
	int fd;

	nx_profile_folder_name(m->record.name, folder);
	fd = nx_durable_open_folder(m->ws->profiles, folder);
	if (fd < 0)
		return nx_fail_errno(err, errno, "cannot read profile '%s'", m->record.name);
	st = put_folder(m, fd, "tables/", 0, err);
	close(fd);
	if (!st)
		st = put_raw(m, err);
	if (!st)
		st = put_list(m, &list, err);
	if (st)
		return st;
	m->record.archive = (struct nx_profile_archive){
		.place = nx_archive_place_text(m->place),
		.key = m->key,
		.sha256 = nx_arena_copy_text(&m->arena, list.sha256),
		.list_bytes = list.size_bytes,
		.size_bytes = m->record.size_bytes,
	};
	return NX_OK;
}

enum nx_status nx_archive_store(struct nx_workspace *ws, const char *name,
				const struct nx_archive_options *options, struct nx_error *err)
{
	struct moving m = {.options = options};
	struct nx_profile_archive *archive = &m.record.archive;
	enum nx_status st = load(&m, ws, name, err);

	if (!st && *archive->place && !archive->is_local)
		st = nx_fail(err, NX_USAGE, "profile '%s' is archived already, in %s", name,
			     archive->place);
	if (!st)
		st = nx_archive_place_open(&m.place, options->to, true, err);
	if (!st && *archive->place && !strcmp(archive->place, nx_archive_place_text(m.place)) &&
	    !options->has_raw) {
		archive->is_local = false; /* it is there, since it was fetched */
	} else if (!st) {
		m.key = nx_arena_printf(&m.arena, "%s@%s", name, m.record.id);
		st = put_all(&m, err);
	}
	if (!st)
		st = replace(&m, NULL, err);
	release(&m);
	return st;
}

/* --- fetching ------------------------------------------------------------------------ */

static void read_list(struct moving *m, const struct nx_json *files)
{
	for (size_t i = 0; files && files->kind == NX_JSON_ARRAY && i < files->count; i++) {
		const struct nx_json *item = &files->children[i];
		const char *digest = nx_json_as_text(nx_json_get(item, "sha256"), &m->arena, "");
		struct nx_archived_file file = {
			.path = nx_json_as_text(nx_json_get(item, "path"), &m->arena, ""),
			.size_bytes = nx_json_as_u64(nx_json_get(item, "size_bytes"), 0)};

		if (strlen(digest) == NX_SHA256_TEXT_MAX - 1)
			memcpy(file.sha256, digest, NX_SHA256_TEXT_MAX);
		nx_vec_push(&m->files, file);
	}
}

static enum nx_status get_list(struct moving *m, struct nx_error *err)
{
	struct nx_archived_file list = {.size_bytes = m->record.archive.list_bytes};
	struct nx_json *root = NULL;
	struct nx_temporary file;
	char *text = NULL;
	enum nx_status st = NX_OK;

	if (list.size_bytes > LIST_BYTES_MAX)
		return nx_fail(err, NX_LIMIT, "the list of files in the archive is too long");
	st = nx_temporary_open(&file, err);
	if (st)
		return st;
	memcpy(list.sha256, m->record.archive.sha256, sizeof(list.sha256));
	st = nx_archive_place_get(m->place, nx_arena_printf(&m->arena, "%s/" LIST_FILE, m->key),
				  &list, file.fd, err);
	if (!st) {
		text = NX_NEW_ARRAY(&m->arena, char, list.size_bytes + 1);
		st = nx_temporary_read(&file, text, list.size_bytes, 0, err);
	}
	if (!st)
		st = nx_json_parse(nx_slice_of(text, list.size_bytes), &m->arena, &root, err);
	if (!st)
		read_list(m, nx_json_get(root, "files"));
	nx_temporary_close(&file);
	return st;
}

static enum nx_status get_one(struct moving *m, int folder, const struct nx_archived_file *file,
			      struct nx_error *err)
{
	const char *path = file->path + strlen("tables/");
	enum nx_status st = nx_relative_path_check(nx_slice_text(path), err);
	int fd;

	if (st)
		return st;
	fd = nx_relative_path_open(folder, path, O_WRONLY | O_CREAT | O_EXCL, true);
	if (fd < 0)
		return nx_fail_errno(err, errno, "cannot write %s of profile '%s'", path,
				     m->record.name);
	st = nx_archive_place_get(m->place, nx_arena_printf(&m->arena, "%s/%s", m->key, file->path),
				  file, fd, err);
	close(fd);
	return st;
}

static enum nx_status get_all(struct moving *m, const char *path, struct nx_error *err)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum nx_status st = folder < 0 ? nx_fail_errno(err, errno, "cannot open %s", path) : NX_OK;

	for (size_t i = 0; !st && i < m->files.len; i++)
		if (!strncmp(m->files.items[i].path, "tables/", strlen("tables/")))
			st = get_one(m, folder, &m->files.items[i], err);
	nx_durable_close(folder);
	m->record.archive.is_local = true;
	return st;
}

enum nx_status nx_archive_fetch(struct nx_workspace *ws, const char *name, struct nx_error *err)
{
	struct moving m = {0};
	enum nx_status st = load(&m, ws, name, err);

	if (!st && (!*m.record.archive.place || m.record.archive.is_local)) {
		release(&m);
		return NX_OK;
	}
	if (!st && strlen(m.record.archive.sha256) != NX_SHA256_TEXT_MAX - 1)
		st = nx_fail(err, NX_FORMAT, "profile '%s' does not say where it is archived",
			     name);
	m.key = m.record.archive.key;
	if (!st)
		st = nx_archive_place_open(&m.place, m.record.archive.place, false, err);
	if (!st)
		st = get_list(&m, err);
	if (!st)
		st = replace(&m, get_all, err);
	release(&m);
	return st;
}
