/* SPDX-License-Identifier: Apache-2.0 */
/* assembler: lines, repetition, and which directive reads which line. */
#include "assemble/assembler.h"

#include <assert.h>

#include "assemble/assembly_internal.h"

#define MAX_NESTING 16
#define MAX_TEXT_LINES (1u << 24)

/* --- names in expressions --------------------------------------------------------- */

static bool find_name(void *context, struct nx_slice name, struct nx_expression_value *out)
{
	struct nx_assembly *a = context;
	uint64_t index;

	if (nx_text_map_get(&a->value_of_name, name, &index)) {
		*out = a->values.items[index];
		return true;
	}
	/* A variable stands for its number. */
	if (!nx_text_map_get(&nx_assembly_core(a)->variable_of_name, name, &index))
		return false;
	*out = nx_value_of((int64_t)index);
	return true;
}

/* sbuf(partition, offset) and psum(partition, offset): addresses on chip. */
static bool call_function(void *context, struct nx_slice name,
			  const struct nx_expression_value *arguments, unsigned count,
			  struct nx_expression_value *out)
{
	bool is_psum = nx_slice_is(name, "psum");

	(void)context;
	if (count != 2 || (!is_psum && !nx_slice_is(name, "sbuf")))
		return false;
	if (arguments[0].is_real || arguments[1].is_real || arguments[0].whole < 0 ||
	    arguments[0].whole >= NX_PARTITION_COUNT || arguments[1].whole < 0 ||
	    arguments[1].whole >= NX_PARTITION_STRIDE)
		return false;
	*out = nx_value_of((arguments[0].whole << NX_PARTITION_SHIFT) + arguments[1].whole +
			   (is_psum ? (int64_t)NX_PSUM_BASE : 0));
	return true;
}

static void define_constants(struct nx_assembly *a)
{
	static const struct {
		const char *name;
		struct nx_expression_value value;
	} constants[] = {
		{"PARTITION", {false, NX_PARTITION_STRIDE, NX_PARTITION_STRIDE}},
		{"nan", {true, 0, __builtin_nan("")}},
		{"inf", {true, 0, __builtin_inf()}},
		{"last_block", {false, 0, 0}},
	};

	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (nx_assembly_define(a, nx_slice_text(constants[i].name), constants[i].value,
				       NULL))
			return;
}

/* --- instructions ------------------------------------------------------------------ */

/* Consecutive slots share an origin, so only the last few are searched. */
static uint32_t origin_now(struct nx_assembly *a)
{
	bool is_own = !*a->source_file;
	struct nx_plan_origin origin = {a->layer, is_own ? a->options->path : a->source_file,
					is_own ? a->line : a->source_line};
	size_t first = a->origins.len > 64 ? a->origins.len - 64 : 0;

	for (size_t i = a->origins.len; i > first; i--) {
		const struct nx_plan_origin *known = &a->origins.items[i - 1];

		if (known->line == origin.line && known->file == origin.file &&
		    known->layer == origin.layer)
			return (uint32_t)(i - 1);
	}
	nx_vec_push(&a->origins, origin);
	return (uint32_t)(a->origins.len - 1);
}

enum nx_status nx_assembly_emit(struct nx_assembly *a, const uint8_t slot[NX_SLOT_BYTES],
				struct nx_error *err)
{
	struct nx_assembly_engine *engine;

	if (a->engine == NX_ASSEMBLY_NO_ENGINE)
		return nx_fail(err, NX_FORMAT, "no engine is chosen; write .engine first");
	assert(a->engine < NX_ENGINE_COUNT);
	engine = &nx_assembly_core(a)->engines[a->engine];
	nx_bytes_append(&engine->code, slot, NX_SLOT_BYTES);
	nx_vec_push(&engine->origins, origin_now(a));
	return NX_OK;
}

enum nx_status nx_assembly_instruction(struct nx_assembly *a, struct nx_cursor *c,
				       struct nx_error *err)
{
	struct nx_assembly_core *core = nx_assembly_core(a);
	struct nx_instruction_names names = {&a->names, core->queue_names.items,
					     core->queue_names.len};
	uint8_t slot[NX_SLOT_BYTES];
	size_t fault_at;
	enum nx_status status = nx_instruction_assemble(nx_slice_part(c->text, c->at, c->text.len),
							&names, slot, &fault_at, err);

