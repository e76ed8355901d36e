/* SPDX-License-Identifier: Apache-2.0 */
/* system_fillers: the functions that system_tables.c lists, each with the tables it fills. */
#ifndef NX_TABLES_SYSTEM_FILLERS_H
#define NX_TABLES_SYSTEM_FILLERS_H

#include "tables/system_tables.h"

/* What fillers are given. */
struct nx_system_fill {
	const struct nx_system_profile *profile;
	struct nx_table_sink *sink;
	struct nx_error *err;
};

/* Begins and ends its tables; failures of rows stick in the sink, others are returned. */
typedef enum nx_status (*nx_system_filler)(struct nx_system_fill *fill);

enum nx_status nx_fill_system_events(struct nx_system_fill *fill);   /* SystemProfileEvents */
enum nx_status nx_fill_system_hbm(struct nx_system_fill *fill);	     /* SystemProfileHbmUsage */
enum nx_status nx_fill_system_cpu(struct nx_system_fill *fill);	     /* CpuUsage */
enum nx_status nx_fill_system_memory(struct nx_system_fill *fill);   /* HostMemUsage */
enum nx_status nx_fill_system_metadata(struct nx_system_fill *fill); /* SystemProfileMetadata */
enum nx_status nx_fill_system_devices(struct nx_system_fill *fill);  /* DeviceProfileList */
enum nx_status nx_fill_system_notes(struct nx_system_fill *fill);    /* Warning, SchemaFields */

#endif
