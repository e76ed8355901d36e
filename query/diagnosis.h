/* SPDX-License-Identifier: Apache-2.0 */
/* diagnosis: what a profile lacks, and which of its numbers that makes unreliable. */
#ifndef NX_QUERY_DIAGNOSIS_H
#define NX_QUERY_DIAGNOSIS_H

#include "base/arena.h"
#include "base/vec.h"
#include "query/query_engine.h"

struct nx_symptom {
	const char *category; /* "Data Loss", as in the table Warning, or "Simulated" */
	const char *message;  /* what is so, what it costs, what to do */
};

struct nx_diagnosis {
	struct nx_arena arena;
	struct nx_symptoms NX_VEC_BODY(struct nx_symptom) symptoms;
};

/* Release it after a failure too. */
NX_MUST_CHECK enum nx_status nx_diagnosis_ask(struct nx_diagnosis *diagnosis,
					      const struct nx_query_engine *engine,
					      struct nx_error *err);
void nx_diagnosis_release(struct nx_diagnosis *diagnosis);

#endif
