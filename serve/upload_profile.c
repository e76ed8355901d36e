/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/upload_profile.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/catalogue.h"
#include "store/profile_source.h"

#define ARGUMENTS_MAX 24

/* --- before ------------------------------------------------------------------------------- */

static bool is_archive(const struct nx_upload_file *f)
{
	struct nx_slice path = nx_slice_text(f->path);

	return f->role == NX_UPLOAD_SOURCE &&
	       (nx_slice_ends(path, ".tar.gz") || nx_slice_ends(path, ".tgz") ||
		nx_slice_ends(path, ".tar"));
}

static enum nx_status unpack_one(struct nx_workspace *ws, const struct nx_upload *u,
				 const char *path, struct nx_arena *arena, struct nx_error *err)
{
	const char *folder = nx_upload_path(ws, arena, u->id, NX_SOURCE_FOLDER);
	const char *archive = nx_arena_printf(arena, "%s/%s", folder, path);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	enum nx_status st;

	/* an earlier server may have unpacked it already */
	if (fd < 0 || access(archive, F_OK)) {
		if (fd >= 0)
			close(fd);
		return NX_OK;
	}
	st = nx_source_unpack(archive, fd, nx_upload_path(ws, arena, u->id, "unpacked"), err);
	close(fd);
	if (!st)
		unlink(archive);
	return st;
}

enum nx_status nx_upload_profile_unpack(struct nx_workspace *ws, const struct nx_upload *u,
					struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < u->files.len; i++)
		if (is_archive(&u->files.items[i]))
			st = unpack_one(ws, u, u->files.items[i].path, arena, err);
	return st;
}

/* --- the child ------------------------------------------------------------------------------ */

/* If all paths begin with the same folder, as a browser sends them, it is that folder. */
static const char *directory_of(struct nx_workspace *ws, const struct nx_upload *u,
				struct nx_arena *arena)
{
	const char *first = NULL;
	size_t len = 0;

	for (size_t i = 0; i < u->files.len; i++) {
		const struct nx_upload_file *f = &u->files.items[i];
		size_t here = strcspn(f->path, "/");

		if (f->role != NX_UPLOAD_DIRECTORY)
			continue;
		if (!f->path[here] || (first && (here != len || strncmp(first, f->path, len) != 0)))
			return nx_upload_path(ws, arena, u->id, "capture");
		first = f->path;
		len = here;
	}
	return nx_upload_path(ws, arena, u->id,
			      nx_arena_printf(arena, "capture/%.*s", (int)len, first));
}

static const char *path_of(struct nx_workspace *ws, const struct nx_upload *u,
			   enum nx_upload_role role, struct nx_arena *arena)
{
	for (size_t i = 0; i < u->files.len; i++)
		if (u->files.items[i].role == role)
			return nx_upload_path(ws, arena, u->id,
					      nx_arena_printf(arena, "capture/%s",
							      u->files.items[i].path));
	return NULL;
}

struct names NX_VEC_BODY(const char *);

static bool is_made_of(const struct nx_profile_record *r, const char *folder)
{
	return r->sources.len && !strncmp(r->sources.items[0].path, folder, strlen(folder));
}

/* The profile of its name, which lists leave out for now, and those of a directory's devices. */
static void find_made(struct nx_workspace *ws, const struct nx_upload *u, struct nx_arena *arena,
		      struct names *names)
{
	const char *folder = nx_upload_path(ws, arena, u->id, "");
	struct nx_profile_record own;
	struct nx_catalogue catalogue;

	if (!nx_workspace_load(ws, u->name, arena, &own, NULL) && is_made_of(&own, folder))
		nx_vec_push(names, u->name);
	nx_profile_record_release(&own);
	(void)!nx_catalogue_load(&catalogue, ws, NULL);
	for (size_t i = 0; i < catalogue.records.len; i++) {
		const struct nx_profile_record *r = &catalogue.records.items[i];

		if (r->state == NX_PROFILE_READY && is_made_of(r, folder))
			nx_vec_push(names, nx_arena_copy_text(arena, r->name));
	}
	nx_catalogue_release(&catalogue);
}

/* Whether an earlier server that was stopped left a part, which may be replaced. */
static bool has_part(struct nx_workspace *ws, const struct nx_upload *u, struct nx_arena *arena)
{
	struct names names = {0};
	bool has_some;

	find_made(ws, u, arena, &names);
	has_some = names.len > 0;
	nx_vec_release(&names);
	return has_some;
}

const char *const *nx_upload_profile_arguments(struct nx_workspace *ws, const struct nx_upload *u,
					       const char *status_file, struct nx_arena *arena)
{
	const char **arguments = NX_NEW_ARRAY(arena, const char *, ARGUMENTS_MAX);
	const char *neff = path_of(ws, u, NX_UPLOAD_NEFF, arena);
	size_t n = 0;

	arguments[n++] = "view";
	arguments[n++] = "--ingest-only";
	arguments[n++] = "--data-path";
	arguments[n++] = nx_workspace_path(ws);
	arguments[n++] = "--display-name";
	arguments[n++] = u->name;
	arguments[n++] = "--processing-status-file";
	arguments[n++] = status_file;
	arguments[n++] = "--progress-fd";
	arguments[n++] = "3";
	if (u->force || has_part(ws, u, arena))
		arguments[n++] = "--force";
	if (nx_upload_is_system(u)) {
		arguments[n++] = "-d";
		arguments[n++] = directory_of(ws, u, arena);
		return arguments;
	}
	arguments[n++] = "-s";
	arguments[n++] = path_of(ws, u, NX_UPLOAD_NTFF, arena);
	if (neff) {
		arguments[n++] = "-n";
		arguments[n++] = neff;
	}
	assert(n < ARGUMENTS_MAX);
	return arguments;
}

const char *nx_upload_profile_reason(const struct nx_workspace *ws, const char *id,
				     const char *sentence, struct nx_arena *arena)
{
	const char *const folders[] = {
		nx_upload_path(ws, arena, id, "capture/"),
		nx_upload_path(ws, arena, id, ""),
		nx_arena_printf(arena, "%s/", nx_workspace_path(ws)),
	};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *found;

		while ((found = strstr(sentence, folders[i])))
			sentence = nx_arena_printf(arena, "%.*s%s", (int)(found - sentence),
						   sentence, found + strlen(folders[i]));
	}
	return sentence;
}

/* --- after ----------------------------------------------------------------------------------- */

static enum nx_status finish_one(struct nx_workspace *ws, const struct nx_upload *u,
				 const char *name, const char *source, struct nx_error *err)
{
	struct nx_profile_marks marks = {.label = u->label};
	struct stat st;
	enum nx_status done = NX_OK;

	if (!lstat(source, &st) && S_ISDIR(st.st_mode))
		done = nx_profile_source_attach(ws, name, source, err);
	if (!done && *u->label)
		done = nx_workspace_mark(ws, name, &marks, err);
	return done;
}

enum nx_status nx_upload_profile_finish(struct nx_workspace *ws, const struct nx_upload *u,
					struct nx_error *err)
{
	struct nx_arena arena = {0};
	const char *source = nx_upload_path(ws, &arena, u->id, NX_SOURCE_FOLDER);
	struct names names = {0};
	enum nx_status st = NX_OK;

	find_made(ws, u, &arena, &names);
	for (size_t i = 0; !st && i < names.len; i++)
		st = finish_one(ws, u, names.items[i], source, err);
	nx_vec_release(&names);
	nx_arena_release(&arena);
	return st ? st : nx_upload_remove(ws, u->id, err);
}
