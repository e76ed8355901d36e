/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/system_tables.h"

#include "tables/counting_sink.h"
#include "tables/system_fillers.h"

static const nx_system_filler fillers[] = {
	nx_fill_system_events, nx_fill_system_hbm,	nx_fill_system_cpu,
	nx_fill_system_memory, nx_fill_system_metadata, nx_fill_system_devices,
	nx_fill_system_notes,
};

enum nx_status nx_system_tables_write(const struct nx_system_profile *profile,
				      const struct nx_tables_options *options,
				      struct nx_table_sink *sink, struct nx_error *err)
{
	struct nx_counting_sink counting;
	struct nx_system_fill fill = {.profile = profile, .sink = &counting.sink, .err = err};
	enum nx_status st = NX_OK;

	nx_counting_sink_init(&counting, sink, options->progress);
	for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]) && !st; i++) {
		st = fillers[i](&fill);
		if (!st)
			st = nx_table_sink_status(&counting.sink, err);
	}
	if (st)
		return st;
	nx_counting_sink_complete(&counting, NX_SCOPE_SYSTEM);
	return nx_table_sink_status(&counting.sink, err);
}
