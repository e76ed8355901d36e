/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/synthetic_inside.h"
#include "tests/data/synthetic_words.h"

const struct nx_synthetic_options nx_synthetic_demo = {
	.seed = 1,
	.version = 6,
	.arch = 2,
	.graph_count = 2,
	.layer_count = 4,
	.sublayer_count = NX_SYNTHETIC_SUBLAYERS,
	.tile_count = 8,
	.dma_engine_count = 16,
	.packet_count = 12,
	.package_version = 2,
};

const struct nx_synthetic_options nx_synthetic_tiny = {
	.seed = 1,
	.version = 6,
	.arch = 2,
	.graph_count = 1,
	.layer_count = 1,
	.sublayer_count = 2,
	.tile_count = 1,
	.dma_engine_count = 1,
	.packet_count = 2,
	.package_version = 2,
};

static void add_word(struct nx_bytes *code, const uint8_t *word)
{
	nx_bytes_append(code, word, NX_SLOT_BYTES);
}

/* The image on the device: the runtime's slots around the compiled ones. */
static void load(struct nx_synthetic_graph *graph, unsigned arch)
{
	uint8_t word[NX_SLOT_BYTES];

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		nx_word_plain(word, NX_OP_DRAIN);
		add_word(&graph->code[e], word);
		nx_word_notify(word, NX_NOTIFY_HINT_START);
		add_word(&graph->code[e], word);
	}
	for (size_t i = 0; i < graph->program.ops.len; i++) {
		nx_synthetic_device_word(&graph->program.ops.items[i], arch, word);
		add_word(&graph->code[graph->program.ops.items[i].engine], word);
	}
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		nx_word_plain(word, NX_OP_DRAIN);
		add_word(&graph->code[e], word);
		nx_word_notify(word, NX_NOTIFY_HINT_END);
		add_word(&graph->code[e], word);
	}
}

struct nx_synthetic_machine *nx_synthetic_machine_new(const struct nx_synthetic_options *options)
{
	struct nx_synthetic_machine *m = nx_heap_alloc(sizeof(*m));
	uint64_t random = options->seed;

	memset(m, 0, sizeof(*m));
	m->options = *options;
	for (unsigned i = 0; i < sizeof(m->uuid); i++)
		m->uuid[i] = (uint8_t)(1 + nx_synthetic_random(&random) % 255);
	for (unsigned g = 0; g < options->graph_count; g++) {
		nx_synthetic_compile(options, g, &m->graphs[g].program);
		load(&m->graphs[g], options->arch);
		nx_synthetic_run(m, g);
	}
	m->once.layer_name_count = m->graphs[0].program.layers.len;
	return m;
}

void nx_synthetic_machine_free(struct nx_synthetic_machine *m)
{
	for (unsigned g = 0; m && g < m->options.graph_count; g++) {
		nx_synthetic_program_release(&m->graphs[g].program);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			nx_vec_release(&m->graphs[g].code[e]);
		for (unsigned r = 0; r < NX_SYNTHETIC_RING_COUNT; r++) {
			nx_vec_release(&m->graphs[g].rings[r].once);
			nx_vec_release(&m->graphs[g].rings[r].loop);
		}
	}
	if (m)
		nx_arena_release(&m->arena);
	nx_heap_free(m);
}

uint64_t nx_synthetic_bytes_per_run(const struct nx_synthetic_machine *m)
{
	uint64_t count = 0;

	for (unsigned g = 0; g < m->options.graph_count; g++)
		for (unsigned r = 0; r < NX_SYNTHETIC_RING_COUNT; r++)
			count += m->graphs[g].rings[r].loop.len;
	return count * NX_NOTIFICATION_BYTES;
}

static bool append_bytes(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
	return true;
}

void nx_synthetic_capture(const struct nx_synthetic_options *options, struct nx_bytes *neff,
			  struct nx_bytes *ntff, struct nx_synthetic_counts *counts)
{
	struct nx_synthetic_machine *m = nx_synthetic_machine_new(options);

	if (neff)
		nx_synthetic_write_neff(m, neff);
	(void)nx_synthetic_write_ntff(m, 1, append_bytes, ntff, counts);
	nx_synthetic_machine_free(m);
}
