/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ingest: writes the tables of one profile to a workspace, or to a folder that the user chose.
 * Parquet files and the timeline are written together.
 *
 *	st = nx_ingest_begin(&ingest, &target, err);
 *	st = nx_device_tables_write(profile, &options, nx_ingest_sink(ingest), err);
 *	st = nx_ingest_end(ingest, st, &counts, err);
 *
 * Nothing is visible before the end. In a workspace the profile appears in one step
 * (store/staging.h). In a folder, existing files named after tables are replaced one by one once
 * all new ones are complete; the next run removes what a killed process left.
 */
#ifndef NX_STORE_INGEST_H
#define NX_STORE_INGEST_H

#include "model/table_sink.h"
#include "store/workspace.h"

struct nx_ingest_target {
	const char *folder;		/* chosen by the user; NULL: the workspace */
	struct nx_workspace *workspace; /* borrowed */
	const char *name;		/* of the profile in the workspace */
	bool force;			/* replace a profile of that name */
	enum nx_profile_kind kind;
	bool is_simulated; /* its times come from a simulator */
	bool has_rank;
	uint32_t rank, core; /* as in struct nx_profile_record */
	struct nx_profile_clock clock;
	const char *key;    /* derived from the contents of the capture; NULL if unknown */
	const char *recipe; /* as in struct nx_profile_record; NULL if unknown */
	const char *run;    /* as in struct nx_profile_record; NULL: none */
	const struct nx_profile_session *sessions; /* their texts are borrowed to the end */
	size_t session_count;
	const char *const *sources; /* files and folders the profile is made from */
	size_t source_count;
};

struct nx_ingest;

NX_MUST_CHECK enum nx_status nx_ingest_begin(struct nx_ingest **ingest,
					     const struct nx_ingest_target *target,
					     struct nx_error *err);
struct nx_table_sink *nx_ingest_sink(struct nx_ingest *ingest);

/* The folder its files are written to; callers may add subfolders. */
const char *nx_ingest_path(const struct nx_ingest *ingest);

struct nx_ingest_counts {
	uint64_t row_count, file_bytes;
};

/*
 * Publishes the profile if st, the result of writing its tables, is OK. Otherwise discards it; a
 * workspace keeps the reason from err. Frees the ingest. counts may be NULL.
 */
NX_MUST_CHECK enum nx_status nx_ingest_end(struct nx_ingest *ingest, enum nx_status st,
					   struct nx_ingest_counts *counts, struct nx_error *err);

#endif
