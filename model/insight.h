/* SPDX-License-Identifier: Apache-2.0 */
/* insight: facts about a profile (query/insight_facts.h), and findings (analyse/insights.h). */
#ifndef NX_MODEL_INSIGHT_H
#define NX_MODEL_INSIGHT_H

#include <stdint.h>

#include "base/vec.h"

/* At most so many bands of each kind are queried, the longest first. */
#define NX_INSIGHT_BANDS_MAX 2000u
#define NX_INSIGHT_DMA_PARTS 200u

enum nx_nki_engine { NX_NKI_TENSOR, NX_NKI_VECTOR, NX_NKI_SCALAR, NX_NKI_ENGINE_COUNT };

/* Of the whole profile; NaN for what is not known. Fractions are 0 to 1. */
struct nx_insight_facts {
	double model_flops_frac;   /* of what the tensor engine could do in all the time */
	double tensor_active_frac; /* of all the time */
	double transpose_frac;	   /* of the hardware's FLOPS */
	double spill_reload_frac;  /* of the bytes read from HBM */
	double dma_active_frac;
	double dma_average_bytes;
	double throttled_frac;		      /* of the worst core's time */
	double nki_frac[NX_NKI_ENGINE_COUNT]; /* of the engine's instruction time */
	double worst_collective;	      /* its time divided by the median of its like */
	double error_count;		      /* that the device reported */
	double gap_growth; /* of a core's gaps between executions: last quarter over first */
	double worst_step; /* its time divided by the median of its like */
	double late_frac;  /* how late the latest process is in each step, of the step's time */
	double host_bound_frac; /* of the time of all steps */
};

struct nx_finding {
	unsigned severity;	    /* 1 to 3, 3 is the worst */
	const char *title, *advice; /* constant */
	char cause[320];	    /* with the numbers that it follows from */
	double value;
	const char *unit; /* "fraction", "bytes", "times" or "errors" */
};
/* A room for each rule. */
#define NX_FINDINGS_MAX 16

enum nx_band_kind {
	NX_BAND_THROTTLING,
	NX_BAND_SMALL_DMA,
	NX_BAND_RELOAD,
	NX_BAND_BARRIER,
	NX_BAND_COLLECTIVE,
	NX_BAND_KIND_COUNT,
};

/* A stretch of time that deserves a look; subject is an index in nx_insight_rows. */
struct nx_band {
	enum nx_band_kind kind;
	uint64_t start_ns, end_ns;
	uint32_t subject;
	double weight; /* what is added up where stretches are joined */
	uint64_t count;
};
struct nx_bands NX_VEC_BODY(struct nx_band);

/* Transfers that began in one of equal parts of the profile's time. */
struct nx_dma_part {
	uint64_t count, small_count;
};

/* What a band is about. */
struct nx_insight_subject {
	const char *name; /* of the tensor, the collective, the cause of throttling */
	double factor;	  /* how often a tensor was loaded */
	uint64_t bytes;	  /* in total */
	int64_t core;	  /* the only one that was throttled, or -1 */
};

struct nx_insight_rows {
	struct nx_bands bands; /* as stored: not joined; no SMALL_DMA among them */
	struct nx_insight_subjects NX_VEC_BODY(struct nx_insight_subject) subjects;
	uint64_t from_ns, to_ns; /* of the DMA parts, which are equal */
	struct nx_dma_part dma_parts[NX_INSIGHT_DMA_PARTS];
};

#endif
