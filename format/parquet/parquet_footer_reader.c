/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_footer.h"
#include "format/parquet/parquet_footer_internal.h"
#include "format/parquet/parquet_plain.h"
#include "format/parquet/parquet_thrift.h"

#define KNOWN_TYPES                                                                                \
	"this program reads BOOLEAN, INT32, INT64, FLOAT, DOUBLE and text columns and lists of "   \
	"them, but no decimals and no unsigned INT32"

/* --- the schema ----------------------------------------------------------------- */

struct element {
	int type; /* -1 for a group */
	int repetition;
	struct nx_slice name;
	size_t child_count;
	bool is_list, is_decimal, is_uint32;
};

static void read_integer(struct nx_thrift_reader *r, struct element *e)
{
	struct nx_thrift_field field = {0};
	int64_t bits = 0;
	bool is_signed = true;

	while (nx_thrift_next(r, &field)) {
		if (field.id == NX_INTEGER_BITS)
			bits = nx_thrift_take_int(r, field, 0, INT8_MAX);
		else if (field.id == NX_INTEGER_SIGNED)
			is_signed = nx_thrift_take_bool(r, field);
		else
			nx_thrift_skip(r, field);
	}
	e->is_uint32 |= bits == 32 && !is_signed;
}

static void read_logical(struct nx_thrift_reader *r, struct element *e)
{
	struct nx_thrift_field field = {0};

	while (nx_thrift_next(r, &field)) {
		e->is_list |= field.id == NX_LOGICAL_LIST;
		e->is_decimal |= field.id == NX_LOGICAL_DECIMAL;
		if (field.id == NX_LOGICAL_INTEGER) {
			nx_thrift_take_struct(r, field);
			read_integer(r, e);
		} else {
			nx_thrift_skip(r, field);
		}
	}
}

static struct element read_element(struct nx_thrift_reader *r)
{
	struct element e = {.type = -1};
	struct nx_thrift_field field = {0};

	nx_thrift_take_struct(r, (struct nx_thrift_field){.type = NX_THRIFT_STRUCT});
	while (nx_thrift_next(r, &field)) {
		if (field.id == NX_ELEMENT_TYPE) {
			e.type = (int)nx_thrift_take_int(r, field, 0, INT8_MAX);
		} else if (field.id == NX_ELEMENT_REPETITION) {
			e.repetition = (int)nx_thrift_take_int(r, field, 0, NX_REPEATED);
		} else if (field.id == NX_ELEMENT_NAME) {
			e.name = nx_thrift_take_bytes(r, field);
		} else if (field.id == NX_ELEMENT_CHILDREN) {
			e.child_count = (size_t)nx_thrift_take_int(r, field, 0, INT32_MAX);
		} else if (field.id == NX_ELEMENT_CONVERTED) {
			int64_t converted = nx_thrift_take_int(r, field, 0, INT8_MAX);

			e.is_list |= converted == NX_CONVERTED_LIST;
			e.is_decimal |= converted == NX_CONVERTED_DECIMAL;
			e.is_uint32 |= converted == NX_CONVERTED_UINT32;
		} else if (field.id == NX_ELEMENT_LOGICAL) {
			nx_thrift_take_struct(r, field);
			read_logical(r, &e);
		} else {
			nx_thrift_skip(r, field);
		}
	}
	return e;
}

static enum nx_status set_type(const struct element *e, struct nx_parquet_field *field,
			       struct nx_error *err)
{
	for (unsigned type = NX_PARQUET_BOOL; type <= NX_PARQUET_TEXT; type++)
		if (!e->is_decimal && !e->is_uint32 &&
		    e->type == (int)nx_parquet_physical_of(type)) {
			field->type = type;
			return NX_OK;
		}
	return nx_fail(err, NX_UNSUPPORTED, "column %.100s has a type that is not known; %s",
		       field->name, KNOWN_TYPES);
}

static enum nx_status refuse_shape(const struct nx_parquet_field *field, struct nx_error *err)
{
	return nx_fail(err, NX_UNSUPPORTED,
		       "column %.100s is nested in a way that is not known; %s", field->name,
		       KNOWN_TYPES);
}

