/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/made_profile.h"

#include <string.h>

#define NOP 0xa4

static const size_t row_sizes[NX_TABLE_COUNT] = {
#define ROW_SIZE(name, section, row) sizeof(row),
	NX_TABLE_MAP(ROW_SIZE)
#undef ROW_SIZE
};

static enum nx_status scan(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
			   struct nx_error *err)
{
	const struct nx_made_profile *made = context;

	if (made->failing == table)
		return nx_fail(err, NX_NO_SPACE, "the disk is full");
	for (size_t at = 0; at < made->rows[table].len; at += row_sizes[table])
		fn(fn_context, made->rows[table].items + at);
	return NX_OK;
}

static uint32_t find_transfer(void *context, const struct nx_packet *packet)
{
	const struct nx_made_profile *made = context;

	return packet->packet_idx < NX_MADE_PACKETS ? made->transfer_of[packet->packet_idx]
						    : NX_NONE;
}

static void make_engine(struct nx_made_profile *made, unsigned g, unsigned e)
{
	made->graphs[g].engines[e] =
		(struct nx_engine_image){.code = nx_slice_of(made->code[e], sizeof(made->code[e])),
					 .slot_count = NX_MADE_SLOTS};
	made->p.program.slots[g][e] = made->slots[g][e];
	for (unsigned i = 0; i < NX_MADE_SLOTS; i++) {
		made->code[e][i * NX_MADE_SLOT_BYTES] = NOP;
		made->slots[g][e][i] = (struct nx_slot){.opcode = NOP,
							.compiler_slot = NX_NONE,
							.bir = NX_NONE,
							.trigger_queue = NX_NONE,
							.trigger_block_index = NX_NONE};
	}
}

void nx_made_profile_init(struct nx_made_profile *made)
{
	memset(made, 0, sizeof(*made));
	made->failing = NX_TABLE_COUNT;
	made->layers[0] = "";
	made->layers[1] = "Net/Linear[1]";
	made->p.program.layers = made->layers;
	made->p.program.layer_count = 2;
	for (unsigned i = 0; i < NX_MADE_PACKETS; i++)
		made->transfer_of[i] = NX_NONE;
	for (unsigned i = 0; i < 2; i++)
		made->queues[i] = (struct nx_queue){.engine_idx = i,
						    .queue_idx = 1,
						    .name = "qSPIO0",
						    .display_name = "qSyncIO0",
						    .queue_class = NX_QUEUE_DATA};
	for (unsigned g = 0; g < 2; g++) {
		made->graphs[g].name = g ? "sg01" : "sg00";
		made->graphs[g].queues = made->queues;
		made->graphs[g].queue_count = 2;
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			make_engine(made, g, e);
	}
	made->p.capture.graphs = made->graphs;
	made->p.capture.graph_count = 2;
	made->p.capture.arch = NX_ARCH_V3;
	made->p.capture.hardware = nx_hardware_of(NX_ARCH_V3);
	made->p.source = (struct nx_row_source){scan, find_transfer, made};
}

void nx_made_profile_release(struct nx_made_profile *made)
{
	for (unsigned i = 0; i < NX_TABLE_COUNT; i++)
		nx_vec_release(&made->rows[i]);
	nx_vec_release(&made->p.transfers);
	nx_arena_release(&made->p.arena);
}

void nx_made_profile_add_neff(struct nx_made_profile *made)
{
	made->neff.name = "sg00";
	made->neff.birs = made->birs;
	made->neff.bir_count = NX_MADE_SLOTS;
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		memcpy(made->compiled[e], made->code[e], sizeof(made->code[e]));
		made->neff.engines[e].code =
			nx_slice_of(made->compiled[e], sizeof(made->compiled[e]));
		for (unsigned i = 0; i < NX_MADE_SLOTS; i++)
			made->slots[0][e][i].compiler_slot = i;
	}
	for (unsigned i = 0; i < NX_MADE_SLOTS; i++)
		made->birs[i] = (struct nx_bir){
			.name = "", .origin = NX_NONE, .kernel_file = "", .kernel_name = ""};
	made->p.has_binary = true;
	made->p.binary.graphs = &made->neff;
	made->p.binary.graph_count = 1;
	made->p.program.binary_graphs[0] = &made->neff;
}

void nx_made_profile_add_row(struct nx_made_profile *made, enum nx_table table, const void *row)
{
	nx_bytes_append(&made->rows[table], row, row_sizes[table]);
}

void nx_made_profile_run(struct nx_made_profile *made, enum nx_engine engine, uint32_t slot,
			 uint64_t start_ns, uint64_t end_ns)
{
	struct nx_instruction row = {.start_ps = start_ns * 1000,
				     .end_ps = end_ns * 1000,
				     .slot = slot,
				     .engine = (uint8_t)engine};

	nx_made_profile_add_row(made, NX_TABLE_INSTRUCTION, &row);
}
