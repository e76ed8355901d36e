/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_program: a NEFF as the software device needs it.
 *
 * Per physical core: five instruction streams, the variables they name, the
 * blocks of DMA descriptors and the activation tables; beside them the inputs
 * and outputs that all cores share. Everything lives in one arena or borrows
 * from the NEFF. Nothing here has been executed or believed: offsets and sizes
 * are those of the file and are bounded again when they are used.
 */
#ifndef NX_RUNTIME_DEVICE_PROGRAM_H
#define NX_RUNTIME_DEVICE_PROGRAM_H

#include "base/map.h"
#include "format/neff.h"
#include "runtime/device/activation_table.h"
#include "runtime/device/device.h"

#define NX_DEVICE_MAX_CORES 8
#define NX_NO_INDEX UINT32_MAX

enum nx_variable_kind {
	NX_VARIABLE_OTHER, /* nothing a transfer can read or write */
	NX_VARIABLE_STATE_BUFFER,
	NX_VARIABLE_REMOTE,  /* the state buffer of another core */
	NX_VARIABLE_TENSOR,  /* input or output, common to all cores */
	NX_VARIABLE_FILE,    /* a constant */
	NX_VARIABLE_VIRTUAL, /* part of the core's scratchpad */
};

struct nx_device_variable {
	struct nx_slice name;
	enum nx_variable_kind kind;
	uint64_t size_bytes;
	uint64_t scratch_offset; /* VIRTUAL */
	struct nx_slice payload; /* FILE */
	uint32_t index;		 /* TENSOR: which; REMOTE: of which core */
};

/* One side of a descriptor: a walk over bytes of a variable, fastest dimension first. */
struct nx_dma_side {
	uint32_t variable; /* NX_NO_INDEX when the name is unknown */
	uint64_t offset;
	unsigned dtype;
	unsigned dims;
	const uint64_t *sizes;
	const int64_t *steps;
};

enum nx_dma_op { NX_DMA_COPY, NX_DMA_CAST, NX_DMA_ADD, NX_DMA_TRANSPOSE, NX_DMA_UNKNOWN };

struct nx_descriptor {
	enum nx_dma_op op;
	struct nx_dma_side *from;
	size_t from_count;
	struct nx_dma_side to;
	uint32_t element_bytes; /* TRANSPOSE */
};

struct nx_block {
	uint32_t id;
	uint32_t semaphore;
	struct nx_descriptor *descriptors;
	size_t descriptor_count;
};

/* Blocks that one engine starts on one queue. */
struct nx_device_queue {
	struct nx_slice name;
	unsigned engine;
	struct nx_block *blocks;
	size_t block_count;
	struct nx_map by_id;
};

/* Who takes part in collectives, as def.json lists it. */
struct nx_rank_list {
	uint32_t *items;
	uint32_t count;
};
struct nx_rank_lists { /* groups of ranks, or pairs of source and target */
	struct nx_rank_list *items;
	size_t count;
};

struct nx_core_program {
	struct nx_slice name; /* "sg00" */
	struct nx_slice code[NX_ENGINE_COUNT];
	struct nx_device_variable *variables;
	size_t variable_count;
	struct nx_map variable_by_id;
	struct nx_text_map variable_by_name;
	uint32_t *table; /* variable ids of the dge-table */
	size_t table_count;
	struct nx_device_queue *queues;
	size_t queue_count;
	struct nx_text_map queue_by_name[NX_ENGINE_COUNT];
	struct nx_activation_set *sets;
	size_t set_count;
	struct nx_rank_lists *replica_groups; /* by the group id of a word */
	size_t replica_group_count;
	struct nx_rank_lists *source_target_pairs; /* the same, of permutations */
	size_t source_target_pair_count;
	struct nx_rank_lists element_counts; /* by the counts id of a word */
	bool has_collectives;
	uint64_t scratch_bytes;
};

struct nx_device_program {
	struct nx_arena arena;
	struct nx_neff neff;
	enum nx_device_arch arch;
	struct nx_core_program *cores;
	size_t core_count;
	struct nx_device_tensor *tensors;
	size_t tensor_count;
	struct nx_text_map tensor_by_name;
	uint64_t memory_bytes; /* of tensors and scratchpads */
};

/*
 * A zeroed struct may be released, also after a failure. What cannot be run at
 * all fails here, with the name of the member at fault.
 */
NX_MUST_CHECK enum nx_status nx_device_program_read(struct nx_device_program *program,
						    struct nx_slice neff, struct nx_error *err);
void nx_device_program_release(struct nx_device_program *program);

bool nx_device_program_has_collectives(const struct nx_device_program *program);

/* NULL when the core has no such variable, or no such queue. */
const struct nx_device_variable *nx_core_program_variable(const struct nx_core_program *core,
							  uint32_t id, uint32_t *index);
const struct nx_device_queue *nx_core_program_queue(const struct nx_core_program *core,
						    unsigned engine, struct nx_slice name,
						    size_t *index);
const struct nx_block *nx_queue_block(const struct nx_device_queue *queue, uint32_t id);

#endif
