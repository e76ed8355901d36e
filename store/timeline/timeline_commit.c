/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "store/timeline/name_tally.h"
#include "store/timeline/timeline_writer_internal.h"

/* Samples of a counter that make a node. */
struct value_node {
	unsigned children;
	uint64_t start_ns;
	double lowest, highest;
	long double sum; /* of values times ns */
};

/* Incomplete nodes. */
struct level {
	unsigned node_children;
	uint64_t longest_ns;
	unsigned name_children;
	struct nx_name_tally names;
	struct value_node values;
};

/*
 * Turns the rows of one strip after another into chunks and an index.
 *
 * Chunks are written at once. Numbers of the index go to a spool because each column must be
 * contiguous and a strip's columns may exceed memory. Only names need memory that grows: a few sums
 * for each different name of the strip.
 */
struct builder {
	struct nx_output *out; /* borrowed, as the two below */
	struct nx_spool *index;
	struct nx_error *err;
	enum nx_status status; /* the first failure of the spool; out keeps its own */
	uint64_t strip;
	enum nx_track_kind kind;
	uint64_t row_count; /* expected */
	uint64_t chunk_count;
	uint64_t busy_ns;
	size_t used; /* rows in the current chunk */
	struct nx_span spans[NX_CHUNK_ROWS];
	struct nx_sample samples[NX_CHUNK_ROWS];
	struct nx_bytes bytes; /* of a chunk */
	struct nx_bytes names; /* of a list */
	uint64_t name_values;  /* of lists so far */
	struct level levels[NX_MAX_LEVELS];
};

static_assert(NX_COLUMN_COUNT <= 16 && NX_MAX_LEVELS <= 16, "four bits of a key each");

static void put(struct builder *b, enum nx_timeline_column column, unsigned level, uint64_t value)
{
	struct nx_index_record record = {b->strip << 8 | (uint64_t)column << 4 | level, value};

	if (!b->status)
		b->status = nx_spool_add(b->index, &record, b->err);
}

static void put_double(struct builder *b, enum nx_timeline_column column, unsigned level,
		       double value)
{
	put(b, column, level, nx_load64(&value));
}

static void begin_strip(struct builder *b, uint64_t strip, const struct nx_strip_state *state)
{
	assert(!b->used && state->row_count && state->row_count <= NX_MAX_ROWS);
	b->strip = strip;
	b->kind = state->kind;
	b->row_count = state->row_count;
	b->chunk_count = 0;
	b->busy_ns = 0;
	b->name_values = 0;
	for (unsigned level = 0; level < NX_MAX_LEVELS; level++) {
		struct nx_name_tally names = b->levels[level].names;

		nx_name_tally_clear(&names);
		b->levels[level] = (struct level){.names = names};
	}
}

static void write_chunk(struct builder *b, uint64_t start_ns, size_t longest_row)
{
	/* Every node begins with the start of its first chunk. */
	for (unsigned level = 0;
	     nx_column_values(b->kind, b->row_count, NX_COLUMN_START, level) &&
	     (b->chunk_count & (((uint64_t)1 << level * NX_FANOUT_BITS) - 1)) == 0;
	     level++)
		put(b, NX_COLUMN_START, level, start_ns);
	assert(b->out->written_bytes <= NX_AT_MASK);
	put(b, NX_COLUMN_AT, 0, b->out->written_bytes | (uint64_t)longest_row << NX_AT_BITS);
	nx_output_write(b->out, b->bytes.items, b->bytes.len);
	nx_vec_clear(&b->bytes);
	b->chunk_count++;
	b->used = 0;
}

static void add_longest(struct builder *b, uint64_t longest_ns)
{
	for (unsigned level = 0; level < NX_MAX_LEVELS; level++) {
		struct level *above = &b->levels[level];

		put(b, NX_COLUMN_LONGEST, level, longest_ns);
		if (longest_ns > above->longest_ns)
			above->longest_ns = longest_ns;
		if (++above->node_children < NX_FANOUT)
			return;
		longest_ns = above->longest_ns;
		above->node_children = 0;
		above->longest_ns = 0;
	}
}

/* Writes the names of complete nodes and adds them to the nodes above. */
static void add_names(struct builder *b)
{
	for (size_t i = 0; i < b->used; i++)
		nx_name_tally_add(&b->levels[0].names, b->spans[i].name,
				  b->spans[i].end_ns - b->spans[i].start_ns, 0);
	for (unsigned level = 0;; level++) {
		struct level *here = &b->levels[level];
		bool has_above =
			nx_column_values(b->kind, b->row_count, NX_COLUMN_NAME_AT, level + 1) != 0;

		put(b, NX_COLUMN_NAME_AT, level, b->name_values);
		nx_name_list_append(&b->names, &here->names, level);
		for (size_t i = 0; i < b->names.len; i += sizeof(uint64_t))
			put(b, NX_COLUMN_NAME_LIST, 0, nx_load64(b->names.items + i));
		b->name_values += b->names.len / sizeof(uint64_t);
		nx_vec_clear(&b->names);
		if (has_above)
			nx_name_tally_merge(&here[1].names, &here->names);
		nx_name_tally_clear(&here->names);
		here->name_children = 0;
		if (!has_above || ++here[1].name_children < 1u << NX_NAME_FANOUT_BITS)
			return;
	}
}

