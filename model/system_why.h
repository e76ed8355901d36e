/* SPDX-License-Identifier: Apache-2.0 */
/* system_why: what bound a run of several processes. Times of the path add up to the span. */
#ifndef NX_MODEL_SYSTEM_WHY_H
#define NX_MODEL_SYSTEM_WHY_H

#include "base/arena.h"
#include "base/vec.h"

struct nx_system_part {
	const char *instance; /* NULL: of no process */
	int64_t process;
	const char *cause; /* "host", "runtime", "execution", "collective", "other ranks" */
	int64_t time_ns;
};

struct nx_system_rank { /* as it came to the meetings of all ranks */
	int64_t rank;	/* -1: not known */
	const char *instance;
	int64_t process;
	int64_t meeting_count, last_count;
	int64_t slack_ns;    /* it waited for the last one */
	int64_t stall_ns;    /* others waited for it, added up */
	int64_t observed_ns; /* its meetings took */
};

struct nx_system_span { /* of a program, while it held up its device */
	const char *name, *instance;
	int64_t process, time_ns;
};

struct nx_system_steps {
	int64_t count, median_ns, outlier_count, slowest_ns;
	const char *slowest; /* "train 12"; NULL: there are no steps */
	int64_t slowest_process;
};

struct nx_system_gaps { /* in which a core waited for its next execution */
	int64_t count, total_ns, longest_ns, host_count;
};

struct nx_system_why {
	struct nx_arena arena;
	int64_t span_ns;
	struct nx_system_parts NX_VEC_BODY(struct nx_system_part) path; /* the longest first */
	struct nx_system_parts processes;    /* how each process spent its time */
	NX_VEC(struct nx_system_rank) ranks; /* the one that others waited for longest first */
	NX_VEC(struct nx_system_span) host;
	struct nx_system_steps steps;
	struct nx_system_gaps gaps;
};

#endif
