/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_record: what a workspace knows about one profile, and profile.json, the file in the
 * profile's folder that holds it (docs/design/workspace.md).
 *
 * The name of a finished profile is the name of its folder and is stored nowhere else; begun_as is
 * the name it had when processing began.
 *
 * Texts are borrowed: those of a record that was read live in the arena it was read into, those of
 * a record to be written belong to the caller. No text is NULL after reading.
 */
#ifndef NX_STORE_PROFILE_RECORD_H
#define NX_STORE_PROFILE_RECORD_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

#define NX_PROFILE_RECORD_FILE "profile.json"
#define NX_PROFILE_RECORD_BYTES_MAX ((size_t)4 << 20)

/* The version of the files in a profile's folder; raised when older programs cannot read them or
 * would lose a part of profile.json. Files of the oldest version are read as they are. */
#define NX_STORE_VERSION 3u
#define NX_STORE_VERSION_OLDEST 2u

/* X(name, text in profile.json and in lists) */
#define NX_PROFILE_KIND_MAP(X)                                                                     \
	X(DEVICE, "device")                                                                        \
	X(SYSTEM, "system")

enum nx_profile_kind {
#define NX_PROFILE_KIND_ENUM(name, text) NX_PROFILE_##name,
	NX_PROFILE_KIND_MAP(NX_PROFILE_KIND_ENUM)
#undef NX_PROFILE_KIND_ENUM
};

/* profile.json stores the first three; readers conclude the others. */
#define NX_PROFILE_STATE_MAP(X)                                                                    \
	X(PROCESSING, "processing")                                                                \
	X(READY, "ready")                                                                          \
	X(FAILED, "failed")                                                                        \
	X(UNFINISHED, "unfinished") /* its process died */                                         \
	X(DAMAGED, "damaged")	    /* its folder has no readable profile.json */                  \
	X(ARCHIVED, "archived")	    /* its files are elsewhere (store/archive.h) */                \
	X(UPLOADING, "uploading")   /* its files are being uploaded (store/upload.h) */

enum nx_profile_state {
#define NX_PROFILE_STATE_ENUM(name, text) NX_PROFILE_##name,
	NX_PROFILE_STATE_MAP(NX_PROFILE_STATE_ENUM)
#undef NX_PROFILE_STATE_ENUM
};

struct nx_profile_source {    /* a file the profile was made from, or a folder of files */
	const char *path;     /* absolute */
	uint64_t size_bytes;  /* for a folder: the sum */
	uint64_t modified_ms; /* since 1970; for a folder: the latest */
};

struct nx_profile_table {
	const char *name;
	uint64_t row_count;
};

struct nx_profile_clock { /* of a device: what ties it to the other ranks of its run */
	uint64_t start_epoch_ns, total_ns; /* 0: not known */
	const char *collective;		   /* its first one (analyse/rank_times.h); "": none */
	uint64_t collective_end_ns;
};

struct nx_profile_session { /* of the run that the profile is of; model/system.h */
	const char *name, *kind, *reason;
	uint64_t start_ns, end_ns;	   /* epoch; 0: not known */
	uint32_t host_count, failed_count; /* of hosts, and those of them that gave nothing */
};

struct nx_profile_archive {  /* where its files are (store/archive.h) */
	const char *place;   /* a folder, or "s3://bucket/prefix"; "": not archived */
	const char *key;     /* of the profile in it */
	const char *sha256;  /* of its list of files */
	uint64_t list_bytes; /* of that list */
	uint64_t size_bytes; /* of the profile */
	bool is_local;	     /* the files are here as well: it was fetched */
};

struct nx_profile_record {
	const char *name;
	const char *begun_as;
	const char *id;	 /* of this version of the profile; --force makes a new one */
	const char *key; /* n_<40 hex>, derived from the contents of the capture; "" if unknown */
	const char *recipe; /* program version and options that determine its rows; "" if unknown */
	enum nx_profile_kind kind;
	enum nx_profile_state state;
	const char *reason;	    /* for FAILED, UNFINISHED, DAMAGED: a sentence */
	const char *schema_version; /* of the tables, "7.4.0" */
	uint32_t store_version;
	uint64_t created_ms, opened_ms; /* since 1970; opened 0 = never */
	uint64_t size_bytes;
	bool is_simulated; /* its times come from a simulator */
	bool has_rank;
	uint32_t rank; /* of the job, if the capture tells it */
	uint32_t core; /* of a device: the first core that the capture covers */
	struct nx_profile_clock clock;
	const char *run; /* absolute path of the folder with its sessions; "": it has none */
	struct nx_profile_sessions NX_VEC_BODY(struct nx_profile_session) sessions;
	struct nx_profile_archive archive;
	bool is_favourite;
	const char *label; /* the user's folder; "" for none */
	struct nx_profile_sources NX_VEC_BODY(struct nx_profile_source) sources;
	struct nx_profile_tables NX_VEC_BODY(struct nx_profile_table) tables;
};

/* Frees the lists, not the texts. A zeroed record is valid. */
void nx_profile_record_release(struct nx_profile_record *r);

/* Appends profile.json. */
void nx_profile_record_write(const struct nx_profile_record *r, struct nx_bytes *bytes);
/* FORMAT if the text is not a record; unknown members are ignored. The caller always releases. */
NX_MUST_CHECK enum nx_status nx_profile_record_read(struct nx_slice json, struct nx_arena *arena,
						    struct nx_profile_record *r,
						    struct nx_error *err);

/* Adds a file or folder with its size and time; NOT_FOUND if it does not exist. */
NX_MUST_CHECK enum nx_status nx_profile_record_add_source(struct nx_profile_record *r,
							  const char *path, struct nx_arena *arena,
							  struct nx_error *err);
/* Whether both were made from the same, unchanged files in the same way. */
bool nx_profile_record_is_made_like(const struct nx_profile_record *r,
				    const struct nx_profile_record *wanted);
void nx_profile_record_add_table(struct nx_profile_record *r, const char *name, uint64_t row_count);
uint64_t nx_profile_record_rows(const struct nx_profile_record *r);

/* Whether a word looks like a key: n_ and 40 hex digits. */
bool nx_profile_is_key(const char *word);

/* Whether its files are only in the archive. */
bool nx_profile_record_is_away(const struct nx_profile_record *r);

const char *nx_profile_kind_text(enum nx_profile_kind kind);
const char *nx_profile_state_text(enum nx_profile_state state);

#endif
