/* SPDX-License-Identifier: Apache-2.0 */
#include "format/xspace_writer.h"

#include <assert.h>

#include "base/map.h"
#include "base/temporary.h"
#include "base/utf8.h"

#define DEFAULT_BUFFER_BYTES ((size_t)16 << 20)
#define COPY_BYTES ((size_t)256 << 10)
#define PS_PER_NS 1000

struct piece { /* of a plane's lines, in the temporary file */
	uint64_t offset, len;
};

struct names { /* of events or of stats, numbered from 1 */
	struct nx_text_map ids;
	struct nx_name_texts NX_VEC_BODY(const char *) texts;
};

struct plane {
	int64_t id;
	const char *name;
	struct names events, stats;
	struct nx_bytes plane_stats; /* encoded */
	struct nx_plane_pieces NX_VEC_BODY(struct piece) pieces;
	uint64_t piece_bytes;
	struct nx_bytes lines;	/* those that are still in memory, encoded by finish */
	struct nx_bytes around; /* what is not lines, encoded by finish */
};

struct line {
	uint32_t plane;
	int64_t id;
	const char *name;
	uint64_t base_ns; /* of the events that wait */
	uint64_t last_ns;
	struct nx_bytes events;
};

struct nx_xspace_writer {
	struct nx_xspace_writer_options options;
	struct nx_writer_planes NX_VEC_BODY(struct plane) planes;
	struct nx_writer_lines NX_VEC_BODY(struct line) lines;
	struct nx_bytes end; /* of the space: hosts and warnings */
	size_t waiting_bytes;
	struct nx_temporary spilled;
	uint64_t spilled_bytes;
	enum nx_status status; /* first failure */
	struct nx_error error;
	struct nx_arena arena;
};

struct nx_xspace_writer *nx_xspace_writer_new(const struct nx_xspace_writer_options *options)
{
	struct nx_xspace_writer *w = nx_heap_alloc(sizeof(*w));

	assert(options->write);
	*w = (struct nx_xspace_writer){.options = *options, .spilled = {.fd = -1}};
	if (!w->options.buffer_bytes)
		w->options.buffer_bytes = DEFAULT_BUFFER_BYTES;
	if (!w->options.max_bytes)
		w->options.max_bytes = NX_XSPACE_MAX_BYTES;
	return w;
}

/* Readers refuse a whole file for one text that is not UTF-8. */
static const char *keep_text(struct nx_xspace_writer *w, const char *text)
{
	char *copy = nx_arena_copy_text(&w->arena, text);

	nx_utf8_repair((uint8_t *)copy, strlen(copy));
	return copy;
}

void nx_xspace_writer_host(struct nx_xspace_writer *w, const char *hostname)
{
	nx_wire_put_bytes(&w->end, NX_XSPACE_HOSTNAMES, nx_slice_text(keep_text(w, hostname)));
}

void nx_xspace_writer_warn(struct nx_xspace_writer *w, const char *text)
{
	nx_wire_put_bytes(&w->end, NX_XSPACE_WARNINGS, nx_slice_text(keep_text(w, text)));
}

uint32_t nx_xspace_writer_plane(struct nx_xspace_writer *w, int64_t id, const char *name)
{
	struct plane plane = {.id = id, .name = keep_text(w, name)};

	nx_vec_push(&w->planes, plane);
	return (uint32_t)(w->planes.len - 1);
}

uint32_t nx_xspace_writer_line(struct nx_xspace_writer *w, uint32_t plane, int64_t id,
			       const char *name)
{
	struct line line = {.plane = plane, .id = id, .name = keep_text(w, name)};

	assert(plane < w->planes.len);
	nx_vec_push(&w->lines, line);
	return (uint32_t)(w->lines.len - 1);
}

static int64_t name_id(struct nx_xspace_writer *w, struct names *names, const char *name)
{
	uint64_t id;

	if (nx_text_map_get(&names->ids, nx_slice_text(name), &id))
		return (int64_t)id;
	/* found as it was given, written as it must be */
	nx_vec_push(&names->texts, keep_text(w, name));
	nx_text_map_put(&names->ids, nx_slice_text(nx_arena_copy_text(&w->arena, name)),
			names->texts.len);
	return (int64_t)names->texts.len;
}

static struct nx_xstat stat_of(struct nx_xspace_writer *w, uint32_t plane,
			       const struct nx_xspace_attribute *attribute)
{
	struct nx_xstat stat = attribute->value;

	stat.metadata_id = name_id(w, &w->planes.items[plane].stats, attribute->name);
	return stat;
}

void nx_xspace_writer_stat(struct nx_xspace_writer *w, uint32_t plane,
			   const struct nx_xspace_attribute *attribute)
{
	struct nx_xstat stat;

	assert(plane < w->planes.len);
	stat = stat_of(w, plane, attribute);
	nx_xstat_append(&w->planes.items[plane].plane_stats, NX_XPLANE_STATS, &stat);
}

