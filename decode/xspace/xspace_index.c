/* SPDX-License-Identifier: Apache-2.0 */
/* Opening: the planes of a file, their names and their lines. */
#include <assert.h>

#include "decode/xspace/xspace_internal.h"

#define MAX_NAME 200

/* --- fields ---------------------------------------------------------------- */

struct nx_xspace_walk nx_xspace_walk_of(struct nx_slice message, bool may_be_cut)
{
	return (struct nx_xspace_walk){.reader = nx_wire_reader_of(message),
				       .may_be_cut = may_be_cut};
}

bool nx_xspace_walk_next(struct nx_xspace_walk *walk, struct nx_wire_value *value)
{
	struct nx_wire_reader start = walk->reader;
	uint64_t tag, len;

	if (nx_wire_next(&walk->reader, value))
		return true;
	if (!walk->reader.failed || !walk->may_be_cut)
		return false;
	if (!nx_wire_next_varint(&start, &tag) || (tag & 7) != NX_XSPACE_DELIMITED || !(tag >> 3) ||
	    tag >> 3 > 64) {
		/* half a number at the very end is a cut; what is left of a walk is damage */
		walk->is_cut = start.at == start.end || walk->reader.end - start.at < 10;
		return false;
	}
	if (!nx_wire_next_varint(&start, &len)) {
		walk->is_cut = true;
		return false;
	}
	walk->is_cut = true;
	walk->reader.at = walk->reader.end;
	*value = (struct nx_wire_value){.number = (uint32_t)(tag >> 3),
					.wire_type = NX_XSPACE_DELIMITED,
					.bytes = nx_slice_of(start.at,
							     (size_t)(start.end - start.at))};
	/* the next call ends here */
	walk->reader.failed = false;
	walk->may_be_cut = false;
	return true;
}

void nx_xspace_note_end(struct nx_xspace_decoder *d, const struct nx_xspace_walk *walk)
{
	uint64_t at = (uint64_t)(walk->reader.at - d->file.data);

	if (!walk->is_cut && !walk->reader.failed)
		return;
	if (!d->loss.is_damaged && !d->loss.is_cut)
		d->loss.read_bytes = at;
	if (walk->is_cut)
		d->loss.is_cut = true;
	else
		d->loss.is_damaged = true;
}

/* --- lines ----------------------------------------------------------------- */

void nx_xspace_read_line(struct nx_slice bytes, bool may_be_cut, struct nx_xspace_line *line)
{
	struct nx_xspace_walk walk = nx_xspace_walk_of(bytes, may_be_cut);
	struct nx_wire_value value;

	*line = (struct nx_xspace_line){0};
	while (nx_xspace_walk_next(&walk, &value)) {
		if (value.wire_type == NX_XSPACE_DELIMITED && value.number == NX_XLINE_NAME)
			line->name = value.bytes;
		if (value.wire_type == NX_XSPACE_DELIMITED && value.number == NX_XLINE_DISPLAY_NAME)
			line->display_name = value.bytes;
		if (value.wire_type != NX_XSPACE_VARINT)
			continue;
		if (value.number == NX_XLINE_ID)
			line->id = (int64_t)value.integer;
		else if (value.number == NX_XLINE_TIMESTAMP)
			line->timestamp_ns = (int64_t)value.integer;
		else if (value.number == NX_XLINE_DISPLAY_ID)
			line->display_id = (int64_t)value.integer;
	}
}

static uint64_t line_key(size_t plane, const struct nx_xspace_line *line)
{
	uint64_t words[] = {plane, (uint64_t)(line->display_id ? line->display_id : line->id)};

	return nx_hash_words(words, 2);
}

const struct nx_xspace_thread *nx_xspace_thread_of(const struct nx_xspace_decoder *d, size_t plane,
						   const struct nx_xspace_line *line)
{
	uint64_t at = 0;
	bool is_known = nx_map_get(&d->threads_by_line, line_key(plane, line), &at);

	assert(is_known);
	(void)is_known;
	return &d->threads.items[at];
}

/* Threads keep the system's id. Other lines get one that no thread has: processes count from a few
 * up to 2^22. */
