/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any words as a program, loaded and timed: whatever they wait for and start,
 * the simulation ends, its rows lie within its time, and a second run gives the
 * same ones. The first byte chooses device, seed and whether the second half of
 * the input is a table of DMA blocks; the rest are words, dealt out to engines.
 */
#include <string.h>

#include "format/neff.h"
#include "runtime/timing/simulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SLOT_BYTES 64
#define MAX_SLOTS 60 /* a word may ask for many packets, so more would only be slower */

static const char kelf[] = "{\"graphs\":[{\"name\":\"sg00\",\"definition\":\"d.json\"},"
			   "{\"name\":\"sg01\",\"definition\":\"d.json\"}],\"target\":\"cayman\"}";
static const char definition[] =
	"{\"pe_instr\":\"0\",\"act_instr\":\"1\",\"pool_instr\":\"2\",\"dve_instr\":\"3\","
	"\"sp_instr\":\"4\",\"sp\":\"sp.json\",\"replica_groups\":[[[0,1],[2]],[],[[]]],"
	"\"cc_element_counts\":[[1,2],[]],\"var\":{"
	"\"SB\":{\"type\":\"state-buffer\",\"var_id\":0},"
	"\"x\":{\"type\":\"input\",\"var_id\":1,\"size\":4096}}}";

/* Engine e gets every fifth word. */
static void deal(struct nx_slice words, unsigned engine, struct nx_bytes *out)
{
	for (size_t i = engine; i < words.len / SLOT_BYTES && i < MAX_SLOTS; i += NX_ENGINE_COUNT)
		nx_bytes_append(out, words.data + i * SLOT_BYTES, SLOT_BYTES);
}

static void pack(struct nx_slice words, struct nx_slice blocks, struct nx_bytes *file)
{
	static const char *const names[] = {"0", "1", "2", "3", "4"};
	struct nx_neff_header header = {.package_version = 1, .header_size = NX_NEFF_HEADER_BYTES};
	struct nx_neff_member members[NX_ENGINE_COUNT + 3];
	struct nx_bytes streams[NX_ENGINE_COUNT];

	memset(streams, 0, sizeof(streams));
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		deal(words, e, &streams[e]);
		members[e] = (struct nx_neff_member){nx_slice_text(names[e]),
						     nx_slice_of(streams[e].items, streams[e].len)};
	}
	members[5] = (struct nx_neff_member){nx_slice_text("kelf-0.json"), nx_slice_text(kelf)};
	members[6] = (struct nx_neff_member){nx_slice_text("d.json"), nx_slice_text(definition)};
	members[7] = (struct nx_neff_member){nx_slice_text("sp.json"), blocks};
	nx_neff_write(&header, members, NX_ENGINE_COUNT + 3, file);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		nx_vec_release(&streams[e]);
}

static void check_rows(const struct nx_loaded_code *code, const struct nx_timed_run *run)
{
	for (size_t i = 0; i < run->instructions.len; i++) {
		const struct nx_timed_instruction *row = &run->instructions.items[i];

		if (row->start_ps > row->end_ps || row->end_ps > run->end_ps ||
		    row->slot >= code->cores[row->core].streams[row->engine].slot_count)
			__builtin_trap();
	}
	for (size_t i = 0; i < run->packets.len; i++)
		if (run->packets.items[i].start_ps > run->packets.items[i].end_ps ||
		    run->packets.items[i].completion_ps > run->end_ps)
			__builtin_trap();
	for (size_t i = 0; i < run->collectives.len; i++) {
		const struct nx_timed_collective *row = &run->collectives.items[i];

		if (row->trigger_ps > row->start_ps || row->start_ps > row->end_ps ||
		    row->end_ps > run->end_ps)
			__builtin_trap();
	}
	for (size_t i = 0; i < run->semaphores.len; i++)
		if (run->semaphores.items[i].time_ps > run->end_ps)
			__builtin_trap();
}

static void simulate_twice(const struct nx_loaded_code *code, uint8_t choice)
{
	struct nx_simulate_options options = {
		.hardware = nx_device_hardware_of((enum nx_device_arch)(choice >> 1 & 3)),
		.seed = choice >> 3 & 3,
		.has_descriptors = choice >> 4 & 1,
		.is_first_execution = choice >> 5 & 1,
		.place = {.rank_count = choice >> 6 & 1 ? UINT32_MAX : 8,
			  .node_count = choice >> 7 ? 2 : 1}};
	struct nx_timed_run first = {0}, second = {0};

	if (nx_simulate(code, &options, &first, NULL) != nx_simulate(code, &options, &second, NULL))
		__builtin_trap();
	check_rows(code, &first);
	if (first.end_ps != second.end_ps || first.instructions.len != second.instructions.len ||
	    first.packets.len != second.packets.len ||
	    first.collectives.len != second.collectives.len)
		__builtin_trap();
	nx_timed_run_release(&first);
	nx_timed_run_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_slice input = nx_slice_of(data, size), blocks = {NULL, 0};
	struct nx_device_program program = {0};
	struct nx_loaded_code code = {0};
	struct nx_bytes file = {0};
	struct nx_arena arena = {0};
	struct nx_neff neff;

	if (size < 1)
		return 0;
	input = nx_slice_part(input, 1, input.len);
	if (data[0] & 1) {
		blocks = nx_slice_part(input, input.len / 2, input.len);
		input.len /= 2;
	}
	pack(input, blocks, &file);
	if (nx_neff_read(nx_slice_of(file.items, file.len), &arena, &neff, NULL) == NX_OK &&
	    nx_device_program_init(&program, &neff, NULL) == NX_OK &&
	    nx_loaded_code_make(&code, &program, NULL) == NX_OK)
		simulate_twice(&code, data[0]);
	nx_loaded_code_release(&code);
	nx_device_program_release(&program);
	nx_arena_release(&arena);
	nx_vec_release(&file);
	return 0;
}
