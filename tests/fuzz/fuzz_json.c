/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as JSON. Beyond "does not crash": memory stays proportional to the
 * input, and every text that was read can be written and read again.
 */
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "tests/fuzz/expect.h"

/* The smallest value takes two bytes ("1,") and becomes one node; the rest is growth. */
#define BYTES_PER_INPUT_BYTE 256
#define BYTES_FIXED 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t visit(const struct nx_json *value, struct nx_arena *arena, struct nx_json_writer *w)
{
	size_t count = 1;

	expect(value->key.len == 0 || value->key.data);
	expect(value->count == 0 || value->children);
	(void)nx_json_as_u64(value, 7);
	(void)nx_json_as_i64(value, -7);
	(void)nx_json_as_f64(value, 0.5);
	(void)nx_json_as_text(value, arena, "fallback");
	(void)nx_json_get(value, "name");
	nx_json_slice(w, nx_json_as_slice(value));
	for (size_t i = 0; i < value->count; i++)
		count += visit(&value->children[i], arena, w);
	return count;
}

static void read_again(struct nx_bytes *bytes, size_t text_count)
{
	struct nx_arena arena = {0};
	struct nx_json *root = NULL;
	struct nx_error err = {0};

	expect(nx_json_parse(nx_slice_of(bytes->items, bytes->len), &arena, &root, &err) == NX_OK);
	expect(root->kind == NX_JSON_ARRAY && root->count == text_count);
	for (size_t i = 0; i < root->count; i++)
		expect(root->children[i].kind == NX_JSON_TEXT);
	nx_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_arena arena = {0}, scratch = {0};
	struct nx_json *root = NULL;
	struct nx_error err = {0};
	enum nx_status status = nx_json_parse(nx_slice_of(data, size), &arena, &root, &err);

	expect(arena.used_bytes <= size * BYTES_PER_INPUT_BYTE + BYTES_FIXED);
	if (status) {
		expect(err.status == status && err.message[0]);
	} else {
		struct nx_bytes bytes = {0};
		struct nx_json_writer w;

		nx_json_init_bytes(&w, &bytes, false);
		nx_json_begin_array(&w);
		size_t text_count = visit(root, &scratch, &w);
		nx_json_end_array(&w);
		read_again(&bytes, text_count);
		nx_vec_release(&bytes);
	}
	nx_arena_release(&scratch);
	nx_arena_release(&arena);
	return 0;
}