static uint64_t choose_id(const struct nx_xspace_decoder *d, size_t plane,
			  const struct nx_xspace_line *line)
{
	const struct nx_xspace_plane *p = &d->planes.items[plane];
	uint64_t id = (uint64_t)line->id;

	if (p->kind != NX_XSPACE_HOST_PLANE && p->kind != NX_XSPACE_RUNTIME_PLANE)
		id = (uint64_t)(plane + 1) << 32 | (uint32_t)line->id;
	/* the host's and the runtime's lines of a thread share its id */
	while (p->kind == NX_XSPACE_OTHER_PLANE && nx_map_get(&d->threads_by_id, id, NULL))
		id++;
	return id;
}

static const char *short_text(struct nx_xspace_decoder *d, struct nx_slice text)
{
	return nx_arena_copy(d->arena, nx_slice_part(text, 0, MAX_NAME));
}

static struct nx_xspace_thread make_thread(struct nx_xspace_decoder *d, size_t plane,
					   const struct nx_xspace_line *line)
{
	const struct nx_xspace_plane *p = &d->planes.items[plane];
	struct nx_xspace_thread thread = {
		.id = choose_id(d, plane, line),
		.name = short_text(d, line->display_name.len ? line->display_name : line->name),
		.is_derived = line->id >= NX_XLINE_DERIVED_FIRST &&
			      line->id < NX_XLINE_DERIVED_FIRST + NX_XLINE_DERIVED_COUNT,
		.is_counters = nx_slice_is(line->name, NX_XLINE_COUNTERS),
	};

	if (p->kind == NX_XSPACE_OTHER_PLANE) {
		thread.line = thread.name;
		thread.plane = short_text(d, p->name);
		thread.name = nx_arena_printf(d->arena, "%s %s", thread.plane, thread.line);
	}
	return thread;
}

static void add_line(struct nx_xspace_decoder *d, size_t plane, struct nx_slice bytes, bool is_cut)
{
	struct nx_xspace_line line;
	struct nx_xspace_thread thread;
	uint64_t key, at;

	nx_xspace_read_line(bytes, is_cut, &line);
	key = line_key(plane, &line);
	if (nx_map_get(&d->threads_by_line, key, &at))
		return;
	thread = make_thread(d, plane, &line);
	nx_map_put(&d->threads_by_line, key, d->threads.len);
	if (!nx_map_get(&d->threads_by_id, thread.id, NULL))
		nx_map_put(&d->threads_by_id, thread.id, d->threads.len);
	nx_vec_push(&d->threads, thread);
}

/* --- names ----------------------------------------------------------------- */

static void add_event_name(struct nx_xspace_decoder *d, struct nx_xspace_plane *plane,
			   struct nx_slice entry)
{
	struct nx_wire_reader reader = nx_wire_reader_of(entry);
	struct nx_xspace_name name = {0};
	struct nx_wire_value value;
	uint64_t key = 0;

	while (nx_wire_next(&reader, &value)) {
		if (value.number == 1 && value.wire_type == NX_XSPACE_VARINT)
			key = value.integer;
		else if (value.number == 2 && value.wire_type == NX_XSPACE_DELIMITED)
			name.metadata = value.bytes;
	}
	reader = nx_wire_reader_of(name.metadata);
	while (nx_wire_next(&reader, &value)) {
		if (value.wire_type != NX_XSPACE_DELIMITED)
			continue;
		if (value.number == 2)
			name.name = value.bytes;
		else if (value.number == 4)
			name.display_name = value.bytes;
	}
	nx_map_put(&plane->events, key, d->names.len);
	nx_vec_push(&d->names, name);
}

static void add_stat_name(struct nx_xspace_decoder *d, struct nx_xspace_plane *plane,
			  struct nx_slice entry)
{
	static const char *const known[NX_XSPACE_KNOWN_STATS] = {
		[NX_XSPACE_FLOW] = "flow",
		[NX_XSPACE_PRODUCER_TYPE] = "_pt",
		[NX_XSPACE_PRODUCER] = "_p",
		[NX_XSPACE_CONSUMER_TYPE] = "_ct",
		[NX_XSPACE_CONSUMER] = "_c",
		[NX_XSPACE_CORRELATION] = "correlation_id",
		[NX_XSPACE_STEP_NUM] = "step_num",
		[NX_XSPACE_COUNTER_VALUE] = NX_XSTAT_COUNTER_VALUE,
	};
	struct nx_wire_reader reader = nx_wire_reader_of(entry);
	struct nx_slice name = {0}, metadata = {0};
	struct nx_wire_value value;
	uint64_t key = 0;

