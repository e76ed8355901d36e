/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_device: the parts of a device profile's Perfetto trace. Each scans
 * the tables it needs and writes the tracks below every core's own
 * (docs/formats/perfetto.md lists them).
 */
#ifndef NX_EXPORT_PERFETTO_DEVICE_H
#define NX_EXPORT_PERFETTO_DEVICE_H

#include "export/exporters.h"
#include "format/perfetto/perfetto.h"

/* Order of the tracks below a core. The engines come first, see perfetto_instructions.c. */
enum nx_device_rank {
	NX_RANK_ENGINES = 0,
	NX_RANK_PACKETS = 6,
	NX_RANK_TRANSFERS,
	NX_RANK_THROUGHPUT,
	NX_RANK_PENDING,
	NX_RANK_HFU,
	NX_RANK_MFU,
	NX_RANK_SBUF,
	NX_RANK_PSUM,
	NX_RANK_PSUM_BANKS,
	NX_RANK_THROTTLE,
	NX_RANK_SEMAPHORES,
	NX_RANK_NOTIFICATIONS,
};

struct nx_device_trace {
	struct nx_perfetto *p;
	const struct nx_profile *profile;
	const struct nx_export_options *options;
	uint32_t cores[NX_MAX_GRAPHS]; /* a track each, parent of all its others */
};

enum nx_status nx_perfetto_instructions(const struct nx_device_trace *trace, struct nx_error *err);
enum nx_status nx_perfetto_dma(const struct nx_device_trace *trace, struct nx_error *err);
enum nx_status nx_perfetto_counters(const struct nx_device_trace *trace, struct nx_error *err);
/* Semaphores, notifications of the hardware, warnings, facts about the profile. */
enum nx_status nx_perfetto_points(const struct nx_device_trace *trace, struct nx_error *err);

/* Start and duration are floored separately, as in the JSON export. */
static inline uint64_t nx_perfetto_end_ns(uint64_t start_ps, uint64_t end_ps)
{
	return start_ps / 1000 + (end_ps > start_ps ? (end_ps - start_ps) / 1000 : 0);
}

#endif
