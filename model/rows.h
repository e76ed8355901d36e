/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows: what happened, one small struct per kind of event: captures have tens of millions of them.
 * Times are picoseconds since the start of the capture's window.
 */
#ifndef NX_MODEL_ROWS_H
#define NX_MODEL_ROWS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct nx_instruction { /* one executed instruction */
	uint64_t start_ps;
	uint64_t end_ps;
	uint32_t slot;	/* in the engine's device image: the pc people see */
	uint32_t order; /* when its end was recorded, per graph: later ones replace earlier */
	uint16_t crc_in, crc_out;
	uint16_t wait_cycles; /* spent waiting for its semaphore */
	uint8_t graph;
	uint8_t engine;
};

struct nx_packet { /* one DMA packet */
	uint64_t start_ps;
	uint64_t end_ps;
	uint32_t size_bytes;
	uint32_t packet_idx; /* running number on its (engine, queue) */
	uint16_t crc;
	uint16_t dma_engine;
	uint8_t dma_queue;
	uint8_t graph;
	uint8_t queue_class; /* enum nx_queue_class */
	uint8_t padding;
};

static_assert(sizeof(struct nx_instruction) == 32 && sizeof(struct nx_packet) == 32,
	      "rows that are spooled in millions");

struct nx_event { /* a semaphore or event changed its value */
	uint64_t time_ps;
	uint32_t value;
	uint8_t id;
	uint8_t graph;
	bool is_semaphore;
	uint8_t mode;	/* 1 set, 3 inc, 4 dec, 9 write, … */
	uint8_t source; /* enum nx_engine; NX_ENGINE_COUNT = from outside (AXI) */
};

static_assert(sizeof(struct nx_event) == 24, "millions of them are streamed");

#define NX_THROTTLE_UNKNOWN 99

struct nx_throttle { /* a change of the activity limit k/n */
	uint64_t start_ps;
	uint64_t end_ps;
	uint16_t k, n;
	uint8_t type; /* of activity, or NX_THROTTLE_UNKNOWN */
	uint8_t graph;
};

enum nx_fault_kind { NX_FAULT_ERROR, NX_FAULT_WARNING, NX_FAULT_CUSTOM };

struct nx_fault { /* an error, a warning or a custom notification of the hardware */
	uint64_t time_ps;
	uint32_t w0, w1; /* the record's own words: the meaning of some is not public */
	uint16_t id;	 /* error id, interrupt group or custom sub-id */
	uint8_t kind;	 /* enum nx_fault_kind */
	uint8_t graph;
	uint8_t engine; /* NX_ENGINE_COUNT = not an engine's */
	uint32_t slot;	/* NX_NONE when it names none */
};

/* "memory error", "custom notification": what a fault says, as far as it is public. */
const char *nx_fault_name(const struct nx_fault *row);

/*
 * A descriptor generation engine (DGE) made descriptors for a dynamic DMA: how many packets, on
 * which DMA engines of the core.
 */
struct nx_generated {
	uint64_t time_ps;
	uint32_t packet_count;	  /* on each of the DMA engines */
	uint32_t slot;		  /* of the instruction; NX_NONE: the latest that started */
	uint16_t dma_engine_mask; /* of 16 */
	uint8_t graph;
	uint8_t engine;
};

/* --- derived --------------------------------------------------------------- */

struct nx_active { /* an engine was busy */
	uint64_t start_ps;
	uint64_t end_ps;
	uint8_t graph;
	uint8_t engine;
};

struct nx_pending { /* DMA transfers started and not yet finished */
	uint64_t time_ps;
	int64_t value;
	uint8_t graph;
};

struct nx_throughput {
	uint64_t time_ps;
	uint64_t total_bytes; /* since the start */
	float bytes_per_s;    /* of all packets in flight */
	uint8_t graph;
};

enum nx_buffer { NX_BUFFER_SBUF, NX_BUFFER_PSUM, NX_BUFFER_COUNT };

struct nx_buffer_usage { /* live bytes of an on-chip memory from this moment on */
	uint64_t time_ps;
	uint64_t live_bytes; /* SBUF: per partition */
	uint8_t buffer;	     /* enum nx_buffer */
	uint8_t banks;	     /* PSUM: a bit per live bank */
	uint8_t banks_ever;  /* PSUM: banks used at any time in this graph */
	uint8_t graph;
};

struct nx_memory_use { /* what a holder has of a memory from this moment on */
	uint64_t time_ps;
	uint64_t live_bytes;  /* of SBUF and PSUM: in one partition */
	uint64_t total_bytes; /* of all holders at the end of this moment, shared bytes once */
	uint32_t holder;      /* into the holders of the profile's memory report */
	uint8_t memory;	      /* enum nx_memory */
	uint8_t graph;
};

struct nx_sbuf_allocation { /* what filled a range of the state buffer */
	uint64_t start_ps;  /* when it was written */
	uint64_t end_ps;    /* when it was read for the last time, or the write ended */
	uint32_t first_byte, end_byte;
	uint32_t source; /* slot that wrote it; of a DMA: into transfers */
	uint8_t graph;
	uint8_t engine; /* of the slot */
	uint8_t partition;
	bool is_dma;
};

struct nx_transfer {	     /* all packets of one static block or dynamic DMA */
	uint64_t trigger_ps; /* start of the instruction that started it */
	uint64_t start_ps;
	uint64_t end_ps;
	uint64_t size_bytes; /* without the 4-byte semaphore writes */
	uint64_t packet_count;
	uint32_t block_id; /* 0 of a dynamic DMA */
	uint32_t turn;	   /* of a dynamic DMA: its number on its queue */
	uint32_t queue; /* index of one of its (engine, queue) declarations: the highest engine */
	uint32_t block; /* see trigger_block_index of struct nx_slot */
	uint32_t slot;	/* of the instruction that triggered it */
	uint32_t last_queue; /* declaration on which the packet that ended last ran */
	uint16_t crc;	     /* of that packet */
	uint8_t graph;
	uint8_t engine; /* that triggered it */
	bool is_dynamic;
};

struct nx_layer { /* a layer, or a whole graph when name is empty */
	uint8_t graph;
	const char *name;
	uint64_t start_ps, end_ps;
	struct {
		uint64_t instruction_count;
		uint64_t instruction_ps;
		uint64_t active_ps;
	} engines[5];
	uint64_t flop_count, model_flop_count;
	uint64_t tensor_span_ps; /* from its start to where the tensor work's context ends */
};

#endif
