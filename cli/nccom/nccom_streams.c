/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_streams.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "cli/suggest.h"

#define MAX_FILE_BYTES ((size_t)4 << 20)
#define MAX_OPERATIONS 100000u /* of a stream, measured or warm-up */

enum field_kind {
	FIELD_OPERATION,
	FIELD_OPS_PER_ITER,
	FIELD_NUMBER, /* a whole one */
	FIELD_SIZE,   /* bytes, or "32mb" */
	FIELD_NAME,   /* a text */
	FIELD_CHECK,  /* true, false, or a text */
	FIELD_LISTS,  /* [[0,1],[2,3]] */
};

#define W(member) NX_FIELD(struct nx_nccom_words, member)

/* Options of the machine or the output are not here: they hold for all streams. */
static const struct field {
	const char *name;
	uint8_t kind;	 /* enum field_kind */
	uint16_t offset; /* in the words of the stream */
} fields[] = {
	{"operation", FIELD_OPERATION, 0},
	{"ops_per_iter", FIELD_OPS_PER_ITER, 0},
	{"nworkers", FIELD_NUMBER, W(ranks)},
	{"minbytes", FIELD_SIZE, W(least)},
	{"maxbytes", FIELD_SIZE, W(most)},
	{"stepbytes", FIELD_SIZE, W(step)},
	{"stepfactor", FIELD_NUMBER, W(factor)},
	{"iters", FIELD_NUMBER, W(iterations)},
	{"warmup_iters", FIELD_NUMBER, W(warmups)},
	{"neff_iters", FIELD_NUMBER, W(executions)},
	{"neff_warmup_iters", FIELD_NUMBER, W(ignored_executions)},
	{"datatype", FIELD_NAME, W(dtype)},
	{"check", FIELD_CHECK, W(check)},
	{"seed", FIELD_NUMBER, W(seed)},
	{"data-parallel-dimension", FIELD_NUMBER, W(data_parallel)},
	{"custom-replica-groups", FIELD_LISTS, W(groups)},
	{"custom-src-target-pairs", FIELD_LISTS, W(pairs)},
	{"variable-size-op-metadata", FIELD_LISTS, W(counts)},
};
#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

/* The fields of a stream, not yet interpreted. */
struct wish {
	struct nx_nccom_words words;
	char *op;
	uint32_t ops_per_iter;
};

/* --- fields --------------------------------------------------------------------------------- */

/* Some options are spelled with - and some with _, so accept both. */
static bool is_called(const char *name, struct nx_slice key)
{
	for (size_t i = 0; i < key.len; i++) {
		char a = name[i] == '_' ? '-' : name[i], b = (char)key.data[i];

		if (a != (b == '_' ? '-' : b) || !name[i])
			return false;
	}
	return !name[key.len];
}

static enum nx_status find_field(struct nx_slice key, const struct field **out,
				 struct nx_error *err)
{
	char name[64] = "", hint[NX_HINT_MAX];

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		*out = &fields[i];
		if (is_called(fields[i].name, key))
			return NX_OK;
	}
	if (key.len)
		memcpy(name, key.data, key.len < sizeof(name) - 1 ? key.len : sizeof(name) - 1);
	return nx_fail(err, NX_USAGE, "there is no field '%s'%s", name,
		       nx_hint(nx_suggest_member(fields, FIELD_COUNT, name, name),
			       "; --help lists them", hint));
}

static enum nx_status refuse(const struct field *field, const char *wanted, struct nx_error *err)
{
	return nx_fail(err, NX_USAGE, "'%s' must be %s", field->name, wanted);
}

static bool read_number(const struct nx_json *value, uint32_t *out)
{
	uint64_t number =
		value->kind == NX_JSON_NUMBER ? nx_json_as_u64(value, UINT64_MAX) : UINT64_MAX;

	*out = (uint32_t)number;
	return number <= UINT32_MAX;
}

static bool has_zero_byte(const struct nx_json *value)
{
	struct nx_slice text = nx_json_as_slice(value);

	return text.len && memchr(text.data, '\0', text.len);
}

