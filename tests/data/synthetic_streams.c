/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_streams: the compiled streams of a synthetic NEFF and their static DMA blocks. */
#include <stdio.h>

#include "model/engine.h"
#include "tests/data/synthetic_neff.h"

static void put_side(struct nx_json_writer *w, const char *side, const char *variable,
		     uint64_t bytes)
{
	char key[16];

	nx_json_key_text(w, side, variable);
	snprintf(key, sizeof(key), "%s_off", side);
	nx_json_key_u64(w, key, 0);
	snprintf(key, sizeof(key), "%s_dtype", side);
	nx_json_key_text(w, key, "bfloat16");
	snprintf(key, sizeof(key), "%s_sizes", side);
	nx_json_key(w, key);
	nx_json_begin_array(w);
	nx_json_u64(w, NX_SYNTHETIC_PACKET_BYTES);
	nx_json_u64(w, bytes / NX_SYNTHETIC_PACKET_BYTES);
	nx_json_end_array(w);
	snprintf(key, sizeof(key), "%s_steps", side);
	nx_json_key(w, key);
	nx_json_begin_array(w);
	nx_json_u64(w, 1);
	nx_json_u64(w, NX_SYNTHETIC_PACKET_BYTES);
	nx_json_end_array(w);
}

static void put_block(struct nx_json_writer *w, const struct nx_synthetic_machine *machine,
		      const struct nx_synthetic_block *block)
{
	bool is_save = block->queue == NX_SYNTHETIC_SPILL_SAVE;
	uint64_t bytes = nx_synthetic_block_bytes(machine, block);

	nx_json_begin_object(w);
	nx_json_key_text(w, "queue", nx_synthetic_queues[block->queue].name);
	nx_json_key_u64(w, "id", block->id);
	nx_json_key_u64(w, "semaphore", nx_synthetic_queues[block->queue].semaphore);
	nx_json_key(w, "desc");
	nx_json_begin_array(w);
	nx_json_begin_object(w);
	put_side(w, "from", is_save ? "SB" : block->variable, bytes);
	put_side(w, "to", is_save ? block->variable : "SB", bytes);
	nx_json_end_object(w);
	nx_json_end_array(w);
	nx_json_end_object(w);
}

void nx_synthetic_add_stream(struct nx_synthetic_members *m,
			     const struct nx_synthetic_machine *machine, unsigned g,
			     unsigned engine)
{
	const struct nx_synthetic_program *program = &machine->graphs[g].program;
	const char *stem = nx_engines[engine].stem;
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	for (size_t i = 0; i < program->ops.len; i++)
		if (program->ops.items[i].engine == engine)
			nx_bytes_append(&bytes, program->ops.items[i].word, NX_SLOT_BYTES);
	nx_synthetic_add_member(m, nx_synthetic_path(m, g, stem, ".bin"), &bytes);
	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "instr", nx_arena_printf(&m->arena, "%s.bin", stem));
	nx_json_key(&w, "dma");
	nx_json_begin_array(&w);
	for (size_t i = 0; i < program->blocks.len; i++)
		if (program->blocks.items[i].engine == engine)
			put_block(&w, machine, &program->blocks.items[i]);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_synthetic_add_member(m, nx_synthetic_path(m, g, stem, ".json"), &bytes);
}
