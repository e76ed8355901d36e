/* SPDX-License-Identifier: Apache-2.0 */
/* neff --disassemble: the compiled instruction streams as text. */
#include <assert.h>
#include <string.h>

#include "assemble/disassembler.h"
#include "cli/neff_view.h"
#include "cli/terminal.h"
#include "decode/program/program_decoder.h"
#include "format/instruction_source.h"
#include "model/capture.h"

/* The source of an instruction slot; "" for what is unknown. */
struct origin {
	const char *layer, *file;
	uint32_t line;
};

static struct origin origin_of(const struct nx_binary *b, const struct nx_bir *bir)
{
	const struct nx_origin *o = bir->origin < b->origin_count ? &b->origins[bir->origin] : NULL;
	bool has_source = o && *o->source_file;
	bool has_layer = o && *o->layer && strcmp(o->layer, "Unknown") != 0;

	return (struct origin){has_layer ? o->layer : "",
			       has_source ? o->source_file : bir->kernel_file,
			       has_source ? o->source_line : bir->kernel_line};
}

/* "layer  file:line" after the instruction, for people. */
static void print_remark(struct nx_output *out, const struct origin *origin,
			 const struct nx_bir *bir)
{
	if (*origin->layer || *bir->name)
		nx_print(out, "  # %s", *origin->layer ? origin->layer : bir->name);
	if (*origin->file)
		nx_print(out, "%s  %s:%u", *origin->layer || *bir->name ? "" : "  #", origin->file,
			 origin->line);
}

/* The same as directives, only where it changes; the assembler reads them. */
static void print_origin(struct nx_output *out, const struct origin *before,
			 const struct origin *now)
{
	if (strcmp(before->layer, now->layer) != 0)
		nx_disassembly_write_word(".layer", now->layer, out);
	if (strcmp(before->file, now->file) != 0)
		nx_disassembly_write_word(".file", now->file, out);
	if (*now->file && (now->line != before->line || strcmp(before->file, now->file) != 0))
		nx_print(out, ".line %u\n", now->line);
}

static void print_slot(struct nx_output *out, size_t slot, const char *text)
{
	size_t opcode_len = strcspn(text, " ");

	nx_print(out, "%6zu  %.*s", slot, (int)opcode_len, text);
	text += opcode_len;
	if (*text)
		nx_print(out, "%*s", opcode_len < 27 ? (int)(27 - opcode_len) : 0, "");
	nx_print(out, "%s", text);
}

struct stream {
	const struct nx_binary *binary;
	const struct nx_binary_graph *graph;
	const struct nx_engine_program *program;
	struct nx_instruction_context context;
	struct nx_instruction_names names;
	bool is_complete; /* with directives for origins, not remarks alone */
};

static void print_stream(struct nx_output *out, const struct stream *s)
{
	struct origin before = {"", "", 0};
	char text[NX_INSTRUCTION_SOURCE_MAX];

	for (size_t slot = 0; slot < s->program->slot_count && !out->status; slot++) {
		const uint8_t *word = s->program->code.data + slot * NX_SLOT_BYTES;
		uint32_t bir = s->program->slot_bir ? s->program->slot_bir[slot] : NX_NONE;
		struct origin now = {"", "", 0};

		if (bir < s->graph->bir_count)
			now = origin_of(s->binary, &s->graph->birs[bir]);
		if (s->is_complete)
			print_origin(out, &before, &now);
		before = now;
		nx_instruction_source(word, &s->context, &s->names, text);
		print_slot(out, slot, text);
		if (bir < s->graph->bir_count)
			print_remark(out, &now, &s->graph->birs[bir]);
		nx_print(out, "\n");
	}
	if (s->is_complete)
		print_origin(out, &before, &(struct origin){"", "", 0});
}

/* Semaphore names come from decoding a NEFF with a capture; an empty capture is enough. */
static void name_semaphores(struct nx_neff_view *v, struct nx_program *program)
{
	struct nx_capture capture = {.arch = nx_target_generation(v->binary.target)};
	size_t count = v->binary.graph_count;

	capture.graph_count = (uint32_t)(count < NX_MAX_GRAPHS ? count : NX_MAX_GRAPHS);
	capture.hardware = nx_hardware_of(capture.arch);
	capture.graphs = NX_NEW_ARRAY(&v->arena, struct nx_graph, capture.graph_count);
	for (uint32_t g = 0; g < capture.graph_count; g++)
		capture.graphs[g].name = v->binary.graphs[g].name;
	nx_program_decode(&capture, &v->binary, &v->arena, program);
}

void nx_neff_disassemble(struct nx_neff_view *v, enum nx_engine engine, struct nx_output *out)
{
	struct nx_program *program = NX_NEW(&v->arena, struct nx_program);
	bool is_complete = engine == NX_ENGINE_COUNT;

	assert(engine <= NX_ENGINE_COUNT);
	name_semaphores(v, program);
	if (is_complete)
		nx_disassembly_write_head(&v->neff, out);
	for (size_t g = 0; g < v->binary.graph_count; g++) {
		const struct nx_binary_graph *graph = &v->binary.graphs[g];
		const char **queues = NX_NEW_ARRAY(&v->arena, const char *, graph->queue_count);
		struct stream s = {
			.binary = &v->binary, .graph = graph, .is_complete = is_complete};

		for (size_t i = 0; i < graph->queue_count; i++)
			queues[i] = graph->queues[i].name;
		s.context.arch = nx_target_generation(v->binary.target);
		s.context.semaphore_names = g < NX_MAX_GRAPHS ? program->semaphore_names[g] : NULL;
		s.names.queues = queues;
		s.names.queue_count = graph->queue_count;
		nx_print(out, "%s# %s\n", g || is_complete ? "\n" : "", graph->name);
		if (is_complete)
			nx_disassembly_write_core(&v->neff, g, out);
		else
			nx_print(out, ".core %zu\n", g);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			if (!is_complete && engine != e)
				continue;
			s.program = &graph->engines[e];
			nx_print(out, "\n.engine %s  # %s, %zu slots\n", nx_engines[e].label,
				 *s.program->stream_name ? s.program->stream_name : "no stream",
				 s.program->slot_count);
			if (is_complete)
				nx_disassembly_write_blocks(&v->neff, g, e, out);
			print_stream(out, &s);
		}
	}
}
