/* SPDX-License-Identifier: Apache-2.0 */
/* compare_report: how captures differ, for people, programs and pages. */
#ifndef NX_EXPORT_COMPARE_REPORT_H
#define NX_EXPORT_COMPARE_REPORT_H

#include "base/json_writer.h"
#include "model/comparison.h"

#define NX_MEASURE_TEXT_MAX 48

/* "13.703 us", "4.1 MiB", "22.4 %"; returns out. */
const char *nx_measure_text(const char *unit, double value, char out[NX_MEASURE_TEXT_MAX]);
/* "+2.1 %", with the interval if there is one; the difference if the baseline is 0. */
const char *nx_change_text(const struct nx_compared *row, size_t side,
			   char out[2 * NX_MEASURE_TEXT_MAX]);

/* The largest changes of each section. */
void nx_comparison_text(struct nx_bytes *out, const struct nx_comparison *comparison);
/* All of them, as members of the open object. */
void nx_comparison_json(struct nx_json_writer *w, const struct nx_comparison *comparison);
/* One page without references to others. */
void nx_comparison_html(struct nx_bytes *out, const struct nx_comparison *comparison);

#endif
