/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release: what let every piece of work of a profile begin. A node is an executed instruction, what
 * one DMA engine did for one triggered block, or a collective; its binding release is the one that
 * was ready last. Instructions come first, in the order of their table: node i has id i + 1 there.
 */
#ifndef NX_MODEL_RELEASE_H
#define NX_MODEL_RELEASE_H

#include <assert.h>

#include "base/arena.h"
#include "base/vec.h"
#include "model/binary.h"

enum nx_node_kind { NX_NODE_INSTRUCTION, NX_NODE_BLOCK, NX_NODE_COLLECTIVE, NX_NODE_KIND_COUNT };

enum nx_release_kind {
	NX_RELEASE_NONE,
	NX_RELEASE_PROGRAM,    /* an earlier instruction of the same engine */
	NX_RELEASE_SEMAPHORE,  /* an instruction that changed the semaphore it waited for */
	NX_RELEASE_COMPLETE,   /* a DMA engine that finished its part of a block */
	NX_RELEASE_CROSS_CORE, /* another core */
	NX_RELEASE_COLLECTIVE, /* a collective that ended, or the trigger of this one */
	NX_RELEASE_TRIGGER,    /* the instruction that started the transfer */
	NX_RELEASE_RING,       /* the block that kept the DMA engine busy */
	NX_RELEASE_KIND_COUNT,
};
const char *nx_release_kind_name(enum nx_release_kind kind); /* "SEMAPHORE"; "" for none */

enum nx_release_how { /* how a change of a semaphore is known */
		      NX_HOW_NONE,
		      NX_HOW_RECORDED,
		      NX_HOW_FILLED,  /* its record was lost; the producer's end and its neighbours
					 tell */
		      NX_HOW_ASSUMED, /* the producer's record was lost too; only the waiter tells
				       */
		      NX_HOW_BEFORE,  /* it happened before the window */
		      NX_RELEASE_HOW_COUNT,
};
const char *nx_release_how_name(enum nx_release_how how); /* "recorded"; "" for none */

enum nx_node_flags {
	NX_NODE_FRAME = 1 << 0,	     /* the runtime's start-up and epilogue */
	NX_NODE_CONTROL = 1 << 1,    /* the sequencer executes it itself */
	NX_NODE_SOFT = 1 << 2,	     /* GpSimd makes descriptors in software */
	NX_NODE_FIRST_SOFT = 1 << 3, /* the first of these: it loads its library */
	NX_NODE_ISSUES_DMA = 1 << 4,
	NX_NODE_TRANSPOSE = 1 << 5,
	NX_NODE_MATMUL = 1 << 6,
	NX_NODE_WEIGHTS = 1 << 7,
	NX_NODE_RELOAD = 1 << 8, /* brings into SBUF what was brought or spilled before */
};

#define NX_NO_SLACK UINT32_MAX	      /* nothing else could have released it */
#define NX_SLACK_MAX (UINT32_MAX - 1) /* 4.29 ms, or more */

/* A number for a member of so many bits, which it fits. */
#define NX_NODE_BITS(value, count) ((uint32_t)(value) & ((1u << (count)) - 1))

struct nx_release_node {
	int64_t start_ps; /* its record's */
	int64_t work_ps;  /* from here it works: later than start if its duration contains a wait */
	int64_t end_ps;
	int64_t event_ps;  /* what released it happened */
	int64_t ready_ps;  /* event and the usual lag */
	uint32_t slack_ps; /* how much earlier the next candidate was ready; NX_SLACK_MAX at most */
	uint32_t cause;	   /* node that released it; NX_NONE */
	/* captures have many of these: small members share words */
	uint32_t place : 30; /* instruction: its slot; block: into blocks; collective: its operation
			      */
	uint32_t kind : 2;   /* enum nx_node_kind */
	uint32_t flags : 9;  /* enum nx_node_flags */
	uint32_t semaphore : 8; /* of a release by semaphore */
	uint32_t graph : 6;
	uint32_t engine : 3;  /* of a block: that triggered it; NX_ENGINE_COUNT: not known */
	uint32_t release : 3; /* enum nx_release_kind */
	uint32_t how : 3;     /* enum nx_release_how */
};
static_assert(sizeof(struct nx_release_node) == 56, "10 million of them in less than 1 GB");