	while (nx_wire_next(&reader, &value)) {
		if (value.number == 1 && value.wire_type == NX_XSPACE_VARINT)
			key = value.integer;
		else if (value.number == 2 && value.wire_type == NX_XSPACE_DELIMITED)
			metadata = value.bytes;
	}
	reader = nx_wire_reader_of(metadata);
	while (nx_wire_next(&reader, &value))
		if (value.number == 2 && value.wire_type == NX_XSPACE_DELIMITED)
			name = value.bytes;
	for (size_t i = 0; i < NX_XSPACE_KNOWN_STATS; i++)
		if (nx_slice_is(name, known[i])) {
			plane->known_stats[i] = (int64_t)key;
			plane->has_known_stats = true;
			if (key < NX_XSPACE_SMALL_IDS)
				plane->small_known_ids |= UINT64_C(1) << key;
		}
	nx_map_put(&plane->stats, key, d->texts.len);
	nx_vec_push(&d->texts, name);
}

/* --- planes ---------------------------------------------------------------- */

static bool is_named(const struct nx_xspace_decoder *d, const struct nx_xspace_plane *plane,
		     const struct nx_xstat *stat, const char *name)
{
	uint64_t at;

	return nx_map_get(&plane->stats, (uint64_t)stat->metadata_id, &at) &&
	       nx_slice_is(d->texts.items[at], name);
}

static void take_plane_stat(struct nx_xspace_decoder *d, const struct nx_xspace_plane *plane,
			    struct nx_slice message)
{
	struct nx_xstat stat;
	uint64_t at;

	nx_xstat_read(message, &stat);
	if (nx_slice_is(plane->name, NX_XPLANE_TASK)) {
		if (is_named(d, plane, &stat, NX_XSTAT_START_TIME))
			d->start_ns = stat.integer;
		else if (is_named(d, plane, &stat, NX_XSTAT_STOP_TIME))
			d->stop_ns = stat.integer;
		return;
	}
	if (d->device_type || !is_named(d, plane, &stat, "device_type_string"))
		return;
	if (stat.kind == NX_XSTAT_TEXT)
		d->device_type = nx_arena_copy(d->arena, stat.text);
	else if (stat.kind == NX_XSTAT_REF && nx_map_get(&plane->stats, stat.integer, &at))
		d->device_type = nx_arena_copy(d->arena, d->texts.items[at]);
}

static void name_plane(struct nx_xspace_plane *plane, struct nx_slice name)
{
	const size_t core_len = sizeof(NX_XPLANE_CORE) - 1;
	int32_t core = 0;

	plane->name = name;
	plane->kind = NX_XSPACE_OTHER_PLANE;
	plane->core = -1;
	if (nx_slice_starts(name, NX_XPLANE_RUNTIME)) {
		plane->kind = NX_XSPACE_RUNTIME_PLANE;
	} else if (nx_slice_starts(name, "/host:")) {
		plane->kind = NX_XSPACE_HOST_PLANE;
	} else if (nx_slice_starts(name, NX_XPLANE_CORE)) {
		size_t at = core_len;

		while (at < name.len && at < core_len + 6 && name.data[at] >= '0' &&
		       name.data[at] <= '9')
			core = core * 10 + (name.data[at++] - '0');
		/* its process may follow */
		if (at == core_len || (at < name.len && name.data[at] != ' '))
			return;
		plane->kind = NX_XSPACE_CORE_PLANE;
		plane->core = core;
	}
}

