/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activity: what the engines and the DMA rings did, in total and per layer. Feed instructions and
 * packets merged in order of their start; read the totals afterwards.
 */
#ifndef NX_ANALYSE_ACTIVITY_H
#define NX_ANALYSE_ACTIVITY_H

#include "analyse/span_union.h"
#include "base/map.h"
#include "model/profile.h"

enum nx_dma_kind { NX_DMA_STATIC, NX_DMA_HARDWARE_DYNAMIC, NX_DMA_SOFTWARE_DYNAMIC, NX_DMA_KINDS };

struct nx_engine_activity {
	uint64_t instruction_count;
	uint64_t instruction_ps; /* without instructions that only wait */
	struct nx_span_union busy;
};

struct nx_dma_activity {
	uint64_t packet_count;
	uint64_t size_bytes;
	struct nx_span_union busy;
};

struct nx_activity {
	struct nx_engine_activity engines[NX_ENGINE_COUNT];
	struct nx_dma_activity dma[NX_DMA_KINDS];
	struct nx_span_union dma_busy, all_busy;
	uint64_t packet_count, packet_ps, packet_bytes;
	uint64_t matmul_count, activate_count, activate_ps;
	uint64_t flop_count, transpose_flop_count;
	uint64_t adjusted_flop_count, adjusted_transpose_flop_count;
	bool has_work;
	uint64_t work_start_ps, work_end_ps; /* of packets, and instructions other than set-up */
	uint64_t sbuf_read_bytes, sbuf_write_bytes, psum_read_bytes, psum_write_bytes;
	uint64_t hbm_read_bytes, hbm_write_bytes;
	uint64_t eviction_bytes, eviction_count; /* PSUM read, SBUF written */
	uint64_t spill_save_bytes, spill_reload_bytes;
	uint64_t input_queue_bytes, output_queue_bytes, weight_queue_bytes;
	uint64_t trigger_count, dynamic_dma_count, unknown_text_count;
	uint64_t with_layer_count; /* instructions that have a layer */
};

void nx_activity_add_instruction(struct nx_activity *a, const struct nx_instruction *row,
				 const struct nx_slot *slot);
void nx_activity_add_packet(struct nx_activity *a, const struct nx_packet *row);

/* The same per graph and per layer of it, as rows. Feed instructions in order of their start. */
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
