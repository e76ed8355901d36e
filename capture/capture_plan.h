/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_plan: the workers of a capture, its executions, which of them are profiled,
 * and the names of its files.
 *
 * struct nx_capture_wishes has the user's options; a zeroed one has the defaults.
 */
#ifndef NX_CAPTURE_PLAN_H
#define NX_CAPTURE_PLAN_H

#include "capture/capture_inputs.h"

#define NX_CAPTURE_MAX_WORKERS 1024

enum nx_capture_mode { NX_CAPTURE_SYNC, NX_CAPTURE_ASYNC, NX_CAPTURE_ASYNC_WAIT };

struct nx_capture_count { /* a number that may be left out */
	bool is_given;
	uint32_t value;
};

struct nx_capture_wishes {
	const char *neff_path;
	const char *session_path; /* NULL: profile.ntff, or systrace.json */
	struct nx_capture_count workers, total_workers, first_rank;
	struct nx_capture_count profiled_rank; /* not given: all */
	struct nx_capture_count executions, profile_nth;
	bool is_systrace;
	const char *const *event_types; /* empty: all */
	size_t event_type_count;
	enum nx_capture_mode mode;
	bool is_unprofiled;
	bool ignores_errors;
	bool is_single_io;
	struct nx_capture_count single_io_threshold;
	bool saves_raw, saves_npy;
	struct nx_capture_count save_nth;
	bool rewrites_inputs; /* before each execution: an output may share their memory */
	bool checks_determinism;
	bool asks_runtime; /* for the tensors, in place of the NEFF */
	char *const *input_words;
	size_t input_word_count;
	const char *multi_input_path;
};

struct nx_capture_plan {
	struct nx_capture_wishes wishes; /* with all counts filled in */
	bool is_collective;		 /* ranks are in the files' names */
	uint32_t worker_count, first_rank, rank_count;
	uint32_t execution_count;
	struct nx_capture_inputs *inputs; /* of each worker */
};

/* Does not read the arrays yet. USAGE if options contradict, LIMIT if there are too many workers.
 */
NX_MUST_CHECK enum nx_status nx_capture_plan_make(struct nx_capture_plan *plan,
						  const struct nx_capture_wishes *wishes,
						  const struct nx_capture_model *model,
						  struct nx_arena *arena, struct nx_error *err);

/* Executions count from 1. */
bool nx_capture_plan_profiles(const struct nx_capture_plan *plan, uint32_t worker,
			      uint32_t execution);
/* Whether outputs are kept, or compared, after an execution. */
bool nx_capture_plan_saves(const struct nx_capture_plan *plan, uint32_t execution);

/* "out/profile_rank_3_exec_2.ntff" from "out/profile.ntff". */
const char *nx_capture_plan_session(const struct nx_capture_plan *plan, uint32_t worker,
				    uint32_t execution, struct nx_arena *arena);
/* "out.2.npy", with several workers "output_worker_3/out.2.npy"; suffix "", ".npy" or ".json".
 * Always in the working folder, whatever the tensor's name. */
const char *nx_capture_plan_output(const struct nx_capture_plan *plan, const char *tensor,
				   const char *suffix, uint32_t worker, uint32_t execution,
				   struct nx_arena *arena);

#endif
