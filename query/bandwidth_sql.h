/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bandwidth_sql: the bandwidth between hosts and devices over time, as SQL over the events of a
 * system profile (schema: MemoryBandwidthResponse).
 */
#ifndef NX_QUERY_BANDWIDTH_SQL_H
#define NX_QUERY_BANDWIDTH_SQL_H

#include <stdbool.h>

/*
 * Columns of the rows, which are ordered by series and time. The bytes of a copy are spread evenly
 * over its duration; times without a copy have 0. Copies without a duration or a known size are
 * left out.
 */
enum nx_bandwidth_column {
	NX_BANDWIDTH_INSTANCE,	/* text */
	NX_BANDWIDTH_WORKER,	/* integer or null; null for whole machines */
	NX_BANDWIDTH_CORE,	/* integer or null */
	NX_BANDWIDTH_DIRECTION, /* text */
	NX_BANDWIDTH_TIME,	/* integer, ns */
	NX_BANDWIDTH_VALUE,	/* bytes per second */
	NX_BANDWIDTH_COLUMN_COUNT,
};
const char *nx_bandwidth_sql(bool is_by_core);

#endif
