/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_neff: writes the compiled program of a machine as a NEFF. */
#include "format/neff_plan.h"
#include "format/npy.h"
#include "tests/data/synthetic_debug.h"

#define HIDDEN 2048
#define TOKENS 128
#define IO_BYTES ((uint64_t)TOKENS * HIDDEN * 2)
#define PARTITIONS 128
#define PARTITION_STRIDE 0x40000

static uint64_t bytes_of(const struct nx_synthetic_machine *machine,
			 const struct nx_synthetic_block *block)
{
	return (uint64_t)machine->options.dma_engine_count * block->packet_count *
	       NX_SYNTHETIC_PACKET_BYTES;
}

/* --- variables -------------------------------------------------------------------- */

static struct nx_plan_variable weight_of(struct nx_arena *a,
					 const struct nx_synthetic_machine *machine,
					 const struct nx_synthetic_block *block)
{
	uint64_t size_bytes = bytes_of(machine, block);
	struct nx_npy array = {
		.dtype = "<f4", .dims = 2, .shape = {TOKENS, size_bytes / 4 / TOKENS}};
	struct nx_bytes payload = {0}, file = {0};
	struct nx_plan_variable v = {
		.name = block->variable,
		.type = "file",
		.size_bytes = size_bytes,
		.file_name = nx_arena_printf(a, "value_%s_CRSM.npy", block->variable),
	};

	nx_bytes_append_zeros(&payload, size_bytes);
	array.payload = nx_slice_of(payload.items, payload.len);
	nx_npy_write(&array, &file);
	v.file = nx_slice_of(nx_arena_copy(a, nx_slice_of(file.items, file.len)), file.len);
	nx_vec_release(&payload);
	nx_vec_release(&file);
	return v;
}

static void plan_variables(struct nx_arena *a, const struct nx_synthetic_machine *machine,
			   const struct nx_synthetic_program *program, struct nx_plan_graph *graph)
{
	static const struct nx_plan_variable fixed[] = {
		{.name = NX_PLAN_STATE_BUFFER, .type = "state-buffer"},
		{.name = "hidden_states",
		 .type = "input",
		 .dtype = "bfloat16",
		 .size_bytes = IO_BYTES,
		 .dims = 2,
		 .shape = {TOKENS, HIDDEN}},
		{.name = "logits",
		 .type = "output",
		 .dtype = "bfloat16",
		 .size_bytes = IO_BYTES,
		 .dims = 2,
		 .shape = {TOKENS, HIDDEN}},
		{.name = "spill0", .type = "virtual", .size_bytes = 262144},
	};
	size_t count = sizeof(fixed) / sizeof(fixed[0]);
	struct nx_plan_variable *all =
		NX_NEW_ARRAY(a, struct nx_plan_variable, count + program->blocks.len);

	memcpy(all, fixed, sizeof(fixed));
	for (size_t i = 0; i < program->blocks.len; i++)
		if (program->blocks.items[i].queue == NX_SYNTHETIC_WEIGHTS)
			all[count++] = weight_of(a, machine, &program->blocks.items[i]);
	graph->variables = all;
	graph->variable_count = count;
}

/* --- engines ---------------------------------------------------------------------- */

/* DRAM is one run of bytes; the state buffer takes an equal share in each partition. */
static struct nx_plan_side side_of(const char *variable, uint64_t bytes)
{
	bool is_state_buffer = !strcmp(variable, NX_PLAN_STATE_BUFFER);
	uint64_t row_bytes = is_state_buffer ? bytes / PARTITIONS : NX_SYNTHETIC_PACKET_BYTES;

	return (struct nx_plan_side){
		.variable = variable,
		.dtype = "bfloat16",
		.offset = is_state_buffer ? NX_SYNTHETIC_SBUF_WEIGHTS : 0,
		.dims = 2,
		.sizes = {row_bytes, bytes / row_bytes},
		.steps = {1, is_state_buffer ? PARTITION_STRIDE : (int64_t)row_bytes},
	};
}

