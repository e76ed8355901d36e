/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate_internal: the state of a simulation, shared by its parts.
 *
 * simulate.c passes events to the parts in order of time. Each part has a file:
 * sequencers (front), compute queues, the array with its throttle, DMA engines,
 * collectives and semaphores.
 */
#ifndef NX_RUNTIME_SIMULATE_INTERNAL_H
#define NX_RUNTIME_SIMULATE_INTERNAL_H

#include "base/map.h"
#include "format/instruction.h"
#include "runtime/timing/simulate.h"

#define NX_SIM_DEPTH 64u  /* of a compute queue, at most */
#define NX_SIM_QUEUES 16u /* of a DMA engine */

/* --- events ----------------------------------------------------------------------- */

enum nx_sim_event_kind {
	NX_SIM_FRONT,	  /* the sequencer of an engine continues */
	NX_SIM_QUEUE,	  /* the head of a compute queue may start */
	NX_SIM_SEMAPHORE, /* a semaphore changes */
	NX_SIM_JOB,	  /* descriptors of a transfer reach a DMA engine */
	NX_SIM_DMA,	  /* a DMA engine may take its next packet */
	NX_SIM_TRANSFER,  /* GpSimd's program has made descriptors */
	NX_SIM_RECORD,	  /* the writer of records is free */
};

struct nx_sim_event {
	uint64_t time_ps;
	uint64_t order;		  /* of creation; decides between equal times */
	uint32_t value;		  /* SEMAPHORE: operand; JOB: block */
	uint16_t index;		  /* SEMAPHORE: which; JOB: queue of the loaded core */
	uint8_t kind, core, unit; /* unit: engine or ring */
	uint8_t mode;		  /* SEMAPHORE: as in records */
	uint8_t source;		  /* SEMAPHORE: enum nx_timed_source */
};

struct nx_sim_heap {
	struct nx_sim_event *items;
	size_t len, cap;
	uint64_t order;
};

void nx_sim_heap_push(struct nx_sim_heap *heap, struct nx_sim_event event);

/* --- waiting ------------------------------------------------------------------------ */

/* Words that the runtime adds use semaphores of another bank, as programs may use all 256. */
#define NX_SIM_RUNTIME_BANK NX_SEMAPHORE_COUNT
#define NX_SIM_SEMAPHORES (2u * NX_SEMAPHORE_COUNT)

struct nx_sim_wait {
	uint8_t mode;	/* 0: none */
	uint16_t index; /* with the bank */
	uint32_t value;
};

/* --- engines --------------------------------------------------------------------------- */

enum nx_sim_front_state {
	NX_SIM_FRONT_RUNS, /* an event will come */
	NX_SIM_FRONT_WAITS,
	NX_SIM_FRONT_WAITS_INSIDE,   /* for the body of EVENT_SEMAPHORE */
	NX_SIM_FRONT_WAITS_TO_QUEUE, /* for the header of a compute instruction */
	NX_SIM_FRONT_IS_FULL,	     /* the compute queue is */
	NX_SIM_FRONT_DRAINS,
	NX_SIM_FRONT_WAITS_FOR_PLACE, /* for the record of a transfer */
	NX_SIM_FRONT_AT_BARRIER,
	NX_SIM_FRONT_ENDED,
};

struct nx_sim_front {
	uint8_t state;
	uint32_t pc;
	uint32_t first_compiled; /* slot; slot_count when there is none */
	uint32_t tables_slot;	 /* where PE waits for its tables, or NX_NO_INDEX */
	bool has_cost;
	struct nx_cost cost;	 /* of the word at pc */
	struct nx_sim_wait wait; /* while it waits */
	uint64_t reached_ps;	 /* came to the word at pc */
	uint64_t start_ps;	 /* of the word it is inside of */
	uint64_t last_write_ps;
	uint64_t last_collective_ps; /* end of those it triggered */
	uint64_t last_record_ps;     /* of a software transfer */
	uint64_t transfer_waited_ps; /* for its semaphore */
	uint64_t descriptors_ps;     /* its descriptors were made */
	uint64_t last_ring_ps;	     /* its doorbell */
	bool follows_transfer;	     /* the word before was one */
	bool has_library;
	uint32_t barrier;
	uint64_t arrival;
};

