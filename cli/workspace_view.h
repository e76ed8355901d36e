/* SPDX-License-Identifier: Apache-2.0 */
/* workspace_view: what the commands that use the workspace share. */
#ifndef NX_CLI_WORKSPACE_VIEW_H
#define NX_CLI_WORKSPACE_VIEW_H

#include "cli/options.h"
#include "query/profile_folder.h"
#include "query/query_engine.h"
#include "store/catalogue.h"

/*
 * Opens the workspace but never creates one, so that a mistyped --data-path is an error. The
 * default one may be missing, as nothing has been stored yet; then *ws is NULL.
 */
NX_MUST_CHECK enum nx_status nx_workspace_view_open(struct nx_workspace **ws, const char *data_path,
						    bool is_read_only, struct nx_error *err);

/* Brings the files of an archived profile back, and says so. The workspace may be read only. */
NX_MUST_CHECK enum nx_status nx_workspace_view_fetch(const struct nx_workspace *ws,
						     const struct nx_profile_record *record,
						     struct nx_error *err);

/*
 * The folder of a profile that the user named: a folder of that path, or a profile of the
 * workspace by name, key or the beginning of either. If both exist, the folder is meant, unless
 * the user named the workspace too.
 */
NX_MUST_CHECK enum nx_status nx_workspace_view_resolve(const char *data_path, const char *word,
						       struct nx_arena *arena, const char **path,
						       struct nx_error *err);

struct nx_profile_paths NX_VEC_BODY(const char *);

/*
 * The folders of several profiles: names as above with commas between them, or patterns such as
 * 'before-*' over the names of the workspace or, with a slash, over folders.
 */
NX_MUST_CHECK enum nx_status nx_workspace_view_expand(const char *data_path, const char *words,
						      struct nx_arena *arena,
						      struct nx_profile_paths *paths,
						      struct nx_error *err);

/* Calls fn with an engine over the tables of a profile's folder, in this process. */
NX_MUST_CHECK enum nx_status nx_workspace_view_ask(
	const char *path,
	enum nx_status (*fn)(void *context, const struct nx_query_engine *engine,
			     struct nx_error *err),
	void *context, struct nx_error *err);

/* NOT_FOUND with the nearest name, for a name that is not in the catalogue. */
enum nx_status nx_workspace_view_refuse(const struct nx_catalogue *catalogue, const char *name,
					struct nx_error *err);

/* NOT_FOUND with the nearest name, for a table that the profile does not have; else remedy. */
enum nx_status nx_workspace_view_refuse_table(const struct nx_profile_folder *folder,
					      const char *name, const char *remedy,
					      struct nx_error *err);

#endif
