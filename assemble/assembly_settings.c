/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_settings: directives about the whole, about names and about where lines come from. */
#include "assemble/assembly_internal.h"

#define MAX_SEMAPHORE (NX_SEMAPHORE_COUNT - 1)

const char *nx_assembly_target(struct nx_slice arch)
{
	const struct nx_chip *chip = nx_chip_find(arch);

	return chip ? chip->target : NULL;
}

enum nx_status nx_directive_arch(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	const char *word, *target;
	enum nx_status status = nx_assembly_word(a, c, "trn1, inf2, trn2 or trn3", &word, err);

	if (status)
		return status;
	target = nx_assembly_target(nx_slice_text(word));
	if (!target)
		return nx_fail(err, NX_FORMAT, "unknown device '%s'; use trn1, inf2, trn2 or trn3",
			       word);
	if (!a->options->target)
		a->target = target;
	return NX_OK;
}

enum nx_status nx_directive_name(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	return nx_assembly_word(a, c, "the model's name", &a->name, err);
}

enum nx_status nx_directive_core(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	static const struct nx_plan_variable state_buffer = {.name = NX_PLAN_STATE_BUFFER,
							     .type = "state-buffer"};
	int64_t most = (int64_t)a->cores.len, core;
	struct nx_assembly_core fresh = {0};
	enum nx_status status;

	if (most == NX_ASSEMBLY_MAX_CORES)
		most--;
	status = nx_assembly_number(c, 0, most, &core, err);
	if (status)
		return status;
	a->core = (unsigned)core;
	a->engine = NX_ASSEMBLY_NO_ENGINE;
	a->has_block = false;
	if ((size_t)core == a->cores.len) {
		nx_vec_push(&fresh.variables, state_buffer);
		nx_text_map_put(&fresh.variable_of_name, nx_slice_text(NX_PLAN_STATE_BUFFER), 0);
		nx_vec_push(&a->cores, fresh);
	}
	return NX_OK;
}

enum nx_status nx_directive_engine(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	unsigned engine;
	enum nx_status status = nx_assembly_read_engine(a, c, &engine, err);

	if (status)
		return status;
	a->engine = engine;
	a->has_block = false;
	return NX_OK;
}

/* --- names ----------------------------------------------------------------------- */

enum nx_status nx_directive_set(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	struct nx_slice name;
	struct nx_expression_value value;
	enum nx_status status;

	nx_cursor_skip_blanks(c);
	name = nx_cursor_take_name(c);
	nx_cursor_skip_blanks(c);
	if (name.len == 0 || !nx_cursor_take(c, "="))
		return nx_fail(err, NX_FORMAT, "write .set NAME = NUMBER");
	c->allows_blanks = true;
	status = nx_expression_read(c, &value, err);
	if (!status)
		status = nx_assembly_end(c, err);
	return status ? status : nx_assembly_define(a, name, value, err);
}

/* Without a number the next free one. */
enum nx_status nx_directive_semaphore(struct nx_assembly *a, struct nx_cursor *c,
				      struct nx_error *err)
{
	int64_t number = a->next_semaphore;
	enum nx_status status = NX_OK;
	struct nx_slice name;

	nx_cursor_skip_blanks(c);
	name = nx_cursor_take_name(c);
	nx_cursor_skip_blanks(c);
	if (nx_cursor_take(c, "="))
		status = nx_assembly_number(c, 0, MAX_SEMAPHORE, &number, err);
	else if (number > MAX_SEMAPHORE)
		return nx_fail(err, NX_LIMIT, "all %d semaphores are taken", NX_SEMAPHORE_COUNT);
	if (!status)
		status = nx_assembly_end(c, err);
	if (status)
		return status;
	if (number >= a->next_semaphore)
		a->next_semaphore = (uint32_t)number + 1;
	return nx_assembly_define(a, name, nx_value_of(number), err);
}

/* --- origins --------------------------------------------------------------------- */

enum nx_status nx_directive_layer(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	nx_cursor_skip_blanks(c);
	a->layer = "";
	if (!nx_cursor_peek(c))
		return NX_OK;
	return nx_assembly_word(a, c, "the layer's name", &a->layer, err);
}

enum nx_status nx_directive_file(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	nx_cursor_skip_blanks(c);
	a->source_file = "";
	a->source_line = 0;
	if (!nx_cursor_peek(c))
		return NX_OK;
	return nx_assembly_word(a, c, "the source file's name", &a->source_file, err);
}

enum nx_status nx_directive_line(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	int64_t line;
	enum nx_status status = nx_assembly_number(c, 0, INT32_MAX, &line, err);

	if (status)
		return status;
	if (!*a->source_file)
		return nx_fail(err, NX_FORMAT, ".line needs a file; write .file first");
	a->source_line = (uint32_t)line;
	return NX_OK;
}

/* --- files in the NEFF --------------------------------------------------------------- */

static enum nx_status add_member(struct nx_assembly *a, const char *name, const char *file,
				 struct nx_error *err)
{
	struct nx_neff_member member = {.name = nx_slice_text(name)};
	enum nx_status status = nx_assembly_file(a, file, &member.bytes, err);

	if (!status)
		nx_vec_push(&a->members, member);
	return status;
}

enum nx_status nx_directive_member(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	const char *name, *file;
	enum nx_status status = nx_assembly_word(a, c, "the member's name", &name, err);

	if (!status && !nx_assembly_key(c, "file"))
		return nx_fail(err, NX_FORMAT, "file= is missing here");
	if (!status)
		status = nx_assembly_word(a, c, "a file", &file, err);
	return status ? status : add_member(a, name, file, err);
}

/* Three files make a set of activation functions; without file= they come as .member. */
enum nx_status nx_directive_activation_set(struct nx_assembly *a, struct nx_cursor *c,
					   struct nx_error *err)
{
	static const char *const suffixes[] = {".json", "_bkt.bin", "_ctrl.bin"};
	const char *name, *file;
	enum nx_status status = nx_assembly_word(a, c, "the set's name", &name, err);

	if (status)
		return status;
	nx_vec_push(&nx_assembly_core(a)->sets, name);
	if (!nx_assembly_key(c, "file"))
		return NX_OK;
	status = nx_assembly_word(a, c, "the stem of its files", &file, err);
	for (unsigned i = 0; i < 3 && !status; i++)
		status = add_member(
			a, nx_arena_printf(&a->arena, "sg%02u/%s%s", a->core, name, suffixes[i]),
			nx_arena_printf(&a->arena, "%s%s", file, suffixes[i]), err);
	return status;
}
