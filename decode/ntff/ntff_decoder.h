/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff_decoder: a device capture as a struct nx_capture and streams of rows, each of which may be
 * decoded any number of times. Memory does not grow with the trace. Rows come in the order of the
 * ring, which is not the order of time. `loss` counts what cannot be used.
 */
#ifndef NX_DECODE_NTFF_NTFF_DECODER_H
#define NX_DECODE_NTFF_NTFF_DECODER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/progress.h"
#include "format/ntff.h"
#include "model/capture.h"
#include "model/rows.h"

#define NX_DMA_CLOCKS 16
#define NX_DMA_ENGINES 32 /* that one ring can name */
#define NX_DMA_QUEUES 16

struct nx_ntff_options {
	/* Which execution to show. Not chosen: all if the file has several models, else the first.
	 */
	bool is_chosen;
	uint32_t execution;
};

struct nx_decode_loss {
	uint64_t odd_tail_bytes;    /* ring bytes after the last complete record */
	uint64_t missing_bytes;	    /* of blobs that reach beyond the file */
	uint64_t overlapping_bytes; /* of blobs that use the same bytes too often, left out */
	uint64_t unknown_ring_count;
	uint32_t first_unknown_ring;   /* trace_type << 8 | block_type */
	uint64_t unknown_record_count; /* unknown type codes */
	uint32_t first_unknown_record;
	uint64_t unpaired_start_count; /* instructions that never ended */
	uint64_t unpaired_end_count;   /* that ended without a start */
	uint64_t outside_code_count;   /* pcs in no code image */
	uint64_t backwards_count;      /* instructions and packets that end before they start */
	uint64_t unpaired_packet_count;
	uint64_t dropped_queue_count;  /* queues with unequal starts and ends, left out */
	uint64_t dropped_packet_count; /* packets on those queues */
	uint64_t dge_record_count;     /* DGE notifications: not a loss, but good to know */
	uint64_t ignored_graph_count;  /* beyond NX_MAX_GRAPHS */
	uint64_t unknown_model_count;  /* executions of models that the file does not describe */
};

/*
 * Each hardware block counts with its own clock: a tick was expected to be `expected` ps and
 * measured to be `actual`. The common time is floor((ticks - init) * expected / actual), in
 * integers: doubles would be off by nanoseconds after a day of uptime.
 */
struct nx_clock {
	uint64_t init;
	uint64_t actual; /* 0: the ticks are picoseconds already */
	uint64_t expected;
};

struct nx_ring_span {
	uint32_t trace_type, block_type;
	struct nx_slice records;
	bool is_cut; /* the file ends before the ring does */
};

struct nx_graph_rings {
	bool is_of_session; /* in the list of the whole file */
	struct nx_ring_span *rings;
	size_t ring_count;
	struct nx_clock engine_clocks[NX_ENGINE_COUNT];
	struct nx_clock event_clock, throttle_clock;
	struct nx_clock dma_clocks[NX_DMA_CLOCKS];
	uint32_t dma_engine_base;
};

struct nx_ntff_decoder {
	struct nx_ntff ntff;
	struct nx_capture *capture;
	struct nx_graph_rings *graphs; /* parallel to capture->graphs */
	struct nx_decode_loss loss;
	uint64_t early_semaphore_count; /* before the window; set by nx_ntff_decode_events */
	struct nx_slice model_uids[NX_MAX_GRAPHS];
	uint32_t model_count;	    /* in the file */
	struct nx_slice shown_uid;  /* the only model shown; empty: all */
	uint64_t ring_bytes;	    /* of all rings, for progress */
	uint64_t code_budget_bytes; /* what further blobs may still take, see ntff_internal.h */
	uint64_t ring_budget_bytes;
	struct nx_progress *progress; /* counts bytes scanned; may be NULL */
};

NX_MUST_CHECK enum nx_status nx_ntff_decoder_open(struct nx_ntff_decoder *decoder,
						  struct nx_slice file, const char *path,
						  const struct nx_ntff_options *options,
						  struct nx_arena *arena,
						  struct nx_capture *capture, struct nx_error *err);

/* The rank in the job that a capture was made with; UINT32_MAX if it does not tell. */
uint32_t nx_ntff_rank(const struct nx_ntff_info *info, struct nx_arena *arena);

/* Receives a struct of model/rows.h, borrowed for the call. */
typedef void (*nx_decoded_fn)(void *context, const void *row);

void nx_ntff_decode_instructions(struct nx_ntff_decoder *decoder, nx_decoded_fn fn, void *context);
void nx_ntff_decode_packets(struct nx_ntff_decoder *decoder, nx_decoded_fn fn, void *context);
void nx_ntff_decode_events(struct nx_ntff_decoder *decoder, nx_decoded_fn fn, void *context);
/* end_ps is the start of the next one of the graph, 0 for its last. */
void nx_ntff_decode_throttles(struct nx_ntff_decoder *decoder, nx_decoded_fn fn, void *context);
/* What DGE notifications tell, in the order of the ring. */
void nx_ntff_decode_generated(struct nx_ntff_decoder *decoder, nx_decoded_fn fn, void *context);
void nx_ntff_decode_faults(struct nx_ntff_decoder *decoder, nx_decoded_fn fn, void *context);

/* All event records of a graph, also those before the window (versions 4 and 5 count them). */
uint64_t nx_ntff_event_record_count(const struct nx_ntff_decoder *decoder, uint32_t graph);

#endif
