/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bare/bits.h"
#include "base/json_reader.h"
#include "export/exporters.h"
#include "export_fixture.h"

static uint32_t from_input[] = {1};
static uint64_t sizes[] = {64, 2};
static int64_t steps[] = {1, -4};
static const char *layers[] = {"", "mlp"};
static const char *semaphore_names[NX_SEMAPHORE_COUNT] = {[8] = "qSyncIO"};

static enum nx_status scan(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
			   struct nx_error *err)
{
	const struct nx_fixture_table *t = &((struct nx_export_fixture *)context)->tables[table];

	(void)err;
	for (size_t i = 0; i < t->count; i++)
		fn(fn_context, (const uint8_t *)t->rows + i * t->row_size);
	return NX_OK;
}

static uint32_t find_transfer(void *context, const struct nx_packet *packet)
{
	(void)context;
	return packet->packet_idx == 1 ? 0 : NX_NONE;
}

static void fill_capture(struct nx_export_fixture *f)
{
	struct nx_capture *c = &f->p.capture;
	struct nx_graph *g = &f->graphs[0];

	f->tensor_code[0] = NX_OP_NOP;
	nx_store32(f->tensor_code + 12, 5);
	f->tensor_code[NX_SLOT_BYTES] = NX_OP_MATMUL;
	f->sync_code[0] = NX_OP_WRITE;
	f->compiled_sync[0] = NX_OP_PSEUDO_DMA_TRIGGER;
	memcpy(f->compiled_sync + 12, "qSPIO", 6);
	nx_store32(f->compiled_sync + 48, 3);
	g->name = "sg00";
	g->nc_idx = 4;
	g->engines[NX_ENGINE_TENSOR] =
		(struct nx_engine_image){.slot_count = 2,
					 .main_slot_count = 2,
					 .code = nx_slice_of(f->tensor_code, 128),
					 .compiler_slot = f->compiler_slots};
	g->engines[NX_ENGINE_SYNC] = (struct nx_engine_image){.slot_count = 1,
							      .main_slot_count = 1,
							      .code = nx_slice_of(f->sync_code, 64),
							      .compiler_slot = f->compiler_slots};
	f->queues[0] = (struct nx_queue){.engine_idx = 64,
					 .queue_idx = 2,
					 .name = "qSPIO",
					 .display_name = "qSyncIO",
					 .type = 3,
					 .event_id = -1,
					 .axi_port = 5,
					 .dram_channel = 6};
	f->queues[1] = f->queues[0];
	f->queues[1].engine_idx = 65;
	g->queues = f->queues;
	g->queue_count = 2;
	f->memory[0] = (struct nx_memory_usage){"Weights", 4096};
	g->memory = f->memory;
	g->memory_count = 1;
	f->graphs[1] = f->graphs[0];
	f->graphs[1].name = "sg01";
	c->graphs = f->graphs;
	c->graph_count = 1;
	c->version = 6;
	c->arch = NX_ARCH_V3;
	c->hardware = nx_hardware_of(NX_ARCH_V3);
	c->path = "in/session.ntff";
	c->has_window_end = true;
	c->total_time_ps = 1500000;
	f->p.name = "session";
}

