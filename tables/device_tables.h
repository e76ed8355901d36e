/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_tables: a device profile as rows of the published tables.
 *
 * Every table that a device profile can have (model/schema.def) is begun and
 * ended, also when it stays empty. Tables that grow with the trace are streamed
 * in order of time, in memory bounded by the program, not by the trace.
 *
 * What takes long to find is looked for by another thread meanwhile
 * (tables/ahead_rows.h); rows reach the sink from the caller's thread alone,
 * and in the same order however many threads there are.
 *
 * The fillers are listed in device_tables.c; a file has those that share what
 * they gather. Adding a table is a filler there and a row in that list.
 */
#ifndef NX_TABLES_DEVICE_TABLES_H
#define NX_TABLES_DEVICE_TABLES_H

#include "model/profile.h"
#include "model/table_sink.h"
#include "tables/tables_options.h"

struct nx_ahead_rows;

/* What fillers are given. */
struct nx_device_fill {
	const struct nx_profile *profile;
	const struct nx_tables_options *options;
	struct nx_table_sink *sink;
	struct nx_ahead_rows *ahead; /* NULL: nothing is found ahead */
	uint64_t row_count;	     /* put by all fillers before this one */
	struct nx_error *err;
};

/* Begins and ends its tables; failures of rows stick in the sink, others are returned. */
typedef enum nx_status (*nx_device_filler)(struct nx_device_fill *fill);

NX_MUST_CHECK enum nx_status nx_device_tables_write(const struct nx_profile *profile,
						    const struct nx_tables_options *options,
						    struct nx_table_sink *sink,
						    struct nx_error *err);

#endif
