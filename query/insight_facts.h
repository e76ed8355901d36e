/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insight_facts: queries a profile for the numbers and time ranges that analyse/insights.h
 * judges. The facts of missing tables stay unknown, which is not an error.
 */
#ifndef NX_QUERY_INSIGHT_FACTS_H
#define NX_QUERY_INSIGHT_FACTS_H

#include "base/arena.h"
#include "model/insight.h"
#include "query/query_engine.h"

/* At most so many of each kind are queried, the longest first. */
#define NX_INSIGHT_BANDS_MAX 2000u
#define NX_INSIGHT_DMA_PARTS 200u

/* What a band is about. */
struct nx_insight_subject {
	const char *name; /* of the tensor, the collective, the cause of throttling */
	double factor;	  /* how often a tensor was loaded */
	uint64_t bytes;	  /* in total */
	int64_t core;	  /* the only one that was throttled, or -1 */
};

struct nx_insight_rows {
	struct nx_bands bands; /* as stored: not joined; no SMALL_DMA among them */
	struct nx_insight_subjects NX_VEC_BODY(struct nx_insight_subject) subjects;
	struct nx_dma_part dma_parts[NX_INSIGHT_DMA_PARTS];
};

NX_MUST_CHECK enum nx_status nx_insight_facts_ask(struct nx_insight_facts *facts,
						  const struct nx_query_engine *engine,
						  struct nx_error *err);
/* Times are those of the profile, [from_ns, to_ns), a whole number of parts. Texts are made in the
 * arena; the caller releases the lists. */
NX_MUST_CHECK enum nx_status nx_insight_rows_ask(struct nx_insight_rows *rows,
						 const struct nx_query_engine *engine,
						 uint64_t from_ns, uint64_t to_ns,
						 struct nx_arena *arena, struct nx_error *err);
void nx_insight_rows_release(struct nx_insight_rows *rows);

#endif
