/* SPDX-License-Identifier: Apache-2.0 */
/* Reads values from the vector that a reader points at. */
#include "query/duckdb_internal.h"

#include "base/bare/bits.h"

#define HUGE_DIGITS_MAX 48 /* 39 digits, a sign, a point and leading zeros of a scale up to 38 */

/* --- single values --------------------------------------------------------- */

static int64_t signed_at(enum duckdb_type stored, const uint8_t *at)
{
	switch (stored) {
	case DUCKDB_TINYINT:
		return (int8_t)at[0];
	case DUCKDB_SMALLINT:
		return (int16_t)nx_load16(at);
	case DUCKDB_INTEGER:
		return (int32_t)nx_load32(at);
	default:
		return (int64_t)nx_load64(at);
	}
}

static uint64_t unsigned_at(enum duckdb_type stored, const uint8_t *at)
{
	switch (stored) {
	case DUCKDB_UTINYINT:
		return at[0];
	case DUCKDB_USMALLINT:
		return nx_load16(at);
	case DUCKDB_UINTEGER:
		return nx_load32(at);
	default:
		return nx_load64(at);
	}
}

static size_t size_of(enum duckdb_type stored)
{
	switch (stored) {
	case DUCKDB_BOOLEAN:
	case DUCKDB_TINYINT:
	case DUCKDB_UTINYINT:
		return 1;
	case DUCKDB_SMALLINT:
	case DUCKDB_USMALLINT:
		return 2;
	case DUCKDB_INTEGER:
	case DUCKDB_UINTEGER:
	case DUCKDB_FLOAT:
	case DUCKDB_DATE:
		return 4;
	case DUCKDB_HUGEINT:
	case DUCKDB_UHUGEINT:
	case DUCKDB_UUID:
	case DUCKDB_INTERVAL:
	case DUCKDB_VARCHAR:
	case DUCKDB_BLOB:
	case DUCKDB_LIST:
	case DUCKDB_MAP:
		return 16;
	default:
		return 8;
	}
}

/* The digits of an integer of up to 128 bits, with a point before the last scale ones. */
static struct nx_slice digits_of(struct nx_arena *arena, unsigned __int128 magnitude,
				 bool is_negative, unsigned scale)
{
	char text[HUGE_DIGITS_MAX], *at = text + sizeof(text);
	unsigned count = 0;

	do {
		*--at = (char)('0' + (int)(magnitude % 10));
		magnitude /= 10;
		if (++count == scale)
			*--at = '.';
	} while (magnitude || count <= scale);
	if (is_negative)
		*--at = '-';
	return nx_slice_text(
		nx_arena_copy(arena, nx_slice_of(at, (size_t)(text + sizeof(text) - at))));
}

static struct nx_slice number_digits(const struct nx_duckdb_reader *r, const uint8_t *at,
				     struct nx_arena *arena)
{
	unsigned __int128 bits;
	bool is_negative;

	if (r->stored == DUCKDB_HUGEINT || r->stored == DUCKDB_UHUGEINT)
		bits = (unsigned __int128)nx_load64(at + 8) << 64 | nx_load64(at);
	else
		bits = (unsigned __int128)(__int128)signed_at(r->stored, at);
	is_negative = r->stored != DUCKDB_UHUGEINT && (bits >> 127);
	return digits_of(arena, is_negative ? -bits : bits, is_negative, r->scale);
}

static struct nx_slice text_at(const uint8_t *at)
{
	uint32_t len = nx_load32(at);
	const char *far;

	if (len <= DUCKDB_TEXT_INSIDE)
		return nx_slice_of(at + 4, len);
	memcpy(&far, at + 8, sizeof(far));
	return nx_slice_of(far, len);
}

/* DuckDB formats its own dates and times. */
static duckdb_value calendar_value(const struct nx_duckdb_reader *r,
				   const struct nx_duckdb_api *api, const uint8_t *at)
{
	struct duckdb_moment moment = {(int64_t)nx_load64(at)};

	switch (r->type) {
	case DUCKDB_TIME:
		return api->duckdb_create_time(moment);
	case DUCKDB_TIMESTAMP_TZ:
		return api->duckdb_create_timestamp_tz(moment);
	case DUCKDB_TIMESTAMP_S:
		return api->duckdb_create_timestamp_s(moment);
	case DUCKDB_TIMESTAMP_MS:
		return api->duckdb_create_timestamp_ms(moment);
	case DUCKDB_TIMESTAMP_NS:
		return api->duckdb_create_timestamp_ns(moment);
	case DUCKDB_INTERVAL:
		return api->duckdb_create_interval(
			(struct duckdb_interval){(int32_t)nx_load32(at), (int32_t)nx_load32(at + 4),
						 (int64_t)nx_load64(at + 8)});
	case DUCKDB_UUID: /* stored with the sign bit flipped, so that it sorts */
		return api->duckdb_create_uuid(
			(struct duckdb_huge){nx_load64(at), nx_load64(at + 8) ^ UINT64_C(1) << 63});
	default:
		return api->duckdb_create_timestamp(moment);
	}
}

