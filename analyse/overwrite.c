/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/overwrite.h"

void nx_overwrite_finish(struct nx_overwrite *o)
{
	for (unsigned i = 0; i < NX_TIMELINE_ROWS; i++) {
		if (o->has[i])
			o->fn(o->context, &o->rows[i]);
		o->has[i] = false;
	}
}

static bool is_written_later(const struct nx_instruction *a, const struct nx_instruction *b)
{
	return a->graph != b->graph ? a->graph > b->graph : a->order > b->order;
}

void nx_overwrite_add(struct nx_overwrite *o, const struct nx_instruction *row)
{
	bool is_matmul = nx_profile_slot(o->profile, row)->flags & NX_SLOT_MATMUL;
	unsigned line = is_matmul ? NX_ENGINE_COUNT : row->engine;
	uint64_t timestamp_ns = row->start_ps / 1000;

	if (o->profile->capture.is_simulation) {
		o->fn(o->context, row);
		return;
	}
	if (timestamp_ns != o->timestamp_ns) {
		nx_overwrite_finish(o);
		o->timestamp_ns = timestamp_ns;
	}
	if (o->has[line])
		o->replaced_count++;
	if (!o->has[line] || is_written_later(row, &o->rows[line]))
		o->rows[line] = *row;
	o->has[line] = true;
}
