/* SPDX-License-Identifier: Apache-2.0 */
/* picture_rows: when engines and queues were busy, and the causes on the critical path, in as many
 * columns as a small picture has. */
#ifndef NX_QUERY_PICTURE_ROWS_H
#define NX_QUERY_PICTURE_ROWS_H

#include "base/arena.h"
#include "base/vec.h"
#include "query/query_engine.h"

#define NX_PICTURE_COLUMNS 400u

struct nx_picture_row {
	const char *name; /* "Vector", "1.Vector" on core 1, "qSyncIO0" */
	bool is_queue;
	double total_ps, end_ps;	 /* busy time; of the last span that was added */
	double busy[NX_PICTURE_COLUMNS]; /* part of the column, 0 to 1 */
};

struct nx_picture_piece {
	const char *cause;
	double start_ps, end_ps;
};

struct nx_picture {
	struct nx_arena arena;
	double span_ps;
	NX_VEC(struct nx_picture_row *) rows; /* engines by core, then queues by name */
	NX_VEC(struct nx_picture_piece) path; /* in order of time, without gaps */
};

/* Empty, not an error, if the profile has no explanation of its time. Release after a failure too.
 */
NX_MUST_CHECK enum nx_status nx_picture_ask(struct nx_picture *picture,
					    const struct nx_query_engine *engine,
					    struct nx_error *err);
void nx_picture_release(struct nx_picture *picture);

#endif