	if (status) {
		c->at += fault_at;
		return status;
	}
	return nx_assembly_emit(a, slot, err);
}

/* The slots that compilers put before every stream; trn1 has no label. */
static enum nx_status read_prologue(struct nx_assembly *a, struct nx_cursor *c,
				    struct nx_error *err)
{
	static const uint8_t order[NX_SLOT_BYTES] = {NX_OP_SET_ORDERING_MODE, 0x10};
	static const uint8_t label[NX_SLOT_BYTES] = {NX_OP_PSEUDO_BRANCH_LABEL, 0x10};
	bool has_label = nx_target_generation(a->target) != NX_ARCH_V2;
	enum nx_status status = NX_OK;

	(void)c;
	for (a->engine = 0; a->engine < NX_ENGINE_COUNT && !status; a->engine++) {
		status = nx_assembly_emit(a, order, err);
		if (!status && has_label)
			status = nx_assembly_emit(a, label, err);
	}
	a->engine = NX_ASSEMBLY_NO_ENGINE;
	return status;
}

/* --- lines -------------------------------------------------------------------------- */

static const struct {
	const char *word;
	nx_directive *read;
} directives[] = {
	{".arch", nx_directive_arch},
	{".name", nx_directive_name},
	{".core", nx_directive_core},
	{".engine", nx_directive_engine},
	{".prologue", read_prologue},
	{".set", nx_directive_set},
	{".semaphore", nx_directive_semaphore},
	{".input", nx_directive_tensor},
	{".output", nx_directive_tensor},
	{".constant", nx_directive_constant},
	{".scratch", nx_directive_scratch},
	{".variable", nx_directive_variable},
	{".table", nx_directive_table},
	{".queue", nx_directive_queue},
	{".block", nx_directive_block},
	{".copy", nx_directive_transfer},
	{".cast", nx_directive_transfer},
	{".add", nx_directive_transfer},
	{".transpose", nx_directive_transpose},
	{".dma", nx_directive_dma},
	{".layer", nx_directive_layer},
	{".file", nx_directive_file},
	{".line", nx_directive_line},
	{".member", nx_directive_member},
	{".activation_set", nx_directive_activation_set},
	{".replica_groups", nx_directive_replica_groups},
	{".source_target_pairs", nx_directive_source_target_pairs},
	{".element_counts", nx_directive_element_counts},
};

/* ".word", of which the cursor stands at the point. */
static struct nx_slice take_directive(struct nx_cursor *c)
{
	size_t start = c->at++;

	(void)nx_cursor_take_name(c);
	return nx_slice_part(c->text, start, c->at - start);
}

static enum nx_status read_directive(struct nx_assembly *a, struct nx_cursor *c,
				     struct nx_error *err)
{
	size_t start = c->at;
	struct nx_slice word = take_directive(c);

	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (nx_slice_is(word, directives[i].word)) {
			enum nx_status status;

			a->directive = directives[i].word + 1;
			status = directives[i].read(a, c, err);
			return status ? status : nx_assembly_end(c, err);
		}
	c->at = start;
	return nx_fail(err, NX_FORMAT, "unknown directive %.*s",
		       (int)(word.len < 40 ? word.len : 40), (const char *)word.data);
}

static struct nx_cursor cursor_of(struct nx_assembly *a, size_t index)
{
	struct nx_cursor c = {.text = a->lines.items[index].text, .names = &a->names};

	nx_cursor_skip_blanks(&c);
	return c;
}

static enum nx_status place_fault(struct nx_assembly *a, size_t index, const struct nx_cursor *c,
				  struct nx_error *err)
{
	return nx_context(err, "%s:%u:%zu", a->options->path, a->lines.items[index].number,
			  c->at + 1);
}

static enum nx_status read_line(struct nx_assembly *a, size_t index, struct nx_error *err)
{
	struct nx_cursor c = cursor_of(a, index);
	enum nx_status status;

	if (!nx_cursor_peek(&c))
		return NX_OK;
	a->line = a->lines.items[index].number;
	if (nx_cursor_peek(&c) == '.') {
		status = read_directive(a, &c, err);
	} else {
		/* a listing numbers its slots; the order says as much */
		while (nx_cursor_peek(&c) >= '0' && nx_cursor_peek(&c) <= '9')
			c.at++;
		nx_cursor_skip_blanks(&c);
		status = nx_assembly_instruction(a, &c, err);
	}
	return status ? place_fault(a, index, &c, err) : NX_OK;
}

