/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyses: every analysis that derives rows from rows, in one list.
 *
 *	st = nx_analysis_run(NX_ANALYSIS_PENDING_DMA, profile, &profile->source, fn, context, &err);
 *
 * An analysis reads the rows of one table in order of their start and hands the rows it derives to
 * fn. To add one, write analyse/<name>.c, which defines nx_analysis_<name>, and add it to the list.
 *
 * Two kinds of analyses are not in the list, because they derive no rows: those that sum up a
 * profile while it is processed (called by pipeline/device_session.c), and insights.h, which
 * concludes from a stored profile when a page asks for it (called by serve/handle_insights.c).
 */
#ifndef NX_ANALYSE_ANALYSES_H
#define NX_ANALYSE_ANALYSES_H

#include "model/profile.h"

/* X(enum, name): the file analyse/<name>.c says what it derives and how. */
#define NX_ANALYSIS_MAP(X)                                                                         \
	X(OVERWRITE, overwrite)                                                                    \
	X(ACTIVE_TIME, active_time)                                                                \
	X(PENDING_DMA, pending_dma)                                                                \
	X(THROUGHPUT, throughput)                                                                  \
	X(HBM_THROUGHPUT, hbm_throughput) /* in throughput.c */                                    \
	X(BUFFER_USAGE, buffer_usage)                                                              \
	X(SBUF_ALLOCATION, sbuf_allocation)                                                        \
	X(MEMORY_TRACKER, memory_tracker)

enum nx_analysis_id {
#define NX_ANALYSIS_ENUM(name, variable) NX_ANALYSIS_##name,
	NX_ANALYSIS_MAP(NX_ANALYSIS_ENUM)
#undef NX_ANALYSIS_ENUM
		NX_ANALYSIS_COUNT,
};

struct nx_derivation { /* the first member of every analysis's state */
	const struct nx_profile *profile;
	nx_row_fn fn;
	void *context;
};

struct nx_analysis {
	enum nx_table reads;
	enum nx_table makes;  /* NX_TABLE_COUNT: rows that a profile does not stream */
	bool needs_transfers; /* without static transfers there is nothing to find */
	size_t row_size;      /* of the rows it makes */
	size_t state_size;
	void (*begin)(void *state); /* may be NULL; the rest of the state is zero */
	void (*add)(void *state, const void *row);
	/* Hands out what is left. */
	enum nx_status (*finish)(void *state, struct nx_error *err);
	void (*release)(void *state); /* may be NULL */
};

extern const struct nx_analysis *const nx_analyses[NX_ANALYSIS_COUNT];

/* source has the rows to read, which are not always those that the profile shows. */
NX_MUST_CHECK enum nx_status nx_analysis_run(enum nx_analysis_id id,
					     const struct nx_profile *profile,
					     const struct nx_row_source *source, nx_row_fn fn,
					     void *context, struct nx_error *err);

/* The analysis that makes the table's rows; NX_ANALYSIS_COUNT if they are recorded. */
enum nx_analysis_id nx_analysis_of_table(enum nx_table table);

#endif
