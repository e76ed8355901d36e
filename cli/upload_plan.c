/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/upload_plan.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_writer.h"
#include "base/path.h"
#include "store/relative_path.h"

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

static enum nx_status add_folder(struct nx_upload_plan *plan, const char *local, const char *path,
				 enum nx_upload_role role, struct nx_error *err);

static enum nx_status add_entry(struct nx_upload_plan *plan, const char *local, const char *path,
				enum nx_upload_role role, struct nx_error *err)
{
	struct stat st;

	if (lstat(local, &st))
		return errno == ENOENT ? NX_OK
				       : nx_fail_errno(err, errno, "cannot inspect %s", local);
	if (S_ISDIR(st.st_mode))
		return add_folder(plan, local, path, role, err);
	if (!S_ISREG(st.st_mode))
		return NX_OK;
	return add_file(plan, local, path, role, (uint64_t)st.st_size, err);
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

		if (!st && !(role == NX_UPLOAD_SOURCE && name[0] == '.'))
			st = add_entry(plan, nx_arena_printf(&plan->arena, "%s/%s", local, name),
				       nx_arena_printf(&plan->arena, "%s/%s", path, name), role,
				       err);
		nx_heap_free(entries[i]);
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
