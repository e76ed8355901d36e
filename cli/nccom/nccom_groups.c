/* SPDX-License-Identifier: Apache-2.0 */
/* nccom_groups: which ranks take part, from the lists on the command line of nccom-test. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "cli/nccom/nccom_options.h"

/* --- lists -------------------------------------------------------------------------------- */

/* The text, or the file it names. */
static enum nx_status read_json(const char *option, const char *given, struct nx_arena *arena,
				struct nx_json **out, struct nx_error *err)
{
	struct nx_slice text = nx_slice_text(given);
	struct nx_file file = {0};
	enum nx_status st = NX_OK;

	if (given[strspn(given, " ")] != '[') {
		st = nx_file_map(&file, given, err);
		text = st ? text : nx_slice_of(nx_arena_copy(arena, file.bytes), file.bytes.len);
		nx_file_unmap(&file);
	}
	if (!st)
		st = nx_json_parse(text, arena, out, err);
	return st ? nx_context(err, "--%s", option) : NX_OK;
}

struct numbers { /* of all inner lists */
	uint64_t *items;
	size_t count, list_len; /* list_len: 0 if they differ, or if a number is beside them */
};

static void flatten(const struct nx_json *value, struct nx_arena *arena, struct numbers *out)
{
	size_t most = 0;

	out->list_len = SIZE_MAX;
	for (size_t i = 0; i < value->count; i++)
		most += value->children[i].kind == NX_JSON_ARRAY ? value->children[i].count : 1;
	out->items = NX_NEW_ARRAY(arena, uint64_t, most);
	for (size_t i = 0; i < value->count; i++) {
		const struct nx_json *inner = &value->children[i];

		if (inner->kind != NX_JSON_ARRAY) {
			out->items[out->count++] = nx_json_as_u64(inner, UINT64_MAX);
			out->list_len = 0;
			continue;
		}
		if (out->list_len != SIZE_MAX && out->list_len != inner->count)
			out->list_len = 0;
		else
			out->list_len = inner->count;
		for (size_t k = 0; k < inner->count; k++)
			out->items[out->count++] = nx_json_as_u64(&inner->children[k], UINT64_MAX);
	}
}

static enum nx_status read_numbers(const char *option, const char *given, struct nx_arena *arena,
				   struct numbers *out, struct nx_error *err)
{
	struct nx_json *root = NULL;
	enum nx_status st = read_json(option, given, arena, &root, err);

	memset(out, 0, sizeof(*out));
	if (st || !root)
		return st;
	if (root->kind != NX_JSON_ARRAY)
		return nx_fail(err, NX_USAGE, "--%s must be a list", option);
	flatten(root, arena, out);
	for (size_t i = 0; i < out->count; i++)
		if (out->items[i] > UINT32_MAX)
			return nx_fail(err, NX_USAGE, "--%s must contain only whole numbers",
				       option);
	return NX_OK;
}

/* "[[0,1],[2,3]]" for the assembler */
static const char *lists_text(const uint32_t *items, size_t count, size_t len,
			      struct nx_arena *arena)
{
	struct nx_bytes text = {0};
	const char *out;
	char part[32];

	assert(len > 0 && count % len == 0);
	for (size_t i = 0; i < count; i++) {
		int n = snprintf(part, sizeof(part), "%s%u",
				 i % len ? ","
				 : i	 ? "],["
					 : "[[",
				 items[i]);

		nx_bytes_append(&text, part, (size_t)n);
	}
	nx_bytes_append(&text, "]]", 2);
	out = nx_arena_copy(arena, nx_slice_of(text.items, text.len));
	nx_vec_release(&text);
	return out;
}

static enum nx_status narrow(const char *option, const struct numbers *from, uint32_t rank_count,
			     struct nx_arena *arena, uint32_t **out, struct nx_error *err)
{
	*out = NX_NEW_ARRAY(arena, uint32_t, from->count);
	for (size_t i = 0; i < from->count; i++) {
		if (from->items[i] >= rank_count)
			return nx_fail(err, NX_USAGE, "--%s names rank %llu of %u", option,
				       (unsigned long long)from->items[i], rank_count);
		(*out)[i] = (uint32_t)from->items[i];
	}
	return NX_OK;
}