struct nx_sim_entry {
	uint32_t pc;
	uint64_t reached_ps;
	uint64_t waited_ps; /* for its semaphore, before that */
	struct nx_cost cost;
};

struct nx_sim_queue {
	struct nx_sim_entry entries[NX_SIM_DEPTH];
	uint32_t head, count, depth;
	bool is_scheduled;
	bool waits_for_place;	/* for the record of the head */
	uint64_t reached_ps;	/* the head came to the front */
	uint64_t next_start_ps; /* no earlier than this */
	uint64_t last_end_ps;
	uint32_t route; /* of the last one that started */
};

struct nx_sim_array {
	uint64_t free_ps, last_start_ps, weights_ps;
	bool has_own_weights;
	bool is_slow;
	uint64_t window_end_ps, busy_ps;
	uint64_t carried_ps; /* work that reaches beyond the window */
};

/* --- DMA ---------------------------------------------------------------------------------- */

struct nx_sim_job {
	uint64_t not_before_ps;
	uint32_t block;
	uint16_t queue; /* of the loaded core */
	bool is_burst_start;
};

struct nx_sim_ring NX_VEC_BODY(struct nx_sim_job);

struct nx_sim_dma {
	struct nx_sim_ring rings[NX_SIM_QUEUES];
	size_t heads[NX_SIM_QUEUES];
	uint32_t packets_done[NX_SIM_QUEUES];
	unsigned last_queue;
	uint32_t waiting; /* jobs, of all rings */
	bool is_scheduled;
	uint64_t scheduled_ps; /* an event for any other time is out of date */
	uint64_t busy_until_ps;
};

/* --- records of the trace ------------------------------------------------------------------- */

struct nx_sim_late {	 /* the end of an instruction whose record has no place yet */
	uint64_t number; /* of that record, among its engine's */
	uint64_t end_ps;
	const struct nx_loaded_slot *slot;
};

struct nx_sim_records {
	uint64_t added[NX_ENGINE_COUNT], written[NX_ENGINE_COUNT];
	NX_VEC(struct nx_sim_late) late[NX_ENGINE_COUNT];
	size_t late_head[NX_ENGINE_COUNT];
	uint64_t descriptors; /* records that wait */
	unsigned next;	      /* engine in turn */
	bool is_scheduled;
	bool is_held; /* the last one was of descriptors */
	uint64_t free_ps;
};

struct nx_sim_core {
	struct nx_sim_front fronts[NX_ENGINE_COUNT];
	struct nx_sim_queue queues[NX_ENGINE_COUNT];
	struct nx_sim_array array;
	struct nx_sim_records records;
	struct nx_sim_dma dma[NX_LOADED_RINGS];
	unsigned busy_dma_count;
	uint64_t stream_free_ps; /* the collective before is over */
	uint32_t *dynamic_done;	 /* per queue: transfers started */
	uint32_t semaphores[NX_SIM_SEMAPHORES];
	struct nx_map arrivals; /* barrier -> how many engines came */
};

struct nx_simulation {
	const struct nx_loaded_code *code;
	const struct nx_hardware_timing *hardware;
	const struct nx_simulate_options *options;
	struct nx_timed_run *run;
	struct nx_sim_core *cores;
	struct nx_sim_heap heap;
	uint64_t random;
	uint64_t compiled_end_ps; /* of the last compiled instruction */
	uint8_t unknown_opcode;
	bool has_unknown;
};

static inline const struct nx_loaded_stream *nx_sim_stream(const struct nx_simulation *sim,
							   unsigned core, unsigned engine)
{
	return &sim->code->cores[core].streams[engine];
}

static inline uint64_t nx_sim_later(uint64_t a_ps, uint64_t b_ps)
{
	return a_ps > b_ps ? a_ps : b_ps;
}

/* 0 without a seed, else 0 to 1. */
double nx_sim_draw(struct nx_simulation *sim);
void nx_sim_schedule(struct nx_simulation *sim, enum nx_sim_event_kind kind, unsigned core,
		     unsigned unit, uint64_t time_ps);
/* One instruction happened. */
void nx_sim_add_row(struct nx_simulation *sim, unsigned core, unsigned engine, uint32_t pc,
		    uint64_t reached_ps, uint64_t start_ps, uint64_t end_ps);

/* --- parts -------------------------------------------------------------------------------- */

