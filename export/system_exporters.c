/* SPDX-License-Identifier: Apache-2.0 */
#include "export/system_exporters.h"

#include <string.h>

const struct nx_system_exporter nx_system_exporters[] = {
	{"json", "system_profile.json", "every row of the profile as one JSON document",
	 nx_system_export_json},
	{"summary-json", NULL, "totals of each process and core as JSON",
	 nx_system_export_summary_json},
	{"summary-text", NULL, "totals of each process and core as tables",
	 nx_system_export_summary_text},
	{"perfetto", "system_profile.pftrace", "a trace for ui.perfetto.dev",
	 nx_system_export_perfetto},
};
const size_t nx_system_exporter_count =
	sizeof(nx_system_exporters) / sizeof(nx_system_exporters[0]);

const struct nx_system_exporter *nx_system_exporter_find(const char *name)
{
	for (size_t i = 0; i < nx_system_exporter_count; i++)
		if (!strcmp(nx_system_exporters[i].name, name))
			return &nx_system_exporters[i];
	return NULL;
}
