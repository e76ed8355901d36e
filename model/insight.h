/* SPDX-License-Identifier: Apache-2.0 */
/* insight: facts about a profile (query/insight_facts.h), and findings (analyse/insights.h). */
#ifndef NX_MODEL_INSIGHT_H
#define NX_MODEL_INSIGHT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* At most so many bands of each kind are queried, the longest first. */
#define NX_INSIGHT_BANDS_MAX 2000u
#define NX_INSIGHT_DMA_PARTS 200u

enum nx_nki_engine { NX_NKI_TENSOR, NX_NKI_VECTOR, NX_NKI_SCALAR, NX_NKI_ENGINE_COUNT };

/* What a finding is about, in the order in which equals are listed. */
enum nx_finding_kind {
	NX_FINDING_ERRORS,
	NX_FINDING_FLOPS,
	NX_FINDING_THROTTLED,
	NX_FINDING_SPILL,
	NX_FINDING_RELOAD,
	NX_FINDING_TRANSPOSE,
	NX_FINDING_STARTUP,
	NX_FINDING_DESCRIPTORS,
	NX_FINDING_COLLECTIVE,
	NX_FINDING_GAPS,
	NX_FINDING_LATE,
	NX_FINDING_STEP,
	NX_FINDING_HOST,
	NX_FINDING_SMALL_DMA,
	NX_FINDING_NKI_TENSOR,
	NX_FINDING_NKI_VECTOR,
	NX_FINDING_NKI_SCALAR,
	NX_FINDING_KIND_COUNT,
};

#define NX_FINDING_PLACE_MAX 160
#define NX_FINDING_TEXT_MAX 320

/* Where a fact shows most, and what it costs. */
struct nx_fact_detail {
	double gain_frac; /* at most this part of the run is won if it goes away; NaN: not known */
	double path_frac; /* of the critical path; NaN */
	bool is_replayed; /* a replay of the run gave the gain */
	uint64_t from_ns, to_ns;	  /* equal: at no certain time */
	char place[NX_FINDING_PLACE_MAX]; /* "queue qSPIO0", "step train 7"; "": not known */
};

/* Of the whole profile; NaN for what is not known. Fractions are 0 to 1. */
struct nx_insight_facts {
	double model_flops_frac;   /* of what the tensor engine could do in all the time */
	double tensor_active_frac; /* of all the time */
	double transpose_frac;	   /* of the hardware's FLOPS */
	double spill_reload_frac;  /* of the bytes read from HBM */
	double dma_active_frac;
	double dma_average_bytes;
	double throttled_frac;		      /* of the worst core's time, lost to limits */
	double nki_frac[NX_NKI_ENGINE_COUNT]; /* of the engine's instruction time */
	double worst_collective;	      /* its time divided by the median of its like */
	double error_count;		      /* that the device reported */
	double gap_growth; /* of a core's gaps between executions: last quarter over first */
	double worst_step; /* its time divided by the median of its like */
	double late_frac;  /* how late the latest process is in each step, of the step's time */
	double host_bound_frac;	 /* of the time of all steps */
	double startup_frac;	 /* DMA start-up, of the critical path */
	double reload_frac;	 /* transfers of what SBUF had before, of the critical path */
	double descriptors_frac; /* descriptors made in software, of the critical path */
	bool is_simulated;
	uint64_t origin_ns; /* where the times of a system profile begin; 0 of a device */
	struct nx_fact_detail details[NX_FINDING_KIND_COUNT];
};

/* Nothing is known. */
static inline void nx_insight_facts_clear(struct nx_insight_facts *facts)
{
	*facts = (struct nx_insight_facts){
		.model_flops_frac = NAN,
		.tensor_active_frac = NAN,
		.transpose_frac = NAN,
		.spill_reload_frac = NAN,
		.dma_active_frac = NAN,
		.dma_average_bytes = NAN,
		.throttled_frac = NAN,
		.nki_frac = {NAN, NAN, NAN},
		.worst_collective = NAN,
		.error_count = NAN,
		.gap_growth = NAN,
		.worst_step = NAN,
		.late_frac = NAN,
		.host_bound_frac = NAN,
		.startup_frac = NAN,
		.reload_frac = NAN,
		.descriptors_frac = NAN,
	};
	for (unsigned i = 0; i < NX_FINDING_KIND_COUNT; i++)
		facts->details[i].gain_frac = facts->details[i].path_frac = NAN;
}

enum nx_confidence {
	NX_CONFIDENCE_LOW,    /* a rule of thumb: the gain is not known, or the run simulated */
	NX_CONFIDENCE_MEDIUM, /* the gain is a sum of measured times: more is not possible */
	NX_CONFIDENCE_HIGH,   /* a replay that repeats the measurement gave the gain */
};

struct nx_finding {
	enum nx_finding_kind kind;
	unsigned severity;		    /* 1 to 3, 3 is the worst */
	const char *title, *cause, *advice; /* constant */
	char measured[NX_FINDING_TEXT_MAX]; /* a sentence with the numbers it follows from */
	double value;
	const char *unit;		     /* "fraction", "bytes", "times" or "errors" */
	const struct nx_fact_detail *detail; /* of the facts: where, and the gain */
	enum nx_confidence confidence;
};
/* "late_rank": how programs call what a finding is about. */
extern const char *const nx_finding_names[NX_FINDING_KIND_COUNT];
extern const char *const nx_confidence_names[]; /* by enum nx_confidence */

/* A room for each rule. */
#define NX_FINDINGS_MAX NX_FINDING_KIND_COUNT

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
