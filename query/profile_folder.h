/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_folder: a profile on disk as queries see it: a folder that holds one
 * Parquet file per table (Instruction.parquet), or numbered parts of a large
 * one (Instruction_0.parquet, Instruction_1.parquet, ...).
 *
 * A table that cannot be used, because a part is missing or a file is a link
 * out of the folder, does not spoil the others: it stays in the list with a
 * sentence that says what is wrong with it.
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

/*
 * The folder a profile's name stands for. This is the one place that knows how
 * profiles are named; today a name is the path of the folder.
 */
NX_MUST_CHECK enum nx_status nx_profile_folder_resolve(const char *profile, struct nx_arena *arena,
						       const char **path, struct nx_error *err);

/* NOT_FOUND when there is no such folder or it holds no Parquet file. Release also then. */
NX_MUST_CHECK enum nx_status nx_profile_folder_open(struct nx_profile_folder *folder,
						    const char *profile, struct nx_error *err);
void nx_profile_folder_release(struct nx_profile_folder *folder);

/* Names of tables are equal as SQL sees them, without regard to case. */
const struct nx_folder_table *nx_profile_folder_find(const struct nx_profile_folder *folder,
						     const char *name);

#endif
