/* SPDX-License-Identifier: Apache-2.0 */
/* device_program_internal: what the readers of a NEFF's parts share. */
#ifndef NX_RUNTIME_DEVICE_PROGRAM_INTERNAL_H
#define NX_RUNTIME_DEVICE_PROGRAM_INTERNAL_H

#include "base/json_reader.h"
#include "runtime/device/device_program.h"

struct nx_core_source {
	struct nx_device_program *program;
	struct nx_core_program *core;
	struct nx_slice directory; /* of def.json, with its slash */
	const struct nx_json *definition;
};

/* The member of that name beside def.json; empty when it is absent. */
struct nx_slice nx_core_source_member(const struct nx_core_source *source, struct nx_slice name);
size_t nx_core_source_count(const struct nx_json *array);

NX_MUST_CHECK enum nx_status nx_core_source_read_variables(struct nx_core_source *source,
							   struct nx_error *err);
/* Streams, DMA blocks and activation tables of all engines. */
NX_MUST_CHECK enum nx_status nx_core_source_read_engines(struct nx_core_source *source,
							 struct nx_error *err);
/* Adds the blocks of an engine's file to the core's queues. */
void nx_core_source_read_blocks(struct nx_core_source *source, unsigned engine,
				const struct nx_json *blocks);
/* Groups, pairs and counts of def.json; after the engines. */
void nx_core_source_read_ranks(struct nx_core_source *source);

#endif
