/* SPDX-License-Identifier: Apache-2.0 */
#include "assemble/disassembler.h"

#include <assert.h>

#include "base/number.h"
#include "format/instruction_source.h"
#include "format/npy.h"
#include "machine/hardware.h"

/* --- text ------------------------------------------------------------------------ */

static void put(struct nx_output *out, const char *text)
{
	nx_output_write(out, text, strlen(text));
}

static void put_u64(struct nx_output *out, const char *before, uint64_t value)
{
	char digits[NX_NUMBER_MAX];

	put(out, before);
	nx_output_write(out, digits, nx_format_u64(digits, value));
}

static bool is_plain(struct nx_slice text)
{
	struct nx_cursor c = {.text = text};

	return text.len && nx_cursor_take_name(&c).len == text.len;
}

/* A quote or a control character in a name cannot be written; '?' stands for it. */
static void put_slice(struct nx_output *out, struct nx_slice text)
{
	bool needs_quotes = !is_plain(text);

	put(out, needs_quotes ? "\"" : "");
	for (size_t i = 0; i < text.len; i++)
		nx_output_write(out,
				text.data[i] < ' ' || text.data[i] == '"' ? (const uint8_t *)"?"
									  : &text.data[i],
				1);
	put(out, needs_quotes ? "\"" : "");
}

/* Before as it is, then text in quotes where it needs them. */
static void put_text(struct nx_output *out, const char *before, const char *text)
{
	put(out, before);
	put_slice(out, nx_slice_text(text));
}

void nx_disassembly_write_word(const char *directive, const char *text, struct nx_output *out)
{
	put(out, directive);
	if (*text)
		put_text(out, " ", text);
	put(out, "\n");
}

/* Nothing for what the NEFF does not say. */
static void put_key(struct nx_output *out, const char *key, uint32_t value)
{
	if (value == NX_NO_INDEX)
		return;
	put(out, " ");
	put(out, key);
	put_u64(out, "=", value);
}

static void put_numbers(struct nx_output *out, const uint32_t *numbers, size_t count)
{
	put(out, "[");
	for (size_t i = 0; i < count; i++) {
		put_u64(out, i ? "," : "", numbers[i]);
	}
	put(out, "]");
}

static void put_signed(struct nx_output *out, const int64_t *numbers, size_t count)
{
	char digits[NX_NUMBER_MAX];

	put(out, "[");
	for (size_t i = 0; i < count; i++) {
		put(out, i ? "," : "");
		nx_output_write(out, digits, nx_format_i64(digits, numbers[i]));
	}
	put(out, "]");
}

void nx_disassembly_write_head(const struct nx_neff *neff, struct nx_output *out)
{
	const struct nx_chip *chip = nx_chip_find(nx_slice_text(neff->target));

	nx_disassembly_write_word(".name", neff->header.name, out);
	if (chip)
		nx_disassembly_write_word(".arch", chip->name, out);
}

/* --- variables ---------------------------------------------------------------------- */

/* Whether element type and shape say as much as the size does. */
static bool has_shape(const struct nx_neff_variable *v, uint8_t *dtype)
{
	uint64_t bytes;

	*dtype = (uint8_t)nx_dtype_find(nx_slice_text(v->dtype));
	if (!*dtype || v->shape.dims == 0 || v->shape.dims > NX_NPY_MAX_DIMS)
		return false;
	bytes = nx_dtype_bytes(*dtype);
	for (size_t i = 0; i < v->shape.dims; i++)
		if (v->shape.sizes[i] < 0 ||
		    __builtin_mul_overflow(bytes, (uint64_t)v->shape.sizes[i], &bytes))
			return false;
	return bytes == v->size_bytes;
}

static void put_tensor(const struct nx_neff_variable *v, uint8_t dtype, struct nx_output *out)
{
	put_text(out, v->kind == NX_VARIABLE_INPUT ? ".input " : ".output ", v->name);
	put(out, " ");
	put(out, nx_dtype_name(dtype));
	put(out, " ");
	put_signed(out, v->shape.sizes, v->shape.dims);
}

