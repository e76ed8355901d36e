/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff: a compiled model. 1024 bytes of header, then a tar, gzipped (package 2) or plain
 * (package 1), whose members declare the program. docs/formats/neff.md has the layout.
 *
 * nx_neff_read is the only reader of kelf-*.json, def.json and tensor_map.json. It follows the
 * names inside these files and guesses none, so it reads all compiler generations.
 *
 * The static DMA of an engine may be the largest part of a NEFF; nx_neff_table_read reads it on
 * demand.
 */
#ifndef NX_FORMAT_NEFF_H
#define NX_FORMAT_NEFF_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"
#include "machine/hardware.h"

#define NX_NEFF_HEADER_BYTES 1024
/* An archive that unpacks to more than this, or than a multiple of its size, is refused as a
 * decompression bomb. Small ones may unpack to more: they are mostly padding. */
#define NX_NEFF_MAX_UNPACKED_BYTES ((uint64_t)8 << 30)
#define NX_NEFF_MAX_UNPACKED_RATIO 64
#define NX_NEFF_FREE_UNPACKED_BYTES ((uint64_t)64 << 20)

struct nx_neff_header {
	uint64_t package_version;
	uint64_t header_size;
	uint64_t data_size; /* of the archive as stored */
	uint64_t major_version, minor_version;
	char build_version[129];
	uint32_t core_count;
	uint8_t hash[32];
	uint8_t uuid[16];
	char name[257];
	uint32_t requested_core_count;
	uint8_t cores_per_node[64];
	uint64_t feature_bits;
	uint32_t logical_core_size; /* physical cores per logical core */
};

struct nx_neff_member {
	struct nx_slice name;
	struct nx_slice bytes;
};

#define NX_NO_INDEX UINT32_MAX /* no variable, block or core, or an unknown one */

enum nx_variable_kind {
	NX_VARIABLE_OTHER, /* no transfer can read or write it */
	NX_VARIABLE_STATE_BUFFER,
	NX_VARIABLE_REMOTE, /* the state buffer of another core */
	NX_VARIABLE_INPUT,
	NX_VARIABLE_OUTPUT,
	NX_VARIABLE_FILE,    /* a constant */
	NX_VARIABLE_VIRTUAL, /* part of the core's scratchpad */
	NX_VARIABLE_TABLE,   /* for descriptors made on the device: a list of variables */
};

struct nx_neff_shape {
	const int64_t *sizes;
	size_t dims; /* 0 also if unknown */
};

/* Texts are never NULL; "" if unknown. */
struct nx_neff_variable {
	const char *name;
	const char *type; /* "state-buffer", "input", … */
	enum nx_variable_kind kind;
	uint64_t id; /* in instructions; UINT64_MAX: none */
	uint64_t size_bytes;
	uint64_t scratch_offset; /* VIRTUAL */
	const char *file_name;	 /* FILE: a .npy in the graph's folder */
	const uint32_t *list;	 /* TABLE: ids of variables */
	size_t list_count;
	uint32_t tensor; /* INPUT, OUTPUT: index into the NEFF's tensors */
	/* From tensor_map.json, of inputs, outputs and files: */
	const char *dtype;		      /* "bfloat16" */
	const char *format;		      /* "NCHW" */
	struct nx_neff_shape shape;	      /* on the device */
	struct nx_neff_shape framework_shape; /* as the framework sees it */
};

struct nx_neff_queue {
	const char *name, *owner, *type;
	uint32_t ring_count; /* NX_NO_INDEX if unknown */
	const uint32_t *semaphores;
	size_t semaphore_count;
	bool has_scratch; /* in the state buffer, for descriptors: */
	uint64_t scratch_offset, scratch_bytes;
};

struct nx_neff_paths {
	const char **items;
	size_t count;
};

struct nx_neff_engine {
	const char *table;    /* path of its JSON file: static DMA, see nx_neff_table_read */
	const char *stream;   /* path of its instructions, */
	struct nx_slice code; /* and their bytes; empty if the member is missing */
	struct nx_neff_paths backend_debug, asm_debug;
};

/* Ranks of a collective, or the element count of each. */
struct nx_rank_list {
	const uint32_t *items; /* NX_NO_INDEX for an invalid rank */
	uint32_t count;
};
struct nx_rank_lists { /* groups of ranks, or pairs of source and target */
	const struct nx_rank_list *items;
	size_t count;
};
struct nx_rank_choices { /* by the group id of a collective's word */
	const struct nx_rank_lists *items;
	size_t count;
};

struct nx_neff_graph {			    /* the program of one physical core */
	const char *name;		    /* "sg00" */
	const char *path;		    /* of its def.json */
	const char *folder;		    /* of def.json, with its slash: "sg00/" */
	struct nx_neff_variable *variables; /* in the order of the file */
	size_t variable_count;
	struct nx_neff_queue *queues;
	size_t queue_count;
	struct nx_neff_engine engines[NX_ENGINE_COUNT];
	struct nx_neff_paths dma_debug;
	uint32_t runtime_semaphore_count; /* reserved by the runtime */
	uint64_t scratch_bytes;		  /* UINT64_MAX on overflow */
	struct nx_rank_choices replica_groups, source_target_pairs;
	struct nx_rank_lists element_counts; /* by the counts id of a collective's word */
};