static void close_spans(struct builder *b)
{
	uint64_t longest_ns = 0;
	size_t longest_row = 0;

	put(b, NX_COLUMN_BUSY, 0, b->busy_ns);
	for (size_t i = 0; i < b->used; i++) {
		uint64_t length_ns = b->spans[i].end_ns - b->spans[i].start_ns;

		b->busy_ns += length_ns;
		if (length_ns > longest_ns) {
			longest_ns = length_ns;
			longest_row = i;
		}
	}
	put(b, NX_COLUMN_CALLER, 0, b->spans[longest_row].row);
	if (b->used == NX_CHUNK_ROWS) {
		add_longest(b, longest_ns);
		add_names(b);
	}
	nx_span_chunk_append(&b->bytes, b->spans, b->used);
	write_chunk(b, b->spans[0].start_ns, longest_row);
}

static void add_to_node(struct value_node *node, const struct value_node *child)
{
	if (!node->children)
		*node = (struct value_node){
			.start_ns = child->start_ns,
			.lowest = child->lowest,
			.highest = child->highest,
		};
	if (child->lowest < node->lowest)
		node->lowest = child->lowest;
	if (child->highest > node->highest)
		node->highest = child->highest;
	node->sum += child->sum;
	node->children++;
}

/* Closes a full node that ended at next_ns, and those above that are full with it. */
static void add_values(struct builder *b, struct value_node node, uint64_t next_ns)
{
	for (unsigned level = 0; level < NX_MAX_LEVELS; level++) {
		struct value_node *above = &b->levels[level].values;
		long double length_ns = (long double)(next_ns - node.start_ns);

		put_double(b, NX_COLUMN_LOWEST, level, node.lowest);
		put_double(b, NX_COLUMN_HIGHEST, level, node.highest);
		/* If all samples have one time, none has a weight: any mean will do. */
		put_double(b, NX_COLUMN_MEAN, level,
			   next_ns > node.start_ns ? (double)(node.sum / length_ns) : node.lowest);
		add_to_node(above, &node);
		if (above->children < NX_FANOUT)
			return;
		node = *above;
		above->children = 0;
	}
}

static void close_samples(struct builder *b, const struct nx_sample *next)
{
	struct value_node node = {0};

	for (size_t i = 0; i < b->used && next; i++) {
		const struct nx_sample *sample = &b->samples[i];
		uint64_t end_ns = i + 1 < b->used ? sample[1].time_ns : next->time_ns;
		struct value_node one = {
			.start_ns = sample->time_ns,
			.lowest = sample->value,
			.highest = sample->value,
			.sum = (long double)sample->value * (long double)(end_ns - sample->time_ns),
		};

		add_to_node(&node, &one);
	}
	if (next)
		add_values(b, node, next->time_ns);
	nx_sample_chunk_append(&b->bytes, b->samples, b->used);
	write_chunk(b, b->samples[0].time_ns, 0);
}

static void add_row(struct builder *b, const struct nx_row_record *record)
{
	bool is_full = b->used == NX_CHUNK_ROWS;

	if (b->kind == NX_TRACK_SPANS) {
		if (is_full)
			close_spans(b);
		b->spans[b->used++] = (struct nx_span){record->start_ns, record->end_ns,
						       record->row, record->name};
	} else {
		struct nx_sample sample = {.time_ns = record->start_ns};

		memcpy(&sample.value, &record->end_ns, sizeof(sample.value));
		if (is_full)
			close_samples(b, &sample);
		b->samples[b->used++] = sample;
	}
}

static void end_strip(struct builder *b, struct nx_timeline_writer *w)
{
	if (b->used && b->kind == NX_TRACK_SPANS)
		close_spans(b);
	else if (b->used)
		close_samples(b, NULL);
	if (b->chunk_count)
		w->strips.items[b->strip].name_values = b->name_values;
}

/* Rows come sorted by strip, and in each in the order in which they were added. */
static enum nx_status build_strips(struct nx_timeline_writer *w, struct nx_error *err)
{
	struct builder b = {.out = &w->out, .index = w->index, .err = err};
	struct nx_spool_cursor *cursor = NULL;
	const struct nx_row_record *record;
	uint64_t strip = UINT64_MAX;
	enum nx_status status = nx_spool_sort(w->rows, err);

	if (!status)
		status = nx_spool_cursor_open(&cursor, w->rows, err);
	if (status)
		return status;
	while (!b.status && !w->out.status && (record = nx_spool_cursor_next(cursor))) {
		if (record->strip != strip) {
			end_strip(&b, w);
			strip = record->strip;
			begin_strip(&b, strip, &w->strips.items[strip]);
		}
		add_row(&b, record);
	}
	end_strip(&b, w);
	status = nx_spool_cursor_close(cursor, b.status ? NULL : err);
	nx_spool_free(w->rows);
	w->rows = NULL;
	for (unsigned level = 0; level < NX_MAX_LEVELS; level++)
		nx_name_tally_release(&b.levels[level].names);
	nx_vec_release(&b.bytes);
	nx_vec_release(&b.names);
	return b.status ? b.status : status;
}

static enum nx_status write_index(struct nx_timeline_writer *w, struct nx_error *err)
{
	struct nx_spool_cursor *cursor = NULL;
	const struct nx_index_record *record;
	uint64_t end = w->out.written_bytes;
	enum nx_status status = nx_spool_sort(w->index, err);

	for (size_t i = 0; i < w->strips.len; i++) {
		struct nx_strip_state *strip = &w->strips.items[i];

		strip->index_at = end;
		end += nx_index_bytes(strip->kind, strip->row_count, strip->name_values);
	}
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
