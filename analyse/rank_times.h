/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank_times: the ranks of one run on one clock.
 *
 * Each device capture counts from its own zero. Two things tie them together: the host's clock,
 * which a system trace with sync points relates to the device's, and a collective that all ranks
 * took part in, because they leave it together. The host's clock is preferred: it also says when
 * ranks of different groups ran.
 *
 *	fill start_epoch_ns, total_ns and the collective of each;
 *	how = nx_rank_times_align(ranks, count);	now offset_ns is set
 */
#ifndef NX_ANALYSE_RANK_TIMES_H
#define NX_ANALYSE_RANK_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/capture.h"

/* X(name, text for programs, text for people) */
#define NX_RANK_CLOCK_MAP(X)                                                                       \
	X(NONE, "none", "each rank starts at its own zero: the captures share no clock")           \
	X(HOST, "host_clock", "ranks are aligned on the host's clock")                             \
	X(COLLECTIVE, "collective", "ranks are aligned at the end of their first collective")

enum nx_rank_clock {
#define NX_RANK_CLOCK_ENUM(name, text, sentence) NX_RANK_CLOCK_##name,
	NX_RANK_CLOCK_MAP(NX_RANK_CLOCK_ENUM)
#undef NX_RANK_CLOCK_ENUM
};

const char *nx_rank_clock_name(enum nx_rank_clock clock);
const char *nx_rank_clock_sentence(enum nx_rank_clock clock);

#define NX_RANK_COLLECTIVE_MAX 96

struct nx_rank_time {
	uint64_t start_epoch_ns; /* of the capture's zero; 0: not known */
	uint64_t total_ns;
	const char *collective;	    /* the first one, as nx_rank_collective writes it; "": none */
	uint64_t collective_end_ns; /* from the capture's zero */
	uint64_t offset_ns;	    /* result: of the capture's zero on the common clock */
};

/* Sets offset_ns; the earliest rank has 0. A single rank is not aligned with anything. */
enum nx_rank_clock nx_rank_times_align(struct nx_rank_time *ranks, size_t count);

struct nx_rank_totals {
	uint64_t span_ns; /* from the first start to the last end, on the common clock */
	uint64_t least_ns, most_ns, mean_ns; /* of the ranks' own times */
	size_t fastest, slowest;	     /* indices; the first of equals */
	/* The last end of the first collective less the first one: 0 if clocks and captures agree.
	 * UINT64_MAX if the ranks have no common collective. */
	uint64_t collective_skew_ns;
};

/* At least one rank. */
void nx_rank_times_sum(const struct nx_rank_time *ranks, size_t count,
		       struct nx_rank_totals *totals);

/*
 * Describes the first collective of a capture so that texts are equal if and only if it is the
 * same operation of the same group. Returns its end, relative to the capture's zero; "" and 0 if
 * the capture does not record when collectives ran.
 */
uint64_t nx_rank_collective(const struct nx_capture *capture, char text[NX_RANK_COLLECTIVE_MAX]);

#endif