/* A list is three levels: the field, a repeated group, a required element. */
static enum nx_status read_list(struct nx_thrift_reader *r, const struct element *outer,
				size_t *left, struct nx_parquet_field *field, struct nx_error *err)
{
	struct element middle, leaf;

	if (!outer->is_list || outer->child_count != 1 || *left < 2)
		return refuse_shape(field, err);
	middle = read_element(r);
	leaf = read_element(r);
	*left -= 2;
	if (middle.repetition != NX_REPEATED || middle.child_count != 1 || middle.type >= 0 ||
	    leaf.repetition != NX_REQUIRED || leaf.child_count || leaf.type < 0 ||
	    leaf.type == NX_PARQUET_BOOLEAN)
		return refuse_shape(field, err);
	field->is_list = true;
	return set_type(&leaf, field, err);
}

static enum nx_status read_field(struct nx_thrift_reader *r, size_t *left, struct nx_arena *arena,
				 struct nx_parquet_field *field, struct nx_error *err)
{
	struct element e = read_element(r);

	--*left;
	field->name = nx_arena_copy(arena, e.name);
	field->is_optional = e.repetition == NX_OPTIONAL;
	if (e.repetition == NX_REPEATED)
		return refuse_shape(field, err);
	if (e.type < 0)
		return read_list(r, &e, left, field, err);
	return e.child_count ? refuse_shape(field, err) : set_type(&e, field, err);
}

static enum nx_status read_schema(struct nx_thrift_reader *r, struct nx_thrift_field list,
				  struct nx_arena *arena, struct nx_parquet_footer *f,
				  struct nx_error *err)
{
	size_t left = nx_thrift_take_list(r, list, NX_THRIFT_STRUCT);
	struct nx_parquet_field *fields;
	struct element root;

	if (!left || f->fields)
		return nx_fail(err, NX_FORMAT, "its schema is damaged");
	root = read_element(r);
	left--;
	if (!root.child_count || root.child_count > left)
		return nx_fail(err, NX_FORMAT, "its schema states columns that are not there");
	fields = NX_NEW_ARRAY(arena, struct nx_parquet_field, root.child_count);
	for (size_t i = 0; i < root.child_count; i++) {
		enum nx_status status;

		if (!left)
			return nx_fail(err, NX_FORMAT,
				       "its schema states columns that are not there");
		status = read_field(r, &left, arena, &fields[i], err);
		if (status && !r->is_broken)
			return status;
	}
	if (left || r->is_broken)
		return nx_fail(err, NX_FORMAT, "its schema is damaged");
	f->fields = fields;
	f->field_count = root.child_count;
	return NX_OK;
}

/* --- row groups ------------------------------------------------------------------- */

/* Fields of a chunk that its struct does not keep. */
struct chunk_reading {
	int type;
	uint64_t data_offset, dictionary_offset;
};

static uint64_t take_count(struct nx_thrift_reader *r, struct nx_thrift_field field)
{
	return (uint64_t)nx_thrift_take_int(r, field, 0, INT64_MAX);
}

static void read_stats(struct nx_thrift_reader *r, struct nx_parquet_stats *s)
{
	struct nx_thrift_field field = {0};
	unsigned bounds = 0;

	s->is_min_exact = true;
	s->is_max_exact = true;
	while (nx_thrift_next(r, &field)) {
		if (field.id == NX_STATS_NULLS) {
			s->null_count = take_count(r, field);
			s->has_null_count = true;
		} else if (field.id == NX_STATS_DISTINCT) {
			s->distinct_count = take_count(r, field);
			s->has_distinct_count = true;
		} else if (field.id == NX_STATS_MAX) {
			s->max = nx_thrift_take_bytes(r, field);
			bounds |= 1;
		} else if (field.id == NX_STATS_MIN) {
			s->min = nx_thrift_take_bytes(r, field);
			bounds |= 2;
		} else if (field.id == NX_STATS_MAX_EXACT) {
			s->is_max_exact = nx_thrift_take_bool(r, field);
		} else if (field.id == NX_STATS_MIN_EXACT) {
			s->is_min_exact = nx_thrift_take_bool(r, field);
		} else {
			nx_thrift_skip(r, field);
		}
	}
	s->has_range = bounds == 3;
}

