/* SPDX-License-Identifier: Apache-2.0 */
/* neff --disassemble: the compiled streams as text. */
#include <stdio.h>
#include <string.h>

#include "cli/neff_view.h"
#include "cli/terminal.h"
#include "decode/program/program_decoder.h"
#include "format/instruction.h"
#include "model/capture.h"

/* "any" and unknown targets read as trn2: current compilers write for it. */
static unsigned arch_of(const char *target)
{
	static const struct {
		const char *name;
		unsigned arch;
	} targets[] = {
		{"sunda", NX_ARCH_V2},	 {"v2", NX_ARCH_V2}, {"", NX_ARCH_V2},
		{"mariana", NX_ARCH_V4}, {"v4", NX_ARCH_V4},
	};

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strcmp(targets[i].name, target))
			return targets[i].arch;
	return NX_ARCH_V3;
}

/* "layer  file:line" of what the slot was made from, as far as the chain goes. */
static void print_origin(struct nx_output *out, const struct nx_binary *b, const struct nx_bir *bir)
{
	const struct nx_origin *o = bir->origin < b->origin_count ? &b->origins[bir->origin] : NULL;
	const char *file = o && *o->source_file ? o->source_file : bir->kernel_file;
	uint32_t line = o && *o->source_file ? o->source_line : bir->kernel_line;

	if (o && *o->layer && strcmp(o->layer, "Unknown") != 0)
		nx_print(out, "  # %s", o->layer);
	else if (*bir->name)
		nx_print(out, "  # %s", bir->name);
	if (*file)
		nx_print(out, "  %s:%u", file, line);
}

static void print_stream(struct nx_output *out, const struct nx_binary *b,
			 const struct nx_binary_graph *graph, const struct nx_engine_program *p,
			 const struct nx_instruction_context *context)
{
	char operands[NX_INSTRUCTION_TEXT_MAX], label[8];

	for (size_t slot = 0; slot < p->slot_count && !out->status; slot++) {
		const uint8_t *word = p->code.data + slot * NX_SLOT_BYTES;
		uint32_t bir = p->slot_bir ? p->slot_bir[slot] : NX_NONE;
		bool is_known;

		nx_instruction_text(word, context, operands, sizeof(operands), &is_known);
		nx_print(out, "%6zu  %-27s %s", slot, nx_opcode_label(word[0], label),
			 operands + strspn(operands, " "));
		if (bir < graph->bir_count)
			print_origin(out, b, &graph->birs[bir]);
		nx_print(out, "\n");
	}
}

/* Semaphores get their names where a capture meets its NEFF; an empty capture will do. */
static void name_semaphores(struct nx_neff_view *v, struct nx_program *program)
{
	struct nx_capture capture = {.arch = arch_of(v->binary.target)};
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
	const char *gap = "";

	name_semaphores(v, program);
	for (size_t g = 0; g < v->binary.graph_count; g++) {
		const struct nx_binary_graph *graph = &v->binary.graphs[g];
		struct nx_instruction_context context = {
			arch_of(v->binary.target),
			g < NX_MAX_GRAPHS ? program->semaphore_names[g] : NULL};

		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			if (engine != NX_ENGINE_COUNT && engine != e)
				continue;
			nx_print(out, "%s%s %s: %s, %zu slots\n", gap, graph->name,
				 nx_engines[e].label,
				 *graph->engines[e].stream_name ? graph->engines[e].stream_name
								: "no stream",
				 graph->engines[e].slot_count);
			print_stream(out, &v->binary, graph, &graph->engines[e], &context);
			gap = "\n";
		}
	}
}
