/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale_rows: invented rows for stores, the same for the same count: Instruction, DmaPacket and
 * SystemProfileEvents rows in order of time with many equal times, and a few of tables without
 * time, with all types of cells, nulls, and texts that need escapes. All other stored tables are
 * begun and ended empty.
 */
#ifndef NX_TESTS_SCALE_ROWS_H
#define NX_TESTS_SCALE_ROWS_H

#include "model/table_sink.h"

/* count Instruction rows, half as many DmaPackets, a tenth as many SystemProfileEvents. pause_us
 * passes after every 1000 rows, so that a test has time to do harm. */
void nx_scale_rows_write(struct nx_table_sink *sink, uint64_t count, unsigned pause_us);

/* A sink that only counts and sums: what a store must hold. */
struct nx_scale_sums {
	struct nx_table_sink sink;
	struct {
		uint64_t row_count;
		int64_t time_sum;     /* of the time column */
		int64_t duration_sum; /* of duration_ns */
		uint64_t text_bytes;  /* of all texts */
	} tables[NX_SCHEMA_TABLE_COUNT];
};

void nx_scale_sums_init(struct nx_scale_sums *sums);

#endif
