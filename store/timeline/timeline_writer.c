/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/timeline_writer_internal.h"
#include <assert.h>
#include <math.h>

#include "store/durable.h"

enum nx_status nx_timeline_writer_open(struct nx_timeline_writer **writer, const char *path,
				       size_t memory_bytes, struct nx_error *err)
{
	const struct nx_timeline_header header = {NX_TIMELINE_MAGIC, NX_TIMELINE_VERSION,
						  NX_CHUNK_ROWS};
	struct nx_timeline_writer *w = nx_heap_alloc(sizeof(*w));
	enum nx_status status;

	*w = (struct nx_timeline_writer){0};
	*writer = NULL;
	status = nx_output_open(&w->out, path, err);
	w->out.place_option = NX_TABLES_PLACE_OPTION;
	if (status) {
		nx_heap_free(w);
		return status;
	}
	if (!memory_bytes)
		memory_bytes = NX_TIMELINE_MEMORY_BYTES;
	w->rows = nx_spool_new(sizeof(struct nx_row_record), memory_bytes / 4 * 3);
	w->index = nx_spool_new(sizeof(struct nx_index_record), memory_bytes / 4);
	nx_output_write(&w->out, &header, sizeof(header));
	*writer = w;
	return NX_OK;
}

void nx_timeline_writer_abort(struct nx_timeline_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->tracks.len; i++) {
		nx_vec_release(&w->tracks.items[i].strips);
		nx_vec_release(&w->tracks.items[i].ends);
	}
	nx_vec_release(&w->tracks);
	nx_vec_release(&w->strips);
	nx_vec_release(&w->attributes);
	nx_vec_release(&w->names);
	nx_text_map_release(&w->name_ids);
	nx_arena_release(&w->arena);
	nx_spool_free(w->rows);
	nx_spool_free(w->index);
	nx_output_abort(&w->out);
	nx_heap_free(w);
}

uint32_t nx_timeline_writer_add_name(struct nx_timeline_writer *w, struct nx_slice text)
{
	uint64_t id;

	if (nx_text_map_get(&w->name_ids, text, &id))
		return (uint32_t)id;
	assert(w->names.len < NX_NAME_NONE);
	id = w->names.len;
	text = nx_slice_of(nx_arena_copy(&w->arena, text), text.len);
	nx_text_map_put(&w->name_ids, text, id);
	nx_vec_push(&w->names, text);
	return (uint32_t)id;
}

uint32_t nx_timeline_writer_add_track(struct nx_timeline_writer *w, const struct nx_track *track)
{
	struct nx_track_state state = {
		.record =
			{
				.kind = track->kind,
				.parent = track->parent,
				.name = nx_timeline_writer_add_name(w, track->name),
				.unit = nx_timeline_writer_add_name(w, track->unit),
				.rank = track->rank,
				.keys = {track->keys[0], track->keys[1]},
				.first_attribute = (uint32_t)w->attributes.len,
				.attribute_count = track->attribute_count,
			},
		.is_nested = track->is_nested,
	};

	assert(track->kind < NX_TRACK_KIND_COUNT && w->tracks.len < NX_TRACK_NONE);
	assert(track->parent == NX_TRACK_NONE || track->parent < w->tracks.len);
	assert(track->attribute_count <= UINT32_MAX - w->attributes.len);
	for (uint32_t i = 0; i < track->attribute_count; i++) {
		const struct nx_track_attribute *attribute = &track->attributes[i];
		struct nx_attribute_record record = {nx_timeline_writer_add_name(w, attribute->key),
						     nx_timeline_writer_add_name(w,
										 attribute->value)};

		nx_vec_push(&w->attributes, record);
	}
	nx_vec_push(&w->tracks, state);
	return (uint32_t)(w->tracks.len - 1);
}

void nx_timeline_writer_lose(struct nx_timeline_writer *w, uint32_t track)
{
	assert(track < w->tracks.len);
	w->tracks.items[track].record.lost_count++;
}

static void update_ends(struct nx_track_state *track, size_t depth, uint64_t end_ns)
{
	uint64_t *ends = track->ends.items;
	size_t at = track->ends.len / 2 + depth;

	ends[at] = end_ns;
	while (at /= 2)
		ends[at] = ends[2 * at] < ends[2 * at + 1] ? ends[2 * at] : ends[2 * at + 1];
}

/* Keeps a spare depth, which ended at 0. */
static void make_room(struct nx_track_state *track)
{
	size_t old = track->ends.len / 2, half = old ? 2 * old : 2;

	if (track->strips.len < old)
		return;
	nx_vec_reserve(&track->ends, 2 * half);
	track->ends.len = 2 * half;
	if (old)
		memcpy(track->ends.items + half, track->ends.items + old,
		       old * sizeof(*track->ends.items));
	memset(track->ends.items + half + old, 0, (half - old) * sizeof(*track->ends.items));
	for (size_t depth = 0; depth < half; depth += 2)
		update_ends(track, depth, track->ends.items[half + depth]);
}