/* --- lines ----------------------------------------------------------------- */

static uint64_t shown_ns(const struct nx_xspace_writer *w, uint64_t time_ns)
{
	return time_ns > w->options.start_ns ? time_ns - w->options.start_ns : 0;
}

static void encode_line(const struct nx_xspace_writer *w, const struct line *line,
			struct nx_bytes *head)
{
	uint64_t base_ns = w->options.start_ns ? shown_ns(w, line->base_ns) : line->base_ns;

	nx_vec_clear(head);
	nx_wire_put_u64(head, NX_XLINE_ID, (uint64_t)line->id);
	nx_wire_put_bytes(head, NX_XLINE_NAME, nx_slice_text(line->name));
	nx_wire_put_u64(head, NX_XLINE_TIMESTAMP, base_ns);
	nx_wire_put_u64(head, NX_XLINE_DURATION, (line->last_ns - line->base_ns) * PS_PER_NS);
}

/* The field of the plane: tag and length, then the line without its events, then these. */
static void append_line(const struct nx_xspace_writer *w, const struct line *line,
			struct nx_bytes *head, struct nx_bytes *out)
{
	encode_line(w, line, head);
	nx_wire_put_varint(out, NX_XPLANE_LINES << 3 | 2);
	nx_wire_put_varint(out, head->len + line->events.len);
	nx_bytes_append(out, head->items, head->len);
	nx_bytes_append(out, line->events.items, line->events.len);
}

static void spill(struct nx_xspace_writer *w)
{
	struct nx_bytes head = {0}, bytes = {0};

	if (!w->status && w->spilled.fd < 0)
		w->status = nx_temporary_open(&w->spilled, &w->error);
	for (size_t i = 0; i < w->lines.len; i++) {
		struct line *line = &w->lines.items[i];
		struct plane *plane = &w->planes.items[line->plane];
		struct piece piece = {.offset = w->spilled_bytes};

		if (!line->events.len)
			continue;
		nx_vec_clear(&bytes);
		append_line(w, line, &head, &bytes);
		nx_vec_release(&line->events);
		piece.len = bytes.len;
		if (!w->status)
			w->status = nx_temporary_write(&w->spilled, bytes.items, bytes.len,
						       piece.offset, &w->error);
		nx_vec_push(&plane->pieces, piece);
		plane->piece_bytes += piece.len;
		w->spilled_bytes += piece.len;
	}
	w->waiting_bytes = 0;
	nx_vec_release(&head);
	nx_vec_release(&bytes);
}

void nx_xspace_writer_cut(struct nx_xspace_writer *w)
{
	if (w->waiting_bytes)
		spill(w);
}

void nx_xspace_writer_event(struct nx_xspace_writer *w, uint32_t at, const char *name,
			    uint64_t start_ns, uint64_t end_ns,
			    const struct nx_xspace_attribute *attributes, size_t count)
{
	struct nx_xstat few[16], *stats = few;
	struct line *line;
	struct nx_xevent event;
	size_t before;

	assert(at < w->lines.len && start_ns <= end_ns);
	line = &w->lines.items[at];
	before = line->events.len;
	if (!before)
		line->base_ns = line->last_ns = start_ns;
	assert(start_ns >= line->base_ns);
	if (count > sizeof(few) / sizeof(few[0]))
		stats = nx_heap_alloc(count * sizeof(*stats));
	for (size_t i = 0; i < count; i++)
		stats[i] = stat_of(w, line->plane, &attributes[i]);
	event = (struct nx_xevent){
		.metadata_id = name_id(w, &w->planes.items[line->plane].events, name),
		.offset_ps = (int64_t)((start_ns - line->base_ns) * PS_PER_NS),
		.duration_ps = (int64_t)((end_ns - start_ns) * PS_PER_NS),
	};
	nx_xevent_append(&line->events, &event, stats, count);
	if (end_ns > line->last_ns)
		line->last_ns = end_ns;
	if (stats != few)
		nx_heap_free(stats);
	w->waiting_bytes += line->events.len - before;
	if (w->waiting_bytes > w->options.buffer_bytes)
		spill(w);
}

/* --- the end --------------------------------------------------------------- */

static void append_events(const struct names *names, struct nx_bytes *out)
{
	struct nx_bytes one = {0};

	for (size_t i = 0; i < names->texts.len; i++) {
		struct nx_xevent_entry entry = {
			.key = (int64_t)i + 1,
			.value = {.id = (int64_t)i + 1,
				  .name = nx_slice_text(names->texts.items[i])},
			.has_value = true};

		nx_vec_clear(&one);
		nx_wire_encode(&nx_xevent_entry_message, &entry, &one);
		nx_wire_put_bytes(out, NX_XPLANE_EVENT_METADATA, nx_slice_of(one.items, one.len));
	}
	nx_vec_release(&one);
}

