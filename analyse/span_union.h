/* SPDX-License-Identifier: Apache-2.0 */
/* span_union: how much time a set of intervals covers, each moment counted once. Feed intervals in
 * order of start; touching intervals are one. */
#ifndef NX_ANALYSE_SPAN_UNION_H
#define NX_ANALYSE_SPAN_UNION_H

#include <stdbool.h>
#include <stdint.h>

struct nx_span_union {
	uint64_t start_ps, end_ps; /* the interval still growing */
	uint64_t closed_ps;	   /* length of those before it */
	bool is_open;
};

/* True if this closed the growing interval, which is then in *closed_start_ps and *closed_end_ps.
 */
static inline bool nx_span_union_add(struct nx_span_union *u, uint64_t start_ps, uint64_t end_ps,
				     uint64_t *closed_start_ps, uint64_t *closed_end_ps)
{
	bool closed = false;

	if (u->is_open && start_ps <= u->end_ps) {
		if (end_ps > u->end_ps)
			u->end_ps = end_ps;
		return false;
	}
	if (u->is_open) {
		u->closed_ps += u->end_ps - u->start_ps;
		*closed_start_ps = u->start_ps;
		*closed_end_ps = u->end_ps;
		closed = true;
	}
	u->start_ps = start_ps;
	u->end_ps = end_ps;
	u->is_open = true;
	return closed;
}

static inline void nx_span_union_cover(struct nx_span_union *u, uint64_t start_ps, uint64_t end_ps)
{
	uint64_t ignored_start, ignored_end;

	nx_span_union_add(u, start_ps, end_ps, &ignored_start, &ignored_end);
}

static inline uint64_t nx_span_union_length(const struct nx_span_union *u)
{
	return u->closed_ps + (u->is_open ? u->end_ps - u->start_ps : 0);
}

#endif
