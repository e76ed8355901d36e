/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hardware_table: the constants of the timing model per generation, with their sources.
 *
 * They are in hardware_table.c and cost_rows.c. "Measured" is from captures of real
 * devices, "published" from documents or code of others, "derived" follows from those,
 * and "assumed" is copied from something similar. docs/design/simulator.md says how
 * well they predict.
 */
#ifndef NX_RUNTIME_HARDWARE_TABLE_H
#define NX_RUNTIME_HARDWARE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/hardware.h"
#include "runtime/device/device.h"
#include "runtime/timing/loaded_code.h"

enum nx_evidence { NX_MEASURED, NX_PUBLISHED, NX_DERIVED, NX_ASSUMED };

struct nx_source {
	enum nx_evidence evidence; /* of the weakest number of the group */
	const char *text;	   /* never NULL or empty */
};

/* Of an engine, in picoseconds. Clocks are those of machine/hardware.h. */
struct nx_engine_timing {
	uint32_t queue_depth;	   /* compute instructions the front end may be ahead */
	int32_t update_ps;	   /* end of a compute instruction -> its semaphore changes */
	int32_t update_control_ps; /* end of EVENT_SEMAPHORE -> the same */
	uint32_t wake_ps;	   /* semaphore changes -> a waiting compute instruction starts */
	uint32_t wake_control_ps;  /* -> a waiting control instruction starts */
	uint32_t body_wake_ps;	   /* -> EVENT_SEMAPHORE with a wait in its body ends */
	uint32_t drain_ps;	   /* last compute end -> DRAIN ends */
	uint32_t drain_write_ps;   /* last WRITE start -> DRAIN ends; 0: not seen to matter */
	uint32_t first_instruction_ps; /* start of the execution -> first compiled instruction */
	struct nx_source source;
};

struct nx_dma_timing {
	double bytes_per_ns;	   /* of one engine when memory does not stall */
	uint32_t packet_ps;	   /* fixed part of a packet's duration */
	uint32_t packet_step_ps;   /* fixed part of the step from start to start */
	double load_bytes_per_ns;  /* of a whole packet, fixed part included, with
				      all engines busy: HBM to SBUF */
	double store_bytes_per_ns; /* SBUF to HBM */
	/* The first packet of a burst takes factor times as long, and so much more. */
	double first_load_factor;
	uint32_t first_load_ps;
	uint32_t first_static_store_ps, first_dge_store_ps;
	uint32_t busy_queue_ps;	 /* more when the engine works on another queue, */
	uint32_t after_queue_ps; /* but not more than this after that work */
	uint32_t static_start_ps[NX_ENGINE_COUNT];  /* start of WRITE -> earliest engine's packet */
	uint32_t static_spread_ps[NX_ENGINE_COUNT]; /* between earliest and latest engine */
	uint32_t software_start_ps, software_spread_ps, software_step_ps;
	/* A software transfer on GpSimd: the front end starts it and continues. */
	uint32_t software_record_ps;	/* handed over -> record starts */
	uint32_t software_wake_ps;	/* or: semaphore changes -> record starts */
	uint32_t software_release_ps;	/* next control instruction: this long before the record */
	uint32_t software_element_ps;	/* for each element beyond 128 */
	uint32_t software_plane_ps;	/* more for a pattern of two dimensions */
	uint32_t software_ring_step_ps; /* between doorbells, which end records */
	uint32_t software_backlog_ps;	/* the longest record that results */
	uint32_t hardware_start_ps[NX_ENGINE_COUNT], hardware_spread_ps;
	uint32_t short_load_spread_ps; /* of both, for elements of so many bytes at most */
	uint32_t short_load_bytes;     /* in HBM; 0: unknown */
	uint32_t static_notify_ps, software_notify_ps, hardware_notify_ps; /* end -> semaphore */
	uint32_t completion_ps, semaphore_completion_ps; /* end -> completion record */
	/* A static block's semaphore packet starts so long after the data; 0: like any other. */
	uint32_t semaphore_after_load_ps, semaphore_after_store_ps;
	uint32_t settle_bytes; /* shorter or equal runs are written to HBM one by one; 0: unknown */
	struct nx_source packet_source, rate_source, static_source, software_source,
		hardware_source, notify_source;
};

struct nx_array_timing {
	uint32_t base_ps;	  /* MATMUL: execution -> result written, besides the columns */
	uint32_t minimum_ps;	  /* of a MATMUL that has weights of its own */
	uint32_t gap_ps;	  /* between two in the array, at full rate */
	uint32_t half_lead_ps;	  /* at half rate what waits leaves the queue before its turn */
	uint32_t dispatch_ps;	  /* LDWEIGHTS or MATMUL -> the next may be dispatched */
	uint32_t weights_base_ps; /* LDWEIGHTS: end besides the load */
	struct nx_source source;
};

