/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/timeline_writer_internal.h"
#include <assert.h>

static void build_row(struct nx_strip_builder *b, const struct nx_row_record *record)
{
	if (b->kind == NX_TRACK_SPANS) {
		nx_strip_builder_add_span(b, &(struct nx_span){record->start_ns, record->end_ns,
							       record->row, record->name});
	} else {
		struct nx_sample sample = {.time_ns = record->start_ns};

		memcpy(&sample.value, &record->end_ns, sizeof(sample.value));
		nx_strip_builder_add_sample(b, &sample);
	}
}

static void end_strip(struct nx_timeline_writer *w)
{
	nx_strip_builder_end(&w->builder);
	if (w->builder.chunk_count)
		w->strips.items[w->builder.strip].name_values = w->builder.name_values;
}

/* Rows come sorted by strip, and in each in the order in which they were added. */
static enum nx_status build_strips(struct nx_timeline_writer *w, struct nx_error *err)
{
	struct nx_strip_builder *b = &w->builder;
	struct nx_spool_cursor *cursor = NULL;
	const struct nx_row_record *record;
	uint64_t strip = UINT64_MAX;
	enum nx_status status = nx_spool_sort(w->rows, err);

	if (!status)
		status = nx_spool_cursor_open(&cursor, w->rows, err);
	if (status)
		return status;
	while (!b->status && !w->out.status && (record = nx_spool_cursor_next(cursor))) {
		if (record->strip != strip) {
			end_strip(w);
			strip = record->strip;
			nx_strip_builder_begin(b, strip, w->strips.items[strip].kind,
					       w->strips.items[strip].row_count);
		}
		build_row(b, record);
	}
	end_strip(w);
	status = nx_spool_cursor_close(cursor, err);
	nx_spool_free(w->rows);
	w->rows = NULL;
	if (status)
		return status;
	if (b->status && err)
		*err = b->error;
	return b->status;
}

/* Returns where the last one ends. */
static uint64_t place_indexes(struct nx_timeline_writer *w)
{
	uint64_t at = w->out.written_bytes;

	for (size_t i = 0; i < w->strips.len; i++) {
		struct nx_strip_state *strip = &w->strips.items[i];

		strip->index_at = at;
		at += nx_index_bytes(strip->kind, strip->row_count, strip->name_values);
	}
	return at;
}

static enum nx_status write_index(struct nx_timeline_writer *w, struct nx_error *err)
{
	struct nx_spool_cursor *cursor = NULL;
	const struct nx_index_record *record;
	uint64_t end = place_indexes(w);
	enum nx_status status = nx_spool_sort(w->index, err);

	if (!status)
		status = nx_spool_cursor_open(&cursor, w->index, err);
	if (status)
		return status;
	while ((record = nx_spool_cursor_next(cursor)))
		nx_output_write(&w->out, &record->value, sizeof(record->value));
	status = nx_spool_cursor_close(cursor, err);
	assert(status || w->out.status || w->out.written_bytes == end);
	return status;
}

static void append_tables(struct nx_timeline_writer *w, struct nx_bytes *bytes)
{
	uint32_t first_strip = 0;

	for (size_t i = 0; i < w->tracks.len; i++) {
		struct nx_track_state *track = &w->tracks.items[i];

		track->record.first_strip = first_strip;
		track->record.depth_count = (uint32_t)track->strips.len;
		first_strip += track->record.depth_count;
		nx_bytes_append(bytes, &track->record, sizeof(track->record));
	}
	for (size_t i = 0; i < w->tracks.len; i++) {
		for (size_t depth = 0; depth < w->tracks.items[i].strips.len; depth++) {
			const struct nx_strip_state *strip =
				&w->strips.items[w->tracks.items[i].strips.items[depth]];
			struct nx_strip_record record = {strip->row_count, strip->index_at,
							 strip->first_ns, strip->end_ns,
							 strip->name_values};

			nx_bytes_append(bytes, &record, sizeof(record));
		}
	}
	nx_bytes_append(bytes, w->attributes.items,
			w->attributes.len * sizeof(*w->attributes.items));
}

/* Ends, then texts up to a multiple of eight bytes; returns the bytes of the texts. */
static uint64_t append_names(const struct nx_timeline_writer *w, struct nx_bytes *bytes)
{
	uint64_t end = 0;

	for (size_t i = 0; i < w->names.len; i++) {
		end += w->names.items[i].len;
		nx_bytes_append(bytes, &end, sizeof(end));
	}
	for (size_t i = 0; i < w->names.len; i++)
		nx_bytes_append(bytes, w->names.items[i].data, w->names.items[i].len);
	nx_bytes_append_zeros(bytes, (size_t)(-end & 7));
	return end + (-end & 7);
}

static void write_directory(struct nx_timeline_writer *w)
{
	struct nx_timeline_footer footer = {
		.directory_at = w->out.written_bytes,
		.track_count = (uint32_t)w->tracks.len,
		.strip_count = (uint32_t)w->strips.len,
		.name_count = (uint32_t)w->names.len,
		.attribute_count = (uint32_t)w->attributes.len,
		.version = NX_TIMELINE_VERSION,
		.magic = NX_TIMELINE_END_MAGIC,
	};
	struct nx_bytes bytes = {0};

	append_tables(w, &bytes);
	footer.text_bytes = append_names(w, &bytes);
	footer.directory_bytes = bytes.len;
	footer.checksum = nx_timeline_checksum(nx_slice_of(bytes.items, bytes.len), &footer);
	nx_output_write(&w->out, bytes.items, bytes.len);
	nx_output_write(&w->out, &footer, sizeof(footer));
	nx_vec_release(&bytes);
}

enum nx_status nx_timeline_writer_commit(struct nx_timeline_writer *w, struct nx_error *err)
{
	enum nx_status status = build_strips(w, err);

	if (!status)
		status = write_index(w, err);
	if (!status) {
		write_directory(w);
		status = nx_output_commit(&w->out, err);
	}
	nx_timeline_writer_abort(w);
	return status;
}
