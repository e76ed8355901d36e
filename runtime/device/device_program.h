/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_program: a NEFF as the software device needs it.
 *
 * Each physical core has five instruction streams, their variables, blocks of DMA
 * descriptors and activation tables; inputs and outputs are shared. All is in one
 * arena or borrowed from the NEFF. Offsets and sizes are not checked yet.
 */
#ifndef NX_RUNTIME_DEVICE_PROGRAM_H
#define NX_RUNTIME_DEVICE_PROGRAM_H

#include "base/map.h"
#include "format/neff.h"
#include "runtime/device/activation_table.h"
#include "runtime/device/device.h"

#define NX_DEVICE_MAX_CORES 8

struct nx_device_variable {
	enum nx_variable_kind kind;
	uint64_t size_bytes;
	uint64_t scratch_offset; /* VIRTUAL */
	struct nx_slice payload; /* FILE */
	uint32_t index;		 /* INPUT, OUTPUT: which tensor; REMOTE: of which core */
};

/* Blocks that one engine starts on one queue. */
struct nx_device_queue {
	struct nx_slice name;
	unsigned engine;
	struct nx_neff_block *blocks;
	size_t block_count;
	struct nx_map by_id;
};

struct nx_core_program {
	struct nx_slice name; /* "sg00" */
	struct nx_slice code[NX_ENGINE_COUNT];
	struct nx_device_variable *variables;
	size_t variable_count;
	struct nx_map variable_by_id;
	const uint32_t *table; /* variable ids of the dge-table */
	size_t table_count;
	struct nx_device_queue *queues;
	size_t queue_count;
	struct nx_text_map queue_by_name[NX_ENGINE_COUNT];
	struct nx_activation_set *sets;
	size_t set_count;
	struct nx_rank_choices replica_groups, source_target_pairs;
	struct nx_rank_lists element_counts;
	bool has_collectives;
	uint64_t scratch_bytes;
};

struct nx_device_program {
	struct nx_arena arena;
	enum nx_device_arch arch;
	struct nx_core_program *cores;
	size_t core_count;
	struct nx_device_tensor *tensors;
	size_t tensor_count;
	uint64_t memory_bytes; /* of tensors and scratchpads */
};

/*
 * Borrows the NEFF, which must outlive the program. FORMAT, with the name of the damaged member.
 * A zeroed struct may be released; release it after a failure too.
 */
NX_MUST_CHECK enum nx_status nx_device_program_init(struct nx_device_program *program,
						    const struct nx_neff *neff,
						    struct nx_error *err);
void nx_device_program_release(struct nx_device_program *program);

bool nx_device_program_has_collectives(const struct nx_device_program *program);

/* NULL if there is none. */
const struct nx_device_variable *nx_core_program_variable(const struct nx_core_program *core,
							  uint32_t id, uint32_t *index);
const struct nx_device_queue *nx_core_program_queue(const struct nx_core_program *core,
						    unsigned engine, struct nx_slice name,
						    size_t *index);
const struct nx_neff_block *nx_queue_block(const struct nx_device_queue *queue, uint32_t id);

#endif
