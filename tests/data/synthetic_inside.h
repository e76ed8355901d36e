/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_inside: what compiler, machine and file writers of synthetic captures share. */
#ifndef NX_TESTS_SYNTHETIC_INSIDE_H
#define NX_TESTS_SYNTHETIC_INSIDE_H

#include "base/arena.h"
#include "format/instruction.h"
#include "format/notification.h"
#include "format/ntff.h"
#include "tests/data/synthetic.h"

#define NX_SYNTHETIC_NOTHING UINT32_MAX
#define NX_SYNTHETIC_PREDECESSORS 4
#define NX_SYNTHETIC_PACKET_BYTES 512
/* Slots that the runtime puts before and behind the compiled stream. */
#define NX_SYNTHETIC_PROLOGUE 2
#define NX_SYNTHETIC_EPILOGUE 2
#define NX_SYNTHETIC_START_PS UINT64_C(5400000000000000) /* an hour and a half of uptime */
#define NX_SYNTHETIC_DMA_BASE 64
#define NX_SYNTHETIC_FIRST_CORE 4
#define NX_SYNTHETIC_SBUF_WEIGHTS 0x10000 /* where weights lie in each partition */

enum nx_synthetic_queue {
	NX_SYNTHETIC_WEIGHTS,
	NX_SYNTHETIC_SPILL_SAVE,
	NX_SYNTHETIC_SPILL_RELOAD,
	NX_SYNTHETIC_HARDWARE_DYNAMIC,
	NX_SYNTHETIC_SOFTWARE_DYNAMIC,
	NX_SYNTHETIC_QUEUE_COUNT,
};

struct nx_synthetic_queue_facts {
	const char *name, *owner, *type;
	uint8_t index;	    /* of the queue on its DMA engine */
	uint8_t queue_type; /* as the NTFF numbers it */
	uint8_t semaphore;
	bool is_static;
};
extern const struct nx_synthetic_queue_facts nx_synthetic_queues[NX_SYNTHETIC_QUEUE_COUNT];

/* Semaphore that an engine counts its finished work in. */
extern const uint8_t nx_synthetic_counters[NX_ENGINE_COUNT];

static inline uint64_t nx_synthetic_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* --- the compiled program --------------------------------------------------- */

struct nx_synthetic_edge {
	uint32_t bir;
	uint8_t type; /* enum nx_edge_type */
};

struct nx_synthetic_bir {
	char name[24];
	uint8_t engine;
	uint8_t type; /* enum nx_instruction_type */
	uint32_t penguin;
	struct nx_synthetic_edge predecessors[NX_SYNTHETIC_PREDECESSORS];
	unsigned predecessor_count;
};

struct nx_synthetic_penguin {
	char name[24];
	uint32_t layer;
	uint32_t kernel_line;
};

struct nx_synthetic_layer { /* an HLO instruction and the framework's module it came from */
	char name[64];
	const char *hlo_operation;
	uint32_t source_line;
};

struct nx_synthetic_block { /* a static DMA block */
	enum nx_synthetic_queue queue;
	uint8_t engine; /* that triggers it */
	uint32_t id;	/* on its queue */
	uint32_t packet_count;
	char variable[48]; /* the side that is not the state buffer */
};

struct nx_synthetic_op {
	uint8_t word[NX_SLOT_BYTES];
	uint8_t engine;
	bool is_throttled;
	uint8_t wait_semaphore, update_semaphore; /* 0: none */
	uint32_t wait_value;
	uint32_t duration_ps;
	uint32_t bir;
	uint32_t dma_packets; /* on each DMA engine; 0: starts no DMA */
	enum nx_synthetic_queue queue;
};

struct nx_synthetic_program { /* of one graph */
	NX_VEC(struct nx_synthetic_op) ops;
	NX_VEC(struct nx_synthetic_bir) birs;
	NX_VEC(struct nx_synthetic_penguin) penguins;
	NX_VEC(struct nx_synthetic_layer) layers;
	NX_VEC(struct nx_synthetic_block) blocks;
	uint64_t mac_count;
};

