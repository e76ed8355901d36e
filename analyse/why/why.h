/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: what released every piece of work of a profile, and where the time went.
 *
 *	struct nx_why *why;
 *
 *	st = nx_why_build(&why, profile, false, err);
 *	nx_why_engine_times(why, put_time, context);
 *	nx_why_path(why, put_piece, context);
 *	nx_why_free(why);
 *
 * Every instant of an engine, and of the critical path, has one cause; the parts add up to the
 * window exactly. docs/design/why.md explains the rules. Memory: about 100 bytes for each
 * instruction, semaphore update and part of a transfer, while the profile is read in order.
 */
#ifndef NX_ANALYSE_WHY_H
#define NX_ANALYSE_WHY_H

#include "analyse/why/why_lags.h"
#include "model/profile.h"
#include "model/release.h"

struct nx_why;

/* keeps_candidates: keep all that could have released a node, which nx_why_replay needs. */
NX_MUST_CHECK enum nx_status nx_why_build(struct nx_why **out, const struct nx_profile *profile,
					  bool keeps_candidates, struct nx_error *err);
void nx_why_free(struct nx_why *why);
const struct nx_release_graph *nx_why_graph(const struct nx_why *why);

/* --- the walk -------------------------------------------------------------- */

/*
 * Covers [low, time) with pieces, latest first. The node works at the time, or has just begun;
 * from there its releases lead back.
 */
void nx_why_walk(const struct nx_release_graph *graph, uint32_t node, int64_t time_ps,
		 int64_t low_ps, struct nx_why_pieces *out);

/* The pause of an engine around a moment. */
struct nx_why_gap {
	bool is_found; /* false: it works then, or nothing follows */
	int64_t start_ps, end_ps;
	uint32_t node; /* that follows; that works, if none is found; NX_NONE: none follows */
};

struct nx_why_gap nx_why_find_gap(const struct nx_release_graph *graph, unsigned core,
				  unsigned engine, int64_t time_ps);

/*
 * Explains the pause of an engine around a moment. NOT_FOUND if it works then, or nothing follows.
 * Graph and labels have to outlive the answer, whose pieces the caller releases.
 */
NX_MUST_CHECK enum nx_status nx_why_explain_gap(const struct nx_release_graph *graph,
						const struct nx_node_label *labels, unsigned core,
						unsigned engine, int64_t time_ps,
						struct nx_why_gap_answer *out,
						struct nx_error *err);

/* --- partitions ------------------------------------------------------------ */

struct nx_engine_time { /* how long an engine spent on a cause */
	uint8_t graph, engine;
	enum nx_cause cause;
	uint8_t blocker; /* engine it waited for; NX_ENGINE_COUNT: none */
	uint32_t queue;	 /* of DMA causes: the graph's declaration; NX_NONE */
	int64_t time_ps;
};

struct nx_why_counts {
	int64_t span_ps;	/* of the window */
	int64_t program_ps;	/* from the program's first instruction to its last */
	uint64_t wait_count;	/* that instructions waited for */
	uint64_t matched_count; /* of these, the change that ended them is known */
	uint64_t how_count[NX_RELEASE_HOW_COUNT];
	uint64_t block_count, triggerless_count;
	int64_t gap_ps; /* gaps above 200 ns of engines that run the program */
	int64_t gap_unexplained_ps;
	int64_t path_unexplained_ps;
};

typedef void (*nx_engine_time_fn)(void *context, const struct nx_engine_time *row);
/* The rows of an engine add up to the span. */
void nx_why_engine_times(struct nx_why *why, nx_engine_time_fn fn, void *context);

/* Time of the tensor engine's own work is useful, transpose or throttled. */
typedef void (*nx_why_piece_fn)(void *context, const struct nx_why_piece *piece);
/* The critical path in order of time; its pieces cover the window exactly. */
void nx_why_path(struct nx_why *why, nx_why_piece_fn fn, void *context);

/* Complete after both partitions. */
struct nx_why_counts nx_why_counts(const struct nx_why *why);

/* --- what if --------------------------------------------------------------- */

struct nx_why_change { /* what a replay changes; zeroed: nothing */
	bool no_startup, no_descriptors, at_link_rate, no_throttling, no_transposes;
	bool no_reloads;		 /* what was in SBUF before is still there */
	bool no_skew;			 /* nobody waits for another core or rank */
	bool is_nominal;		 /* the usual lags instead of those measured */
	bool is_scaled[NX_ENGINE_COUNT]; /* work of the engine takes scale_ppm of its time */
	uint32_t scale_ppm[NX_ENGINE_COUNT];
};

struct nx_why_replay {
	int64_t end_ps;
	uint64_t pinned_count; /* nodes after start-up that stay because nothing is known to
				  release them */
};

/* Runs the graph forward. Needs candidates. */
struct nx_why_replay nx_why_replay(struct nx_why *why, const struct nx_why_change *change);

struct nx_why_scenario {
	const char *name; /* "no DMA start-up" */
	int64_t total_ps;
	int64_t path_ps; /* of the cause on the path; -1: it is not about one cause */
};

#define NX_WHY_SCENARIOS_MAX 16

struct nx_why_prediction {
	int64_t replay_error_ps; /* of a replay that changes nothing */
	uint64_t pinned_count;
	int64_t nominal_ps;
	struct nx_why_scenario scenarios[NX_WHY_SCENARIOS_MAX]; /* the largest gain first */
	size_t scenario_count; /* 0 if a gate is closed: the error above 0.1 %, or nodes pinned */
};

/* Replays everything that applies to the profile. Needs candidates. */
void nx_why_predict(struct nx_why *why, struct nx_why_prediction *out);

/* The bound if every engine worked without a pause. */
int64_t nx_why_overlap_bound(struct nx_why *why);

#endif
