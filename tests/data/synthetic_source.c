/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that a generated capture is a run of: a statement on each line that its debug records
 * name, so that pages have a text to show costs beside. */
#include <string.h>

#include "tests/data/synthetic_inside.h"

/* A statement of the compiler by the beginning of its name, and how a kernel would say it; %s is
 * the last part of the layer's name. */
static const struct {
	const char *name, *text;
} statements[] = {
	{"load_weights", "w = nl.load(weights[layer])"},
	{"matmul", "x = nl.matmul(w, x)"},
	{"rmsnorm", "x = rmsnorm(x, scale[layer])"},
	{"softmax", "p = softmax(s)"},
	{"silu", "x = silu(gate) * up"},
	{"spill_save", "nl.store(spill, x)"},
	{"transpose", "k = nl.transpose(k)"},
	{"spill_reload", "x = nl.load(spill)"},
	{"scores", "s = nl.matmul(q, k)"},
	{"context", "x = nl.matmul(p, v)"},
	{"gather", "x = nl.load(embedding[tokens])"},
	{"store", "nl.store(out, x)"},
};

static const char *text_of(const char *name)
{
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (!strncmp(name, statements[i].name, strlen(statements[i].name)))
			return statements[i].text;
	return "pass";
}

/* Appends empty lines until the next one is `line`; lines count from 1. */
static void go_to(struct nx_bytes *out, uint32_t *at, uint32_t line)
{
	for (; *at < line; (*at)++)
		nx_bytes_append(out, "\n", 1);
}

static void put(struct nx_bytes *out, const char *text)
{
	nx_bytes_append(out, text, strlen(text));
}

/* All statements of a line: the compiler made them of one body for several layers. */
static void put_statements(struct nx_bytes *out, const struct nx_synthetic_program *program,
			   uint32_t line)
{
	const char *before = "    ";

	for (size_t i = 0; i < program->penguins.len; i++)
		if (program->penguins.items[i].kernel_line == line) {
			put(out, before);
			put(out, text_of(program->penguins.items[i].name));
			before = "; ";
		}
	before = "  # ";
	for (size_t i = 0; i < program->penguins.len; i++)
		if (program->penguins.items[i].kernel_line == line) {
			put(out, before);
			put(out, program->layers.items[program->penguins.items[i].layer].name);
			before = ", ";
		}
}

void nx_synthetic_source(const struct nx_synthetic_options *options, struct nx_bytes *out)
{
	struct nx_synthetic_program program = {0};
	uint32_t at = 1, last = 0;

	nx_synthetic_compile(options, 0, &program);
	for (size_t i = 0; i < program.penguins.len; i++)
		if (program.penguins.items[i].kernel_line > last)
			last = program.penguins.items[i].kernel_line;
	put(out, "\"\"\"The transformer of a generated capture, unrolled.\"\"\"");
	go_to(out, &at, 10);
	put(out, "def attention_kernel(tokens, embedding, weights, scale, spill, out):");
	go_to(out, &at, 20);
	put(out, "    # One tile after the other:");
	for (uint32_t line = 100; line <= last; line++) {
		go_to(out, &at, line);
		for (size_t i = 0; i < program.penguins.len; i++)
			if (program.penguins.items[i].kernel_line == line) {
				put_statements(out, &program, line);
				break;
			}
	}
	go_to(out, &at, last + 1);
	nx_synthetic_program_release(&program);
}