void nx_synthetic_compile(const struct nx_synthetic_options *options, unsigned graph,
			  struct nx_synthetic_program *out);
void nx_synthetic_program_release(struct nx_synthetic_program *program);

/* The word that the runtime makes of a compiled one. */
void nx_synthetic_device_word(const struct nx_synthetic_op *op, unsigned arch,
			      uint8_t word[NX_SLOT_BYTES]);

/* --- a run of it ------------------------------------------------------------ */

/* Blocks with a clock of their own: the engines in their order, then these. */
enum nx_synthetic_clock {
	NX_SYNTHETIC_CLOCK_EVENTS = NX_ENGINE_COUNT,
	NX_SYNTHETIC_CLOCK_THROTTLE,
	NX_SYNTHETIC_CLOCK_DMA,
	NX_SYNTHETIC_CLOCK_COUNT,
};

struct nx_synthetic_record {
	uint64_t time_ps;
	uint32_t w0, w1;
	uint32_t order;
	uint8_t source; /* engine or DMA engine: drained in batches */
	uint8_t clock;	/* enum nx_synthetic_clock or engine */
};

struct nx_synthetic_records NX_VEC_BODY(struct nx_synthetic_record);

enum nx_synthetic_ring_kind {
	NX_SYNTHETIC_RING_INSTRUCTION,
	NX_SYNTHETIC_RING_EVENT,
	NX_SYNTHETIC_RING_ERROR,
	NX_SYNTHETIC_RING_DMA,
	NX_SYNTHETIC_RING_THROTTLE,
	NX_SYNTHETIC_RING_UNKNOWN,
	NX_SYNTHETIC_RING_COUNT,
};

struct nx_synthetic_ring {
	struct nx_synthetic_records once; /* before the first run */
	struct nx_synthetic_records loop; /* every run */
};

struct nx_synthetic_graph {
	struct nx_synthetic_program program;
	struct nx_bytes code[NX_ENGINE_COUNT]; /* device images */
	struct nx_synthetic_ring rings[NX_SYNTHETIC_RING_COUNT];
	struct nx_synthetic_graph_counts once, loop;
};

struct nx_synthetic_machine {
	struct nx_synthetic_options options;
	struct nx_arena arena;
	struct nx_synthetic_graph graphs[NX_SYNTHETIC_GRAPHS];
	uint64_t run_ps; /* from the start of one run to the start of the next */
	struct nx_synthetic_counts once, loop;
	uint8_t uuid[16];
};

void nx_synthetic_run(struct nx_synthetic_machine *machine, unsigned graph);
/* Sorts each source by time and interleaves the sources in batches, as hardware drains them. */
void nx_synthetic_drain(struct nx_synthetic_records *records, uint64_t *random);

static inline uint32_t nx_synthetic_pc(unsigned engine, uint32_t slot)
{
	return (0xff000u + 0x4000u * engine + slot) & 0xfffffu;
}

/* --- writing the capture ------------------------------------------------------- */

struct nx_synthetic_writer {
	struct nx_synthetic_machine *machine;
	uint64_t run_count;
	struct nx_ntff_clock clocks[NX_SYNTHETIC_CLOCK_COUNT];
	uint64_t next_offset; /* of the next blob */
	nx_synthetic_sink sink;
	void *context;
	struct nx_bytes buffer;
};

/* Only captures with faults carry the ring that nobody knows: it is the last one. */
static inline size_t nx_synthetic_ring_count(const struct nx_synthetic_writer *w)
{
	return w->machine->options.with_faults ? NX_SYNTHETIC_RING_COUNT
					       : NX_SYNTHETIC_RING_COUNT - 1;
}

static inline uint64_t nx_synthetic_ring_records(const struct nx_synthetic_writer *w,
						 const struct nx_synthetic_ring *ring)
{
	return ring->once.len + w->run_count * ring->loop.len;
}

/* Hands the buffer and all rings to the sink; false when it wants no more. */
bool nx_synthetic_write_rings(struct nx_synthetic_writer *w);
void nx_synthetic_sum_counts(const struct nx_synthetic_writer *w, struct nx_synthetic_counts *out);

#endif
