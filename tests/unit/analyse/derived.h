/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derived: one analysis of analyse/analyses.h, fed row by row. Set id and profile; the first row
 * begins the analysis. A fixture has it as its first member and is made by derived_fixture_new.
 */
#ifndef NX_TESTS_DERIVED_H
#define NX_TESTS_DERIVED_H

#include "analyse/analyses.h"
#include "row_list.h"

struct derived {
	struct row_list out;
	enum nx_analysis_id id;
	const struct nx_profile *profile;
	struct nx_derivation *state;
};

static inline void *derived_fixture_new(size_t size, enum nx_analysis_id id)
{
	struct derived *d = row_list_fixture_new(size, nx_analyses[id]->row_size);

	d->id = id;
	return d;
}

static inline void derived_begin(struct derived *d)
{
	if (d->state)
		return;
	d->state = nx_heap_alloc(nx_analyses[d->id]->state_size);
	memset(d->state, 0, nx_analyses[d->id]->state_size);
	*d->state = (struct nx_derivation){d->profile, row_list_add, &d->out};
	if (nx_analyses[d->id]->begin)
		nx_analyses[d->id]->begin(d->state);
}

static inline void derived_add(struct derived *d, const void *row)
{
	derived_begin(d);
	nx_analyses[d->id]->add(d->state, row);
}

static inline void derived_finish(struct derived *d)
{
	struct nx_error err;

	derived_begin(d);
	assert_int_equal(nx_analyses[d->id]->finish(d->state, &err), NX_OK);
	if (nx_analyses[d->id]->release)
		nx_analyses[d->id]->release(d->state);
	nx_heap_free(d->state);
	d->state = NULL;
}

#endif
