/* SPDX-License-Identifier: Apache-2.0 */
/* workspace_view: what the commands around the workspace share. */
#ifndef NX_CLI_WORKSPACE_VIEW_H
#define NX_CLI_WORKSPACE_VIEW_H

#include "cli/command.h"
#include "store/catalogue.h"

/* The row of an option table; type is the command's struct, which has data_path. */
#define NX_OPTION_DATA_PATH(type)                                                                  \
	{                                                                                          \
		"data-path", 0, NX_OPTION_FOLDER, "DIR", NX_FIELD(type, data_path),                \
			"The workspace, the folder that holds all profiles (default "              \
			"$XDG_DATA_HOME/neuron-explorer or ~/.local/share/neuron-explorer).",      \
			NULL                                                                       \
	}

/* The same of struct members called profile; what says which profile it is about. */
#define NX_OPTION_PROFILE(type, what)                                                              \
	{                                                                                          \
		"profile", 'd', NX_OPTION_FOLDER, "PROFILE", NX_FIELD(type, profile),              \
			what ": its name in the workspace, or the folder that holds its Parquet "  \
			     "files (default: this folder).",                                      \
			NULL                                                                       \
	}

/* Of struct members called token; what says whose it is. */
#define NX_OPTION_TOKEN(type, what)                                                                \
	{                                                                                          \
		"token", 0, NX_OPTION_TEXT, "TEXT", NX_FIELD(type, token),                         \
			what " Better given as NEURON_EXPLORER_TOKEN, which other users of the "   \
			     "machine do not see.",                                                \
			NULL                                                                       \
	}

/*
 * Opens the workspace but never makes one: a mistyped --data-path is told. The
 * default one may be missing, as nothing has been stored yet; then *ws is NULL.
 */
NX_MUST_CHECK enum nx_status nx_workspace_view_open(struct nx_workspace **ws, const char *data_path,
						    bool is_read_only, struct nx_error *err);

/*
 * The folder of a profile that the user named: a folder of that path or a profile
 * of the workspace by name, key or how either begins. Where both are there the
 * folder is meant, unless the workspace was named too.
 */
NX_MUST_CHECK enum nx_status nx_workspace_view_resolve(const char *data_path, const char *word,
						       struct nx_arena *arena, const char **path,
						       struct nx_error *err);

/* NOT_FOUND with the nearest name, for a name that the catalogue does not have. */
enum nx_status nx_workspace_view_refuse(const struct nx_catalogue *catalogue, const char *name,
					struct nx_error *err);

#endif
