/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_neff: writes the compiled program of a machine as a NEFF. */
#include "tests/data/synthetic_neff.h"
#include "format/npy.h"
#include "model/engine.h"
#include "tests/data/synthetic_debug.h"

#define HIDDEN 2048
#define TOKENS 128
#define IO_BYTES ((uint64_t)TOKENS * HIDDEN * 2)

void nx_synthetic_add_member(struct nx_synthetic_members *m, const char *name,
			     struct nx_bytes *bytes)
{
	struct nx_neff_member member;

	member.name = nx_slice_text(nx_arena_copy_text(&m->arena, name));
	member.bytes = nx_slice_of(nx_arena_copy(&m->arena, nx_slice_of(bytes->items, bytes->len)),
				   bytes->len);
	nx_vec_push(&m->items, member);
	nx_vec_release(bytes);
}

const char *nx_synthetic_path(struct nx_synthetic_members *m, unsigned graph, const char *stem,
			      const char *suffix)
{
	return nx_arena_printf(&m->arena, "sg%02u/%s%s", graph, stem, suffix);
}

/* --- top-level files ------------------------------------------------------------ */

static void add_nodes(struct nx_synthetic_members *m)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, true);
	nx_json_begin_object(&w);
	nx_json_key(&w, "nodes");
	nx_json_begin_array(&w);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "op", "null");
	nx_json_key_text(&w, "name", "hidden_states");
	nx_json_end_object(&w);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "op", "tvm_op");
	nx_json_key_text(&w, "name", "kelf-0");
	nx_json_key(&w, "attrs");
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "func_name", "__kelf");
	nx_json_key_text(&w, "kelf", "kelf-0.json");
	nx_json_end_object(&w);
	nx_json_end_object(&w);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_synthetic_add_member(m, "neff.json", &bytes);
}

static void add_graph_list(struct nx_synthetic_members *m,
			   const struct nx_synthetic_machine *machine)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, true);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "version", "0.5");
	nx_json_key_text(&w, "target", machine->options.arch == 1 ? "sunda" : "cayman");
	nx_json_key(&w, "graphs");
	nx_json_begin_array(&w);
	for (unsigned g = 0; g < machine->options.graph_count; g++) {
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "name", nx_arena_printf(&m->arena, "sg%02u", g));
		nx_json_key_text(&w, "definition", nx_synthetic_path(m, g, "def", ".json"));
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_synthetic_add_member(m, "kelf-0.json", &bytes);
}

static void add_facts(struct nx_synthetic_members *m, const struct nx_synthetic_machine *machine)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;
	uint64_t macs = 0;

	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "tool_version", "2.23.6484.0+3b612583");
	nx_json_key_text(&w, "name", "llama_demo.neff");
	nx_json_end_object(&w);
	nx_synthetic_add_member(m, "info.json", &bytes);
	for (unsigned g = 0; g < machine->options.graph_count; g++)
		macs += machine->graphs[g].program.mac_count;
	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	nx_json_key_u64(&w, "HloMacCount", macs);
	nx_json_key_u64(&w, "Traffic", 2 * IO_BYTES);
	nx_json_end_object(&w);
	nx_synthetic_add_member(m, "hlo_stats.json", &bytes);
	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	nx_json_end_object(&w);
	nx_synthetic_add_member(m, "metrics.json", &bytes);
}

/* --- variables -------------------------------------------------------------------- */

static bool is_weight(const struct nx_synthetic_block *block)
{
	return block->queue == NX_SYNTHETIC_WEIGHTS;
}

static const char *weight_file(struct nx_synthetic_members *m,
			       const struct nx_synthetic_block *block)
{
	return nx_arena_printf(&m->arena, "value_%s_CRSM.npy", block->variable);
}

static void put_variable(struct nx_json_writer *w, const char *name, const char *type, uint64_t id,
			 uint64_t size)
{
	nx_json_key(w, name);
	nx_json_begin_object(w);
	nx_json_key_text(w, "type", type);
	nx_json_key_u64(w, "var_id", id);
	if (size)
		nx_json_key_u64(w, "size", size);
	nx_json_end_object(w);
}

