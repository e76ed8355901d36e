/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_record: what a workspace knows of one profile, and profile.json, the
 * file in the profile's folder that says it (docs/design/workspace.md).
 *
 * The name of a finished profile is the name of its folder and stands nowhere
 * else; begun_as is what it was called when processing began.
 *
 * Texts are borrowed: those of a record that was read live in the arena it was
 * read into, those of a record to be written belong to the caller. No text is
 * NULL after reading.
 */
#ifndef NX_STORE_PROFILE_RECORD_H
#define NX_STORE_PROFILE_RECORD_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

#define NX_PROFILE_RECORD_FILE "profile.json"
#define NX_PROFILE_RECORD_BYTES_MAX ((size_t)4 << 20)

/* Of the files in a profile's folder; a change that older programs cannot read raises it. */
#define NX_STORE_VERSION 2u

/* X(name, text in profile.json and in lists) */
#define NX_PROFILE_KIND_MAP(X)                                                                     \
	X(DEVICE, "device")                                                                        \
	X(SYSTEM, "system")

enum nx_profile_kind {
#define NX_PROFILE_KIND_ENUM(name, text) NX_PROFILE_##name,
	NX_PROFILE_KIND_MAP(NX_PROFILE_KIND_ENUM)
#undef NX_PROFILE_KIND_ENUM
};

/* The first three are written in profile.json; the others are what a reader finds. */
#define NX_PROFILE_STATE_MAP(X)                                                                    \
	X(PROCESSING, "processing")                                                                \
	X(READY, "ready")                                                                          \
	X(FAILED, "failed")                                                                        \
	X(UNFINISHED, "unfinished") /* its process ended without a word */                         \
	X(DAMAGED, "damaged")	    /* its folder has no profile.json that can be read */          \
	X(UPLOADING, "uploading")   /* its files are on their way (store/upload.h) */

enum nx_profile_state {
#define NX_PROFILE_STATE_ENUM(name, text) NX_PROFILE_##name,
	NX_PROFILE_STATE_MAP(NX_PROFILE_STATE_ENUM)
#undef NX_PROFILE_STATE_ENUM
};

struct nx_profile_source {    /* a file the profile was made from, or a folder of files */
	const char *path;     /* absolute */
	uint64_t size_bytes;  /* of a folder, all in it */
	uint64_t modified_ms; /* since 1970; of a folder, the latest in it */
};

struct nx_profile_table {
	const char *name;
	uint64_t row_count;
};

struct nx_profile_record {
	const char *name;
	const char *begun_as;
	const char *id;	    /* of this version of the profile: another one after --force */
	const char *key;    /* n_<40 hex>, from what the capture holds; "" when unknown */
	const char *recipe; /* program and options that decide what its rows are; "" when unknown */
	enum nx_profile_kind kind;
	enum nx_profile_state state;
	const char *reason;	    /* of FAILED, UNFINISHED, DAMAGED: a sentence */
	const char *schema_version; /* of the tables, "7.4.0" */
	uint32_t store_version;
	uint64_t created_ms, opened_ms; /* since 1970; opened 0 = never */
	uint64_t size_bytes;
	bool is_simulated; /* its times come from a simulator */
	bool is_favourite;
	const char *label; /* the user's folder; "" for none */
	struct nx_profile_sources NX_VEC_BODY(struct nx_profile_source) sources;
	struct nx_profile_tables NX_VEC_BODY(struct nx_profile_table) tables;
};

/* Frees the two lists, not the texts. A zeroed record is valid. */
void nx_profile_record_release(struct nx_profile_record *r);

/* Appends profile.json. */
void nx_profile_record_write(const struct nx_profile_record *r, struct nx_bytes *bytes);
/* FORMAT when it is none; unknown members are ignored. The caller releases, also then. */
NX_MUST_CHECK enum nx_status nx_profile_record_read(struct nx_slice json, struct nx_arena *arena,
						    struct nx_profile_record *r,
						    struct nx_error *err);

/* Notes a file or folder with its size and time; NOT_FOUND and the like when it is not there. */
NX_MUST_CHECK enum nx_status nx_profile_record_add_source(struct nx_profile_record *r,
							  const char *path, struct nx_arena *arena,
							  struct nx_error *err);
/* From the same files, which have not changed since, in the same way. */
bool nx_profile_record_is_made_like(const struct nx_profile_record *r,
				    const struct nx_profile_record *wanted);
void nx_profile_record_add_table(struct nx_profile_record *r, const char *name, uint64_t row_count);
uint64_t nx_profile_record_rows(const struct nx_profile_record *r);

const char *nx_profile_kind_text(enum nx_profile_kind kind);
const char *nx_profile_state_text(enum nx_profile_state state);

#endif
