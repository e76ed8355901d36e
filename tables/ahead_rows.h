/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead_rows: rows that take long to find and wait for no table, found by another thread while the
 * tables before them are written.
 *
 *	fill.ahead = nx_ahead_rows_begin(profile);
 *	... other tables ...
 *	st = nx_ahead_rows_finish(fill, NX_AHEAD_HBM, put_point, &own);
 *	nx_ahead_rows_end(fill.ahead);
 *
 * What is found lies in spools, so memory stays bounded. A filler that is called by itself has no
 * ahead; its rows are then found when it asks.
 */
#ifndef NX_TABLES_AHEAD_ROWS_H
#define NX_TABLES_AHEAD_ROWS_H

#include "tables/device_tables.h"

enum nx_ahead {
	NX_AHEAD_THROUGHPUT,	  /* struct nx_throughput of all packets */
	NX_AHEAD_HBM,		  /* struct nx_throughput of those from or to HBM */
	NX_AHEAD_BUFFER_USAGE,	  /* struct nx_buffer_usage */
	NX_AHEAD_SBUF_ALLOCATION, /* struct nx_sbuf_allocation */
	NX_AHEAD_COUNT,
};

struct nx_ahead_rows;

/* Scans the profile from another thread until the end: its source has to bear that. */
struct nx_ahead_rows *nx_ahead_rows_begin(const struct nx_profile *profile);
/* Frees, also what nobody asked for. */
void nx_ahead_rows_end(struct nx_ahead_rows *ahead);

/* Hands the rows on in order of time; at most once each. */
NX_MUST_CHECK enum nx_status nx_ahead_rows_finish(const struct nx_device_fill *fill,
						  enum nx_ahead what, nx_row_fn fn, void *context);

#endif
