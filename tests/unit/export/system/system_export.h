/* SPDX-License-Identifier: Apache-2.0 */
/* What the exporters make of a system_fixture. */
#ifndef NX_TEST_SYSTEM_EXPORT_H
#define NX_TEST_SYSTEM_EXPORT_H

#include "export/exporters.h"
#include "tests/unit/system_fixture.h"

/* Something of all that a summary tells: events, samples, a transfer, a device profile, a loss. */
void nx_fixture_fill_summary(struct nx_system_fixture *f);

/* What an exporter writes, through a real output file; *len may be NULL. */
const char *nx_fixture_export(struct nx_system_fixture *f, const char *exporter,
			      const struct nx_system_export_options *options, size_t *len);

/*
 * A Perfetto trace in lines, tracks by their path of names:
 *	process "i-a-pid70" 1
 *	i-a-pid70/gid0-nc0-tid70-neuron_rt begin 100 nrt_execute id=1 flow=7
 * "args" chooses whether arguments are shown.
 */
char *nx_trace_text(struct nx_arena *arena, struct nx_slice trace, bool with_args);

#endif