static void fill_binary(struct nx_export_fixture *f)
{
	f->predecessors[0] = (struct nx_predecessor){UINT64_C(1) << 48 | 20, 4};
	f->predecessors[1] = f->predecessors[0];
	f->predecessors[2] = (struct nx_predecessor){UINT64_C(1) << 48 | 20, 1};
	f->birs[0] = (struct nx_bir){.id = UINT64_C(1) << 48 | 20,
				     .name = "nop.1",
				     .instruction_type = NX_TYPE_REGULAR,
				     .has_penguin = true,
				     .penguin_id = 30,
				     .origin = 0,
				     .kernel_file = ""};
	f->birs[1] = (struct nx_bir){.id = UINT64_C(1) << 48 | 21,
				     .name = "mm.2",
				     .instruction_type = NX_TYPE_TRANSPOSE,
				     .origin = NX_NONE,
				     .kernel_file = "k.py",
				     .kernel_line = 12,
				     .predecessors = f->predecessors,
				     .predecessor_count = 3};
	f->origin = (struct nx_origin){.has_hlo = true,
				       .hlo_id = 40,
				       .hlo_name = "%dot",
				       .hlo_attributes = "[{}]",
				       .layer = "mlp",
				       .source_file = "m.py",
				       .source_line = 7};
	f->variables[0] = (struct nx_variable){.name = "sb", .type = "state-buffer"};
	f->variables[1] = (struct nx_variable){.name = "x", .type = "input"};
	f->descriptor = (struct nx_dma_descriptor){.op = "copy",
						   .from = from_input,
						   .from_count = 1,
						   .to = 0,
						   .from_offset = 1,
						   .to_offset = 2,
						   .from_sizes = sizes,
						   .to_sizes = sizes,
						   .from_steps = steps,
						   .to_steps = steps,
						   .from_dims = 2,
						   .to_dims = 1};
	f->block = (struct nx_dma_block){.queue = "qSPIO",
					 .id = 3,
					 .semaphore = 8,
					 .descriptors = &f->descriptor,
					 .descriptor_count = 1};
	f->neff.name = "sg00";
	f->neff.birs = f->birs;
	f->neff.bir_count = 2;
	f->neff.variables = f->variables;
	f->neff.variable_count = 2;
	f->neff.engines[NX_ENGINE_SYNC].code = nx_slice_of(f->compiled_sync, 64);
	f->neff.engines[NX_ENGINE_SYNC].blocks = &f->block;
	f->neff.engines[NX_ENGINE_SYNC].block_count = 1;
	f->neff.engines[NX_ENGINE_TENSOR].code = nx_slice_of(f->tensor_code, 128);
	f->tensors[0] = (struct nx_tensor){
		.name = "x", .kind = NX_TENSOR_INPUT, .format = "NC", .shape = "[2 3]"};
	f->tensors[1] = (struct nx_tensor){
		.name = "w", .kind = NX_TENSOR_WEIGHT, .format = "", .shape = "[4]"};
	f->tensors[0].size_bytes = 12;
	f->tensors[1].size_bytes = 8;
	f->loads[1].dma_count = 2;
	f->loads[1].total_bytes = 20;
	f->header[0] = (struct nx_property){"package_version", "2"};
	f->header[1] = (struct nx_property){"uuid", "00ff"};
	f->p.has_binary = true;
	f->p.binary_path = "in/model.neff";
	f->p.binary = (struct nx_binary){.compiler_version = "",
					 .header = f->header,
					 .header_count = 2,
					 .kelf_node = 1,
					 .tensors = f->tensors,
					 .tensor_count = 2,
					 .graphs = &f->neff,
					 .graph_count = 1,
					 .origins = &f->origin,
					 .origin_count = 1};
	f->p.tensor_loads = f->loads;
}

static void fill_program(struct nx_export_fixture *f)
{
	struct nx_program *program = &f->p.program;

	f->tensor_slots[0] = (struct nx_slot){
		.opcode = NX_OP_NOP, .instruction_type = NX_TYPE_REGULAR, .layer = 1};
	f->tensor_slots[1] = (struct nx_slot){.opcode = NX_OP_MATMUL,
					      .compiler_slot = NX_NONE,
					      .bir = 1,
					      .flags = NX_SLOT_MATMUL | NX_SLOT_HAS_ELEMENTS |
						       NX_SLOT_PSUM_WRITE,
					      .elements = 77,
					      .psum_write_bytes = 256};
	f->sync_slots[0] = (struct nx_slot){.opcode = NX_OP_WRITE,
					    .bir = NX_NONE,
					    .flags = NX_SLOT_TRIGGER | NX_SLOT_HBM_READ,
					    .hbm_read_bytes = 128};
	for (unsigned g = 0; g < 2; g++) {
		program->slots[g][NX_ENGINE_TENSOR] = f->tensor_slots;
		program->slots[g][NX_ENGINE_SYNC] = f->sync_slots;
	}
	program->binary_graphs[0] = &f->neff;
	program->semaphore_names[0] = semaphore_names;
	program->layers = layers;
	program->layer_count = 2;
}

