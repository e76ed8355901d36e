/* SPDX-License-Identifier: Apache-2.0 */
/* system_why_report: what bound a run of several processes, for people and as JSON. */
#ifndef NX_EXPORT_SYSTEM_WHY_REPORT_H
#define NX_EXPORT_SYSTEM_WHY_REPORT_H

#include "base/json_writer.h"
#include "model/system_why.h"

void nx_system_why_text(struct nx_bytes *out, const struct nx_system_why *why, const char *profile);
/* Members of the open object. */
void nx_system_why_json(struct nx_json_writer *w, const struct nx_system_why *why);

#endif