/* As JSON text for the parser of the option, which reports all other errors. */
static void write_lists(struct nx_json_writer *w, const struct nx_json *value, unsigned depth)
{
	if (value->kind == NX_JSON_NUMBER) {
		nx_json_digits(w, value->text);
	} else if (value->kind != NX_JSON_ARRAY || depth == 2) {
		nx_json_null(w);
	} else {
		nx_json_begin_array(w);
		for (size_t i = 0; i < value->count; i++)
			write_lists(w, &value->children[i], depth + 1);
		nx_json_end_array(w);
	}
}

static const char *lists_text(const struct nx_json *value, struct nx_arena *arena)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer writer;
	const char *text;

	nx_json_init_bytes(&writer, &bytes, false);
	write_lists(&writer, value, 0);
	text = nx_arena_copy(arena, nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
	return text;
}

static enum nx_status store_text(const struct field *field, const struct nx_json *value,
				 struct wish *wish, struct nx_arena *arena, struct nx_error *err)
{
	const char **to = (const char **)(void *)((char *)&wish->words + field->offset);
	bool is_text = value->kind == NX_JSON_TEXT && !has_zero_byte(value);

	assert(field->offset + sizeof(*to) <= sizeof(wish->words));
	switch ((enum field_kind)field->kind) {
	case FIELD_SIZE:
		if (value->kind == NX_JSON_NUMBER)
			*to = nx_arena_copy(arena, value->text);
		else if (is_text)
			*to = nx_json_as_text(value, arena, "");
		else
			return refuse(field, "a number of bytes, or a text like \"32mb\"", err);
		return NX_OK;
	case FIELD_CHECK:
		if (value->kind == NX_JSON_BOOL)
			*to = nx_slice_is(value->text, "true") ? "" : NULL;
		else if (is_text)
			*to = nx_json_as_text(value, arena, "");
		else
			return refuse(field, "true, false, \"random\" or \"all_ones\"", err);
		return NX_OK;
	case FIELD_LISTS:
		if (value->kind != NX_JSON_ARRAY)
			return refuse(field, "a list of lists of whole numbers", err);
		*to = lists_text(value, arena);
		return NX_OK;
	default:
		if (!is_text)
			return refuse(field, "a text", err);
		*to = nx_json_as_text(value, arena, "");
		return NX_OK;
	}
}

static enum nx_status store_field(const struct field *field, const struct nx_json *value,
				  struct wish *wish, struct nx_arena *arena, struct nx_error *err)
{
	struct nx_number_value *number;

	switch ((enum field_kind)field->kind) {
	case FIELD_OPERATION:
		if (value->kind != NX_JSON_TEXT || has_zero_byte(value))
			return refuse(field, "a text, the name of an operation", err);
		wish->op = nx_arena_copy(arena, nx_json_as_slice(value));
		return NX_OK;
	case FIELD_OPS_PER_ITER:
		if (!read_number(value, &wish->ops_per_iter) || !wish->ops_per_iter)
			return refuse(field, "a whole number of at least 1", err);
		return NX_OK;
	case FIELD_NUMBER:
		number = (struct nx_number_value *)(void *)((char *)&wish->words + field->offset);
		if (!read_number(value, &number->value))
			return refuse(field, "a whole number", err);
		number->is_given = true;
		/* The field of a stream overrides groups given on the command line. */
		if (field->offset == W(data_parallel))
			wish->words.groups = NULL;
		return NX_OK;
	default:
		return store_text(field, value, wish, arena, err);
	}
}

/* --- streams ------------------------------------------------------------------------------- */

static enum nx_status multiply_iterations(struct nx_nccom_options *o, uint32_t by,
					  struct nx_error *err)
{
	if (by > MAX_OPERATIONS || o->measured_count > MAX_OPERATIONS / by ||
	    o->warmup_count > MAX_OPERATIONS / by)
		return nx_fail(err, NX_LIMIT,
			       "%u iterations of %u operations are more than %u; choose fewer with "
			       "'iters' or 'ops_per_iter'",
			       o->measured_count > o->warmup_count ? o->measured_count
								   : o->warmup_count,
			       by, MAX_OPERATIONS);
	o->measured_count *= by;
	o->warmup_count *= by;
	return NX_OK;
}

static enum nx_status read_stream(const struct nx_json *object, const struct wish *common,
				  struct nx_arena *arena, struct nx_nccom_request *out,
				  struct nx_error *err)
{
	struct wish wish = *common;
	const struct field *field;
	enum nx_status st = NX_OK;