/* A file of the graph, quoted where it needs to be. */
static void put_path(const struct nx_neff_graph *graph, const char *file, struct nx_output *out)
{
	struct nx_bytes path = {0};

	nx_bytes_append(&path, graph->folder, strlen(graph->folder));
	nx_bytes_append(&path, file, strlen(file));
	put_slice(out, nx_slice_of(path.items, path.len));
	nx_vec_release(&path);
}

static void put_constant(const struct nx_neff_graph *graph, const struct nx_neff_variable *v,
			 struct nx_output *out)
{
	put_text(out, ".constant ", v->name);
	put(out, " file=");
	put_path(graph, v->file_name, out);
	put_text(out, " as=", v->file_name);
}

/* by_id[i] is the variable of number i, or NULL. */
static void put_table(const struct nx_neff_graph *graph, const struct nx_neff_variable **by_id,
		      const struct nx_neff_variable *table, struct nx_output *out)
{
	const char *comma = " = ";

	put_text(out, ".table ", table->name);
	for (size_t i = 0; i < table->list_count; i++) {
		uint32_t id = table->list[i];

		if (id >= graph->variable_count || !by_id[id])
			continue;
		put_text(out, comma, by_id[id]->name);
		comma = ", ";
	}
}

static void put_variable(const struct nx_neff_graph *graph, const struct nx_neff_variable **by_id,
			 const struct nx_neff_variable *v, struct nx_output *out)
{
	uint8_t dtype;

	if (v->kind == NX_VARIABLE_STATE_BUFFER && !strcmp(v->name, "SB"))
		return;
	if (v->tensor != NX_NO_INDEX && has_shape(v, &dtype)) {
		put_tensor(v, dtype, out);
	} else if (v->kind == NX_VARIABLE_FILE) {
		put_constant(graph, v, out);
	} else if (v->kind == NX_VARIABLE_TABLE) {
		put_table(graph, by_id, v, out);
	} else {
		put_text(out, ".variable ", v->name);
		put_text(out, " type=", v->type);
		if (v->size_bytes) {
			put_u64(out, " size=", v->size_bytes);
		}
		if (v->kind == NX_VARIABLE_VIRTUAL) {
			put_u64(out, " offset=", v->scratch_offset);
		}
	}
	put(out, "\n");
}

/* In the order of their numbers: the assembler counts them again. */
static void put_variables(const struct nx_neff_graph *graph, struct nx_output *out)
{
	struct nx_arena scratch = {0};
	const struct nx_neff_variable **by_id =
		NX_NEW_ARRAY(&scratch, const struct nx_neff_variable *, graph->variable_count);

	for (size_t i = 0; i < graph->variable_count; i++)
		if (graph->variables[i].id < graph->variable_count)
			by_id[graph->variables[i].id] = &graph->variables[i];
	for (size_t i = 0; i < graph->variable_count; i++)
		if (by_id[i])
			put_variable(graph, by_id, by_id[i], out);
	nx_arena_release(&scratch);
}

/* --- queues and sets ------------------------------------------------------------------ */

static void put_queue(const struct nx_neff_queue *queue, struct nx_output *out)
{
	put_text(out, ".queue ", queue->name);
	put_text(out, " owner=", queue->owner);
	put_text(out, " type=", queue->type);
	put_key(out, "rings", queue->ring_count);
	put(out, " semaphores=");
	put_numbers(out, queue->semaphores, queue->semaphore_count);
	if (queue->has_scratch) {
		put_u64(out, " scratch=[", queue->scratch_offset);
		put_u64(out, ",", queue->scratch_bytes);
		put(out, "]");
	}
	put(out, "\n");
}

/* Empty when the engine has no table, or a damaged one. */
static struct nx_neff_table read_table(const struct nx_neff *neff,
				       const struct nx_neff_graph *graph, unsigned engine,
				       struct nx_arena *arena)
{
	struct nx_neff_table table;
	struct nx_slice bytes = nx_neff_member(neff, nx_slice_text(graph->engines[engine].table));

	if (nx_neff_table_read(graph, bytes, arena, &table, NULL))
		return (struct nx_neff_table){0};
	return table;
}

