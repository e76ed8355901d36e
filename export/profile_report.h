/* SPDX-License-Identifier: Apache-2.0 */
/* profile_report: a profile on one HTML page that stands alone, to attach to a ticket. */
#ifndef NX_EXPORT_PROFILE_REPORT_H
#define NX_EXPORT_PROFILE_REPORT_H

#include "model/comparison.h"
#include "model/insight.h"
#include "model/release.h"
#include "query/diagnosis.h"
#include "query/picture_rows.h"
#include "query/source_costs.h"

struct nx_profile_report { /* all borrowed; parts that a profile lacks are empty */
	const char *name;
	const struct nx_measures *measures;
	const struct nx_why_answer *why; /* span_ps 0: none */
	const struct nx_finding *findings;
	size_t finding_count;
	uint64_t origin_ns;
	const struct nx_diagnosis *diagnosis;
	const struct nx_picture *picture;
	const struct nx_source_costs *costs;
};

void nx_profile_report_html(struct nx_bytes *out, const struct nx_profile_report *report);

/* --- pictures: report_picture.c ------------------------------------------------------- */

/* Causes are drawn in eight colours, by what a reader can do about them. */
#define NX_CAUSE_COLOURS 8u
extern const char *const nx_cause_colour_names[NX_CAUSE_COLOURS];
unsigned nx_cause_colour(const char *cause);

void nx_report_legend(struct nx_bytes *out);
/* Engines and queues over time, and the critical path above them. */
void nx_report_timeline(struct nx_bytes *out, const struct nx_picture *picture);
/* One bar for each engine. */
void nx_report_engines(struct nx_bytes *out, const struct nx_why_answer *why);

#endif
