/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_rows: what the tables of the hierarchy write with; one set of buffers for all rows. */
#ifndef NX_TABLES_HIERARCHY_ROWS_H
#define NX_TABLES_HIERARCHY_ROWS_H

#include "analyse/hierarchy.h"
#include "tables/fillers.h"

enum nx_hierarchy_text {
	NX_TEXT_INTERVALS,
	NX_TEXT_ELEMENTS,
	NX_TEXT_TRANSPOSES,
	NX_TEXT_MOVED,
	NX_TEXT_HFU,
	NX_TEXT_MFU,
	NX_TEXT_MBU,
	NX_TEXT_CHILDREN,
	NX_TEXT_OPERATIONS,
	NX_TEXT_COUNT,
};

struct nx_hierarchy_rows {
	struct nx_device_fill *fill;
	struct nx_hierarchy hierarchy;
	struct nx_row rows[NX_LEVEL_COUNT];
	struct nx_bytes texts[NX_TEXT_COUNT]; /* of the row at hand, by enum nx_hierarchy_text */
	struct nx_list_i64 NX_VEC_BODY(int64_t) lists[3];
};

/* "[[1200,1420],[1980,2200]]", in nanoseconds. */
struct nx_slice nx_hierarchy_intervals_text(struct nx_bytes *text,
					    const struct nx_intervals *intervals);

void nx_framework_node_put(struct nx_hierarchy_rows *rows, const struct nx_hierarchy_node *node,
			   const struct nx_intervals *intervals);

#endif
