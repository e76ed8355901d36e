/* SPDX-License-Identifier: Apache-2.0 */
/* why_report: what bound a run, for people and as JSON. Times are exact: parts add up. */
#ifndef NX_EXPORT_WHY_REPORT_H
#define NX_EXPORT_WHY_REPORT_H

#include "base/file.h"
#include "base/json_writer.h"
#include "model/release.h"

/* Ten lines, then the groups if they were asked for. */
void nx_why_report_text(struct nx_bytes *out, const struct nx_why_answer *answer,
			const char *profile);
/* The scenarios, with their share of the path and their gain. */
void nx_what_if_text(struct nx_bytes *out, const struct nx_why_answer *answer);
/* A sentence, then the steps of the chain, the last one first. */
void nx_gap_text(struct nx_bytes *out, const struct nx_why_gap_answer *gap);

/* Members of the open object. */
void nx_why_report_json(struct nx_json_writer *w, const struct nx_why_answer *answer);
void nx_gap_json(struct nx_json_writer *w, const struct nx_why_gap_answer *gap);

#endif