/* The first depth whose last span has ended by start_ns. */
static size_t first_free_depth(struct nx_track_state *track, uint64_t start_ns)
{
	size_t half, at = 1;

	make_room(track);
	half = track->ends.len / 2;
	while (at < half)
		at = 2 * at + (track->ends.items[2 * at] > start_ns);
	return at - half;
}

/*
 * The first free depth below all open spans that contain this one. Recorded times of calls overlap
 * by some nanoseconds, so a depth above the caller may be free: there, the call would look like its
 * caller's caller.
 */
static size_t first_free_below_callers(struct nx_track_state *track, const struct nx_span *span)
{
	size_t depth = track->strips.len;
	const uint64_t *ends;

	make_room(track);
	ends = track->ends.items + track->ends.len / 2;
	while (depth && (ends[depth - 1] <= span->start_ns || ends[depth - 1] < span->end_ns))
		depth--;
	while (ends[depth] > span->start_ns)
		depth++;
	return depth;
}

static struct nx_strip_state *strip_at(struct nx_timeline_writer *w, struct nx_track_state *track,
				       size_t depth, uint64_t start_ns)
{
	if (depth == track->strips.len) {
		nx_vec_push(&track->strips, (uint32_t)w->strips.len);
		nx_vec_push(&w->strips, ((struct nx_strip_state){.first_ns = start_ns,
								 .kind = track->record.kind}));
	}
	return &w->strips.items[track->strips.items[depth]];
}

static enum nx_status check_order(struct nx_timeline_writer *w, struct nx_track_state *track,
				  uint64_t start_ns, struct nx_error *err)
{
	struct nx_slice name = w->names.items[track->record.name];

	if (start_ns < track->last_start_ns)
		return nx_fail(err, NX_FORMAT,
			       "track %.*s: a row at %llu ns comes after one at %llu ns; rows of a "
			       "track must come in order of their start",
			       (int)(name.len < 200 ? name.len : 200), (const char *)name.data,
			       (unsigned long long)start_ns,
			       (unsigned long long)track->last_start_ns);
	track->last_start_ns = start_ns;
	return NX_OK;
}

static inline enum nx_status keep_row(struct nx_timeline_writer *w, struct nx_row_record record,
				      struct nx_error *err)
{
	void *place;
	enum nx_status status = nx_spool_place(w->rows, record.strip, &place, err);

	if (!status)
		*(struct nx_row_record *)place = record;
	return status;
}

enum nx_status nx_timeline_writer_add_span(struct nx_timeline_writer *w, uint32_t track_idx,
					   const struct nx_span *span, struct nx_error *err)
{
	struct nx_track_state *track = &w->tracks.items[track_idx];
	struct nx_strip_state *strip;
	enum nx_status status;
	size_t depth;

	assert(track_idx < w->tracks.len && track->record.kind == NX_TRACK_SPANS);
	assert(span->name < w->names.len);
	status = check_order(w, track, span->start_ns, err);
	if (status)
		return status;
	depth = track->is_nested ? first_free_below_callers(track, span)
				 : first_free_depth(track, span->start_ns);
	if (depth == NX_MAX_DEPTHS) {
		track->record.lost_count++;
		return NX_OK;
	}
	strip = strip_at(w, track, depth, span->start_ns);
	strip->row_count++;
	strip->end_ns = span->end_ns > span->start_ns ? span->end_ns : span->start_ns;
	update_ends(track, depth, strip->end_ns);
	return keep_row(w,
			(struct nx_row_record){.strip = track->strips.items[depth],
					       .start_ns = span->start_ns,
					       .end_ns = strip->end_ns,
					       .row = span->row,
					       .name = span->name},
			err);
}

enum nx_status nx_timeline_writer_add_sample(struct nx_timeline_writer *w, uint32_t track_idx,
					     const struct nx_sample *sample, struct nx_error *err)
{
	struct nx_track_state *track = &w->tracks.items[track_idx];
	struct nx_strip_state *strip;
	enum nx_status status;

	assert(track_idx < w->tracks.len && track->record.kind == NX_TRACK_COUNTER);
	status = check_order(w, track, sample->time_ns, err);
	if (status)
		return status;
	if (!isfinite(sample->value)) {
		track->record.lost_count++;
		return NX_OK;
	}
	strip = strip_at(w, track, 0, sample->time_ns);
	strip->row_count++;
	strip->end_ns = sample->time_ns;
	return keep_row(w,
			(struct nx_row_record){.strip = track->strips.items[0],
					       .start_ns = sample->time_ns,
					       .end_ns = nx_load64(&sample->value)},
			err);
}