static void append_stats(const struct names *names, struct nx_bytes *out)
{
	struct nx_bytes one = {0};

	for (size_t i = 0; i < names->texts.len; i++) {
		struct nx_xstat_entry entry = {
			.key = (int64_t)i + 1,
			.value = {.id = (int64_t)i + 1,
				  .name = nx_slice_text(names->texts.items[i])},
			.has_value = true};

		nx_vec_clear(&one);
		nx_wire_encode(&nx_xstat_entry_message, &entry, &one);
		nx_wire_put_bytes(out, NX_XPLANE_STAT_METADATA, nx_slice_of(one.items, one.len));
	}
	nx_vec_release(&one);
}

/* Returns the bytes of the plane with its tag and length. */
static uint64_t encode_plane(struct plane *plane)
{
	struct nx_bytes rest = {0};
	uint64_t len;

	nx_wire_put_u64(&rest, NX_XPLANE_ID, (uint64_t)plane->id);
	nx_wire_put_bytes(&rest, NX_XPLANE_NAME, nx_slice_text(plane->name));
	append_events(&plane->events, &rest);
	append_stats(&plane->stats, &rest);
	nx_bytes_append(&rest, plane->plane_stats.items, plane->plane_stats.len);
	len = rest.len + plane->piece_bytes + plane->lines.len;
	nx_wire_put_varint(&plane->around, NX_XSPACE_PLANES << 3 | 2);
	nx_wire_put_varint(&plane->around, len);
	len += plane->around.len;
	nx_bytes_append(&plane->around, rest.items, rest.len);
	nx_vec_release(&rest);
	return len;
}

static enum nx_status copy_piece(struct nx_xspace_writer *w, struct piece piece, uint8_t *buffer)
{
	enum nx_status st = NX_OK;

	while (piece.len && !st) {
		size_t part = piece.len < COPY_BYTES ? (size_t)piece.len : COPY_BYTES;

		st = nx_temporary_read(&w->spilled, buffer, part, piece.offset, &w->error);
		if (!st)
			w->options.write(w->options.context, buffer, part);
		piece.offset += part;
		piece.len -= part;
	}
	return st;
}

static enum nx_status write_space(struct nx_xspace_writer *w)
{
	uint8_t *buffer = w->spilled_bytes ? nx_heap_alloc(COPY_BYTES) : NULL;
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < w->planes.len && !st; i++) {
		const struct plane *plane = &w->planes.items[i];

		w->options.write(w->options.context, plane->around.items, plane->around.len);
		for (size_t k = 0; k < plane->pieces.len && !st; k++)
			st = copy_piece(w, plane->pieces.items[k], buffer);
		if (!st && plane->lines.len)
			w->options.write(w->options.context, plane->lines.items, plane->lines.len);
	}
	if (!st && w->end.len)
		w->options.write(w->options.context, w->end.items, w->end.len);
	nx_heap_free(buffer);
	return st;
}

void nx_xspace_writer_abort(struct nx_xspace_writer *w)
{
	for (size_t i = 0; i < w->planes.len; i++) {
		struct plane *plane = &w->planes.items[i];

		nx_text_map_release(&plane->events.ids);
		nx_vec_release(&plane->events.texts);
		nx_text_map_release(&plane->stats.ids);
		nx_vec_release(&plane->stats.texts);
		nx_vec_release(&plane->plane_stats);
		nx_vec_release(&plane->pieces);
		nx_vec_release(&plane->lines);
		nx_vec_release(&plane->around);
	}
	for (size_t i = 0; i < w->lines.len; i++)
		nx_vec_release(&w->lines.items[i].events);
	nx_vec_release(&w->planes);
	nx_vec_release(&w->lines);
	nx_vec_release(&w->end);
	nx_temporary_close(&w->spilled);
	nx_arena_release(&w->arena);
	nx_heap_free(w);
}

enum nx_status nx_xspace_writer_finish(struct nx_xspace_writer *w, struct nx_error *err)
{
	struct nx_bytes head = {0};
	uint64_t total = w->end.len;
	enum nx_status st = w->status;

	for (size_t i = 0; i < w->lines.len && !st; i++) {
		struct line *line = &w->lines.items[i];

		if (line->events.len)
			append_line(w, line, &head, &w->planes.items[line->plane].lines);
		nx_vec_release(&line->events);
	}
	nx_vec_release(&head);
	for (size_t i = 0; i < w->planes.len && !st; i++)
		total += encode_plane(&w->planes.items[i]);
	if (!st && total > w->options.max_bytes)
		st = nx_fail(&w->error, NX_LIMIT,
			     "the XSpace would have %llu bytes, and its readers accept at most "
			     "%llu; write fewer events, for example of one core or one instance",
			     (unsigned long long)total, (unsigned long long)w->options.max_bytes);
	if (!st)
		st = write_space(w);
	if (st && err)
		*err = w->error;
	nx_xspace_writer_abort(w);
	return st;
}
