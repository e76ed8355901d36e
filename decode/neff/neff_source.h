/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff_source: what the parts of the NEFF decoder share: members by name, the pool of repeated
 * texts, and the list of what is missing. Each member is handed out a few times only, so that a
 * hostile file cannot demand work out of proportion to its size.
 */
#ifndef NX_DECODE_NEFF_NEFF_SOURCE_H
#define NX_DECODE_NEFF_NEFF_SOURCE_H

#include "base/json_reader.h"
#include "base/map.h"
#include "base/vec.h"
#include "decode/neff/neff_decoder.h"

struct nx_neff_source {
	const struct nx_neff *neff;
	struct nx_neff_options options;
	struct nx_arena *arena; /* of the result */
	uint8_t *uses;		/* of each member */
	struct nx_text_pool pool;
	NX_VEC(struct nx_property) missing;
	size_t unlisted_count; /* missing parts beyond the list's limit */
};

/* One graph and the rows made from it. */
struct nx_graph_source {
	struct nx_neff_source *source;
	const struct nx_neff_graph *graph;
	uint32_t *rows; /* of the graph's variables: their indices in out->variables */
	struct nx_binary_graph *out;
};

/* The tensors of all graphs together. */
struct nx_neff_tensors {
	NX_VEC(struct nx_tensor) rows;
	struct nx_text_map seen;
};

void nx_neff_source_init(struct nx_neff_source *source, const struct nx_neff *neff,
			 const struct nx_neff_options *options, struct nx_arena *arena);
void nx_neff_source_release(struct nx_neff_source *source);
/* Hands the list of missing parts to out. */
void nx_neff_source_finish(struct nx_neff_source *source, struct nx_binary *out);

/* "sg00/PE.bin": "is missing from the NEFF; no instructions of the Tensor engine" */
void nx_neff_source_note(struct nx_neff_source *source, const char *member, const char *fmt, ...)
	NX_PRINTF(3, 4);

/* False if there is no such member, which is noted unless cost is NULL. */
bool nx_neff_source_take(struct nx_neff_source *source, const char *member, const char *cost,
			 struct nx_slice *bytes);
/* The member as a tree in scratch; NULL when missing or damaged (noted as above). */
const struct nx_json *nx_neff_source_json(struct nx_neff_source *source, const char *member,
					  const char *cost, struct nx_arena *scratch);

/* One copy of a text, however often it occurs. */
const char *nx_neff_source_intern(struct nx_neff_source *source, struct nx_slice text);
const char **nx_neff_source_texts(struct nx_neff_source *source, const struct nx_slice *texts,
				  size_t count);
const char *nx_neff_source_text(struct nx_neff_source *source, const struct nx_json *value);

/* The number when it is one and fits 32 bits, else the fallback. */
uint32_t nx_neff_u32(const struct nx_json *value, uint32_t fallback);
bool nx_neff_parse_u32(struct nx_slice digits, uint32_t *value);

/* --- the parts, in the order in which they run ------------------------------ */

void nx_neff_tensors_read(const struct nx_graph_source *graph, uint32_t graph_index,
			  struct nx_neff_tensors *tensors);
void nx_neff_streams_read(const struct nx_graph_source *graph);
/* *penguin_file is the name of the files above the first backend file that names one. */
void nx_neff_debug_read(const struct nx_graph_source *graph, const char **penguin_file);
void nx_neff_origins_read(struct nx_neff_source *source, const char *penguin_file,
			  struct nx_binary *out);
void nx_neff_kernels_read(struct nx_neff_source *source, struct nx_binary *out);

#endif
