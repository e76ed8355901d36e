/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/strip_builder.h"
#include "store/timeline/name_list.h"
#include <assert.h>

static void put(struct nx_strip_builder *b, enum nx_timeline_column column, unsigned level,
		uint64_t value)
{
	struct nx_index_record record = {b->strip << 8 | (uint64_t)column << 4 | level, value};

	if (!b->status)
		b->status = nx_spool_add(b->index, &record, &b->error);
}

static void put_double(struct nx_strip_builder *b, enum nx_timeline_column column, unsigned level,
		       double value)
{
	put(b, column, level, nx_load64(&value));
}

void nx_strip_builder_begin(struct nx_strip_builder *b, uint64_t strip, enum nx_track_kind kind,
			    uint64_t row_count)
{
	assert(!b->used && row_count <= NX_MAX_ROWS);
	b->strip = strip;
	b->kind = kind;
	b->row_count = row_count;
	b->chunk_count = 0;
	b->busy_ns = 0;
	b->name_values = 0;
	for (unsigned level = 0; level < NX_MAX_LEVELS; level++) {
		struct nx_name_tally names = b->levels[level].names;

		nx_name_tally_clear(&names);
		b->levels[level] = (struct nx_builder_level){.names = names};
	}
}

void nx_strip_builder_release(struct nx_strip_builder *b)
{
	for (unsigned level = 0; level < NX_MAX_LEVELS; level++)
		nx_name_tally_release(&b->levels[level].names);
	nx_vec_release(&b->bytes);
	nx_vec_release(&b->names);
}

/* Every node begins with the start of its first chunk. */
static void put_starts(struct nx_strip_builder *b, uint64_t start_ns)
{
	for (unsigned level = 0;
	     nx_column_values(b->kind, b->row_count, NX_COLUMN_START, level) &&
	     (b->chunk_count & (((uint64_t)1 << level * NX_FANOUT_BITS) - 1)) == 0;
	     level++)
		put(b, NX_COLUMN_START, level, start_ns);
}

static void write_chunk(struct nx_strip_builder *b, uint64_t start_ns, size_t longest_row)
{
	put_starts(b, start_ns);
	put(b, NX_COLUMN_AT, 0, b->out->written_bytes | (uint64_t)longest_row << NX_AT_BITS);
	nx_output_write(b->out, b->bytes.items, b->bytes.len);
	nx_vec_clear(&b->bytes);
	b->chunk_count++;
	b->used = 0;
}

static void add_longest(struct nx_strip_builder *b, uint64_t longest_ns)
{
	for (unsigned level = 0; level < NX_MAX_LEVELS; level++) {
		struct nx_builder_level *above = &b->levels[level];

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

static void put_names(struct nx_strip_builder *b, unsigned level)
{
	put(b, NX_COLUMN_NAME_AT, level, b->name_values);
	nx_name_list_append(&b->names, &b->levels[level].names, level);
	for (size_t i = 0; i < b->names.len; i += sizeof(uint64_t))
		put(b, NX_COLUMN_NAME_LIST, 0, nx_load64(b->names.items + i));
	b->name_values += b->names.len / sizeof(uint64_t);
	nx_vec_clear(&b->names);
}

/* A node's names are complete: they are put, and added to those of the node above. */
static void close_names(struct nx_strip_builder *b)
{
	for (unsigned level = 0;; level++) {
		struct nx_builder_level *here = &b->levels[level];

		put_names(b, level);
		if (nx_column_values(b->kind, b->row_count, NX_COLUMN_NAME_AT, level + 1))
			nx_name_tally_merge(&here[1].names, &here->names);
		nx_name_tally_clear(&here->names);
		here->name_children = 0;
		if (!nx_column_values(b->kind, b->row_count, NX_COLUMN_NAME_AT, level + 1) ||
		    ++here[1].name_children < 1u << NX_NAME_FANOUT_BITS)
			return;
	}
}

static void add_names(struct nx_strip_builder *b)
{
	struct nx_builder_level *lowest = &b->levels[0];

	for (size_t i = 0; i < b->used; i++) {
		uint64_t length_ns = b->spans[i].end_ns - b->spans[i].start_ns;

		if (length_ns)
			nx_name_tally_add(&lowest->names, b->spans[i].name, length_ns, 0);
	}
	close_names(b);
}

static void close_spans(struct nx_strip_builder *b)
{
	uint64_t longest_ns = 0, busy_ns = 0;
	size_t longest_row = 0;

	for (size_t i = 0; i < b->used; i++) {
		uint64_t length_ns = b->spans[i].end_ns - b->spans[i].start_ns;

		busy_ns += length_ns;
		if (length_ns > longest_ns) {
			longest_ns = length_ns;
			longest_row = i;
		}
	}
	put(b, NX_COLUMN_BUSY, 0, b->busy_ns);
	put(b, NX_COLUMN_CALLER, 0, b->spans[longest_row].row);
	b->busy_ns += busy_ns;
	if (b->used == NX_CHUNK_ROWS) {
		add_longest(b, longest_ns);
		add_names(b);
	}
	nx_span_chunk_append(&b->bytes, b->spans, b->used);
	write_chunk(b, b->spans[0].start_ns, longest_row);
}

void nx_strip_builder_add_span(struct nx_strip_builder *b, const struct nx_span *span)
{
	if (b->used == NX_CHUNK_ROWS)
		close_spans(b);
	b->spans[b->used++] = *span;
}

static void add_to_node(struct nx_value_node *node, const struct nx_value_node *child)
{
	if (!node->children)
		*node = (struct nx_value_node){
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

/* A full node ended at next_ns; and with it, perhaps, the one above. */
static void add_values(struct nx_strip_builder *b, struct nx_value_node node, uint64_t next_ns)
{
	for (unsigned level = 0; level < NX_MAX_LEVELS; level++) {
		struct nx_value_node *above = &b->levels[level].values;
		long double length_ns = (long double)(next_ns - node.start_ns);

		put_double(b, NX_COLUMN_LOWEST, level, node.lowest);
		put_double(b, NX_COLUMN_HIGHEST, level, node.highest);
		/* All at one moment: the mean has no weight, any will do. */
		put_double(b, NX_COLUMN_MEAN, level,
			   next_ns > node.start_ns ? (double)(node.sum / length_ns) : node.lowest);
		add_to_node(above, &node);
		if (above->children < NX_FANOUT)
			return;
		node = *above;
		above->children = 0;
	}
}

static void close_samples(struct nx_strip_builder *b, const struct nx_sample *next)
{
	struct nx_value_node node = {0};

	for (size_t i = 0; i < b->used && next; i++) {
		const struct nx_sample *sample = &b->samples[i];
		uint64_t end_ns = i + 1 < b->used ? sample[1].time_ns : next->time_ns;
		struct nx_value_node one = {
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

void nx_strip_builder_add_sample(struct nx_strip_builder *b, const struct nx_sample *sample)
{
	if (b->used == NX_CHUNK_ROWS)
		close_samples(b, sample);
	b->samples[b->used++] = *sample;
}

void nx_strip_builder_end(struct nx_strip_builder *b)
{
	if (b->used && b->kind == NX_TRACK_SPANS)
		close_spans(b);
	else if (b->used)
		close_samples(b, NULL);
}
