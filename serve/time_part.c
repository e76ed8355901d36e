/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/time_part.h"

static enum nx_status refuse_order(struct nx_error *err)
{
	return nx_fail(err, NX_USAGE, "'from' should be before 'to'");
}

enum nx_status nx_request_time_part(const struct nx_request *request,
				    const struct nx_timeline *timeline, struct nx_time_part *part,
				    struct nx_error *err)
{
	uint64_t from_ns = 0, to_ns = 1;
	enum nx_status st;

	/* the last moment is in it too: something that takes no time may lie there */
	if (nx_timeline_extent(timeline, &from_ns, &to_ns) && to_ns < UINT64_MAX)
		to_ns++;
	st = nx_request_u64(request, "from", from_ns, UINT64_MAX, &part->from_ns, err);
	if (!st)
		st = nx_request_u64(request, "to", to_ns, UINT64_MAX, &part->to_ns, err);
	if (!st && part->from_ns >= part->to_ns)
		return refuse_order(err);
	return st;
}

enum nx_status nx_request_time_range(const struct nx_request *request, struct nx_time_range *range,
				     struct nx_error *err)
{
	uint64_t from_ns, to_ns;
	enum nx_status st = nx_request_u64(request, "from", 0, INT64_MAX, &from_ns, err);

	if (!st)
		st = nx_request_u64(request, "to", INT64_MAX, INT64_MAX, &to_ns, err);
	if (st)
		return st;
	*range = (struct nx_time_range){.has_from = nx_request_find(request, "from") != NULL,
					.has_to = nx_request_find(request, "to") != NULL,
					.from_ns = (int64_t)from_ns,
					.to_ns = (int64_t)to_ns};
	return from_ns >= to_ns ? refuse_order(err) : NX_OK;
}

enum nx_status nx_request_tracks(struct nx_request *request, size_t most, uint32_t **tracks,
				 size_t *count, struct nx_error *err)
{
	const char **texts;
	uint64_t id;
	enum nx_status st = nx_request_list(request, "tracks", most, &texts, count, err);

	if (st)
		return st;
	*tracks = NX_NEW_ARRAY(&request->arena, uint32_t, *count + 1);
	for (size_t i = 0; i < *count; i++) {
		if (!nx_slice_to_u64(nx_slice_text(texts[i]), &id) || id >= NX_TRACK_NONE)
			return nx_fail(err, NX_USAGE, "'tracks' should be numbers, not '%.100s'",
				       texts[i]);
		(*tracks)[i] = (uint32_t)id;
	}
	return NX_OK;
}