	if (object->kind != NX_JSON_OBJECT)
		return nx_fail(err, NX_USAGE, "a stream is an object, {\"operation\": \"allr\"}");
	for (size_t i = 0; i < object->count && !st; i++) {
		st = find_field(object->children[i].key, &field, err);
		if (!st)
			st = store_field(field, &object->children[i], &wish, arena, err);
	}
	if (!st && !wish.op)
		st = nx_fail(err, NX_USAGE,
			     "'operation' is missing; give it here, or one for all streams on the "
			     "command line");
	if (!st)
		st = nx_nccom_request_read(&wish.words, &wish.op, 1, arena, out, err);
	return st ? st : multiply_iterations(&out->options, wish.ops_per_iter, err);
}

/* {"streams": [...]}, or the list alone */
static enum nx_status find_list(const struct nx_json *root, const struct nx_json **out,
				struct nx_error *err)
{
	char name[64] = "", hint[NX_HINT_MAX];

	*out = root->kind == NX_JSON_OBJECT ? nx_json_get(root, "streams") : root;
	for (size_t i = 0; root->kind == NX_JSON_OBJECT && i < root->count; i++) {
		struct nx_slice key = root->children[i].key;

		if (nx_slice_is(key, "streams"))
			continue;
		if (key.len)
			memcpy(name, key.data,
			       key.len < sizeof(name) - 1 ? key.len : sizeof(name) - 1);
		return nx_fail(err, NX_USAGE, "there is no field '%s' beside the streams%s", name,
			       nx_hint_word("streams", name, "", hint));
	}
	if (!*out || (*out)->kind != NX_JSON_ARRAY)
		return nx_fail(err, NX_USAGE,
			       "there is no list of streams; write {\"streams\": [{...}, {...}]}");
	if (!(*out)->count || (*out)->count > NX_NCCOM_MAX_STREAMS)
		return nx_fail(err, (*out)->count ? NX_LIMIT : NX_USAGE,
			       "there are %zu streams; 1 to %u are allowed", (*out)->count,
			       NX_NCCOM_MAX_STREAMS);
	return NX_OK;
}

enum nx_status nx_nccom_streams_read(struct nx_slice text, const struct nx_nccom_words *words,
				     char **ops, size_t op_count, struct nx_arena *arena,
				     struct nx_nccom_streams *out, struct nx_error *err)
{
	struct wish common = {*words, op_count ? ops[0] : NULL, 1};
	const struct nx_json *list = NULL;
	struct nx_json *root = NULL;
	enum nx_status st;

	*out = (struct nx_nccom_streams){0};
	if (op_count > 1)
		return nx_fail(err, NX_USAGE,
			       "a stream has one operation; name one for the streams without");
	if (text.len > MAX_FILE_BYTES)
		return nx_fail(err, NX_LIMIT, "it has %zu bytes; the limit is %zu", text.len,
			       MAX_FILE_BYTES);
	st = nx_json_parse(text, arena, &root, err);
	if (!st)
		st = find_list(root, &list, err);
	if (st)
		return st;
	out->items = NX_NEW_ARRAY(arena, struct nx_nccom_request, list->count);
	for (; out->count < list->count && !st; out->count++) {
		struct nx_nccom_request *item = &out->items[out->count];

		st = read_stream(&list->children[out->count], &common, arena, item, err);
		if (st)
			return nx_context(err, "stream %zu", out->count + 1);
		out->core_count += item->options.local_rank_count;
	}
	return NX_OK;
}

enum nx_status nx_nccom_streams_open(const struct nx_nccom_words *words, char **ops,
				     size_t op_count, struct nx_arena *arena,
				     struct nx_nccom_streams *out, struct nx_error *err)
{
	struct nx_file file = {0};
	enum nx_status st = nx_file_map(&file, words->streams, err);
	struct nx_slice text;

	if (st)
		return nx_context(err, "--streams-json");
	/* The request borrows from the text. */
	text = nx_slice_of(nx_arena_copy(arena, file.bytes), file.bytes.len);
	nx_file_unmap(&file);
	st = nx_nccom_streams_read(text, words, ops, op_count, arena, out, err);
	return st ? nx_context(err, "%.200s", words->streams) : NX_OK;
}
