/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_tracks: the parts of a system profile's Perfetto trace that are not
 * events of threads: counters of hosts and device memories, and what moved
 * between them.
 */
#ifndef NX_EXPORT_SYSTEM_TRACKS_H
#define NX_EXPORT_SYSTEM_TRACKS_H

#include "format/perfetto/perfetto.h"
#include "model/system.h"

/* CPU and memory of each host, device memory by category. */
NX_MUST_CHECK enum nx_status nx_system_counters_write(struct nx_perfetto *p,
						      const struct nx_system_profile *profile,
						      bool cpu_per_core, struct nx_error *err);

/* Transfers between host and device: a row of slices and a bandwidth per core and direction. */
NX_MUST_CHECK enum nx_status nx_system_transfers_write(struct nx_perfetto *p,
						       const struct nx_system_profile *profile,
						       struct nx_error *err);

#endif
