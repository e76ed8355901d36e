/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables: a profile as rows of the published tables (model/schema.def).
 *
 * Every table that the kind of profile can have is begun and ended, even if it stays empty. Tables
 * that grow with the trace are streamed, so memory is bounded by the program, not by the trace.
 * Rows reach the sink from the caller's thread, in the same order however many threads there are.
 *
 * Adding a table is a filler (tables/fillers.h) and a row in tables.c.
 */
#ifndef NX_TABLES_TABLES_H
#define NX_TABLES_TABLES_H

#include "base/progress.h"
#include "model/profile.h"
#include "model/system.h"
#include "model/table_sink.h"

struct nx_tables_options {
	const char *profile_name;     /* as the user calls it; NULL: the session file's */
	const char *explorer_version; /* of this program; NULL: left out */
	bool only_why;		      /* only the tables that explain the time; of any size */
	struct nx_progress *progress; /* counts rows; may be NULL */
};

/* Rows come in order of time. */
NX_MUST_CHECK enum nx_status nx_device_tables_write(const struct nx_profile *profile,
						    const struct nx_tables_options *options,
						    struct nx_table_sink *sink,
						    struct nx_error *err);

/* Events come process by process, each in order of time. Host names and addresses are private and
 * not part of any table. */
NX_MUST_CHECK enum nx_status nx_system_tables_write(const struct nx_system_profile *profile,
						    const struct nx_tables_options *options,
						    struct nx_table_sink *sink,
						    struct nx_error *err);

#endif