static void put_sets(const struct nx_neff *neff, const struct nx_neff_graph *graph,
		     struct nx_output *out)
{
	struct nx_arena scratch = {0};
	struct nx_neff_table table = read_table(neff, graph, NX_ENGINE_SCALAR, &scratch);

	for (size_t i = 0; i < table.activation_set_count; i++) {
		put_text(out, ".activation_set ", table.activation_sets[i]);
		put(out, " file=");
		put_path(graph, table.activation_sets[i], out);
		put(out, "\n");
	}
	nx_arena_release(&scratch);
}

static void put_choices(const struct nx_rank_choices *choices, const char *directive,
			struct nx_output *out)
{
	for (size_t i = 0; i < choices->count; i++) {
		put(out, directive);
		put(out, "[");
		for (size_t k = 0; k < choices->items[i].count; k++) {
			put(out, k ? "," : "");
			put_numbers(out, choices->items[i].items[k].items,
				    choices->items[i].items[k].count);
		}
		put(out, "]\n");
	}
}

void nx_disassembly_write_core(const struct nx_neff *neff, size_t index, struct nx_output *out)
{
	const struct nx_neff_graph *graph = &neff->graphs[index];

	assert(index < neff->graph_count);
	put_u64(out, ".core ", index);
	put(out, "\n");
	put_variables(graph, out);
	for (size_t i = 0; i < graph->queue_count; i++)
		put_queue(&graph->queues[i], out);
	put_sets(neff, graph, out);
	put_choices(&graph->replica_groups, ".replica_groups ", out);
	put_choices(&graph->source_target_pairs, ".source_target_pairs ", out);
	for (size_t i = 0; i < graph->element_counts.count; i++) {
		put(out, ".element_counts ");
		put_numbers(out, graph->element_counts.items[i].items,
			    graph->element_counts.items[i].count);
		put(out, "\n");
	}
}

/* --- blocks --------------------------------------------------------------------------- */

static void put_side(const struct nx_neff_side *side, const char *key, struct nx_output *out)
{
	put(out, " ");
	put(out, key);
	put(out, "=");
	if (is_plain(nx_slice_text(side->dtype_name))) {
		put(out, side->dtype_name);
		put(out, "@");
	}
	put_text(out, "", side->name);
	put_u64(out, "+", side->offset);
	put_signed(out, side->steps, side->dims);
	put(out, "[");
	for (unsigned i = 0; i < side->dims; i++) {
		put_u64(out, i ? "," : "", side->sizes[i]);
	}
	put(out, "]");
}

static void put_descriptor(const struct nx_neff_descriptor *d, struct nx_output *out)
{
	put(out, "  .");
	if (d->transpose_op[0]) {
		put(out, "transpose");
		put_key(out, "element", d->element_bytes);
		put_key(out, "tiling", d->tiling_dims);
		put_text(out, " op=", d->transpose_op);
	} else {
		put(out, is_plain(nx_slice_text(d->op_name)) ? d->op_name : "copy");
	}
	for (size_t i = 0; i < d->from_count; i++)
		put_side(&d->from[i], "from", out);
	put_side(&d->to, "to", out);
	put(out, "\n");
}

void nx_disassembly_write_blocks(const struct nx_neff *neff, size_t index, unsigned engine,
				 struct nx_output *out)
{
	struct nx_arena scratch = {0};
	struct nx_neff_table table;

	assert(index < neff->graph_count && engine < NX_ENGINE_COUNT);
	table = read_table(neff, &neff->graphs[index], engine, &scratch);
	for (size_t i = 0; i < table.block_count; i++) {
		const struct nx_neff_block *block = &table.blocks[i];

		put_text(out, ".block ", block->queue);
		put_key(out, "id", block->id);
		put_key(out, "semaphore", block->semaphore);
		if (block->comment[0]) {
			put_text(out, " comment=", block->comment);
		}
		put(out, "\n");
		for (size_t k = 0; k < block->descriptor_count; k++)
			put_descriptor(&block->descriptors[k], out);
	}
	nx_arena_release(&scratch);
}
