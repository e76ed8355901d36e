/* SPDX-License-Identifier: Apache-2.0 */
/* ntff_internal: the parts that nx_ntff_decoder_open loads one after the other. */
#ifndef NX_DECODE_NTFF_NTFF_INTERNAL_H
#define NX_DECODE_NTFF_NTFF_INTERNAL_H

#include "decode/ntff/ntff_decoder.h"

/* All blobs together may have this many times the length of the file: in real captures they do not
 * overlap, and a hostile file must not demand any amount of memory. */
#define NX_BLOB_SHARE 4

/* The part of a blob that fits into the budget; the rest is counted as a loss. */
struct nx_slice nx_ntff_within_budget(struct nx_ntff_decoder *decoder, struct nx_slice blob,
				      uint64_t *budget_bytes);

/* The instruction words each engine ran, and the compiled word each came from. */
void nx_ntff_load_code(struct nx_ntff_decoder *decoder, const struct nx_ntff_graph *from,
		       struct nx_arena *arena, struct nx_graph *graph);

/* Collective operations, as declared and, in captures of our own runtime, as they ran. */
void nx_ntff_load_collectives(const struct nx_ntff_graph *from, struct nx_arena *arena,
			      struct nx_graph *graph);

/* Fills the list of models: the device nodes by their uid. */
void nx_ntff_list_models(struct nx_ntff_decoder *decoder);
/* The model with this uid; NX_NONE: the file does not describe it. */
uint32_t nx_ntff_find_model(const struct nx_ntff_decoder *decoder, struct nx_slice uid);

/* When the measured execution began and ended, by the best evidence there is. */
NX_MUST_CHECK enum nx_status nx_ntff_find_window(struct nx_ntff_decoder *decoder,
						 const struct nx_ntff_options *options,
						 struct nx_arena *arena, struct nx_error *err);

#endif
