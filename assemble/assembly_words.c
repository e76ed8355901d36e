/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_words: what the lines of all directives are made of. */
#include "assemble/assembly_internal.h"

enum nx_status nx_assembly_word(struct nx_assembly *a, struct nx_cursor *c, const char *what,
				const char **out, struct nx_error *err)
{
	struct nx_slice word;
	size_t start;

	nx_cursor_skip_blanks(c);
	if (nx_cursor_take(c, "\"")) {
		start = c->at;
		while (nx_cursor_peek(c) && nx_cursor_peek(c) != '"')
			c->at++;
		word = nx_slice_part(c->text, start, c->at - start);
		if (!nx_cursor_take(c, "\""))
			return nx_fail(err, NX_FORMAT, "the closing '\"' is missing");
	} else {
		word = nx_cursor_take_name(c);
	}
	if (word.len == 0)
		return nx_fail(err, NX_FORMAT, "expected %s; put unusual names in \"quotes\"",
			       what);
	*out = nx_arena_copy(&a->arena, word);
	return NX_OK;
}

bool nx_assembly_key(struct nx_cursor *c, const char *key)
{
	size_t start = c->at;

	nx_cursor_skip_blanks(c);
	if (nx_slice_is(nx_cursor_take_name(c), key) && nx_cursor_take(c, "="))
		return true;
	c->at = start;
	return false;
}

enum nx_status nx_assembly_number(struct nx_cursor *c, int64_t low, int64_t high, int64_t *out,
				  struct nx_error *err)
{
	struct nx_expression_value value;
	enum nx_status status;
	size_t start;

	nx_cursor_skip_blanks(c);
	start = c->at;
	status = nx_expression_read(c, &value, err);
	if (status)
		return status;
	*out = value.whole;
	if (!value.is_real && value.whole >= low && value.whole <= high)
		return NX_OK;
	c->at = start;
	if (value.is_real)
		return nx_fail(err, NX_FORMAT, "expected an integer, not %g", value.real);
	return nx_fail(err, NX_FORMAT, "%lld is out of range; use %lld to %lld",
		       (long long)value.whole, (long long)low, (long long)high);
}

enum nx_status nx_assembly_list(struct nx_cursor *c, int64_t low, int64_t *items, unsigned *count,
				struct nx_error *err)
{
	bool outer = c->allows_blanks;

	*count = 0;
	nx_cursor_skip_blanks(c);
	if (!nx_cursor_take(c, "["))
		return nx_fail(err, NX_FORMAT, "expected a list in square brackets");
	c->allows_blanks = true;
	do {
		enum nx_status status;

		if (*count == NX_PLAN_MAX_DIMS)
			return nx_fail(err, NX_FORMAT, "a list has at most %d numbers",
				       NX_PLAN_MAX_DIMS);
		status = nx_assembly_number(c, low, INT64_MAX, &items[*count], err);
		if (status)
			return status;
		++*count;
		nx_cursor_skip_blanks(c);
	} while (nx_cursor_take(c, ","));
	c->allows_blanks = outer;
	return nx_cursor_take(c, "]") ? NX_OK : nx_fail(err, NX_FORMAT, "a ']' is missing here");
}

enum nx_status nx_assembly_end(struct nx_cursor *c, struct nx_error *err)
{
	nx_cursor_skip_blanks(c);
	if (!nx_cursor_peek(c))
		return NX_OK;
	return nx_fail(err, NX_FORMAT, "expected the end of the line");
}

enum nx_status nx_assembly_define(struct nx_assembly *a, struct nx_slice name,
				  struct nx_expression_value value, struct nx_error *err)
{
	uint64_t index;

	if (name.len == 0)
		return nx_fail(err, NX_FORMAT, "a name is missing here");
	if (nx_text_map_get(&a->value_of_name, name, &index)) {
		a->values.items[index] = value;
		return NX_OK;
	}
	nx_text_map_put(&a->value_of_name, name, a->values.len);
	nx_vec_push(&a->values, value);
	return NX_OK;
}

enum nx_status nx_assembly_file(struct nx_assembly *a, const char *name, struct nx_slice *out,
				struct nx_error *err)
{
	struct nx_file file = {0};
	const char *path = name;
	enum nx_status status;

	if (!a->options->folder)
		return nx_fail(err, NX_UNSUPPORTED, "files cannot be read here");
	if (*name != '/')
		path = nx_arena_printf(&a->arena, "%s/%s", a->options->folder, name);
	status = nx_file_map(&file, path, err);
	if (status)
		return status;
	nx_vec_push(&a->files, file);
	*out = file.bytes;
	return NX_OK;
}

enum nx_status nx_assembly_read_engine(struct nx_assembly *a, struct nx_cursor *c, unsigned *engine,
				       struct nx_error *err)
{
	const char *word = "";
	enum nx_status status = nx_assembly_word(a, c, "an engine", &word, err);

	if (status)
		return status;
	for (*engine = 0; *engine < NX_ENGINE_COUNT; ++*engine)
		if (!strcmp(word, nx_engines[*engine].neff_key) ||
		    !strcmp(word, nx_engines[*engine].label))
			return NX_OK;
	return nx_fail(err, NX_FORMAT, "unknown engine '%s'; use pe, act, pool, dve or sp", word);
}
