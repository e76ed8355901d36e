/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_tables: a system profile as rows of the published tables.
 *
 * Every table that a system profile can have (model/schema.def) is begun and ended, also when it
 * stays empty. Events come process by process, each in order of time. Addresses and names of
 * hosts are private and in no table.
 *
 * The fillers are listed in system_tables.c; adding a table is a filler and a row there.
 */
#ifndef NX_TABLES_SYSTEM_TABLES_H
#define NX_TABLES_SYSTEM_TABLES_H

#include "model/system.h"
#include "model/table_sink.h"
#include "tables/tables_options.h"

NX_MUST_CHECK enum nx_status nx_system_tables_write(const struct nx_system_profile *profile,
						    const struct nx_tables_options *options,
						    struct nx_table_sink *sink,
						    struct nx_error *err);

#endif
