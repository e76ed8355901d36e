/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_folder: a profile on disk as queries see it: a folder that holds one
 * Parquet file per table (Instruction.parquet), or numbered parts of a large
 * one (Instruction_0.parquet, Instruction_1.parquet, ...).
 *
 * A table that cannot be used, because a part is missing or a file is a link
 * out of the folder, stays in the list with its fault; the others are usable.
 */
#ifndef NX_QUERY_PROFILE_FOLDER_H
#define NX_QUERY_PROFILE_FOLDER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

struct nx_folder_table {
	const char *name;
	const char **files; /* full paths with links resolved, parts in order */
	size_t file_count;
	const char *fault; /* NULL: usable */
};

struct nx_profile_folder {
	struct nx_arena arena;
	const char *path; /* full, links resolved */
	struct nx_folder_tables NX_VEC_BODY(struct nx_folder_table) tables; /* by name */
};

/* NOT_FOUND if there is no such folder or it holds no Parquet file. Release it after a failure too.
 */
NX_MUST_CHECK enum nx_status nx_profile_folder_open(struct nx_profile_folder *folder,
						    const char *profile, struct nx_error *err);
void nx_profile_folder_release(struct nx_profile_folder *folder);

/* As in SQL, case does not matter. */
const struct nx_folder_table *nx_profile_folder_find(const struct nx_profile_folder *folder,
						     const char *name);
/* NOT_FOUND, with the remedy, if the file of a table is gone: the table was found when the folder
 * was opened, or profiles of this kind have it. */
NX_MUST_CHECK enum nx_status nx_profile_folder_check_lost(const struct nx_profile_folder *folder,
							  const char *name, struct nx_error *err);

#endif
