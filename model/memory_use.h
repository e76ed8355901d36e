/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_use: what holds the memories of a core, and how much each holds at its peak.
 *
 * A holder is whatever a person would name as the owner of bytes: a tensor of the NEFF, a line of a
 * kernel or an HLO operation that computes something on chip, or a kind of runtime buffer. A
 * profile has a report only if it was asked for (nx_profile.memory is NULL otherwise).
 * analyse/memory_holders.c names the holders, analyse/memory_tracker.c streams struct
 * nx_memory_use, and analyse/memory_peaks.c adds up.
 */
#ifndef NX_MODEL_MEMORY_USE_H
#define NX_MODEL_MEMORY_USE_H

#include <stdint.h>

#include "base/vec.h"
#include "model/capture.h"
#include "model/rows.h"

/* X(enum, name in outputs) */
#define NX_MEMORY_MAP(X)                                                                           \
	X(SBUF, "sbuf")		    /* bytes of one partition */                                   \
	X(PSUM, "psum")		    /* bytes of one partition */                                   \
	X(SCRATCHPAD, "scratchpad") /* intermediate tensors in HBM */                              \
	X(HBM, "hbm")		    /* allocated for the whole run */

enum nx_memory {
#define NX_MEMORY_ENUM(name, text) NX_MEMORY_##name,
	NX_MEMORY_MAP(NX_MEMORY_ENUM)
#undef NX_MEMORY_ENUM
		NX_MEMORY_COUNT,
};

static_assert((int)NX_MEMORY_SBUF == NX_BUFFER_SBUF && (int)NX_MEMORY_PSUM == NX_BUFFER_PSUM,
	      "the on-chip buffers come first");

const char *nx_memory_name(enum nx_memory memory);

struct nx_memory_share {	/* what one holder has of one memory */
	uint64_t max_bytes;	/* its own peak; 0: it never holds any */
	uint64_t bytes_at_peak; /* when the memory is fullest */
	uint64_t first_ps;	/* from when on it holds bytes */
	uint64_t last_ps;	/* until when; the end of the profile for what is never freed */
};

struct nx_memory_holder {
	const char *name;
	const char *kind; /* input, output, weight, scratchpad, kernel, hlo, instruction, engine,
			     runtime */
	uint64_t offset_bytes, size_bytes; /* of a tensor in the scratchpad */
	uint64_t hbm_bytes;		   /* allocated for the whole run */
	struct nx_memory_share shares[NX_MEMORY_COUNT];
	uint8_t graph;
};

struct nx_memory_peak { /* of one memory of one core */
	uint64_t peak_bytes;
	uint64_t time_ps;
	uint64_t capacity_bytes; /* of the scratchpad: what the compiler reserved; 0: unknown */
	uint64_t row_count;
};

struct nx_memory_report {
	struct nx_memory_holder *holders;
	size_t holder_count;
	/* indices into holders: by slot of an engine, by variable of the NEFF's graph */
	uint32_t *of_slot[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	uint32_t *of_variable[NX_MAX_GRAPHS]; /* NULL without NEFF */
	struct nx_memory_peak peaks[NX_MAX_GRAPHS][NX_MEMORY_COUNT];
};

/* Holders of a memory of a core, those with most bytes at its peak first. */
struct nx_memory_order NX_VEC_BODY(uint32_t);
void nx_memory_order_find(struct nx_memory_order *order, const struct nx_memory_report *report,
			  uint32_t graph, enum nx_memory memory);

#endif
