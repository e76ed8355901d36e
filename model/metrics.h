/* SPDX-License-Identifier: Apache-2.0 */
/* metrics: the numbers of a profile's summary, for summary tables, JSON and `--terminology`. */
#ifndef NX_MODEL_METRICS_H
#define NX_MODEL_METRICS_H

#include <stddef.h>

#define NX_METRIC_NAME_MAX 96

struct nx_metric_definition {
	const char *name; /* contains %u where the ordinal of the physical core goes */
	const char *group;
	const char *unit;	 /* "s", "bytes", "fraction", "count", … ; "" for texts */
	const char *description; /* may contain one %u as well */
};

struct nx_metric_group {
	const char *name; /* contains %u for the throttling groups */
	int order;	  /* position in a summary; -1 = not ordered */
};

/* Metrics that exist once, and those that exist once per physical core. */
extern const struct nx_metric_definition nx_metrics[];
extern const size_t nx_metric_count;
extern const struct nx_metric_definition nx_core_metrics[];
extern const size_t nx_core_metric_count;

/* overall_stats 0 … system 10; throttling groups follow (11 + core), then server_upload. */
extern const struct nx_metric_group nx_metric_groups[];
extern const size_t nx_metric_group_count;

/* Terms of the trade that are not metrics: for `view --terminology`. */
struct nx_term {
	const char *term;
	const char *description;
};
extern const struct nx_term nx_terms[];
extern const size_t nx_term_count;

/* Writes name or description with the core's number in place of %u; returns its length. */
size_t nx_metric_expand(const char *text, unsigned core, char *out, size_t cap);

#endif
