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
