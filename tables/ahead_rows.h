/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead_rows: the rows of slow analyses, derived by another thread while the tables before them are
 * written. They are kept in spools, so memory stays bounded. Without fill->ahead they are derived
 * on request.
 */
#ifndef NX_TABLES_AHEAD_ROWS_H
#define NX_TABLES_AHEAD_ROWS_H

#include "analyse/analyses.h"
#include "tables/fillers.h"

struct nx_ahead_rows;

/* Scans the profile from another thread until nx_ahead_rows_end; its source must allow that. */
struct nx_ahead_rows *nx_ahead_rows_begin(const struct nx_profile *profile);
/* Frees everything, including rows that were never requested. */
void nx_ahead_rows_end(struct nx_ahead_rows *ahead);

/* Hands the rows on in order of time; at most once for each analysis. */
NX_MUST_CHECK enum nx_status nx_ahead_rows_finish(const struct nx_device_fill *fill,
						  enum nx_analysis_id what, nx_row_fn fn,
						  void *context);

#endif
