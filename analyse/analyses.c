/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/analyses.h"

#include <assert.h>
#include <string.h>

#define DECLARE(name, variable) extern const struct nx_analysis nx_analysis_##variable;
NX_ANALYSIS_MAP(DECLARE)
#undef DECLARE

const struct nx_analysis *const nx_analyses[NX_ANALYSIS_COUNT] = {
#define ROW(name, variable) [NX_ANALYSIS_##name] = &nx_analysis_##variable,
	NX_ANALYSIS_MAP(ROW)
#undef ROW
};

enum nx_status nx_analysis_run(enum nx_analysis_id id, const struct nx_profile *profile,
			       const struct nx_row_source *source, nx_row_fn fn, void *context,
			       struct nx_error *err)
{
	const struct nx_analysis *analysis;
	struct nx_derivation *state;
	enum nx_status st = NX_OK;

	assert(id < NX_ANALYSIS_COUNT && source->scan && fn);
	analysis = nx_analyses[id];
	assert(analysis->state_size >= sizeof(*state) && analysis->add && analysis->finish);
	state = nx_heap_alloc(analysis->state_size);
	memset(state, 0, analysis->state_size);
	*state = (struct nx_derivation){profile, fn, context};
	if (analysis->begin)
		analysis->begin(state);
	if (!analysis->needs_transfers || profile->transfers.len)
		st = source->scan(source->context, analysis->reads, analysis->add, state, err);
	if (!st)
		st = analysis->finish(state, err);
	if (analysis->release)
		analysis->release(state);
	nx_heap_free(state);
	return st;
}

enum nx_analysis_id nx_analysis_of_table(enum nx_table table)
{
	unsigned id = 0;

	assert(table < NX_TABLE_COUNT);
	while (id < NX_ANALYSIS_COUNT && nx_analyses[id]->makes != table)
		id++;
	return (enum nx_analysis_id)id;
}