/* --- groups ---------------------------------------------------------------------------------- */

static enum nx_status set_groups(struct nx_nccom_request *r, const uint32_t *ranks, size_t count,
				 size_t len, struct nx_arena *arena, struct nx_error *err)
{
	bool *seen = NX_NEW_ARRAY(arena, bool, r->rank_count);

	for (size_t i = 0; i < count; i++) {
		if (seen[ranks[i]])
			return nx_fail(err, NX_USAGE, "rank %u is in two groups", ranks[i]);
		seen[ranks[i]] = true;
	}
	if (count != r->rank_count || !len)
		return nx_fail(
			err, NX_USAGE,
			"groups must have the same size and contain each of the %u ranks once",
			r->rank_count);
	r->groups.ranks = ranks;
	r->groups.rank_count = count;
	r->groups.group_size = (uint32_t)len;
	r->groups.groups = lists_text(ranks, count, len, arena);
	return NX_OK;
}

static enum nx_status spread_groups(struct nx_nccom_request *r, uint32_t size,
				    struct nx_arena *arena, struct nx_error *err)
{
	uint32_t *ranks = NX_NEW_ARRAY(arena, uint32_t, r->rank_count);
	uint32_t apart;

	if (!size || r->rank_count % size)
		return nx_fail(err, NX_USAGE, "%u ranks cannot be split into groups of %u",
			       r->rank_count, size);
	apart = r->rank_count / size;
	for (uint32_t i = 0; i < r->rank_count; i++)
		ranks[i] = i / size + i % size * apart;
	return set_groups(r, ranks, r->rank_count, size, arena, err);
}

enum nx_status nx_nccom_read_groups(const struct nx_nccom_words *w, struct nx_nccom_request *r,
				    struct nx_arena *arena, struct nx_error *err)
{
	struct numbers numbers;
	uint32_t *ranks;
	enum nx_status st = NX_OK;

	if (w->groups) {
		st = read_numbers("custom-replica-groups", w->groups, arena, &numbers, err);
		if (!st)
			st = narrow("custom-replica-groups", &numbers, r->rank_count, arena, &ranks,
				    err);
		return st ? st
			  : set_groups(r, ranks, numbers.count,
				       numbers.list_len == SIZE_MAX ? 0 : numbers.list_len, arena,
				       err);
	}
	return w->data_parallel.is_given ? spread_groups(r, w->data_parallel.value, arena, err)
					 : st;
}

enum nx_status nx_nccom_read_pairs(const struct nx_nccom_words *w, struct nx_nccom_request *r,
				   struct nx_arena *arena, struct nx_error *err)
{
	struct numbers numbers;
	uint32_t *ranks;
	enum nx_status st;

	if (!w->pairs)
		return NX_OK;
	st = read_numbers("custom-src-target-pairs", w->pairs, arena, &numbers, err);
	if (!st)
		st = narrow("custom-src-target-pairs", &numbers, r->rank_count, arena, &ranks, err);
	if (st)
		return st;
	if (numbers.list_len != 2)
		return nx_fail(err, NX_USAGE,
			       "--custom-src-target-pairs must contain lists of two ranks");
	r->groups.pairs = lists_text(ranks, numbers.count, 2, arena);
	r->groups.pair_list = (const uint32_t(*)[2])ranks;
	r->groups.pair_count = numbers.count / 2;
	return NX_OK;
}

enum nx_status nx_nccom_read_counts(const struct nx_nccom_words *w, struct nx_nccom_request *r,
				    struct nx_arena *arena, struct nx_error *err)
{
	struct numbers numbers;
	enum nx_status st;

	if (!w->counts)
		return NX_OK;
	st = read_numbers("variable-size-op-metadata", w->counts, arena, &numbers, err);
	r->groups.counts = numbers.items;
	r->groups.count_count = numbers.count;
	return st;
}