static void put_variables(struct nx_synthetic_members *m, struct nx_json_writer *w,
			  const struct nx_synthetic_machine *machine,
			  const struct nx_synthetic_program *program)
{
	uint64_t id = 4;

	nx_json_key(w, "var");
	nx_json_begin_object(w);
	put_variable(w, NX_SYNTHETIC_STATE_BUFFER, "state-buffer", 0, 0);
	put_variable(w, "hidden_states", "input", 1, IO_BYTES);
	put_variable(w, "logits", "output", 2, IO_BYTES);
	put_variable(w, "spill0", "virtual", 3, 262144);
	for (size_t i = 0; i < program->blocks.len; i++) {
		const struct nx_synthetic_block *block = &program->blocks.items[i];

		if (!is_weight(block))
			continue;
		nx_json_key(w, block->variable);
		nx_json_begin_object(w);
		nx_json_key_text(w, "type", "file");
		nx_json_key_u64(w, "var_id", id++);
		nx_json_key_u64(w, "size", nx_synthetic_block_bytes(machine, block));
		nx_json_key_text(w, "file_name", weight_file(m, block));
		nx_json_end_object(w);
	}
	nx_json_end_object(w);
}

static void put_tensor(struct nx_json_writer *w, const char *name, const char *kind)
{
	nx_json_key(w, name);
	nx_json_begin_object(w);
	nx_json_key_text(w, "dtype", "bfloat16");
	nx_json_key_text(w, "kind", kind);
	nx_json_key_text(w, "tf_format", "NC");
	nx_json_key(w, "tf_shape");
	nx_json_begin_array(w);
	nx_json_u64(w, TOKENS);
	nx_json_u64(w, HIDDEN);
	nx_json_end_array(w);
	nx_json_end_object(w);
}

static void add_tensors(struct nx_synthetic_members *m, const struct nx_synthetic_machine *machine,
			unsigned g)
{
	const struct nx_synthetic_program *program = &machine->graphs[g].program;
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	put_tensor(&w, "hidden_states", "input");
	put_tensor(&w, "logits", "output");
	nx_json_end_object(&w);
	nx_synthetic_add_member(m, nx_synthetic_path(m, g, "tensor_map", ".json"), &bytes);
	for (size_t i = 0; i < program->blocks.len; i++) {
		const struct nx_synthetic_block *block = &program->blocks.items[i];
		struct nx_npy array = {.dtype = "<f4", .dims = 2};
		struct nx_bytes payload = {0};

		if (!is_weight(block))
			continue;
		nx_bytes_append_zeros(&payload, nx_synthetic_block_bytes(machine, block));
		array.shape[0] = TOKENS;
		array.shape[1] = payload.len / 4 / TOKENS;
		array.payload = nx_slice_of(payload.items, payload.len);
		nx_npy_write(&array, &bytes);
		nx_vec_release(&payload);
		nx_synthetic_add_member(m, nx_synthetic_path(m, g, weight_file(m, block), ""),
					&bytes);
	}
}

/* --- a graph's definition ----------------------------------------------------------- */

static void put_file_list(struct nx_json_writer *w, const char *key, const char *file)
{
	nx_json_key(w, key);
	nx_json_begin_array(w);
	nx_json_text(w, file);
	nx_json_end_array(w);
}

static void put_engine_files(struct nx_synthetic_members *m, struct nx_json_writer *w,
			     bool has_debug_info)
{
	struct nx_arena *a = &m->arena;

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const char *key = nx_engines[e].neff_key, *stem = nx_engines[e].stem;

		nx_json_key_text(w, key, nx_arena_printf(a, "%s.json", stem));
		nx_json_key_text(w, nx_arena_printf(a, "%s_instr", key),
				 nx_arena_printf(a, "%s.bin", stem));
		if (!has_debug_info)
			continue;
		put_file_list(w, nx_arena_printf(a, "%s_asm_dbg", key),
			      nx_arena_printf(a, NX_SYNTHETIC_ASM_FILE, stem));
		put_file_list(w, nx_arena_printf(a, "%s_dbg", key),
			      nx_arena_printf(a, NX_SYNTHETIC_BACKEND_FILE, stem));
	}
}

