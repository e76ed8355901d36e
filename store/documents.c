/* SPDX-License-Identifier: Apache-2.0 */
#include "store/documents.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/durable.h"
#include "store/workspace_internal.h"

#define ANNOTATIONS "annotations"
#define LAYOUTS "layouts"
#define SUFFIX ".json"
#define FILE_MAX (NX_PROFILE_NAME_MAX + sizeof(SUFFIX))

/* --- places -------------------------------------------------------------------- */

static enum nx_status check_name(const char *name, char file[FILE_MAX], struct nx_error *err)
{
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);

	if (!st)
		snprintf(file, FILE_MAX, "%s" SUFFIX, name);
	return st;
}

static const char *shown_of(const struct nx_document_place *place)
{
	return place->profile ? ANNOTATIONS : LAYOUTS;
}

static enum nx_status open_parent(const struct nx_document_place *place, int *parent,
				  struct nx_error *err)
{
	struct nx_workspace *ws = place->workspace;
	char folder[NX_PROFILE_FOLDER_MAX];
	enum nx_status st = NX_OK;

	assert(ws);
	*parent = -1;
	if (place->profile) {
		st = nx_profile_name_check(nx_slice_text(place->profile), err);
		if (st)
			return st;
		nx_profile_folder_name(place->profile, folder);
		if (ws->profiles >= 0)
			*parent = nx_durable_open_folder(ws->profiles, folder);
		if (*parent < 0)
			return nx_fail(err, NX_NOT_FOUND, "there is no profile '%s'",
				       place->profile);
		return NX_OK;
	}
	*parent = openat(ws->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *parent < 0 ? nx_fail_errno(err, errno, "cannot open %s", ws->path) : NX_OK;
}

/* *folder is -1 if there are no documents yet, unless it is to be made. */
static enum nx_status open_place(const struct nx_document_place *place, bool is_made, int *folder,
				 struct nx_error *err)
{
	const char *name = shown_of(place);
	int parent;
	enum nx_status st = open_parent(place, &parent, err);

	*folder = -1;
	if (st)
		return st;
	*folder = nx_durable_open_folder(parent, name);
	if (*folder < 0 && errno == ENOENT && is_made) {
		if (mkdirat(parent, name, 0777) == 0 || errno == EEXIST)
			*folder = nx_durable_open_folder(parent, name);
		if (*folder >= 0)
			st = nx_durable_sync_folder(parent, name, err);
	}
	if (!st && *folder < 0 && (errno != ENOENT || is_made))
		st = nx_fail_errno(err, errno, "cannot open the folder %s", name);
	close(parent);
	if (st) {
		nx_durable_close(*folder);
		*folder = -1;
	}
	return st;
}

/* --- the list ------------------------------------------------------------------ */

struct listing {
	struct nx_arena *arena;
	struct nx_document_names *names;
};

static enum nx_status add_entry(void *context, const char *file, struct nx_error *err)
{
	struct listing *l = context;
	struct nx_slice text = nx_slice_text(file);

	(void)err;
	if (!nx_slice_ends(text, SUFFIX))
		return NX_OK;
	text.len -= sizeof(SUFFIX) - 1;
	if (!nx_profile_name_check(text, NULL) && l->names->len < NX_DOCUMENTS_MAX)
		nx_vec_push(l->names, nx_arena_copy(l->arena, text));
	return NX_OK;
}

static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

enum nx_status nx_documents_list(const struct nx_document_place *place, struct nx_arena *arena,
				 struct nx_document_names *names, struct nx_error *err)
{
	struct listing listing = {arena, names};
	int folder;
	enum nx_status st = open_place(place, false, &folder, err);

	if (!st && folder >= 0)
		st = nx_durable_each(folder, shown_of(place), add_entry, &listing, err);
	if (names->len)
		qsort(names->items, names->len, sizeof(*names->items), compare);
	nx_durable_close(folder);
	return st;
}

/* --- one document -------------------------------------------------------------- */

static enum nx_status refuse_unknown(const struct nx_document_place *place, const char *name,
				     struct nx_error *err)
{
	return nx_fail(err, NX_NOT_FOUND, "there is nothing called '%s' among the %s", name,
		       shown_of(place));
}

static bool is_there(int folder, const char *file)
{
	struct stat st;

	return folder >= 0 && fstatat(folder, file, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st.st_mode);
}

enum nx_status nx_document_read(const struct nx_document_place *place, const char *name,
				struct nx_bytes *text, struct nx_error *err)
{
	char file[FILE_MAX];
	int folder = -1;
	enum nx_status st = check_name(name, file, err);

