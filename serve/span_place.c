/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/span_place.h"

#include "model/schema.h"

static bool find_in_depth(const struct nx_timeline *timeline, uint32_t track, uint32_t depth,
			  uint64_t row, uint64_t start_ns, uint64_t *idx)
{
	struct nx_span span;

	*idx = nx_timeline_next(timeline, track, depth, start_ns);
	for (; nx_timeline_span(timeline, track, depth, *idx, &span); ++*idx) {
		if (span.start_ns != start_ns)
			return false;
		if (span.row == row)
			return true;
	}
	return false;
}

bool nx_span_place_find(const struct nx_timeline *timeline, const char *table, uint64_t row,
			uint64_t start_ns, struct nx_span_place *place)
{
	const struct nx_schema_table *schema = nx_schema_find_table(nx_slice_text(table));
	uint32_t track_count = nx_timeline_track_count(timeline);
	struct nx_track track;

	if (!schema)
		return false;
	for (place->track = 0; place->track < track_count; place->track++) {
		if (!nx_timeline_track(timeline, place->track, &track) ||
		    track.kind != NX_TRACK_SPANS ||
		    track.keys[0] != (uint64_t)(schema - nx_schema_tables))
			continue;
		for (place->depth = 0; place->depth < track.depth_count; place->depth++)
			if (find_in_depth(timeline, place->track, place->depth, row, start_ns,
					  &place->idx))
				return true;
	}
	return false;
}

void nx_span_place_json(struct nx_json_writer *w, const struct nx_span_place *place)
{
	nx_json_key(w, "track");
	if (place)
		nx_json_u64(w, place->track);
	else
		nx_json_null(w);
	nx_json_key_u64(w, "depth", place ? place->depth : 0);
}