/* --- repetition ----------------------------------------------------------------------- */

static enum nx_assembly_line_kind kind_of(struct nx_assembly *a, size_t index)
{
	struct nx_cursor c = cursor_of(a, index);
	struct nx_slice word;

	if (nx_cursor_peek(&c) != '.')
		return NX_LINE_PLAIN;
	word = take_directive(&c);
	if (nx_slice_is(word, ".repeat"))
		return NX_LINE_REPEAT;
	if (nx_slice_is(word, ".if"))
		return NX_LINE_IF;
	return nx_slice_is(word, ".end") ? NX_LINE_END : NX_LINE_PLAIN;
}

/* Finds the .end of each .repeat and .if. */
static void match_ends(struct nx_assembly *a)
{
	NX_VEC(size_t) open = {0};

	for (size_t i = 0; i < a->lines.len; i++) {
		struct nx_assembly_line *line = &a->lines.items[i];

		line->kind = kind_of(a, i);
		if (line->kind == NX_LINE_REPEAT || line->kind == NX_LINE_IF)
			nx_vec_push(&open, i);
		else if (line->kind == NX_LINE_END && open.len)
			a->lines.items[open.items[--open.len]].end = (uint32_t)i;
	}
	nx_vec_release(&open);
}

struct group {
	bool is_condition;
	int64_t count;
	struct nx_slice counter; /* empty: the loop does not name one */
};

static enum nx_status read_group(struct nx_assembly *a, size_t index, struct group *out,
				 struct nx_error *err)
{
	struct nx_cursor c = cursor_of(a, index);
	enum nx_status status;

	(void)take_directive(&c);
	*out = (struct group){.is_condition = a->lines.items[index].kind == NX_LINE_IF};
	c.allows_blanks = out->is_condition;
	status = nx_assembly_number(&c, out->is_condition ? INT64_MIN : 0, INT64_MAX, &out->count,
				    err);
	if (!status) {
		nx_cursor_skip_blanks(&c);
		if (!out->is_condition)
			out->counter = nx_cursor_take_name(&c);
		status = nx_assembly_end(&c, err);
	}
	if (out->is_condition)
		out->count = out->count != 0;
	return status ? place_fault(a, index, &c, err) : NX_OK;
}

static enum nx_status run_lines(struct nx_assembly *a, size_t first, size_t end, unsigned depth,
				struct nx_error *err);

static enum nx_status spend_line(struct nx_assembly *a, size_t index, struct nx_error *err)
{
	if (a->line_budget == 0)
		return nx_fail(err, NX_LIMIT, "%s:%u: the repetitions make more lines than allowed",
			       a->options->path, a->lines.items[index].number);
	a->line_budget--;
	return NX_OK;
}

static enum nx_status run_group(struct nx_assembly *a, size_t first, unsigned depth,
				struct nx_error *err)
{
	struct nx_cursor c = cursor_of(a, first);
	size_t last = a->lines.items[first].end;
	struct group group = {0};
	enum nx_status status = NX_OK;

	if (last == 0)
		status = nx_fail(err, NX_FORMAT, "its .end is missing");
	else if (depth == MAX_NESTING)
		status = nx_fail(err, NX_FORMAT, "nested more than %d levels deep", MAX_NESTING);
	if (status)
		return place_fault(a, first, &c, err);
	status = read_group(a, first, &group, err);
	for (int64_t i = 0; i < group.count && !status; i++) {
		status = spend_line(a, first, err);
		if (!status && group.counter.len)
			status = nx_assembly_define(a, group.counter, nx_value_of(i), err);
		if (!status)
			status = run_lines(a, first + 1, last, depth + 1, err);
	}
	return status;
}

static enum nx_status run_lines(struct nx_assembly *a, size_t first, size_t end, unsigned depth,
				struct nx_error *err)
{
	enum nx_status status = NX_OK;

	for (size_t i = first; i < end && !status; i++) {
		const struct nx_assembly_line *line = &a->lines.items[i];
		struct nx_cursor c = cursor_of(a, i);

		status = spend_line(a, i, err);
		if (status)
			break;
		if (line->kind == NX_LINE_PLAIN) {
			status = read_line(a, i, err);
		} else if (line->kind == NX_LINE_END) {
			(void)nx_fail(err, NX_FORMAT, ".end without .repeat or .if");
			return place_fault(a, i, &c, err);
		} else {
			status = run_group(a, i, depth, err);
			i = line->end;
		}
	}
	return status;
}

