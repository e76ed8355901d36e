/* SPDX-License-Identifier: Apache-2.0 */
/* counting_sink: in front of another sink, knows which tables were begun and how many rows came. */
#ifndef NX_TABLES_COUNTING_SINK_H
#define NX_TABLES_COUNTING_SINK_H

#include "base/progress.h"
#include "model/table_sink.h"

struct nx_counting_sink {
	struct nx_table_sink sink; /* give this one to the fillers */
	struct nx_table_sink *target;
	bool is_begun[NX_SCHEMA_TABLE_COUNT];
	uint64_t row_count;
	struct nx_progress *progress; /* may be NULL */
};

void nx_counting_sink_init(struct nx_counting_sink *counting, struct nx_table_sink *target,
			   struct nx_progress *progress);
/* Begins and ends, with no rows, all tables of the scope that were not begun. */
void nx_counting_sink_complete(struct nx_counting_sink *counting, enum nx_schema_scope scope);

#endif
