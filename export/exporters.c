/* SPDX-License-Identifier: Apache-2.0 */
#include "export/exporters.h"

#include <assert.h>
#include <string.h>

const struct nx_exporter nx_exporters[] = {
	{"json", "ntff.json", "every section of the profile as one JSON document", nx_export_json},
	{"perfetto", "ntff.pftrace", "the timeline as a Perfetto trace", nx_export_perfetto},
	{"summary-json", NULL, "the summary metrics as JSON", nx_export_summary_json},
	{"summary-text", NULL, "the summary metrics as a two-column table", nx_export_summary_text},
};
const size_t nx_exporter_count = sizeof(nx_exporters) / sizeof(nx_exporters[0]);

const struct nx_exporter *nx_exporter_find(const char *name)
{
	assert(name);
	for (size_t i = 0; i < nx_exporter_count; i++)
		if (!strcmp(nx_exporters[i].name, name))
			return &nx_exporters[i];
	return NULL;
}

const struct nx_system_exporter nx_system_exporters[] = {
	{"json", "system_profile.json", "every row of the profile as one JSON document",
	 nx_system_export_json},
	{"summary-json", NULL, "totals of each process and core as JSON",
	 nx_system_export_summary_json},
	{"summary-text", NULL, "totals of each process and core as tables",
	 nx_system_export_summary_text},
	{"perfetto", "system_profile.pftrace", "a trace for ui.perfetto.dev",
	 nx_system_export_perfetto},
	{"xspace", "system_profile.xplane.pb", "a profile for XProf and TensorBoard",
	 nx_system_export_xspace},
};
const size_t nx_system_exporter_count =
	sizeof(nx_system_exporters) / sizeof(nx_system_exporters[0]);

const struct nx_system_exporter *nx_system_exporter_find(const char *name)
{
	assert(name);
	for (size_t i = 0; i < nx_system_exporter_count; i++)
		if (!strcmp(nx_system_exporters[i].name, name))
			return &nx_system_exporters[i];
	return NULL;
}