/* --- the text -------------------------------------------------------------------------- */

static struct nx_slice without_comment(struct nx_slice line)
{
	bool is_quoted = false;

	for (size_t i = 0; i < line.len; i++) {
		is_quoted ^= line.data[i] == '"';
		if (line.data[i] == '#' && !is_quoted)
			return nx_slice_part(line, 0, i);
	}
	return line;
}

static enum nx_status split_lines(struct nx_assembly *a, struct nx_slice text, struct nx_error *err)
{
	uint32_t number = 1;

	for (size_t start = 0; start < text.len; number++) {
		size_t end = start;

		while (end < text.len && text.data[end] != '\n')
			end++;
		if (a->lines.len == MAX_TEXT_LINES)
			return nx_fail(err, NX_LIMIT, "%s has more than %u lines", a->options->path,
				       MAX_TEXT_LINES);
		if (memchr(text.data + start, '\0', end - start))
			return nx_fail(err, NX_FORMAT, "%s:%u: not a text file: it contains a NUL",
				       a->options->path, number);
		nx_vec_push(
			&a->lines,
			((struct nx_assembly_line){
				.text = without_comment(nx_slice_part(
					text, start,
					end - start - (end > start && text.data[end - 1] == '\r'))),
				.number = number}));
		start = end + 1;
	}
	return NX_OK;
}

static void begin(struct nx_assembly *a, const struct nx_assembly_options *options)
{
	struct nx_cursor zero = {.text = nx_slice_text("0")};

	a->options = options;
	a->names = (struct nx_expression_names){find_name, call_function, a};
	a->name = "model";
	a->target = options->target ? options->target : nx_chip_of(NX_DEVICE_TRN2)->target;
	a->layer = "";
	a->source_file = "";
	a->next_semaphore = NX_ASSEMBLY_FIRST_SEMAPHORE;
	a->line_budget = options->max_lines ? options->max_lines : NX_ASSEMBLY_MAX_LINES;
	a->constant_budget = options->max_constant_bytes ? options->max_constant_bytes
							 : NX_ASSEMBLY_MAX_CONSTANT_BYTES;
	define_constants(a);
	/* core 0 is there from the start; "0" cannot fail */
	if (nx_directive_core(a, &zero, NULL))
		a->core = 0;
}

static void release_core(struct nx_assembly_core *core)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		struct nx_assembly_engine *engine = &core->engines[e];

		for (size_t i = 0; i < engine->blocks.len; i++)
			nx_vec_release(&engine->blocks.items[i].descriptors);
		nx_vec_release(&engine->blocks);
		nx_vec_release(&engine->origins);
		nx_vec_release(&engine->code);
	}
	nx_vec_release(&core->sets);
	nx_vec_release(&core->replica_groups);
	nx_vec_release(&core->source_target_pairs);
	nx_vec_release(&core->element_counts);
	nx_vec_release(&core->block_counts);
	nx_vec_release(&core->queue_names);
	nx_vec_release(&core->queues);
	nx_text_map_release(&core->variable_of_name);
	nx_vec_release(&core->variables);
}

static void release(struct nx_assembly *a)
{
	for (size_t i = 0; i < a->cores.len; i++)
		release_core(&a->cores.items[i]);
	for (size_t i = 0; i < a->files.len; i++)
		nx_file_unmap(&a->files.items[i]);
	nx_vec_release(&a->files);
	nx_vec_release(&a->members);
	nx_vec_release(&a->origins);
	nx_vec_release(&a->cores);
	nx_text_map_release(&a->value_of_name);
	nx_vec_release(&a->values);
	nx_vec_release(&a->lines);
	nx_arena_release(&a->arena);
}

enum nx_status nx_assemble(struct nx_slice text, const struct nx_assembly_options *options,
			   struct nx_bytes *out, struct nx_error *err)
{
	struct nx_assembly a = {0};
	struct nx_error unasked;
	enum nx_status status;

	assert(options && options->path && out);
	if (!err)
		err = &unasked;
	begin(&a, options);
	status = split_lines(&a, text, err);
	match_ends(&a);
	if (!status)
		status = run_lines(&a, 0, a.lines.len, 0, err);
	if (!status)
		status = nx_assembly_write(&a, out, err);
	release(&a);
	return status;
}
