/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>

#include "base/earliest.h"
#include "base/lanes.h"
#include "base/map.h"
#include "export/system_slices.h"
#include "model/system_event.h"

#define NAME_MAX_BYTES 320

struct moving { /* a transfer under way */
	uint64_t end_ns;
	double bytes_per_s;
};

struct route { /* one direction of one core */
	struct nx_perfetto *p;
	uint32_t track, bandwidth_track;
	struct nx_lanes lanes;
	struct nx_route_tracks NX_VEC_BODY(uint32_t) lane_tracks;
	struct nx_moving NX_VEC_BODY(struct moving) moving; /* the earliest first */
	double bytes_per_s;				    /* of all that move */
};

struct transfers {
	struct nx_perfetto *p;
	const struct nx_system_profile *profile;
	struct nx_map groups; /* process -> track */
	struct nx_map by_key;
	NX_VEC(struct route) routes;
};

/* --- bandwidth ---------------------------------------------------------- */

static void end_moving(struct route *r, uint64_t until_ns)
{
	while (r->moving.len && r->moving.items[0].end_ns <= until_ns) {
		struct moving m = r->moving.items[0];

		nx_earliest_drop(&r->moving);
		/* rounding leaves a rest: exactly 0 if nothing moves */
		r->bytes_per_s = r->moving.len ? r->bytes_per_s - m.bytes_per_s : 0;
		if (!r->moving.len || r->moving.items[0].end_ns != m.end_ns)
			nx_perfetto_count(r->p, r->bandwidth_track, m.end_ns, r->bytes_per_s);
	}
}

/* --- slices ------------------------------------------------------------- */

static struct route *find_route(struct transfers *x, const struct nx_host_transfer *t)
{
	uint64_t parts[] = {t->process, (uint64_t)(int64_t)t->nc_idx, t->direction}, at;
	uint64_t key = nx_hash_words(parts, sizeof(parts) / sizeof(parts[0]));
	const char *direction = nx_direction_name(t->direction);
	struct route r = {.p = x->p};
	char name[NAME_MAX_BYTES];
	uint32_t parent, rank = ((uint32_t)t->nc_idx + 1) * 4 + (t->direction ? 2 : 0);

	if (nx_map_get(&x->by_key, key, &at))
		return &x->routes.items[at];
	parent = nx_process_track(x->p, &x->groups, x->profile, t->process, "transfers");
	snprintf(name, sizeof(name), "nc%d %s_transfers", t->nc_idx, direction);
	r.track = nx_perfetto_track(x->p, parent, name, rank);
	snprintf(name, sizeof(name), "nc%d %s bandwidth", t->nc_idx, direction);
	r.bandwidth_track =
		nx_perfetto_counter(x->p, parent, name, NX_UNIT_NONE, "bytes/s", rank + 1);
	nx_map_put(&x->by_key, key, x->routes.len);
	nx_vec_push(&x->routes, r);
	return &x->routes.items[x->routes.len - 1];
}

static void end_slice(void *context, size_t lane, uint64_t end_ns)
{
	struct route *r = context;

	nx_perfetto_end(r->p, r->lane_tracks.items[lane], end_ns);
}

static uint32_t lane_track(struct route *r, size_t lane)
{
	char name[NAME_MAX_BYTES];

	assert(lane <= r->lane_tracks.len);
	if (lane == r->lane_tracks.len) {
		snprintf(name, sizeof(name), "lane %zu", lane + 1);
		nx_vec_push(&r->lane_tracks,
			    lane ? nx_perfetto_track(r->p, r->track, name, (uint32_t)lane)
				 : r->track);
	}
	return r->lane_tracks.items[lane];
}

static void add_transfer(void *context, const void *row)
{
	struct transfers *x = context;
	const struct nx_host_transfer *t = row;
	struct route *r = find_route(x, t);
	bool has_time = t->end_ns > t->start_ns;
	double bytes_per_s = 0;
	struct nx_perfetto_arg args[] = {
		{.name = "size_bytes", .kind = NX_PERFETTO_U64, .u64 = t->size_bytes},
		{.name = "bandwidth_bytes_per_s", .kind = NX_PERFETTO_F64},
	};
	size_t lane;

	if (has_time)
		bytes_per_s = (double)t->size_bytes * 1e9 / (double)(t->end_ns - t->start_ns);
	args[1].f64 = bytes_per_s;
	lane = nx_lanes_put(&r->lanes, t->start_ns, t->end_ns, end_slice, r);
	nx_perfetto_begin(x->p, lane_track(r, lane), t->start_ns, nx_direction_name(t->direction),
			  args, has_time ? 2 : 1, NULL);
	if (!has_time)
		return;
	end_moving(r, t->start_ns);
	r->bytes_per_s += bytes_per_s;
	nx_earliest_push(&r->moving, ((struct moving){t->end_ns, bytes_per_s}));
	nx_perfetto_count(r->p, r->bandwidth_track, t->start_ns, r->bytes_per_s);
}

enum nx_status nx_system_transfers_write(struct nx_perfetto *p,
					 const struct nx_system_profile *profile,
					 struct nx_error *err)
{
	struct transfers x = {.p = p, .profile = profile};
	enum nx_status st = nx_system_scan(profile, NX_SYSTEM_TRANSFER, add_transfer, &x, err);

	for (size_t i = 0; i < x.routes.len; i++) {
		struct route *r = &x.routes.items[i];

		end_moving(r, UINT64_MAX);
		nx_lanes_finish(&r->lanes, end_slice, r);
		nx_vec_release(&r->lane_tracks);
		nx_vec_release(&r->moving);
	}
	nx_vec_release(&x.routes);
	nx_map_release(&x.by_key);
	nx_map_release(&x.groups);
	return st;
}