static void read_chunk(struct nx_thrift_reader *r, struct nx_parquet_chunk *c,
		       struct chunk_reading *more)
{
	struct nx_thrift_field field = {0};

	while (nx_thrift_next(r, &field)) {
		if (field.id == NX_CHUNK_TYPE) {
			more->type = (int)nx_thrift_take_int(r, field, 0, INT8_MAX);
		} else if (field.id == NX_CHUNK_CODEC) {
			c->codec = (enum nx_parquet_codec)nx_thrift_take_int(r, field, 0, INT8_MAX);
		} else if (field.id == NX_CHUNK_LEVELS) {
			c->level_count = take_count(r, field);
		} else if (field.id == NX_CHUNK_PLAIN_BYTES) {
			c->plain_bytes = take_count(r, field);
		} else if (field.id == NX_CHUNK_STORED_BYTES) {
			c->stored_bytes = take_count(r, field);
		} else if (field.id == NX_CHUNK_DATA_OFFSET) {
			more->data_offset = take_count(r, field);
		} else if (field.id == NX_CHUNK_DICTIONARY_OFFSET) {
			more->dictionary_offset = take_count(r, field);
		} else if (field.id == NX_CHUNK_STATS) {
			nx_thrift_take_struct(r, field);
			read_stats(r, &c->stats);
		} else {
			nx_thrift_skip(r, field);
		}
	}
}

static bool read_column(struct nx_thrift_reader *r, const struct nx_parquet_field *field,
			uint64_t data_end, struct nx_parquet_chunk *c)
{
	struct chunk_reading more = {.type = -1};
	struct nx_thrift_field at = {0};
	size_t len = field->type == NX_PARQUET_BOOL ? 1 : nx_parquet_plain_size(field->type);

	nx_thrift_take_struct(r, (struct nx_thrift_field){.type = NX_THRIFT_STRUCT});
	while (nx_thrift_next(r, &at)) {
		if (at.id == NX_COLUMN_CHUNK) {
			nx_thrift_take_struct(r, at);
			read_chunk(r, c, &more);
		} else {
			nx_thrift_skip(r, at);
		}
	}
	/* Bounds of the wrong length are ignored. */
	if (field->type != NX_PARQUET_TEXT && (c->stats.min.len != len || c->stats.max.len != len))
		c->stats.has_range = false;
	c->offset = more.data_offset;
	if (more.dictionary_offset && more.dictionary_offset < more.data_offset)
		c->offset = more.dictionary_offset;
	return !r->is_broken && more.type == (int)nx_parquet_physical_of(field->type) &&
	       c->offset >= NX_PARQUET_MAGIC_BYTES && c->offset <= data_end &&
	       c->stored_bytes <= data_end - c->offset;
}

static enum nx_status read_columns(struct nx_thrift_reader *r, struct nx_thrift_field list,
				   uint64_t data_end, struct nx_arena *arena,
				   const struct nx_parquet_footer *f, struct nx_parquet_group *g,
				   struct nx_error *err)
{
	if (nx_thrift_take_list(r, list, NX_THRIFT_STRUCT) != f->field_count)
		return nx_fail(err, NX_FORMAT, "a row group has not the columns of the schema");
	g->chunks = NX_NEW_ARRAY(arena, struct nx_parquet_chunk, f->field_count);
	for (size_t i = 0; i < f->field_count; i++)
		if (!read_column(r, &f->fields[i], data_end, &g->chunks[i]))
			return nx_fail(err, NX_FORMAT,
				       "what it says about column %.100s in a row group is damaged",
				       f->fields[i].name);
	return NX_OK;
}

static enum nx_status read_group(struct nx_thrift_reader *r, uint64_t data_end,
				 struct nx_arena *arena, const struct nx_parquet_footer *f,
				 struct nx_parquet_group *g, struct nx_error *err)
{
	struct nx_thrift_field field = {0};
	enum nx_status status = NX_OK;