static struct nx_plan_block plan_block(struct nx_arena *a,
				       const struct nx_synthetic_machine *machine,
				       const struct nx_synthetic_block *block)
{
	bool is_save = block->queue == NX_SYNTHETIC_SPILL_SAVE;
	uint64_t bytes = bytes_of(machine, block);
	struct nx_plan_side *from = NX_NEW(a, struct nx_plan_side);
	struct nx_plan_descriptor *copy = NX_NEW(a, struct nx_plan_descriptor);

	*from = side_of(is_save ? NX_PLAN_STATE_BUFFER : block->variable, bytes);
	copy->from = from;
	copy->from_count = 1;
	copy->to = side_of(is_save ? block->variable : NX_PLAN_STATE_BUFFER, bytes);
	return (struct nx_plan_block){
		.queue = nx_synthetic_queues[block->queue].name,
		.id = block->id,
		.semaphore = nx_synthetic_queues[block->queue].semaphore,
		.descriptors = copy,
		.descriptor_count = 1,
	};
}

static void plan_engine(struct nx_arena *a, const struct nx_synthetic_machine *machine,
			const struct nx_synthetic_program *program, unsigned engine,
			struct nx_plan_engine *out)
{
	struct nx_plan_block *blocks = NX_NEW_ARRAY(a, struct nx_plan_block, program->blocks.len);
	uint8_t *code = nx_arena_alloc(a, program->ops.len * NX_SLOT_BYTES);

	out->blocks = blocks;
	for (size_t i = 0; i < program->blocks.len; i++)
		if (program->blocks.items[i].engine == engine)
			blocks[out->block_count++] =
				plan_block(a, machine, &program->blocks.items[i]);
	out->code.data = code;
	for (size_t i = 0; i < program->ops.len; i++)
		if (program->ops.items[i].engine == engine) {
			memcpy(code + out->code.len, program->ops.items[i].word, NX_SLOT_BYTES);
			out->code.len += NX_SLOT_BYTES;
		}
}

static void plan_queues(struct nx_arena *a, const struct nx_synthetic_machine *machine,
			struct nx_plan_graph *graph)
{
	struct nx_plan_queue *queues =
		NX_NEW_ARRAY(a, struct nx_plan_queue, NX_SYNTHETIC_QUEUE_COUNT);

	for (unsigned q = 0; q < NX_SYNTHETIC_QUEUE_COUNT; q++)
		queues[q] = (struct nx_plan_queue){
			.name = nx_synthetic_queues[q].name,
			.owner = nx_synthetic_queues[q].owner,
			.type = nx_synthetic_queues[q].type,
			.ring_count = machine->options.dma_engine_count,
			.semaphores = &nx_synthetic_queues[q].semaphore,
			.semaphore_count = 1,
		};
	graph->queues = queues;
	graph->queue_count = NX_SYNTHETIC_QUEUE_COUNT;
}

/* --- the whole -------------------------------------------------------------------- */

static void add_counts(struct nx_plan_members *m, const struct nx_synthetic_machine *machine)
{
	struct nx_bytes bytes = {0};
	uint64_t macs = 0;
	const char *text;

	for (unsigned g = 0; g < machine->options.graph_count; g++)
		macs += machine->graphs[g].program.mac_count;
	text = nx_arena_printf(&m->arena, "{\"HloMacCount\":%llu,\"Traffic\":%llu}",
			       (unsigned long long)macs, 2 * (unsigned long long)IO_BYTES);
	nx_bytes_append(&bytes, text, strlen(text));
	nx_plan_add_member(m, "hlo_stats.json", &bytes);
	nx_bytes_append(&bytes, "{}", 2);
	nx_plan_add_member(m, "metrics.json", &bytes);
}

