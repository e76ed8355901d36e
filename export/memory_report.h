/* SPDX-License-Identifier: Apache-2.0 */
/* memory_report: the peaks of a profile's memories and what holds them, for people and as JSON. The
 * profile must have a report (nx_profile.memory). */
#ifndef NX_EXPORT_MEMORY_REPORT_H
#define NX_EXPORT_MEMORY_REPORT_H

#include "base/file.h"
#include "base/json_writer.h"
#include "model/profile.h"

/* A table of the memories, then for each the holders with most bytes at its peak. */
void nx_memory_report_text(struct nx_output *out, const struct nx_profile *profile);

/* An array: a row for each memory of each core that was used, with its holders. */
void nx_memory_report_json(struct nx_json_writer *w, const struct nx_profile *profile);

#endif
