/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto_rows.h"

static void end_slice(void *context, size_t lane, uint64_t end_ns)
{
	struct nx_perfetto_row *row = context;

	nx_perfetto_end(row->p, row->tracks.items[lane], end_ns);
}

void nx_perfetto_row_put(struct nx_perfetto_row *row, const struct nx_perfetto_slice *slice)
{
	size_t lane = nx_lanes_put(&row->lanes, slice->start_ns, slice->end_ns, end_slice, row);

	if (lane == row->tracks.len)
		nx_vec_push(&row->tracks,
			    nx_perfetto_track(row->p, row->parent, row->name, row->rank));
	nx_perfetto_begin(row->p, row->tracks.items[lane], slice->start_ns, slice->name,
			  slice->args, slice->arg_count, slice->flows);
}

void nx_perfetto_row_finish(struct nx_perfetto_row *row)
{
	nx_lanes_finish(&row->lanes, end_slice, row);
	nx_vec_release(&row->tracks);
}
