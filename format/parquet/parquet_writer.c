/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/workers.h"
#include "format/parquet/parquet.h"
#include "format/parquet/parquet_chunk.h"
#include "format/parquet/parquet_footer.h"
#include "format/parquet/parquet_plain.h"

#define DEFAULT_GROUP_ROWS ((size_t)250000)
#define DEFAULT_GROUP_BYTES ((size_t)64 << 20)
#define DEFAULT_PAGE_ROWS ((size_t)65536)
#define DEFAULT_THREADS 4
/* Flat columns are measured at this interval; texts and lists with every row. */
#define LOOK_ROWS 1024
/* Starting threads takes longer than encoding fewer values. */
#define FEWEST_SHARED_VALUES ((size_t)65536)
#define LONGEST_FOOTER INT32_MAX

struct writer {
	struct nx_parquet_writer head;
	struct nx_parquet_sink sink;
	uint64_t written_bytes;
	size_t group_rows, page_rows;
	unsigned threads;
	struct nx_arena arena; /* names and metadata */
	struct nx_parquet_footer footer;
	struct nx_bytes groups; /* groups already written, as in the footer */
	NX_VEC(struct nx_parquet_pair) pairs;
	struct nx_workers *workers; /* NULL until a group is worth it */
	struct nx_parquet_scratch scratches[NX_WORKERS_MAX];
	struct nx_parquet_encoded *encoded; /* per column */
	struct nx_parquet_chunk *chunks;
};

static struct writer *inside(struct nx_parquet_writer *w)
{
	return (struct writer *)(void *)w;
}

static enum nx_status report(const struct nx_parquet_writer *w, struct nx_error *err)
{
	return w->status ? nx_fail(err, w->status, "%s", w->error.message) : NX_OK;
}

/* --- the file --------------------------------------------------------------------- */

static enum nx_status write_to_output(void *context, const void *data, size_t len,
				      struct nx_error *err)
{
	struct nx_output *out = context;

	nx_output_write(out, data, len);
	return out->status ? nx_fail(err, out->status, "%s", out->error.message) : NX_OK;
}

struct nx_parquet_sink nx_parquet_to_output(struct nx_output *out)
{
	return (struct nx_parquet_sink){write_to_output, out};
}

static enum nx_status send(struct writer *w, const void *data, size_t len)
{
	if (w->head.status)
		return w->head.status;
	w->written_bytes += len;
	return nx_parquet_keep(&w->head, w->sink.fn(w->sink.context, data, len, &w->head.error));
}

/* --- row groups ------------------------------------------------------------------- */

static uint64_t buffered_bytes(const struct nx_parquet_writer *w)
{
	uint64_t bytes = w->text_bytes + w->list_bytes;

	for (size_t i = 0; i < w->column_count; i++) {
		const struct nx_parquet_column *c = &w->columns[i];

		if (!c->is_list)
			bytes += c->value_count * nx_parquet_value_bytes(c) +
				 c->gaps.len * sizeof(*c->gaps.items);
		bytes += c->texts.offsets.len * 4 * sizeof(uint32_t);
	}
	return bytes;
}

static void encode_column(void *context, size_t column, unsigned worker)
{
	struct writer *w = context;

	nx_parquet_chunk_encode(&w->head.columns[column], w->head.group_row_count, w->page_rows,
				&w->scratches[worker], &w->encoded[column]);
}

static void encode_columns(struct writer *w)
{
	size_t values = 0;

	for (size_t i = 0; i < w->head.column_count; i++)
		values += w->head.columns[i].value_count;
	if (!w->workers && w->threads > 1 && values >= FEWEST_SHARED_VALUES)
		w->workers = nx_workers_new("nx-parquet", w->threads - 1, 0);
	if (w->workers)
		nx_workers_share(w->workers, encode_column, w, w->head.column_count);
	else
		for (size_t i = 0; i < w->head.column_count; i++)
			encode_column(w, i, 0);
}

static enum nx_status write_columns(struct writer *w)
{
	struct nx_parquet_group group = {.row_count = w->head.group_row_count, .chunks = w->chunks};

