/* SPDX-License-Identifier: Apache-2.0 */
/* Makes readers for DuckDB's types; duckdb_value.c uses them. */
#include <assert.h>

#include "query/duckdb_internal.h"

/* --- what kind a type is --------------------------------------------------- */

static enum nx_value_kind kind_of(enum duckdb_type type)
{
	switch (type) {
	case DUCKDB_BOOLEAN:
		return NX_VALUE_BOOL;
	case DUCKDB_TINYINT:
	case DUCKDB_SMALLINT:
	case DUCKDB_INTEGER:
	case DUCKDB_BIGINT:
		return NX_VALUE_I64;
	case DUCKDB_UTINYINT:
	case DUCKDB_USMALLINT:
	case DUCKDB_UINTEGER:
	case DUCKDB_UBIGINT:
		return NX_VALUE_U64;
	case DUCKDB_FLOAT:
		return NX_VALUE_F32;
	case DUCKDB_DOUBLE:
		return NX_VALUE_F64;
	case DUCKDB_HUGEINT:
	case DUCKDB_UHUGEINT:
	case DUCKDB_DECIMAL:
		return NX_VALUE_DIGITS;
	case DUCKDB_BLOB:
		return NX_VALUE_BYTES;
	case DUCKDB_LIST:
	case DUCKDB_ARRAY:
		return NX_VALUE_LIST;
	case DUCKDB_STRUCT:
	case DUCKDB_MAP:
		return NX_VALUE_STRUCT;
	case DUCKDB_VARCHAR:
	case DUCKDB_ENUM:
	case DUCKDB_UUID:
	case DUCKDB_DATE:
	case DUCKDB_TIME:
	case DUCKDB_INTERVAL:
	case DUCKDB_TIMESTAMP:
	case DUCKDB_TIMESTAMP_S:
	case DUCKDB_TIMESTAMP_MS:
	case DUCKDB_TIMESTAMP_NS:
	case DUCKDB_TIMESTAMP_TZ:
		return NX_VALUE_TEXT;
	case DUCKDB_SQLNULL:
		break;
	}
	return NX_VALUE_NULL;
}

/* --- making readers -------------------------------------------------------- */

struct maker {
	const struct nx_duckdb_api *api;
	struct nx_arena *arena;
	unsigned depth;
	struct nx_error *err;
};

static enum nx_status make(struct maker *m, struct nx_duckdb_reader *reader, duckdb_logical type);

static enum nx_status make_child(struct maker *m, struct nx_duckdb_reader *reader,
				 duckdb_logical type)
{
	enum nx_status st;

	if (m->depth == NX_VALUE_MAX_DEPTH)
		st = nx_fail(m->err, NX_LIMIT, "is nested more than %d deep", NX_VALUE_MAX_DEPTH);
	else {
		m->depth++;
		st = make(m, reader, type);
		m->depth--;
	}
	m->api->duckdb_destroy_logical_type(&type);
	return st;
}

static void keep_name(struct maker *m, struct nx_slice *to, char *name)
{
	*to = nx_slice_text(nx_arena_copy_text(m->arena, name ? name : ""));
	m->api->duckdb_free(name);
}

static enum nx_status make_list(struct maker *m, struct nx_duckdb_reader *r, duckdb_logical type)
{
	const struct nx_duckdb_api *api = m->api;

	r->child_count = 1;
	r->children = NX_NEW(m->arena, struct nx_duckdb_reader);
	if (r->type == DUCKDB_LIST)
		return make_child(m, r->children, api->duckdb_list_type_child_type(type));
	r->width = api->duckdb_array_type_array_size(type);
	return make_child(m, r->children, api->duckdb_array_type_child_type(type));
}

static enum nx_status make_map(struct maker *m, struct nx_duckdb_reader *r, duckdb_logical type)
{
	enum nx_status st;

	r->child_count = 2;
	r->children = NX_NEW_ARRAY(m->arena, struct nx_duckdb_reader, 2);
	st = make_child(m, &r->children[0], m->api->duckdb_map_type_key_type(type));
	return st ? st : make_child(m, &r->children[1], m->api->duckdb_map_type_value_type(type));
}

