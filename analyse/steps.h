/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps: the steps of a program and the gaps between executions, from the events of a system
 * profile.
 *
 *	struct nx_step_analysis a = {.profile = profile, .on_gap = take_gap, .context = out};
 *
 *	for (each process) {
 *		nx_step_analysis_begin(&a, process);
 *		nx_step_analysis_add(&a, event);	in order of start
 *		nx_step_analysis_end(&a);
 *	}
 *	nx_step_analysis_conclude(&a);
 *	use(a.steps, a.step_totals, a.gap_totals);
 *	nx_step_analysis_release(&a);
 *
 * An execution is a hardware event nc_exec_running; those of a logical core's physical cores count
 * as one while any of them runs. A gap lasts from the moment a logical core has nothing left to run
 * to its next execution. One sweep over starts and ends keeps three clocks, each of which only
 * advances while its condition holds; a step or a gap is a difference of their readings. Memory
 * follows the open events and the steps, not the events.
 *
 * A step is an outlier if it is longer than the median of its like (same kind, same process) by
 * more than NX_OUTLIER_MADS scaled MADs and by more than a tenth of the median. The MAD is the
 * median distance to the median, times 1.4826 so that it equals the standard deviation of normally
 * distributed durations; unlike that, the outliers themselves do not move it. The second condition
 * keeps jitter of very regular steps out. At least NX_OUTLIER_STEPS steps must have ended.
 *
 * A process is late in a step if it launches its first execution (nrt_execute and the calls inside)
 * after the first process that has a step of the same kind and number. The others wait for it, in
 * the barrier before a collective (enc_barrier) or on the device.
 *
 * Gaps of a core grow if the median of the last quarter is at least twice that of the first and
 * NX_GROWTH_NS longer, with at least NX_GROWTH_GAPS gaps.
 */
#ifndef NX_ANALYSE_STEPS_H
#define NX_ANALYSE_STEPS_H

#include "base/map.h"
#include "base/vec.h"
#include "model/system.h"

#define NX_OUTLIER_MADS 3.5
#define NX_OUTLIER_STEPS 5u
#define NX_GROWTH_GAPS 16u
#define NX_GROWTH_NS 10000u

/* What a step number in a name looks like: "ProfilerStep#7" and, with metadata,
 * "train#step_num=7#". False for other names. Kinds of steps are named by what is before the "#".
 */
bool nx_step_number_of(struct nx_slice name, uint64_t *step_num);

struct nx_step_clocks {	     /* readings */
	uint64_t busy_ns;    /* some core runs */
	uint64_t runtime_ns; /* a call of the runtime is open */
	uint64_t waiting_ns; /* the same, and no core runs */
	uint64_t barrier_ns; /* the process waits for other ranks */
};

/* Durations in order of time. When there are too many, every second one is dropped, and from then
 * on only every second one is taken, so medians remain representative. */
struct nx_gap_sample {
	struct nx_gap_durations NX_VEC_BODY(uint64_t) durations;
	uint64_t stride; /* 0 as 1 */
	uint64_t seen_count;
};

struct nx_swept_core {
	int32_t nc_idx;
	uint32_t open_count;
	bool has_run;
	uint64_t idle_since_ns;
	uint64_t runtime_reading_ns; /* when it became idle */
	struct nx_gap_sample sample;
	struct nx_gap_total total;
};

struct nx_swept_step {
	size_t step;
	struct nx_step_clocks at_start;
};

struct nx_sweep_end { /* of an open event */
	uint64_t end_ns;
	uint8_t kind;
	size_t subject; /* core or step */
};

struct nx_step_analysis {
	const struct nx_system_profile *profile;
	nx_row_fn on_gap; /* struct nx_execution_gap, in order of end within a core */
	void *context;
	/* results */
	struct nx_steps NX_VEC_BODY(struct nx_step) steps; /* by process, then start */
	struct nx_step_totals NX_VEC_BODY(struct nx_step_total) step_totals;
	struct nx_gap_totals NX_VEC_BODY(struct nx_gap_total) gap_totals;
	/* the process at hand */
	uint32_t process;
	uint8_t *name_roles; /* by name: what it means here */
	uint64_t now_ns;
	struct nx_step_clocks clocks;
	size_t running_count, runtime_count, barrier_count; /* open now */
	size_t first_step;
	bool has_executions;
	struct nx_swept_cores NX_VEC_BODY(struct nx_swept_core) cores;
	struct nx_swept_steps NX_VEC_BODY(struct nx_swept_step) open_steps; /* by start */
	struct nx_sweep_ends NX_VEC_BODY(struct nx_sweep_end) ends;	    /* the earliest first */
	struct nx_text_map name_ids;					    /* kinds of steps */
	struct nx_arena arena;
};

void nx_step_analysis_begin(struct nx_step_analysis *a, uint32_t process);
void nx_step_analysis_add(struct nx_step_analysis *a, const struct nx_system_event *event);
void nx_step_analysis_end(struct nx_step_analysis *a);
void nx_step_analysis_conclude(struct nx_step_analysis *a);
void nx_step_analysis_release(struct nx_step_analysis *a);

/* --- shared by the two files ---------------------------------------------------------- */

void nx_gap_sample_add(struct nx_gap_sample *sample, uint64_t duration_ns);
/* Medians of all, of the first and of the last quarter; judges growth. */
void nx_gap_sample_judge(const struct nx_gap_sample *sample, struct nx_gap_total *total);

#endif