static void add_debug_info(struct nx_plan_members *m, const struct nx_synthetic_machine *machine)
{
	const struct nx_synthetic_program *first = &machine->graphs[0].program;
	struct nx_arena *a = &m->arena;
	struct nx_bytes bytes = {0};

	for (unsigned g = 0; g < machine->options.graph_count; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			const struct nx_synthetic_program *program = &machine->graphs[g].program;
			const char *stem = nx_engines[e].stem;

			nx_synthetic_debug_asm(program, g, e, &bytes);
			nx_plan_add_member(
				m, nx_arena_printf(a, "sg%02u/" NX_PLAN_ASSEMBLY_DEBUG, g, stem),
				&bytes);
			nx_synthetic_debug_backend(program, g, e, &bytes);
			nx_plan_add_member(
				m, nx_arena_printf(a, "sg%02u/" NX_PLAN_BACKEND_DEBUG, g, stem),
				&bytes);
		}
	for (unsigned level = 0; level < NX_SYNTHETIC_LEVELS; level++) {
		nx_synthetic_debug_level(first, level, &bytes);
		nx_plan_add_member(m,
				   nx_arena_printf(a, "debug_info/%s_sg000000",
						   nx_synthetic_level_files[level]),
				   &bytes);
	}
	nx_synthetic_debug_stack(first, &bytes);
	nx_plan_add_member(m, "debug_info/" NX_SYNTHETIC_STACK_FILE, &bytes);
	nx_synthetic_debug_kernel_list(&bytes);
	nx_plan_add_member(m, NX_SYNTHETIC_KERNEL_LIST_FILE, &bytes);
	nx_synthetic_debug_kernel_tree(first, &bytes);
	nx_plan_add_member(m, NX_SYNTHETIC_KERNEL_TREE_FILE, &bytes);
}

static struct nx_neff_header header_of(const struct nx_synthetic_machine *machine)
{
	unsigned graph_count = machine->options.graph_count;
	struct nx_neff_header header = {
		.package_version = machine->options.package_version,
		.header_size = NX_NEFF_HEADER_BYTES,
		.major_version = graph_count > 1 ? 2 : 1,
		.build_version = "2.23.6484.0",
		.core_count = 1,
		.name = "llama_demo",
		.requested_core_count = 1,
		.cores_per_node = {1},
		.feature_bits = graph_count > 1 ? 0x201c00 : 0,
		.logical_core_size = graph_count,
	};

	memcpy(header.uuid, machine->uuid, sizeof(header.uuid));
	return header;
}

void nx_synthetic_write_neff(const struct nx_synthetic_machine *machine, struct nx_bytes *neff)
{
	unsigned graph_count = machine->options.graph_count;
	struct nx_neff_header header = header_of(machine);
	struct nx_plan_members m = {0};
	struct nx_plan_graph *graphs = NX_NEW_ARRAY(&m.arena, struct nx_plan_graph, graph_count);
	struct nx_neff_plan plan = {
		.name = "llama_demo.neff",
		.target = machine->options.arch == 1 ? "sunda" : "cayman",
		.compiler_version = "2.23.6484.0+3b612583",
		.debug_info = machine->options.without_debug_info ? NX_PLAN_DEBUG_NONE
								  : NX_PLAN_DEBUG_OTHER,
		.graphs = graphs,
		.graph_count = graph_count,
	};

	for (unsigned g = 0; g < graph_count; g++) {
		plan_variables(&m.arena, machine, &machine->graphs[g].program, &graphs[g]);
		plan_queues(&m.arena, machine, &graphs[g]);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			plan_engine(&m.arena, machine, &machine->graphs[g].program, e,
				    &graphs[g].engines[e]);
	}
	nx_plan_add_program(&m, &plan);
	add_counts(&m, machine);
	if (!machine->options.without_debug_info)
		add_debug_info(&m, machine);
	nx_neff_write(&header, m.items.items, m.items.len, neff);
	nx_plan_members_release(&m);
}