static struct nx_slice calendar_text(const struct nx_duckdb_reader *r,
				     const struct nx_duckdb_api *api, const uint8_t *at,
				     struct nx_arena *arena)
{
	duckdb_value value =
		r->type == DUCKDB_DATE
			? api->duckdb_create_date((struct duckdb_day){(int32_t)nx_load32(at)})
			: calendar_value(r, api, at);
	char *text = api->duckdb_get_varchar(value);
	struct nx_slice kept = nx_slice_text(nx_arena_copy_text(arena, text ? text : ""));

	api->duckdb_free(text);
	api->duckdb_destroy_value(&value);
	return kept;
}

static struct nx_slice text_of(const struct nx_duckdb_reader *r, const struct nx_duckdb_api *api,
			       const uint8_t *at, struct nx_arena *arena)
{
	uint64_t name;

	if (r->type == DUCKDB_VARCHAR || r->type == DUCKDB_BLOB)
		return text_at(at);
	if (r->type != DUCKDB_ENUM)
		return calendar_text(r, api, at, arena);
	name = unsigned_at(r->stored, at);
	return name < r->name_count ? r->names[name] : nx_slice_text("");
}

/* --- values with values inside --------------------------------------------- */

static void get_items(const struct nx_duckdb_reader *item, const struct nx_duckdb_api *api,
		      struct duckdb_span span, struct nx_arena *arena, struct nx_value *value)
{
	struct nx_value *items = NX_NEW_ARRAY(arena, struct nx_value, span.len);

	for (uint64_t i = 0; i < span.len; i++)
		nx_duckdb_reader_get(item, api, span.offset + i, arena, &items[i]);
	value->list.items = items;
	value->list.count = span.len;
}

static void get_map(const struct nx_duckdb_reader *r, const struct nx_duckdb_api *api,
		    struct duckdb_span span, struct nx_arena *arena, struct nx_value *value)
{
	struct nx_slice *names = NX_NEW_ARRAY(arena, struct nx_slice, span.len);
	struct nx_bytes text = {0};
	struct nx_value key;

	get_items(&r->children[1], api, span, arena, value);
	for (uint64_t i = 0; i < span.len; i++) {
		nx_duckdb_reader_get(&r->children[0], api, span.offset + i, arena, &key);
		nx_vec_clear(&text);
		nx_value_append_text(&key, &text);
		names[i] = nx_slice_of(nx_arena_copy(arena, nx_slice_of(text.items, text.len)),
				       text.len);
	}
	nx_vec_release(&text);
	value->list.names = names;
}

static void get_struct(const struct nx_duckdb_reader *r, const struct nx_duckdb_api *api,
		       uint64_t index, struct nx_arena *arena, struct nx_value *value)
{
	struct nx_value *items = NX_NEW_ARRAY(arena, struct nx_value, r->child_count);

	for (size_t i = 0; i < r->child_count; i++)
		nx_duckdb_reader_get(&r->children[i], api, index, arena, &items[i]);
	value->list.items = items;
	value->list.names = r->names;
	value->list.count = r->child_count;
}

static void get_nested(const struct nx_duckdb_reader *r, const struct nx_duckdb_api *api,
		       uint64_t index, struct nx_arena *arena, struct nx_value *value)
{
	struct duckdb_span span = {index * r->width, r->width};

	value->list.names = NULL;
	if (r->type == DUCKDB_STRUCT) {
		get_struct(r, api, index, arena, value);
		return;
	}
	if (r->type != DUCKDB_ARRAY && r->values)
		memcpy(&span, r->values + index * sizeof(span), sizeof(span));
	if (r->type == DUCKDB_MAP)
		get_map(r, api, span, arena, value);
	else
		get_items(r->children, api, span, arena, value);
}

static void get_single(const struct nx_duckdb_reader *r, const struct nx_duckdb_api *api,
		       const uint8_t *at, struct nx_arena *arena, struct nx_value *value)
{
	switch (value->kind) {
	case NX_VALUE_BOOL:
		value->flag = at[0] != 0;
		break;
	case NX_VALUE_I64:
		value->i64 = signed_at(r->stored, at);
		break;
	case NX_VALUE_U64:
		value->u64 = unsigned_at(r->stored, at);
		break;
	case NX_VALUE_F32:
		value->f32 = nx_load_f32(at);
		break;
	case NX_VALUE_F64:
		memcpy(&value->f64, at, sizeof(value->f64));
		break;
	case NX_VALUE_DIGITS:
		value->text = number_digits(r, at, arena);
		break;
	default:
		value->text = text_of(r, api, at, arena);
		break;
	}
}

static bool is_null(const struct nx_duckdb_reader *r, uint64_t index)
{
	bool is_spread = r->type == DUCKDB_STRUCT || r->type == DUCKDB_ARRAY;

	if (r->kind == NX_VALUE_NULL || (!r->values && !is_spread))
		return true;
	return r->validity && !(r->validity[index / 64] >> (index % 64) & 1);
}

void nx_duckdb_reader_get(const struct nx_duckdb_reader *r, const struct nx_duckdb_api *api,
			  uint64_t index, struct nx_arena *arena, struct nx_value *value)
{
	value->kind = is_null(r, index) ? NX_VALUE_NULL : r->kind;
	if (value->kind == NX_VALUE_LIST || value->kind == NX_VALUE_STRUCT)
		get_nested(r, api, index, arena, value);
	else if (value->kind != NX_VALUE_NULL && r->values)
		get_single(r, api, r->values + index * size_of(r->stored), arena, value);
}
