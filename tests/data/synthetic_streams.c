/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_streams: the compiled streams of a synthetic NEFF and their static DMA blocks. */
#include <stdio.h>

#include "model/engine.h"
#include "tests/data/synthetic_neff.h"

#define PARTITIONS 128
#define PARTITION_STRIDE 0x40000

static void put_numbers(struct nx_json_writer *w, const char *side, const char *what,
			uint64_t first, uint64_t second)
{
	char key[16];

	snprintf(key, sizeof(key), "%s_%s", side, what);
	nx_json_key(w, key);
	nx_json_begin_array(w);
	nx_json_u64(w, first);
	nx_json_u64(w, second);
	nx_json_end_array(w);
}

/* DRAM is one run of bytes; the state buffer takes an equal share in each partition. */
static void put_side(struct nx_json_writer *w, const char *side, const char *variable,
		     uint64_t bytes)
{
	bool is_state_buffer = !strcmp(variable, NX_SYNTHETIC_STATE_BUFFER);
	uint64_t row_bytes = is_state_buffer ? bytes / PARTITIONS : NX_SYNTHETIC_PACKET_BYTES;
	char key[16];

	nx_json_key_text(w, side, variable);
	snprintf(key, sizeof(key), "%s_off", side);
	nx_json_key_u64(w, key, is_state_buffer ? NX_SYNTHETIC_SBUF_WEIGHTS : 0);
	snprintf(key, sizeof(key), "%s_dtype", side);
	nx_json_key_text(w, key, "bfloat16");
	put_numbers(w, side, "sizes", row_bytes, bytes / row_bytes);
	put_numbers(w, side, "steps", 1, is_state_buffer ? PARTITION_STRIDE : row_bytes);
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
	put_side(w, "from", is_save ? NX_SYNTHETIC_STATE_BUFFER : block->variable, bytes);
	put_side(w, "to", is_save ? block->variable : NX_SYNTHETIC_STATE_BUFFER, bytes);
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
