/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binary: what a compiled model (a NEFF) declares, as plain rows. decode/neff fills it; rows live
 * in its arena or borrow from the mapped file. Parts that a file lacks are empty and listed in
 * `missing`.
 */
#ifndef NX_MODEL_BINARY_H
#define NX_MODEL_BINARY_H

#include <stdbool.h>
#include <string.h>

#include "base/bare/slice.h"
#include "machine/hardware.h"

#define NX_NONE UINT32_MAX /* "no such row" in any 32-bit index */

struct nx_property { /* a name and the text shown for it */
	const char *name;
	const char *value;
};

enum nx_tensor_kind { NX_TENSOR_INPUT, NX_TENSOR_OUTPUT, NX_TENSOR_WEIGHT };

const char *nx_tensor_kind_name(enum nx_tensor_kind kind); /* "IN", "OUT", "WEIGHT" */

struct nx_tensor { /* a variable a user can name: input, output or weight */
	const char *name;
	enum nx_tensor_kind kind;
	const char *format; /* "NC"; "" when unknown */
	const char *shape;  /* "[128 512]" */
	const char *dtype;  /* as tensor_map.json says, "" when unknown */
	uint64_t size_bytes;
	uint32_t graph; /* the first graph that declares it */
};

struct nx_variable { /* any entry of def.json's var, indexed by its var_id order in the file */
	const char *name;
	const char *type; /* "state-buffer", "input", "virtual", … */
	uint64_t var_id;
	uint64_t size_bytes;
	const char *file_name; /* of constants; "" otherwise */
	uint64_t backing_offset;
};

struct nx_queue_declaration {
	const char *name; /* the compiler's spelling: qPoolDynamic */
	const char *owner;
	const char *type; /* in, data, dynamic, … */
	const uint32_t *semaphores;
	size_t semaphore_count;
};

#define NX_OFFSET_UNKNOWN UINT64_MAX

struct nx_dma_descriptor {
	const char *op; /* copy, cast, add, transpose, …; "copy" when absent */
	uint32_t *from; /* indices into variables, NX_NONE when unknown; several for a sum */
	size_t from_count;
	uint32_t to;
	uint64_t from_offset, to_offset; /* NX_OFFSET_UNKNOWN: in a register */
	uint64_t *from_sizes, *to_sizes; /* first in bytes, others counts */
	int64_t *from_steps, *to_steps;
	size_t from_dims, to_dims;
	const char *from_dtype, *to_dtype;
	uint64_t from_bytes, to_bytes; /* products of the sizes */
};

struct nx_dma_block { /* the unit a static DMA trigger starts */
	const char *queue;
	uint32_t id;
	uint32_t semaphore;
	const char *comment;
	struct nx_dma_descriptor *descriptors;
	size_t descriptor_count;
};

const char *nx_edge_name(unsigned type); /* "FLOW_DEPENDENCE" */

struct nx_predecessor {
	uint64_t bir_id;
	uint8_t type; /* enum nx_edge_type of format/debug_info.h */
};

/* Why the compiler made an instruction, as its debug info says. */
enum nx_type { NX_TYPE_NONE, NX_TYPE_REGULAR, NX_TYPE_SPILL, NX_TYPE_TRANSPOSE };
const char *nx_instruction_type_name(unsigned type); /* "TRANSPOSE"; "" for none */

struct nx_bir { /* a backend instruction: what a slot was made from */
	uint64_t id;
	const char *name;
	uint8_t instruction_type; /* enum nx_type */
	bool has_penguin;
	uint64_t penguin_id;
	uint32_t origin;		     /* into origins, NX_NONE */
	struct nx_predecessor *predecessors; /* dataflow first, then scheduling */
	size_t predecessor_count;
	const char *kernel_file; /* "" when none */
	uint32_t kernel_line;
	const char *kernel_name;
	uint32_t kernel_instruction; /* into kernel_instructions; none when beyond their count */
};

struct nx_origin { /* where a penguin instruction came from, if the chain continues */
	uint64_t penguin_id;
	const char *penguin_name;
	bool has_hlo;
	uint64_t hlo_id;
	const char *hlo_name;
	const char *hlo_attributes; /* JSON list of objects, "[]" when none */
	uint64_t *framework_ids;
	size_t framework_id_count;
	bool has_framework;
	uint64_t framework_id;	    /* of those above, the one that names the layer */
	const char *framework_name; /* "" if no record states it */
	uint32_t stack_frame;	    /* into the stack's frames from one on; 0 = none */
	const char *layer;	    /* "Unknown" when the chain ends before the framework */
	const char *source_file;    /* "" */
	uint32_t source_line;
};

struct nx_source_location { /* ids count from one, 0 = none; all within their lists */
	uint32_t file_name, function_name, line;
};