static void fill_rows(struct nx_export_fixture *f)
{
	f->instructions[0] = (struct nx_instruction){.start_ps = 1500,
						     .end_ps = 4600,
						     .crc_in = 0x1234,
						     .crc_out = 0xffff,
						     .wait_cycles = 12,
						     .engine = NX_ENGINE_TENSOR};
	f->instructions[1] = (struct nx_instruction){
		.start_ps = 5000, .end_ps = 5999, .slot = 1, .engine = NX_ENGINE_TENSOR};
	f->packets[0] = (struct nx_packet){.start_ps = 1000,
					   .end_ps = 1001000,
					   .size_bytes = 4096,
					   .crc = 7,
					   .dma_engine = 64,
					   .dma_queue = 2};
	f->packets[1] = f->packets[0];
	f->packets[1].packet_idx = 1;
	f->packets[1].queue_class = NX_QUEUE_HARDWARE_DYNAMIC;
	f->tables[NX_TABLE_INSTRUCTION] =
		(struct nx_fixture_table){f->instructions, sizeof(struct nx_instruction), 2};
	f->tables[NX_TABLE_PACKET] =
		(struct nx_fixture_table){f->packets, sizeof(struct nx_packet), 2};
	nx_vec_push(&f->p.transfers, ((struct nx_transfer){.trigger_ps = 900,
							   .start_ps = 1000,
							   .end_ps = 1001000,
							   .size_bytes = 4096,
							   .packet_count = 1,
							   .block_id = 3,
							   .queue = 1,
							   .engine = NX_ENGINE_SYNC,
							   .crc = 7}));
}

int nx_export_fixture_setup(void **state)
{
	struct nx_export_fixture *f = nx_heap_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	fill_capture(f);
	fill_binary(f);
	fill_program(f);
	fill_rows(f);
	f->p.source = (struct nx_row_source){scan, find_transfer, f};
	nx_export_fixture_begin(f, false);
	*state = f;
	return 0;
}

int nx_export_fixture_teardown(void **state)
{
	struct nx_export_fixture *f = *state;

	nx_vec_release(&f->p.transfers);
	nx_vec_release(&f->p.metrics);
	nx_vec_release(&f->p.warnings);
	nx_vec_release(&f->p.layers);
	nx_vec_release(&f->text);
	nx_arena_release(&f->p.arena);
	nx_heap_free(f);
	return 0;
}

void nx_export_fixture_begin(struct nx_export_fixture *f, bool pretty)
{
	nx_vec_clear(&f->text);
	nx_json_init_bytes(&f->w, &f->text, pretty);
}

const char *nx_export_fixture_text(struct nx_export_fixture *f)
{
	const char *copy = nx_arena_copy(&f->p.arena, nx_slice_of(f->text.items, f->text.len));

	nx_export_fixture_begin(f, false);
	return copy;
}

const char *nx_export_fixture_file(struct nx_export_fixture *f, const char *exporter, bool pretty)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	struct nx_export_options options = {.pretty = pretty};
	struct nx_output out;
	struct nx_file file;
	const char *text;
	int fd;

	snprintf(path, sizeof(path), "%s/nx-export-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(nx_output_open(&out, path, &f->err), NX_OK);
	assert_int_equal(nx_exporter_find(exporter)->write(&f->p, &options, &out, &f->err), NX_OK);
	assert_int_equal(nx_output_commit(&out, &f->err), NX_OK);
	assert_int_equal(nx_file_map(&file, path, &f->err), NX_OK);
	text = nx_arena_copy(&f->p.arena, file.bytes);
	nx_file_unmap(&file);
	unlink(path);
	return text;
}

static bool same(const struct nx_json *a, const struct nx_json *b)
{
	if (!a || !b || a->kind != b->kind || a->count != b->count ||
	    !nx_slice_equal(a->key, b->key) || !nx_slice_equal(a->text, b->text))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!same(&a->children[i], &b->children[i]))
			return false;
	return true;
}

void nx_assert_same_json(const char *left, const char *right)
{
	struct nx_arena arena = {0};
	struct nx_json *a = NULL, *b = NULL;
	struct nx_error err;

	if (nx_json_parse(nx_slice_text(left), &arena, &a, &err) ||
	    nx_json_parse(nx_slice_text(right), &arena, &b, &err))
		fail_msg("%s", err.message);
	assert_true(same(a, b));
	nx_arena_release(&arena);
}