	nx_thrift_take_struct(r, (struct nx_thrift_field){.type = NX_THRIFT_STRUCT});
	while (!status && nx_thrift_next(r, &field)) {
		if (field.id == NX_GROUP_COLUMNS)
			status = read_columns(r, field, data_end, arena, f, g, err);
		else if (field.id == NX_GROUP_ROWS)
			g->row_count = take_count(r, field);
		else
			nx_thrift_skip(r, field);
	}
	if (!status && (r->is_broken || !g->chunks))
		status = nx_fail(err, NX_FORMAT, "a row group is damaged");
	return status;
}

static enum nx_status read_groups(struct nx_thrift_reader *r, struct nx_thrift_field list,
				  uint64_t data_end, struct nx_arena *arena,
				  struct nx_parquet_footer *f, struct nx_error *err)
{
	size_t count = nx_thrift_take_list(r, list, NX_THRIFT_STRUCT);
	NX_VEC(struct nx_parquet_group) groups = {0};
	enum nx_status status = NX_OK;

	if (!f->fields || f->groups)
		return nx_fail(err, NX_FORMAT, "its row groups come before its schema");
	for (size_t i = 0; i < count && !status; i++) {
		struct nx_parquet_group group = {0};

		status = read_group(r, data_end, arena, f, &group, err);
		nx_vec_push(&groups, group);
	}
	if (!status && groups.len) {
		f->groups = NX_NEW_ARRAY(arena, struct nx_parquet_group, groups.len);
		memcpy(f->groups, groups.items, groups.len * sizeof(*groups.items));
		f->group_count = groups.len;
	}
	nx_vec_release(&groups);
	return status;
}

/* --- the message ------------------------------------------------------------------ */

static void read_pairs(struct nx_thrift_reader *r, struct nx_thrift_field list,
		       struct nx_arena *arena, struct nx_parquet_footer *f)
{
	size_t count = nx_thrift_take_list(r, list, NX_THRIFT_STRUCT);

	f->pairs = NX_NEW_ARRAY(arena, struct nx_parquet_pair, count);
	f->pair_count = count;
	for (size_t i = 0; i < count && !r->is_broken; i++) {
		struct nx_thrift_field field = {0};

		nx_thrift_take_struct(r, (struct nx_thrift_field){.type = NX_THRIFT_STRUCT});
		while (nx_thrift_next(r, &field)) {
			if (field.id == NX_PAIR_KEY)
				f->pairs[i].key = nx_thrift_take_bytes(r, field);
			else if (field.id == NX_PAIR_VALUE)
				f->pairs[i].value = nx_thrift_take_bytes(r, field);
			else
				nx_thrift_skip(r, field);
		}
	}
}

enum nx_status nx_parquet_footer_read(struct nx_slice message, uint64_t data_end,
				      struct nx_arena *arena, struct nx_parquet_footer *f,
				      struct nx_error *err)
{
	struct nx_thrift_reader r = {.at = message.data, .end = message.data + message.len};
	struct nx_thrift_field field = {0};
	enum nx_status status = NX_OK;
	uint64_t rows = 0;
	bool is_sum_valid = true;

	*f = (struct nx_parquet_footer){0};
	while (!status && nx_thrift_next(&r, &field)) {
		if (field.id == NX_FILE_SCHEMA)
			status = read_schema(&r, field, arena, f, err);
		else if (field.id == NX_FILE_ROWS)
			f->row_count = take_count(&r, field);
		else if (field.id == NX_FILE_GROUPS)
			status = read_groups(&r, field, data_end, arena, f, err);
		else if (field.id == NX_FILE_PAIRS)
			read_pairs(&r, field, arena, f);
		else
			nx_thrift_skip(&r, field);
	}
	if (status)
		return status;
	if (r.is_broken || !f->fields)
		return nx_fail(err, NX_FORMAT, "its footer is damaged");
	for (size_t i = 0; i < f->group_count; i++)
		is_sum_valid &= !__builtin_add_overflow(rows, f->groups[i].row_count, &rows);
	if (!is_sum_valid || rows != f->row_count)
		return nx_fail(err, NX_FORMAT, "its row groups have not the rows it states");
	return NX_OK;
}
