/* SPDX-License-Identifier: Apache-2.0 */
/* findings_report: what a profile suggests to look at first, for people and programs. */
#ifndef NX_EXPORT_FINDINGS_REPORT_H
#define NX_EXPORT_FINDINGS_REPORT_H

#include "base/json_writer.h"
#include "model/insight.h"

/* "queue qSPIO0, from 1.000 to 2.500 us"; "" if it is not known. Returns out. */
#define NX_FINDING_WHERE_MAX (NX_FINDING_PLACE_MAX + 80)
const char *nx_finding_where(const struct nx_finding *finding, uint64_t origin_ns,
			     char out[NX_FINDING_WHERE_MAX]);
/* "at most 14.7 % of the run; 26.1 % of the critical path". Returns out. */
#define NX_FINDING_GAIN_MAX 96
const char *nx_finding_gain(const struct nx_finding *finding, char out[NX_FINDING_GAIN_MAX]);

/* The text may contain names of a capture: print it through cli/terminal.h. */
void nx_findings_markdown(struct nx_bytes *out, const struct nx_finding *findings, size_t count,
			  uint64_t origin_ns);
/* An object. */
void nx_finding_json(struct nx_json_writer *w, const struct nx_finding *finding);

#endif
