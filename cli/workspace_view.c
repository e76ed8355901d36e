/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workspace_view.h"

#include <errno.h>
#include <unistd.h>

#include "cli/suggest.h"

enum nx_status nx_workspace_view_open(struct nx_workspace **ws, const char *data_path,
				      bool is_read_only, struct nx_error *err)
{
	struct nx_workspace_options how = {.path = data_path, .is_read_only = is_read_only};
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	*ws = NULL;
	if (!data_path)
		st = nx_workspace_default_path(&arena, &how.path, err);
	if (!st && access(how.path, F_OK) < 0 && errno == ENOENT)
		st = data_path ? nx_fail(err, NX_NOT_FOUND,
					 "there is no workspace %s; check --data-path", data_path)
			       : NX_OK;
	else if (!st)
		st = nx_workspace_open(ws, &how, err);
	nx_arena_release(&arena);
	return st;
}

enum nx_status nx_workspace_view_refuse(const struct nx_catalogue *catalogue, const char *name,
					struct nx_error *err)
{
	struct nx_names NX_VEC_BODY(const char *) names = {0};
	const char *near;

	for (size_t i = 0; i < catalogue->records.len; i++)
		nx_vec_push(&names, catalogue->records.items[i].name);
	near = nx_suggest_name(names.items, names.len, name);
	nx_vec_release(&names);
	return nx_fail(err, NX_NOT_FOUND, "there is no profile '%.200s'%s%s%s", name,
		       near ? "; did you mean '" : "; 'list' shows all profiles", near ? near : "",
		       near ? "'?" : "");
}
