/* SPDX-License-Identifier: Apache-2.0 */
/* Steps as slices and gaps between executions as a counter, one group of tracks per process. */
#include <stdio.h>

#include "base/lanes.h"
#include "base/map.h"
#include "export/system_slices.h"
#include "tables/step_rows.h"

#define NAME_MAX_BYTES 320
#define GAP_RANK 1000u /* below all lanes of steps */

struct steps_track {
	struct nx_perfetto *p;
	uint32_t track;
	struct nx_lanes lanes;
	NX_VEC(uint32_t) lane_tracks;
};

struct steps_export {
	struct nx_perfetto *p;
	const struct nx_system_profile *profile;
	struct nx_map groups;	  /* process -> track */
	struct nx_map counters;	  /* process and core -> track */
	struct steps_track steps; /* of the process at hand */
	uint32_t process;
	struct nx_row row;
};

/* --- steps ------------------------------------------------------------------------------ */

static void end_slice(void *context, size_t lane, uint64_t end_ns)
{
	struct steps_track *s = context;

	nx_perfetto_end(s->p, s->lane_tracks.items[lane], end_ns);
}

static void end_process(struct steps_export *x)
{
	nx_lanes_finish(&x->steps.lanes, end_slice, &x->steps);
	x->steps.lanes = (struct nx_lanes){0};
	nx_vec_clear(&x->steps.lane_tracks);
}

static size_t collect_args(const struct nx_row *row, struct nx_perfetto_arg *args)
{
	const struct nx_schema_column *columns = nx_schema_tables[row->table].columns;
	size_t count = 0;

	for (unsigned i = 0; i < row->column_count; i++) {
		struct nx_perfetto_arg arg = {.name = columns[i].name};

		if (row->kinds[i] == NX_CELL_I64) {
			arg.kind = NX_PERFETTO_I64;
			arg.u64 = (uint64_t)row->cells[i].i64;
		} else if (row->kinds[i] == NX_CELL_F64) {
			arg.kind = NX_PERFETTO_F64;
			arg.f64 = row->cells[i].f64;
		} else if (row->kinds[i] == NX_CELL_BOOL) {
			arg.kind = NX_PERFETTO_BOOL;
			arg.u64 = row->cells[i].boolean;
		} else {
			continue; /* texts are in the names of track and slice */
		}
		args[count++] = arg;
	}
	return count;
}

static void write_step(void *context, const void *item)
{
	struct steps_export *x = context;
	const struct nx_step *step = item;
	struct nx_perfetto_arg args[NX_COLUMN_COUNT_Step];
	char name[NX_STEP_LABEL_MAX];
	size_t lane;

	if (step->process != x->process) {
		end_process(x);
		x->process = step->process;
	}
	lane = nx_lanes_put(&x->steps.lanes, step->start_ns, step->end_ns, end_slice, &x->steps);
	if (lane == x->steps.lane_tracks.len) {
		snprintf(name, sizeof(name), lane ? "steps lane %zu" : "steps", lane + 1);
		nx_vec_push(&x->steps.lane_tracks,
			    nx_perfetto_track(x->p,
					      nx_process_track(x->p, &x->groups, x->profile,
							       step->process, "steps"),
					      name, (uint32_t)lane));
	}
	nx_row_init(&x->row, NX_SCHEMA_Step);
	nx_step_tables[0].fill(&x->row, x->profile, step, name);
	nx_perfetto_begin(x->p, x->steps.lane_tracks.items[lane], step->start_ns, name, args,
			  collect_args(&x->row, args), NULL);
}

/* --- gaps -------------------------------------------------------------------------------- */

/* The counter shows the length of a gap while it lasts, and 0 while the core runs. */
static void write_gap(void *context, const void *item)
{
	struct steps_export *x = context;
	const struct nx_execution_gap *gap = item;
	uint64_t key = (uint64_t)gap->process << 32 | (uint32_t)gap->nc_idx, track;
	char name[NAME_MAX_BYTES];

	if (!nx_map_get(&x->counters, key, &track)) {
		snprintf(name, sizeof(name), "nc%d execution gap", gap->nc_idx);
		track = nx_perfetto_counter(
			x->p, nx_process_track(x->p, &x->groups, x->profile, gap->process, "steps"),
			name, NX_UNIT_NS, NULL, GAP_RANK + (uint32_t)gap->nc_idx);
		nx_map_put(&x->counters, key, track);
	}
	if (gap->end_ns == gap->start_ns)
		return;
	nx_perfetto_count(x->p, (uint32_t)track, gap->start_ns,
			  (double)(gap->end_ns - gap->start_ns));
	nx_perfetto_count(x->p, (uint32_t)track, gap->end_ns, 0);
}

enum nx_status nx_system_steps_write(struct nx_perfetto *p, const struct nx_system_profile *profile,
				     struct nx_error *err)
{
	struct steps_export x = {.p = p, .profile = profile, .steps = {.p = p}};
	enum nx_status st = nx_system_scan(profile, NX_SYSTEM_STEP, write_step, &x, err);

	end_process(&x);
	if (!st)
		st = nx_system_scan(profile, NX_SYSTEM_GAP, write_gap, &x, err);
	nx_vec_release(&x.steps.lane_tracks);
	nx_map_release(&x.groups);
	nx_map_release(&x.counters);
	return st;
}
