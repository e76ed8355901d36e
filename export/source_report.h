/* SPDX-License-Identifier: Apache-2.0 */
/* source_report: what lines of source cost, as JSON. */
#ifndef NX_EXPORT_SOURCE_REPORT_H
#define NX_EXPORT_SOURCE_REPORT_H

#include "base/json_writer.h"
#include "query/source_costs.h"

/* The lines of a text, in order; they borrow from it. */
struct nx_source_text NX_VEC_BODY(struct nx_slice);
void nx_source_text_split(struct nx_source_text *lines, struct nx_slice text);

/* Members of the open object. file: only its lines, NULL for all; text may be NULL. */
void nx_source_costs_json(struct nx_json_writer *w, const struct nx_source_costs *costs,
			  const char *file, const struct nx_source_text *text);

#endif
