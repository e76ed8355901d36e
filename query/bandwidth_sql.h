/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bandwidth_sql: how fast data moved between hosts and devices, asked of the events of a system
 * profile (schema: MemoryBandwidthResponse).
 */
#ifndef NX_QUERY_BANDWIDTH_SQL_H
#define NX_QUERY_BANDWIDTH_SQL_H

#include <stdbool.h>

/*
 * Rows in order of series and time. A copy counts with its bytes over its time, evenly; moments
 * without a copy have 0. Copies that take no time, or whose size is not known, are left out.
 */
enum nx_bandwidth_column {
	NX_BANDWIDTH_INSTANCE,	/* text */
	NX_BANDWIDTH_WORKER,	/* integer or null; null for whole machines */
	NX_BANDWIDTH_CORE,	/* as before */
	NX_BANDWIDTH_DIRECTION, /* text */
	NX_BANDWIDTH_TIME,	/* integer, ns */
	NX_BANDWIDTH_VALUE,	/* bytes per second */
	NX_BANDWIDTH_COLUMN_COUNT,
};
const char *nx_bandwidth_sql(bool is_by_core);

#endif