static void put_queues(struct nx_json_writer *w, const struct nx_synthetic_machine *machine)
{
	nx_json_key(w, "dma_queue");
	nx_json_begin_object(w);
	for (unsigned q = 0; q < NX_SYNTHETIC_QUEUE_COUNT; q++) {
		nx_json_key(w, nx_synthetic_queues[q].name);
		nx_json_begin_object(w);
		nx_json_key_text(w, "owner", nx_synthetic_queues[q].owner);
		nx_json_key_text(w, "type", nx_synthetic_queues[q].type);
		nx_json_key_u64(w, "num_queues", machine->options.dma_engine_count);
		nx_json_key(w, "semaphore_set");
		nx_json_begin_array(w);
		nx_json_u64(w, nx_synthetic_queues[q].semaphore);
		nx_json_end_array(w);
		nx_json_end_object(w);
	}
	nx_json_end_object(w);
}

static void add_definition(struct nx_synthetic_members *m,
			   const struct nx_synthetic_machine *machine, unsigned g)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;
	bool has_debug_info = !machine->options.without_debug_info;

	nx_json_init_bytes(&w, &bytes, false);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "name", "definition");
	nx_json_key_text(&w, "version", "0.6");
	nx_json_key_u64(&w, "runtime_semaphore_count", 3);
	put_engine_files(m, &w, has_debug_info);
	put_queues(&w, machine);
	put_variables(m, &w, machine, &machine->graphs[g].program);
	nx_json_end_object(&w);
	nx_synthetic_add_member(m, nx_synthetic_path(m, g, "def", ".json"), &bytes);
}

/* --- the whole ------------------------------------------------------------------------ */

static void add_debug_info(struct nx_synthetic_members *m,
			   const struct nx_synthetic_machine *machine)
{
	struct nx_bytes bytes = {0};

	for (unsigned g = 0; g < machine->options.graph_count; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			const struct nx_synthetic_program *program = &machine->graphs[g].program;
			const char *stem = nx_engines[e].stem;

			nx_synthetic_debug_asm(program, g, e, &bytes);
			nx_synthetic_add_member(
				m,
				nx_synthetic_path(m, g,
						  nx_arena_printf(&m->arena, NX_SYNTHETIC_ASM_FILE,
								  stem),
						  ""),
				&bytes);
			nx_synthetic_debug_backend(program, g, e, &bytes);
			nx_synthetic_add_member(
				m,
				nx_synthetic_path(m, g,
						  nx_arena_printf(&m->arena,
								  NX_SYNTHETIC_BACKEND_FILE, stem),
						  ""),
				&bytes);
		}
	for (unsigned level = 0; level < NX_SYNTHETIC_LEVELS; level++) {
		nx_synthetic_debug_level(&machine->graphs[0].program, level, &bytes);
		nx_synthetic_add_member(m,
					nx_arena_printf(&m->arena, "debug_info/%s_sg000000",
							nx_synthetic_level_files[level]),
					&bytes);
	}
	nx_synthetic_debug_stack(&machine->graphs[0].program, &bytes);
	nx_synthetic_add_member(m, "debug_info/" NX_SYNTHETIC_STACK_FILE, &bytes);
	nx_synthetic_debug_kernel_list(&bytes);
	nx_synthetic_add_member(m, NX_SYNTHETIC_KERNEL_LIST_FILE, &bytes);
	nx_synthetic_debug_kernel_tree(&machine->graphs[0].program, &bytes);
	nx_synthetic_add_member(m, NX_SYNTHETIC_KERNEL_TREE_FILE, &bytes);
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
	struct nx_neff_header header = header_of(machine);
	struct nx_synthetic_members m = {0};

	add_nodes(&m);
	add_graph_list(&m, machine);
	add_facts(&m, machine);
	for (unsigned g = 0; g < machine->options.graph_count; g++) {
		add_definition(&m, machine, g);
		add_tensors(&m, machine, g);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			nx_synthetic_add_stream(&m, machine, g, e);
	}
	if (!machine->options.without_debug_info)
		add_debug_info(&m, machine);
	nx_neff_write(&header, m.items.items, m.items.len, neff);
	nx_vec_release(&m.items);
	nx_arena_release(&m.arena);
}