struct nx_ring_block { /* what one DMA engine did for one triggered block */
	uint64_t size_bytes;
	uint32_t queue;	   /* index of the graph's declaration */
	uint32_t block_id; /* of a dynamic DMA: its number on its ring */
	uint32_t packet_count;
	uint32_t trigger; /* node; NX_NONE */
	uint16_t dma_engine;
	int16_t semaphore; /* -1: not known */
	uint8_t queue_class;
};

struct nx_release_graph {
	struct nx_release_nodes NX_VEC_BODY(struct nx_release_node) nodes;
	NX_VEC(struct nx_ring_block) blocks;
	uint32_t instruction_count;
	int64_t end_ps;		/* of the window, which begins at 0 */
	bool is_old_generation; /* trn1 and inf2 */
};

void nx_release_graph_release(struct nx_release_graph *graph);

/* --- causes ---------------------------------------------------------------- */

/* X(enum, name): where time goes. Engine and queue are stated beside it. */
#define NX_CAUSE_MAP(X)                                                                            \
	X(USEFUL, "useful")                                                                        \
	X(TRANSPOSE, "transpose")                                                                  \
	X(THROTTLED, "throttled")                                                                  \
	X(CONTROL, "control")                                                                      \
	X(DMA_ISSUE, "DMA issue")                                                                  \
	X(ISSUE, "issue")                                                                          \
	X(WAKE, "wake")                                                                            \
	X(WAIT, "wait")                                                                            \
	X(DESCRIPTORS, "DMA descriptors")                                                          \
	X(STARTUP, "DMA start-up")                                                                 \
	X(QUEUEING, "DMA queueing")                                                                \
	X(TRANSFER, "DMA transfer")                                                                \
	X(COMPLETION, "DMA completion")                                                            \
	X(COLLECTIVE, "collective")                                                                \
	X(OTHER_CORE, "other core")                                                                \
	X(FRAME, "frame")                                                                          \
	X(TRACE, "trace")                                                                          \
	X(UNEXPLAINED, "unexplained")

enum nx_cause {
#define NX_CAUSE_ENUM(name, text) NX_CAUSE_##name,
	NX_CAUSE_MAP(NX_CAUSE_ENUM)
#undef NX_CAUSE_ENUM
		NX_CAUSE_COUNT,
};
const char *nx_cause_name(enum nx_cause cause); /* "DMA start-up" */

/* --- answers --------------------------------------------------------------- */

struct nx_why_piece { /* a stretch of time with one cause */
	int64_t start_ps, end_ps;
	enum nx_cause cause; /* WAIT: the node works, and others wait for it */
	uint32_t node;
	uint32_t hops; /* how many releases lie between it and the start of the walk */
};

struct nx_why_pieces NX_VEC_BODY(struct nx_why_piece);

struct nx_node_label { /* what people call a node; NULL: not known */
	const char *opcode, *queue;
	uint32_t dma_engine;
};

struct nx_why_gap_answer { /* why an engine paused */
	const struct nx_release_graph *graph;
	const struct nx_node_label *labels; /* by node */
	uint32_t core, engine;
	int64_t start_ps, end_ps;
	uint32_t node;		     /* that ended the pause */
	struct nx_why_pieces pieces; /* latest first */
};

struct nx_why_part {
	const char *cause;
	const char *engine; /* on the path: that the piece is about; NULL */
	const char *blocker;
	uint32_t core;
	int64_t time_ps;
};

struct nx_why_group { /* a line of source, a layer, an opcode, a tensor; NULL: of none */
	const char *name;
	int64_t time_ps;
};

struct nx_what_if {
	const char *scenario;
	int64_t total_ps, gain_ps, path_ps; /* path_ps -1: it is not about one cause */
};

struct nx_why_answer { /* what bound a run */
	struct nx_arena arena;
	int64_t span_ps, program_ps, gap_ps, gap_unexplained_ps, path_unexplained_ps;
	int64_t wait_count, matched_count, filled_count, assumed_count;
	bool is_replayed;
	int64_t replay_error_ps, pinned_count, nominal_ps;
	NX_VEC(struct nx_why_part) path;     /* the longest first */
	NX_VEC(struct nx_why_part) engines;  /* by core and engine, the longest first */
	const char *grouped_by;		     /* "line"; NULL: not asked */
	NX_VEC(struct nx_why_group) groups;  /* the longest first */
	NX_VEC(struct nx_what_if) scenarios; /* the largest gain first */
};

void nx_why_answer_release(struct nx_why_answer *answer);

#endif