	for (size_t i = 0; i < w->head.column_count; i++) {
		struct nx_parquet_encoded *e = &w->encoded[i];

		e->chunk.offset = w->written_bytes;
		w->chunks[i] = e->chunk;
		if (send(w, e->bytes.items, e->bytes.len))
			return w->head.status;
	}
	nx_parquet_footer_put_group(&w->footer, &group, w->footer.group_count++, &w->groups);
	return NX_OK;
}

static void clear_columns(struct nx_parquet_writer *w)
{
	for (size_t i = 0; i < w->column_count; i++) {
		struct nx_parquet_column *c = &w->columns[i];

		c->row_count = 0;
		c->value_count = 0;
		nx_vec_clear(&c->gaps);
		nx_vec_clear(&c->lengths);
		nx_parquet_texts_clear(&c->texts);
	}
	w->group_row_count = 0;
	w->text_bytes = 0;
	w->list_bytes = 0;
}

static enum nx_status flush_group(struct nx_parquet_writer *head)
{
	struct writer *w = inside(head);
	enum nx_status status = head->status;

	for (size_t i = 0; i < head->column_count; i++)
		nx_parquet_settle(head, &head->columns[i]);
	for (size_t i = 0; i < head->column_count && !status; i++)
		status = nx_parquet_fill_gap(head, &head->columns[i]);
	if (!status) {
		encode_columns(w);
		status = write_columns(w);
	}
	head->group_first_row += head->group_row_count;
	clear_columns(head);
	return status;
}

static uint32_t next_look(const struct writer *w)
{
	size_t rows = (size_t)w->head.group_row_count + LOOK_ROWS;

	return (uint32_t)(rows < w->group_rows ? rows : w->group_rows);
}

enum nx_status nx_parquet_look(struct nx_parquet_writer *w, struct nx_error *err)
{
	if (!w->status &&
	    (w->group_row_count >= inside(w)->group_rows || buffered_bytes(w) >= w->group_bytes))
		(void)flush_group(w);
	w->next_look = next_look(inside(w));
	return report(w, err);
}

/* --- opening and closing ------------------------------------------------------------ */

static size_t or_default(size_t value, size_t fallback, size_t most)
{
	value = value ? value : fallback;
	return value < most ? value : most;
}

static void set_options(struct writer *w, const struct nx_parquet_options *options)
{
	static const struct nx_parquet_options defaults;
	const struct nx_parquet_options *o = options ? options : &defaults;
	struct nx_parquet_order *orders =
		NX_NEW_ARRAY(&w->arena, struct nx_parquet_order, o->order_count);

	w->group_rows = or_default(o->group_rows, DEFAULT_GROUP_ROWS, NX_PARQUET_GROUP_MAX_ROWS);
	w->head.group_bytes =
		or_default(o->group_bytes, DEFAULT_GROUP_BYTES, NX_PARQUET_GROUP_MAX_BYTES);
	w->page_rows = or_default(o->page_rows, DEFAULT_PAGE_ROWS, NX_PARQUET_GROUP_MAX_ROWS);
	w->threads = o->threads ? o->threads : nx_workers_default_count(DEFAULT_THREADS);
	if (w->threads > NX_WORKERS_MAX)
		w->threads = NX_WORKERS_MAX;
	for (size_t i = 0; i < o->order_count; i++) {
		assert(o->orders[i].column < w->head.column_count);
		orders[i] = o->orders[i];
	}
	w->footer.orders = orders;
	w->footer.order_count = o->order_count;
	w->head.next_look = next_look(w);
}

