/* SPDX-License-Identifier: Apache-2.0 */
/* why_rows: what the tables of a profile say of what bound its run. */
#ifndef NX_QUERY_WHY_ROWS_H
#define NX_QUERY_WHY_ROWS_H

#include "base/map.h"
#include "model/release.h"
#include "query/query_engine.h"

#define NX_WHY_GROUPINGS "line layer opcode tensor"

/* by is one of the groupings, or NULL. NOT_FOUND if the profile has no such tables, or they are
 * empty. Release the answer after a failure too. */
NX_MUST_CHECK enum nx_status nx_why_answer_ask(struct nx_why_answer *answer,
					       const struct nx_query_engine *engine, const char *by,
					       struct nx_error *err);

/* "Vector@13.7us" or, on another core than 0, "1.Vector@13.7us". */
struct nx_gap_place {
	uint32_t core, engine;
	int64_t time_ps;
};

NX_MUST_CHECK enum nx_status nx_gap_place_parse(const char *text, struct nx_gap_place *place,
						struct nx_error *err);

/* The graph of a profile, and the names of its nodes. */
struct nx_stored_releases {
	struct nx_arena arena;
	struct nx_release_graph graph;
	NX_VEC(struct nx_node_label) labels;
};

NX_MUST_CHECK enum nx_status nx_stored_releases_ask(struct nx_stored_releases *stored,
						    const struct nx_query_engine *engine,
						    struct nx_error *err);
void nx_stored_releases_release(struct nx_stored_releases *stored);

#endif