	if (!st)
		st = open_place(place, false, &folder, err);
	if (!st && !is_there(folder, file))
		st = refuse_unknown(place, name, err);
	if (!st)
		st = nx_durable_read(folder, file, NX_DOCUMENT_BYTES_MAX, text, shown_of(place),
				     err);
	nx_durable_close(folder);
	return st;
}

static enum nx_status check_room(const struct nx_document_place *place, struct nx_error *err)
{
	struct nx_document_names names = {0};
	struct nx_arena arena = {0};
	enum nx_status st = nx_documents_list(place, &arena, &names, err);

	if (!st && names.len >= NX_DOCUMENTS_MAX)
		st = nx_fail(err, NX_LIMIT,
			     "there are %u %s already, which is the most; delete one first",
			     NX_DOCUMENTS_MAX, shown_of(place));
	nx_vec_release(&names);
	nx_arena_release(&arena);
	return st;
}

/* Takes the lock: a document written while the profile is being replaced would be lost. */
enum nx_status nx_document_write(const struct nx_document_place *place, const char *name,
				 struct nx_slice text, struct nx_error *err)
{
	char file[FILE_MAX];
	int lock = -1, folder = -1;
	enum nx_status st = check_name(name, file, err);

	if (!st && text.len > NX_DOCUMENT_BYTES_MAX)
		st = nx_fail(err, NX_LIMIT, "'%s' is longer than %zu kB", name,
			     NX_DOCUMENT_BYTES_MAX >> 10);
	if (!st)
		st = nx_workspace_lock(place->workspace, &lock, err);
	if (!st)
		st = open_place(place, true, &folder, err);
	if (!st && !is_there(folder, file))
		st = check_room(place, err);
	if (!st)
		st = nx_durable_write(folder, file, text, shown_of(place), err);
	nx_durable_close(folder);
	nx_workspace_unlock(lock);
	return st;
}

enum nx_status nx_document_remove(const struct nx_document_place *place, const char *name,
				  struct nx_error *err)
{
	char file[FILE_MAX];
	int lock = -1, folder = -1;
	enum nx_status st = check_name(name, file, err);

	if (!st)
		st = nx_workspace_lock(place->workspace, &lock, err);
	if (!st)
		st = open_place(place, false, &folder, err);
	if (!st && !is_there(folder, file))
		st = refuse_unknown(place, name, err);
	if (!st && unlinkat(folder, file, 0) < 0)
		st = nx_fail_errno(err, errno, "cannot remove %s/%s", shown_of(place), file);
	if (!st)
		st = nx_durable_sync_folder(folder, shown_of(place), err);
	nx_durable_close(folder);
	nx_workspace_unlock(lock);
	return st;
}

/* --- when a profile is stored again -------------------------------------------- */

struct keeping {
	int from, to;
};

/* A document is never changed in place, so a hard link is as good as a copy. */
static enum nx_status keep_entry(void *context, const char *file, struct nx_error *err)
{
	const struct keeping *k = context;

	if (!nx_slice_ends(nx_slice_text(file), SUFFIX) || !is_there(k->from, file))
		return NX_OK;
	if (linkat(k->from, file, k->to, file, 0) < 0 && errno != EEXIST)
		return nx_fail_errno(err, errno, "cannot keep " ANNOTATIONS "/%s", file);
	return NX_OK;
}

enum nx_status nx_documents_keep(int from_folder, int to_folder, const char *shown,
				 struct nx_error *err)
{
	struct keeping k = {.from = nx_durable_open_folder(from_folder, ANNOTATIONS), .to = -1};
	enum nx_status st = NX_OK;

	if (k.from < 0)
		return NX_OK;
	if (mkdirat(to_folder, ANNOTATIONS, 0777) == 0 || errno == EEXIST)
		k.to = nx_durable_open_folder(to_folder, ANNOTATIONS);
	if (k.to < 0)
		st = nx_fail_errno(err, errno, "cannot make %s/" ANNOTATIONS, shown);
	if (!st)
		st = nx_durable_each(k.from, ANNOTATIONS, keep_entry, &k, err);
	if (!st)
		st = nx_durable_sync_folder(k.to, ANNOTATIONS, err);
	nx_durable_close(k.to);
	close(k.from);
	return st;
}