/* What is missing or damaged, and the consequence: "sg00/def.json", "is missing …; …". */
struct nx_neff_problem {
	const char *path;
	const char *text;
};

struct nx_neff {
	struct nx_neff_header header;
	uint32_t packed_at_s; /* gzip mtime: when it was packaged; 0 unknown */
	struct nx_neff_member *members;
	size_t member_count;
	const struct nx_neff_member **by_name; /* the same, sorted */
	bool is_truncated; /* the archive is cut or damaged; members are what could be read */
	char damage[256];  /* then: one sentence */

	const char *target;	      /* "cayman"; "" unknown */
	uint32_t kelf_node;	      /* index of the executor node in neff.json */
	struct nx_neff_graph *graphs; /* whose def.json could be read */
	size_t graph_count;
	const char
		*broken_path; /* the first def.json that could not, or lacks variables; or NULL */
	/* Inputs and outputs of all graphs, each name once, in the order of the files. */
	const struct nx_neff_variable **tensors;
	size_t tensor_count;
	uint32_t world_size; /* ranks it was compiled for; 0 unknown */
	struct nx_neff_problem *problems;
	size_t problem_count;
};

/* Reads the header alone. FORMAT or VERSION if it is not that of a NEFF. */
NX_MUST_CHECK enum nx_status nx_neff_read_header(struct nx_slice file, struct nx_neff_header *out,
						 struct nx_error *err);

/*
 * Reads header, archive and what the archive declares. Members borrow from the arena (gzip) or
 * from file (plain tar); all else lives in the arena. FORMAT if the header or the very first
 * archive byte is invalid. Later damage is not an error: is_truncated and problems report what
 * could not be read.
 */
NX_MUST_CHECK enum nx_status nx_neff_read(struct nx_slice file, struct nx_arena *arena,
					  struct nx_neff *out, struct nx_error *err);

/* FORMAT, with the first problem, unless the archive is whole and all graphs could be read. */
NX_MUST_CHECK enum nx_status nx_neff_check_program(const struct nx_neff *neff,
						   struct nx_error *err);

/* The last member of that name, or NULL; its bytes, or none. */
const struct nx_neff_member *nx_neff_find(const struct nx_neff *neff, struct nx_slice name);
struct nx_slice nx_neff_member(const struct nx_neff *neff, struct nx_slice name);

bool nx_neff_graph_has_collectives(const struct nx_neff_graph *graph);

/* --- the static DMA of an engine ------------------------------------------------------ */

/* One side of a transfer: a walk over bytes of a variable, fastest dimension first. */
struct nx_neff_side {
	uint32_t variable; /* index into the graph's variables; NX_NO_INDEX if unknown */
	uint64_t offset;
	unsigned dtype; /* an enum nx_dtype; 0 unknown */
	unsigned dims;
	const uint64_t *sizes; /* the first in bytes, others count */
	const int64_t *steps;
	const char *name;	/* of the variable */
	const char *dtype_name; /* "float32"; "" unknown */
};

enum nx_dma_op { NX_DMA_COPY, NX_DMA_CAST, NX_DMA_ADD, NX_DMA_TRANSPOSE, NX_DMA_UNKNOWN };

struct nx_neff_descriptor {
	enum nx_dma_op op;
	const char *op_name;	   /* "copy" also when absent; "transpose" with transpose_op */
	const char *transpose_op;  /* "" if it does not transpose */
	struct nx_neff_side *from; /* several for a sum */
	size_t from_count;	   /* at least 1 */
	struct nx_neff_side to;
	uint32_t element_bytes; /* TRANSPOSE; NX_NO_INDEX when absent, as is: */
	uint32_t tiling_dims;
};

struct nx_neff_block { /* what one trigger starts */
	const char *queue;
	uint32_t id;	    /* NX_NO_INDEX when absent, as is: */
	uint32_t semaphore; /* raised when all descriptors are done */
	const char *comment;
	struct nx_neff_descriptor *descriptors;
	size_t descriptor_count;
};

struct nx_neff_table {
	struct nx_neff_block *blocks;
	size_t block_count;
	const char **activation_sets; /* stems of file names; of the Scalar engine */
	size_t activation_set_count;
};

/* Reads the bytes of an engine's table into the arena; texts that it repeats are there once. */
NX_MUST_CHECK enum nx_status nx_neff_table_read(const struct nx_neff_graph *graph,
						struct nx_slice table, struct nx_arena *arena,
						struct nx_neff_table *out, struct nx_error *err);

/* --- features and writing --------------------------------------------------------- */

/* "virtual-core, v3-2x-4x-dve-perf-mode"; unknown bits as "bit-21". Returns its length. */
size_t nx_neff_features_text(uint64_t feature_bits, char *out, size_t cap);

/* Packs members into a NEFF; fills data_size and hash. gzip when package_version is 2. */
void nx_neff_write(const struct nx_neff_header *header, const struct nx_neff_member *members,
		   size_t member_count, struct nx_bytes *out);

#endif
