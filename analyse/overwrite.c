/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overwrite: one instruction per timeline row and nanosecond.
 *
 * AWS's exports come out of a time-series store that keeps one point per (row, timestamp): if two
 * cores start an instruction on the same engine within one nanosecond, the later write replaces the
 * other. The same rule makes exports comparable. Counts and activity are taken before it. It does
 * not apply to simulations: their cores run in step, and half of the rows would be lost.
 */
#include <assert.h>
#include <string.h>

#include "analyse/analyses.h"

#define TIMELINE_ROWS (NX_ENGINE_COUNT + 1) /* the engines, and TensorMatrix for matmuls */

struct overwrite {
	struct nx_derivation out;
	uint64_t timestamp_ns;
	bool has[TIMELINE_ROWS];
	struct nx_instruction rows[TIMELINE_ROWS];
};

static enum nx_status finish(void *state, struct nx_error *err)
{
	struct overwrite *o = state;

	(void)err;
	for (unsigned i = 0; i < TIMELINE_ROWS; i++)
		if (o->has[i])
			o->out.fn(o->out.context, &o->rows[i]);
	memset(o->has, 0, sizeof(o->has));
	return NX_OK;
}

static void add(void *state, const void *opaque)
{
	struct overwrite *o = state;
	const struct nx_instruction *row = opaque, *old;
	bool is_matmul = nx_profile_slot(o->out.profile, row)->flags & NX_SLOT_MATMUL;
	unsigned line = is_matmul ? NX_ENGINE_COUNT : row->engine;
	uint64_t timestamp_ns = row->start_ps / 1000;

	assert(line < TIMELINE_ROWS);
	if (o->out.profile->capture.is_simulation) {
		o->out.fn(o->out.context, row);
		return;
	}
	if (timestamp_ns != o->timestamp_ns) {
		(void)!finish(o, NULL);
		o->timestamp_ns = timestamp_ns;
	}
	old = &o->rows[line];
	if (!o->has[line] ||
	    (row->graph != old->graph ? row->graph > old->graph : row->order > old->order))
		o->rows[line] = *row;
	o->has[line] = true;
}

const struct nx_analysis nx_analysis_overwrite = {
	.reads = NX_TABLE_INSTRUCTION,
	.makes = NX_TABLE_INSTRUCTION,
	.row_size = sizeof(struct nx_instruction),
	.state_size = sizeof(struct overwrite),
	.add = add,
	.finish = finish,
};
