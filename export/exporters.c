/* SPDX-License-Identifier: Apache-2.0 */
#include "export/exporters.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "format/md5.h"

const struct nx_exporter nx_exporters[] = {
	{"json", "ntff.json", "every section of the profile as one JSON document", nx_export_json},
	{"perfetto", "ntff.pftrace", "the timeline as a Perfetto trace", nx_export_perfetto},
	{"summary-json", NULL, "the summary metrics as JSON", nx_export_summary_json},
	{"summary-text", NULL, "the summary metrics as a two-column table", nx_export_summary_text},
};
const size_t nx_exporter_count = sizeof(nx_exporters) / sizeof(nx_exporters[0]);

const struct nx_exporter *nx_exporter_find(const char *name)
{
	for (size_t i = 0; i < nx_exporter_count; i++)
		if (!strcmp(nx_exporters[i].name, name))
			return &nx_exporters[i];
	return NULL;
}

void nx_profile_key(const struct nx_profile *profile, char key[NX_PROFILE_KEY_MAX])
{
	const struct nx_capture *c = &profile->capture;
	struct nx_bytes identity = {0};
	uint8_t digest[16];
	int at;

	nx_bytes_append(&identity, c->uuid.data, c->uuid.len);
	nx_bytes_append(&identity, &c->window_start_ps, sizeof(c->window_start_ps));
	nx_bytes_append(&identity, &c->total_time_ps, sizeof(c->total_time_ps));
	nx_bytes_append(&identity, profile->name, strlen(profile->name));
	nx_md5_digest(nx_slice_of(identity.items, identity.len), digest);
	at = snprintf(key, NX_PROFILE_KEY_MAX, "n_");
	for (unsigned i = 0; i < sizeof(digest); i++)
		at += snprintf(key + at, NX_PROFILE_KEY_MAX - (size_t)at, "%02x", digest[i]);
	snprintf(key + at, NX_PROFILE_KEY_MAX - (size_t)at, "%08x",
		 (unsigned)nx_fnv1a(NX_FNV_SEED, identity.items, identity.len));
	nx_vec_release(&identity);
}
