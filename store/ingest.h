/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ingest: where the tables of one profile go: a profile of the workspace, or a
 * folder of the user's. Parquet files and the timeline are made together.
 *
 *	st = nx_ingest_begin(&ingest, &target, err);
 *	st = nx_device_tables_write(profile, &options, nx_ingest_sink(ingest), err);
 *	st = nx_ingest_end(ingest, st, &counts, err);
 *
 * Nothing of it is seen before the end. In a workspace the profile takes its
 * place in one step (store/staging.h); in a folder, files that are there under
 * the names of tables are replaced one after another when all new ones are whole;
 * what a killed process left there is removed by the next.
 */
#ifndef NX_STORE_INGEST_H
#define NX_STORE_INGEST_H

#include "model/table_sink.h"
#include "store/workspace.h"

struct nx_ingest_target {
	const char *folder;		/* of the user's; NULL: the workspace */
	struct nx_workspace *workspace; /* borrowed */
	const char *name;		/* of the profile there */
	bool force;			/* replace one of that name */
	enum nx_profile_kind kind;
	bool is_simulated;	    /* its times come from a simulator */
	const char *key;	    /* from what the capture holds; NULL when unknown */
	const char *recipe;	    /* as of struct nx_profile_record; NULL when unknown */
	const char *const *sources; /* files and folders it is made from */
	size_t source_count;
};

struct nx_ingest;

NX_MUST_CHECK enum nx_status nx_ingest_begin(struct nx_ingest **ingest,
					     const struct nx_ingest_target *target,
					     struct nx_error *err);
struct nx_table_sink *nx_ingest_sink(struct nx_ingest *ingest);

/* Where its files are made; others may be put there, in folders of their own. */
const char *nx_ingest_path(const struct nx_ingest *ingest);

struct nx_ingest_counts {
	uint64_t row_count, file_bytes;
};

/*
 * Puts the profile in place, unless st (how writing its tables went, told in err) is a failure:
 * then what was made is thrown away and a workspace keeps the reason. Frees. counts may be NULL.
 */
NX_MUST_CHECK enum nx_status nx_ingest_end(struct nx_ingest *ingest, enum nx_status st,
					   struct nx_ingest_counts *counts, struct nx_error *err);

#endif
