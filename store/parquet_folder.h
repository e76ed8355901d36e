/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_folder: a table sink that writes each table to <folder>/<Table>.parquet.
 *
 *	st = nx_parquet_folder_open(&folder, path, err);
 *	st = nx_device_tables_write(profile, &options, nx_parquet_folder_sink(folder), err);
 *	st = nx_parquet_folder_close(folder, err);
 *
 * A file gets its name once its table is complete; a table that fails leaves no file. Columns have
 * the published names, types and order.
 */
#ifndef NX_STORE_PARQUET_FOLDER_H
#define NX_STORE_PARQUET_FOLDER_H

#include "model/table_sink.h"

struct nx_parquet_folder;

/* Creates the folder if it is missing; files with other names stay. */
NX_MUST_CHECK enum nx_status nx_parquet_folder_open(struct nx_parquet_folder **folder,
						    const char *path, struct nx_error *err);
struct nx_table_sink *nx_parquet_folder_sink(struct nx_parquet_folder *folder);
uint64_t nx_parquet_folder_row_count(const struct nx_parquet_folder *folder,
				     enum nx_schema_table_id table);
/* Discards an open table and frees; returns the first failure. */
NX_MUST_CHECK enum nx_status nx_parquet_folder_close(struct nx_parquet_folder *folder,
						     struct nx_error *err);

#endif