static enum nx_status make_struct(struct maker *m, struct nx_duckdb_reader *r, duckdb_logical type)
{
	const struct nx_duckdb_api *api = m->api;
	enum nx_status st = NX_OK;

	r->child_count = r->name_count = api->duckdb_struct_type_child_count(type);
	r->children = NX_NEW_ARRAY(m->arena, struct nx_duckdb_reader, r->child_count);
	r->names = NX_NEW_ARRAY(m->arena, struct nx_slice, r->child_count);
	for (size_t i = 0; i < r->child_count && !st; i++) {
		keep_name(m, &r->names[i], api->duckdb_struct_type_child_name(type, i));
		st = make_child(m, &r->children[i], api->duckdb_struct_type_child_type(type, i));
	}
	return st;
}

static void make_enum(struct maker *m, struct nx_duckdb_reader *r, duckdb_logical type)
{
	const struct nx_duckdb_api *api = m->api;

	r->stored = (enum duckdb_type)api->duckdb_enum_internal_type(type);
	r->name_count = api->duckdb_enum_dictionary_size(type);
	r->names = NX_NEW_ARRAY(m->arena, struct nx_slice, r->name_count);
	for (size_t i = 0; i < r->name_count; i++)
		keep_name(m, &r->names[i], api->duckdb_enum_dictionary_value(type, i));
}

static enum nx_status make(struct maker *m, struct nx_duckdb_reader *r, duckdb_logical type)
{
	*r = (struct nx_duckdb_reader){0};
	r->type = r->stored = (enum duckdb_type)m->api->duckdb_get_type_id(type);
	r->kind = kind_of(r->type);
	switch (r->type) {
	case DUCKDB_LIST:
	case DUCKDB_ARRAY:
		return make_list(m, r, type);
	case DUCKDB_MAP:
		return make_map(m, r, type);
	case DUCKDB_STRUCT:
		return make_struct(m, r, type);
	case DUCKDB_ENUM:
		make_enum(m, r, type);
		return NX_OK;
	case DUCKDB_DECIMAL:
		r->stored = (enum duckdb_type)m->api->duckdb_decimal_internal_type(type);
		r->scale = m->api->duckdb_decimal_scale(type);
		return NX_OK;
	default:
		if (r->kind == NX_VALUE_NULL && r->type != DUCKDB_SQLNULL)
			return nx_fail(m->err, NX_UNSUPPORTED,
				       "has a type that cannot be shown; write CAST(... AS "
				       "VARCHAR)");
		return NX_OK;
	}
}

enum nx_status nx_duckdb_reader_init(struct nx_duckdb_reader *reader,
				     const struct nx_duckdb_api *api, duckdb_logical type,
				     struct nx_arena *arena, struct nx_error *err)
{
	struct maker m = {.api = api, .arena = arena, .err = err};

	return make(&m, reader, type);
}

/* --- turning to a chunk ---------------------------------------------------- */

void nx_duckdb_reader_turn(struct nx_duckdb_reader *r, const struct nx_duckdb_api *api,
			   duckdb_vector vector)
{
	duckdb_vector inner = vector;

	assert(vector);
	r->values = api->duckdb_vector_get_data(vector);
	r->validity = api->duckdb_vector_get_validity(vector);
	if (r->type == DUCKDB_LIST || r->type == DUCKDB_MAP)
		inner = api->duckdb_list_vector_get_child(vector);
	else if (r->type == DUCKDB_ARRAY)
		inner = api->duckdb_array_vector_get_child(vector);
	for (size_t i = 0; i < r->child_count; i++) {
		bool is_struct = r->type == DUCKDB_STRUCT || r->type == DUCKDB_MAP;

		nx_duckdb_reader_turn(&r->children[i], api,
				      is_struct ? api->duckdb_struct_vector_get_child(inner, i)
						: inner);
	}
}
