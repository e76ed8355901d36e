/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers: one row per graph and one per layer of it: when it ran, what each
 * engine did for it, its flops. Feed instructions in order of their start.
 */
#ifndef NX_ANALYSE_LAYERS_H
#define NX_ANALYSE_LAYERS_H

#include "analyse/span_union.h"
#include "base/map.h"
#include "model/profile.h"

struct nx_layer_state {
	struct nx_layer row;
	struct nx_span_union busy[NX_ENGINE_COUNT];
	uint64_t latest_end_ps;
	uint64_t last_tensor_start_ps;
	uint64_t tensor_context_end_ps;
	bool has_tensor;
};

struct nx_layer_analysis {
	struct nx_map index; /* graph << 32 | layer -> position in states */
	struct nx_layer_states NX_VEC_BODY(struct nx_layer_state) states;
};

void nx_layers_add(struct nx_layer_analysis *a, const struct nx_program *program,
		   const struct nx_instruction *row, const struct nx_slot *slot);
/* Appends the rows, each graph's own before its layers, and releases the analysis. */
void nx_layers_finish(struct nx_layer_analysis *a, uint32_t graph_count, struct nx_layers *out);

#endif