/* The plane's own fields first: its kind decides about its lines. */
static void read_plane(struct nx_xspace_decoder *d, size_t at)
{
	struct nx_xspace_plane *plane = &d->planes.items[at];
	struct nx_xspace_walk walk = nx_xspace_walk_of(plane->bytes, plane->is_cut);
	struct nx_wire_value value;

	while (nx_xspace_walk_next(&walk, &value)) {
		if (value.number == NX_XPLANE_ID && value.wire_type == NX_XSPACE_VARINT)
			plane->id = (int64_t)value.integer;
		if (value.wire_type != NX_XSPACE_DELIMITED)
			continue;
		if (value.number == NX_XPLANE_NAME)
			name_plane(plane, value.bytes);
		else if (value.number == NX_XPLANE_EVENT_METADATA)
			add_event_name(d, plane, value.bytes);
		else if (value.number == NX_XPLANE_STAT_METADATA)
			add_stat_name(d, plane, value.bytes);
	}
	nx_xspace_note_end(d, &walk);
	walk = nx_xspace_walk_of(plane->bytes, plane->is_cut);
	while (nx_xspace_walk_next(&walk, &value)) {
		if (value.wire_type != NX_XSPACE_DELIMITED)
			continue;
		if (value.number == NX_XPLANE_LINES)
			add_line(d, at, value.bytes, walk.is_cut);
		else if (value.number == NX_XPLANE_STATS)
			take_plane_stat(d, plane, value.bytes);
	}
}

static void take_field(struct nx_xspace_decoder *d, const struct nx_wire_value *value, bool is_cut)
{
	struct nx_xspace_plane plane = {
		.bytes = value->bytes, .is_cut = is_cut, .kind = NX_XSPACE_OTHER_PLANE, .core = -1};

	if (value->wire_type != NX_XSPACE_DELIMITED)
		return;
	switch (value->number) {
	case NX_XSPACE_PLANES:
		if (d->planes.len == NX_XSPACE_MAX_PLANES) {
			d->loss.dropped_plane_count++;
			return;
		}
		nx_vec_push(&d->planes, plane);
		read_plane(d, d->planes.len - 1);
		break;
	case NX_XSPACE_ERRORS:
		nx_vec_push(&d->errors, value->bytes);
		break;
	case NX_XSPACE_WARNINGS:
		nx_vec_push(&d->warnings, value->bytes);
		break;
	case NX_XSPACE_HOSTNAMES:
		nx_vec_push(&d->hostnames, value->bytes);
		break;
	default:
		break;
	}
}

static bool has_names(const struct nx_xspace_decoder *d)
{
	for (size_t i = 0; i < d->planes.len; i++)
		if (d->planes.items[i].name.len)
			return true;
	return false;
}

enum nx_status nx_xspace_decoder_open(struct nx_xspace_decoder *d, struct nx_slice file,
				      const char *path, struct nx_arena *arena,
				      struct nx_error *err)
{
	struct nx_xspace_walk walk = nx_xspace_walk_of(file, true);
	struct nx_wire_value value;

	assert(path && arena);
	memset(d, 0, sizeof(*d));
	d->file = file;
	d->arena = arena;
	if (!file.len)
		return nx_fail(err, NX_FORMAT,
			       "%s is empty, as profilers leave it if a profile exceeds 2 GiB; "
			       "capture a shorter time or fewer sources",
			       path);
	while (nx_xspace_walk_next(&walk, &value))
		take_field(d, &value, walk.is_cut);
	nx_xspace_note_end(d, &walk);
	if (has_names(d))
		return NX_OK;
	nx_xspace_decoder_release(d);
	return nx_fail(err, NX_FORMAT,
		       "%s is not an XSpace: it has no plane with a name; give the .xplane.pb that "
		       "the profiler wrote, or copy it again if it was changed on the way",
		       path);
}

void nx_xspace_decoder_release(struct nx_xspace_decoder *d)
{
	for (size_t i = 0; i < d->planes.len; i++) {
		nx_map_release(&d->planes.items[i].events);
		nx_map_release(&d->planes.items[i].stats);
	}
	nx_vec_release(&d->planes);
	nx_vec_release(&d->names);
	nx_vec_release(&d->texts);
	nx_vec_release(&d->threads);
	nx_map_release(&d->threads_by_line);
	nx_map_release(&d->threads_by_id);
	nx_vec_release(&d->hostnames);
	nx_vec_release(&d->errors);
	nx_vec_release(&d->warnings);
	nx_arena_release(&d->attributes);
}