void nx_sim_front_go(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps);
/* The semaphore it waits for has changed. */
void nx_sim_front_wake(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps);
/* The compute queue got shorter. */
void nx_sim_front_queue_moved(struct nx_simulation *sim, unsigned core, unsigned engine,
			      uint64_t now_ps);
void nx_sim_front_transfer(struct nx_simulation *sim, unsigned core, unsigned engine,
			   uint64_t now_ps);
/* The next record of the engine has a place. */
void nx_sim_front_has_place(struct nx_simulation *sim, unsigned core, unsigned engine,
			    uint64_t now_ps);
/* False if the engine waits for nothing. */
bool nx_sim_front_explain(const struct nx_simulation *sim, unsigned core, unsigned engine,
			  char *out, size_t cap);

/* False when it is full. */
bool nx_sim_queue_put(struct nx_simulation *sim, unsigned core, unsigned engine, uint32_t pc,
		      const struct nx_cost *cost, uint64_t time_ps, uint64_t waited_ps);
void nx_sim_queue_go(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps);
/* The next record of the engine has a place. */
void nx_sim_queue_has_place(struct nx_simulation *sim, unsigned core, unsigned engine,
			    uint64_t now_ps);

void nx_sim_array_begin(struct nx_simulation *sim, unsigned core);
/* Runs LDWEIGHTS or MATMUL. *start_ps: in, the earliest start; out, the start. Returns the end. */
uint64_t nx_sim_array_run(struct nx_simulation *sim, unsigned core, const struct nx_cost *cost,
			  uint64_t *start_ps);

/* Starts the transfer of a slot, whose instruction starts now. */
void nx_sim_dma_start(struct nx_simulation *sim, unsigned core, unsigned engine, uint32_t pc,
		      uint64_t start_ps);
void nx_sim_dma_job(struct nx_simulation *sim, const struct nx_sim_event *event);
void nx_sim_dma_go(struct nx_simulation *sim, unsigned core, unsigned ring, uint64_t now_ps);

/* DGE notifications are on, and the table says what they cost. */
bool nx_sim_records_matter(const struct nx_simulation *sim);
/* False if the next instruction of the engine has to wait for a place for its record. */
bool nx_sim_records_have_place(const struct nx_simulation *sim, unsigned core, unsigned engine);
/* An instruction starts. */
void nx_sim_records_add(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps);
/* GpSimd's program has made descriptors. */
void nx_sim_records_add_descriptors(struct nx_simulation *sim, unsigned core, uint64_t now_ps);
/* nx_sim_update, as soon as the record of the instruction's end has a place. */
void nx_sim_records_update(struct nx_simulation *sim, unsigned core, unsigned engine,
			   const struct nx_loaded_slot *slot, uint64_t end_ps, uint64_t now_ps);
void nx_sim_records_go(struct nx_simulation *sim, unsigned core, uint64_t now_ps);

bool nx_sim_is_collective(const struct nx_loaded_slot *slot);
/* Starts the collective of a slot; its semaphore changes at the end. */
void nx_sim_collective_start(struct nx_simulation *sim, unsigned core, unsigned engine, uint32_t pc,
			     uint64_t start_ps);

/* Header wait of a word; mode 0 when it has none. */
struct nx_sim_wait nx_sim_wait_of(const struct nx_loaded_slot *slot);
struct nx_sim_wait nx_sim_body_wait_of(const struct nx_loaded_slot *slot);
bool nx_sim_wait_holds(const struct nx_sim_core *core, const struct nx_sim_wait *wait);
/* The updates of a word, which ends at end_ps; none for a collective. */
void nx_sim_update(struct nx_simulation *sim, unsigned core, unsigned engine,
		   const struct nx_loaded_slot *slot, uint64_t end_ps, uint64_t now_ps);
/* The update in a word's header, at a given time, not by an engine. */
void nx_sim_update_late(struct nx_simulation *sim, unsigned core, const struct nx_loaded_slot *slot,
			uint64_t time_ps);
void nx_sim_semaphore_change(struct nx_simulation *sim, const struct nx_sim_event *event);
void nx_sim_semaphore_clear(struct nx_simulation *sim, unsigned core, unsigned first, unsigned last,
			    uint64_t now_ps);

#endif