static void set_fields(struct writer *w, const struct nx_parquet_field *fields, size_t count)
{
	struct nx_parquet_field *copies = NX_NEW_ARRAY(&w->arena, struct nx_parquet_field, count);

	w->head.columns = NX_NEW_ARRAY(&w->arena, struct nx_parquet_column, count);
	w->encoded = NX_NEW_ARRAY(&w->arena, struct nx_parquet_encoded, count);
	w->chunks = NX_NEW_ARRAY(&w->arena, struct nx_parquet_chunk, count);
	for (size_t i = 0; i < count; i++) {
		struct nx_parquet_column *c = &w->head.columns[i];

		assert(!fields[i].is_list || (fields[i].type != NX_PARQUET_BOOL &&
					      !nx_parquet_is_narrow(fields[i].type)));
		copies[i] = fields[i];
		copies[i].name = nx_arena_copy_text(&w->arena, fields[i].name);
		c->type = fields[i].type;
		c->is_optional = fields[i].is_optional;
		c->is_list = fields[i].is_list;
		c->name = copies[i].name;
	}
	w->head.column_count = count;
	w->footer.fields = copies;
	w->footer.field_count = count;
}

enum nx_status nx_parquet_open(struct nx_parquet_writer **writer, struct nx_parquet_sink sink,
			       const struct nx_parquet_field *fields, size_t field_count,
			       const struct nx_parquet_options *options, struct nx_error *err)
{
	struct writer *w = nx_heap_alloc(sizeof(*w));
	enum nx_status status;

	assert(field_count > 0);
	*w = (struct writer){.sink = sink};
	set_fields(w, fields, field_count);
	set_options(w, options);
	*writer = &w->head;
	(void)send(w, NX_PARQUET_MAGIC, NX_PARQUET_MAGIC_BYTES);
	status = report(&w->head, err);
	if (status) {
		nx_parquet_abandon(&w->head);
		*writer = NULL;
	}
	return status;
}

void nx_parquet_add_metadata(struct nx_parquet_writer *writer, const char *key, const char *value)
{
	struct writer *w = inside(writer);
	struct nx_parquet_pair pair = {
		.key = nx_slice_text(nx_arena_copy_text(&w->arena, key)),
		.value = nx_slice_text(nx_arena_copy_text(&w->arena, value)),
	};

	nx_vec_push(&w->pairs, pair);
}

static void write_footer(struct writer *w)
{
	struct nx_bytes message = {0};
	uint8_t length[4];

	w->footer.row_count = w->head.group_first_row;
	w->footer.pairs = w->pairs.items;
	w->footer.pair_count = w->pairs.len;
	nx_parquet_footer_write(&w->footer, &w->groups, &message);
	if (message.len > LONGEST_FOOTER)
		(void)nx_parquet_keep(&w->head,
				      nx_fail(&w->head.error, NX_LIMIT,
					      "the table has too many row groups for one file; "
					      "ask for larger ones"));
	nx_store32(length, (uint32_t)message.len);
	(void)send(w, message.items, message.len);
	(void)send(w, length, sizeof(length));
	(void)send(w, NX_PARQUET_MAGIC, NX_PARQUET_MAGIC_BYTES);
	nx_vec_release(&message);
}

enum nx_status nx_parquet_close(struct nx_parquet_writer *writer, struct nx_error *err)
{
	enum nx_status status;

	if (!writer->status && writer->group_row_count)
		(void)flush_group(writer);
	if (!writer->status)
		write_footer(inside(writer));
	status = report(writer, err);
	nx_parquet_abandon(writer);
	return status;
}

void nx_parquet_abandon(struct nx_parquet_writer *writer)
{
	struct writer *w = inside(writer);

	if (!w)
		return;
	nx_workers_free(w->workers);
	for (size_t i = 0; i < NX_WORKERS_MAX; i++)
		nx_parquet_scratch_release(&w->scratches[i]);
	for (size_t i = 0; i < writer->column_count; i++) {
		struct nx_parquet_column *c = &writer->columns[i];

		nx_heap_free(c->values.flags);
		nx_vec_release(&c->gaps);
		nx_vec_release(&c->lengths);
		nx_parquet_texts_release(&c->texts);
		nx_vec_release(&w->encoded[i].bytes);
	}
	nx_vec_release(&w->groups);
	nx_vec_release(&w->pairs);
	nx_arena_release(&w->arena);
	nx_heap_free(w);
}
