/* SPDX-License-Identifier: Apache-2.0 */
/* fillers: the functions that device_tables.c lists, each with the tables it fills. */
#ifndef NX_TABLES_FILLERS_H
#define NX_TABLES_FILLERS_H

#include "tables/device_tables.h"

enum nx_status nx_fill_warnings(struct nx_device_fill *fill);	   /* Warning */
enum nx_status nx_fill_schema_fields(struct nx_device_fill *fill); /* SchemaFields */

#endif