struct nx_stack_frame { /* ids count from one, 0 = none; all within their lists */
	uint32_t location, parent;
};

struct nx_stack { /* calls in the framework's source */
	const char **file_names, **function_names;
	size_t file_name_count, function_name_count;
	struct nx_source_location *locations;
	size_t location_count;
	struct nx_stack_frame *frames;
	size_t frame_count;
};

/* Where the call of a frame is; zero what is not known. */
struct nx_source_location nx_stack_frame_place(const struct nx_stack *stack, uint32_t frame_id);
/* "forward (model.py:57)": the call that a frame stands for, cut if it is too long. */
void nx_stack_frame_text(const struct nx_stack *stack, uint32_t frame_id, char *text, size_t size);

struct nx_kernel_frame { /* a call inside a kernel (NKI) */
	const char *function;
	const char *file; /* "" unknown */
	uint32_t line;	  /* 0 unknown */
	uint32_t parent;  /* into kernel_frames, NX_NONE for the kernel's own */
	uint32_t depth;	  /* 1 for the kernel's own */
};

struct nx_kernel_iteration { /* one value of a loop variable */
	const char *variable;
	bool has_value;
	int64_t value;
	const char *file;
	uint32_t line;
	uint32_t parent; /* of the loop around it, into kernel_iterations, NX_NONE */
	uint32_t depth;	 /* 1 for an outermost loop */
};

struct nx_kernel_instruction { /* where in a kernel an instruction was written */
	const char *name;      /* BIR instructions made from it start with it */
	const char *file;
	uint32_t line;
	uint32_t frame;	    /* innermost call, NX_NONE at the top level */
	uint32_t iteration; /* innermost loop, NX_NONE outside of loops */
};

struct nx_engine_program {	 /* one engine's stream in one graph */
	const char *stream_name; /* member name, "" when the engine has none */
	struct nx_slice code;	 /* 64-byte slots */
	uint32_t *slot_bir; /* slot -> index into the graph's birs, NX_NONE; slot_count entries */
	size_t slot_count;
	struct nx_dma_block *blocks;
	size_t block_count;
};

struct nx_binary_graph {
	const char *name;	/* "sg00" */
	const char *definition; /* member name of its def.json */
	struct nx_variable *variables;
	size_t variable_count;
	uint32_t *address_table; /* variables that dynamic DMAs reach by number, NX_NONE unknown */
	size_t address_table_count;
	struct nx_queue_declaration *queues;
	size_t queue_count;
	uint32_t runtime_semaphore_count;
	struct nx_engine_program engines[NX_ENGINE_COUNT];
	struct nx_bir *birs;
	size_t bir_count;
	uint32_t part; /* of a binary of several NEFFs, the one it is from */
};

/* Whether the graph has the variable, with that type in def.json: "file", "input", "virtual"... */
static inline bool nx_variable_is(const struct nx_binary_graph *graph, uint32_t variable,
				  const char *type)
{
	return variable < graph->variable_count && !strcmp(graph->variables[variable].type, type);
}

/* The row of the variable that instructions call by this id; NX_NONE if there is none. */
uint32_t nx_variable_of_id(const struct nx_binary_graph *graph, uint64_t var_id);

/* The core's own SBUF, variable 0 of every graph. */
static inline bool nx_variable_is_sbuf(const struct nx_binary_graph *graph, uint32_t variable)
{
	return nx_variable_is(graph, variable, "state-buffer");
}

struct nx_binary {
	uint8_t uuid[16];
	const char *network_name;
	const char *target;	      /* "cayman"; "" unknown */
	const char *compiler_version; /* "" unknown */
	uint32_t packed_at_s;	      /* epoch seconds, 0 unknown */
	struct nx_property *header;   /* the twelve rows of the NEFF Header tab */
	size_t header_count;
	uint32_t kelf_node; /* index of the executor node in neff.json */
	struct nx_tensor *tensors;
	size_t tensor_count;
	struct nx_binary_graph *graphs;
	size_t graph_count;
	struct nx_origin *origins;
	size_t origin_count;
	struct nx_stack stack;
	struct nx_kernel_frame *kernel_frames;
	size_t kernel_frame_count;
	struct nx_kernel_iteration *kernel_iterations;
	size_t kernel_iteration_count;
	struct nx_kernel_instruction *kernel_instructions;
	size_t kernel_instruction_count;
	bool has_hlo_statistics;
	uint64_t hlo_mac_count;
	bool has_compiler_metrics;
	struct nx_property *missing; /* member or part, and what it costs the user */
	size_t missing_count;
	uint32_t model_idx; /* of the capture, if it has several */
	/* A capture of several models: the NEFFs that the rows come from. 0: it is one NEFF. */
	const struct nx_binary *parts;
	size_t part_count;
};

#endif