struct nx_throttle_timing {
	bool is_there;
	uint64_t window_ps;
	double rise_frac, fall_frac; /* of a window busy: full rate from, half rate below */
	struct nx_source source;
};

struct nx_frame_timing {	    /* around an execution */
	uint32_t start_ps;	    /* start -> first compiled instruction of the fastest engine */
	uint64_t gpsimd_library_ps; /* once, before its first software transfer */
	uint32_t end_ps;	    /* last compiled instruction -> end of the execution */
	/*
	 * Where the execution starts with the end of PE's NOTIFY: start -> first word behind
	 * each engine's NOTIFY. 0: it starts earlier, and when these words run was not measured.
	 */
	uint32_t behind_notify_ps[NX_ENGINE_COUNT];
	uint32_t tables_ps; /* start -> PE has its tables and lets the others begin; 0: unknown */
	uint32_t close_ps;  /* end of the last NOTIFY -> end of the execution; else end_ps is */
	struct nx_source source;
};

/* Records of a profiled execution, as far as they hold engines up. */
struct nx_record_timing {
	uint32_t depth[NX_ENGINE_COUNT]; /* records of an engine that may wait to be written */
	uint32_t ahead[NX_ENGINE_COUNT]; /* and behind those, of instructions that have started */
	uint32_t record_ps;		 /* to write one */
	uint32_t descriptors_ps; /* one of descriptors that software made; 0: holds nobody up */
	uint32_t descriptors_lead_ps; /* from that one to the record of its transfer */
	struct nx_source source;
};

struct nx_hardware_timing {
	const char *name; /* "trn2" */
	enum nx_device_arch arch;
	struct nx_engine_timing engines[NX_ENGINE_COUNT];
	struct nx_array_timing array;
	struct nx_dma_timing dma;
	struct nx_throttle_timing throttle;
	struct nx_frame_timing frame;
	struct nx_record_timing records;
};

/* trn3 has the constants of trn2, all ASSUMED. NX_DEVICE_ANY is trn2. Never NULL. */
const struct nx_hardware_timing *nx_device_hardware_of(enum nx_device_arch arch);

/* --- what an instruction costs -------------------------------------------------- */

enum nx_cost_kind {
	NX_COST_CONTROL, /* executed by the front end */
	NX_COST_COMPUTE, /* goes through the engine's queue */
	NX_COST_WEIGHTS, /* LDWEIGHTS and MATMUL: the array's own rules */
	NX_COST_MATMUL,
};

struct nx_cost {
	uint8_t kind;	       /* enum nx_cost_kind */
	uint8_t evidence;      /* enum nx_evidence */
	uint64_t latency_ps;   /* CONTROL, COMPUTE: start to end. WEIGHTS: the load; MATMUL: the
				  columns, both at full rate */
	uint64_t occupancy_ps; /* COMPUTE: from completion to completion, back to back */
	uint64_t gap_ps;       /* CONTROL: from its end to the start of the next */
	bool is_rate_bound;    /* WEIGHTS, MATMUL: takes longer when throttled */
	/* COMPUTE on Scalar: after an instruction of another route it starts refill_ps after that
	 * one's end, without overlap. 0: all partitions. */
	uint32_t route, refill_ps;
};

/*
 * The cost of a word on an engine: ASSUMED if unknown, below a second for any 64 bytes. A pseudo
 * word costs as much as its replacement.
 */
void nx_hardware_cost(const struct nx_hardware_timing *hardware, unsigned engine,
		      const uint8_t *word, struct nx_cost *out);

/*
 * The duration of a packet; the next one starts packet_ps - packet_step_ps before its end.
 * is_burst: other engines of the core are busy too, so memory stalls.
 */
uint64_t nx_hardware_packet_ps(const struct nx_hardware_timing *hardware,
			       const struct nx_loaded_packet *packet, bool is_burst);

/*
 * The additional time of a software transfer that does not have 128 elements in one dimension;
 * may be negative, and is below a second for any 64 bytes.
 */
int64_t nx_hardware_software_more_ps(const struct nx_hardware_timing *hardware,
				     const uint8_t *word);

/* How long HBM takes to write short runs after the DMA engine has sent the packet. */
uint64_t nx_hardware_settle_ps(const struct nx_hardware_timing *hardware,
			       const struct nx_loaded_packet *packet);

#endif
