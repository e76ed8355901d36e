/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/runtime/device/made_neff.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bare/bits.h"
#include "tests/unit/runtime/device/core_fixture.h"

void made_neff_add(struct made_neff *n, const char *name, const void *bytes, size_t len)
{
	struct nx_slice copy = nx_slice_of(nx_arena_copy(&n->arena, nx_slice_of(bytes, len)), len);

	nx_vec_push(&n->members,
		    ((struct nx_neff_member){nx_slice_text(nx_arena_copy_text(&n->arena, name)),
					     copy}));
}

void made_neff_add_text(struct made_neff *n, const char *name, const char *text)
{
	made_neff_add(n, name, text, strlen(text));
}

void made_neff_replace(struct made_neff *n, const char *name, const char *text)
{
	for (size_t i = 0; i < n->members.len; i++)
		if (nx_slice_is(n->members.items[i].name, name))
			n->members.items[i].bytes =
				nx_slice_text(nx_arena_copy_text(&n->arena, text));
}

struct nx_slice made_neff_pack(struct made_neff *n)
{
	struct nx_neff_header header = {
		.package_version = 2, .header_size = NX_NEFF_HEADER_BYTES, .core_count = 1};

	nx_vec_clear(&n->file);
	nx_neff_write(&header, n->members.items, n->members.len, &n->file);
	return nx_slice_of(n->file.items, n->file.len);
}

const struct nx_neff *made_neff_read(struct made_neff *n)
{
	struct nx_error err;

	if (nx_neff_read(made_neff_pack(n), &n->arena, &n->neff, &err)) {
		fprintf(stderr, "made_neff: %s\n", err.message);
		abort();
	}
	return &n->neff;
}

void made_neff_release(struct made_neff *n)
{
	nx_vec_release(&n->members);
	nx_vec_release(&n->file);
	nx_arena_release(&n->arena);
}

/* --- programs ------------------------------------------------------------------------ */

static const char *const engines[][2] = {
	{"pe", "PE"}, {"act", "Activation"}, {"pool", "Pool"}, {"dve", "DVE"}, {"sp", "SP"}};

static const char *path_in(struct made_neff *n, unsigned core, const char *name)
{
	return nx_arena_printf(&n->arena, "sg%02u/%s", core, name);
}

void made_neff_begin(struct made_neff *n, unsigned core_count, const char *target,
		     const char *variables)
{
	const char *graphs = "", *keys = "";

	for (unsigned i = 0; i < core_count; i++)
		graphs = nx_arena_printf(&n->arena,
					 "%s%s{\"name\":\"sg%02u\",\"definition\":"
					 "\"sg%02u/def.json\"}",
					 graphs, i ? "," : "", i, i);
	made_neff_add_text(n, "kelf-0.json",
			   nx_arena_printf(&n->arena, "{\"graphs\":[%s],\"target\":\"%s\"}", graphs,
					   target));
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		keys = nx_arena_printf(&n->arena, "%s\"%s\":\"%s.json\",\"%s_instr\":\"%s.bin\",",
				       keys, engines[e][0], engines[e][1], engines[e][0],
				       engines[e][1]);
	for (unsigned i = 0; i < core_count; i++)
		made_neff_add_text(n, path_in(n, i, "def.json"),
				   nx_arena_printf(&n->arena, "{%s\"var\":{%s}}", keys, variables));
}

static const char *side(struct made_neff *n, const char *which, const char *variable_name,
			unsigned offset, const unsigned shape[3])
{
	return nx_arena_printf(&n->arena,
			       "\"%s\":\"%s\",\"%s_off\":%u,\"%s_sizes\":[%u,%u],"
			       "\"%s_steps\":[1,%u]",
			       which, variable_name, which, offset, which, shape[0], shape[1],
			       which, shape[2]);
}

/* A copy between a tensor of rows and the state buffer, a row per partition. */
static const char *row_descriptor(struct made_neff *n, const char *tensor, bool is_input,
				  unsigned rows, unsigned row_bytes, unsigned sbuf_offset)
{
	const unsigned in_tensor[3] = {row_bytes, rows, row_bytes};
	const unsigned in_sbuf[3] = {row_bytes, rows, NX_PARTITION_STRIDE};

	return nx_arena_printf(&n->arena, "{\"op\":\"copy\",%s,%s}",
			       side(n, is_input ? "from" : "to", tensor, 0, in_tensor),
			       side(n, is_input ? "to" : "from", "SB", sbuf_offset, in_sbuf));
}

static const char *block(struct made_neff *n, unsigned id, unsigned semaphore,
			 const char *descriptor)
{
	return nx_arena_printf(&n->arena,
			       "{\"id\":%u,\"queue\":\"qSPIO0\",\"semaphore\":%u,\"desc\":[%s]}",
			       id, semaphore, descriptor);
}

static void trigger(uint8_t *word, uint32_t id)
{
	word_clear(word, NX_OP_PSEUDO_DMA_TRIGGER);
	memcpy(word + 12, "qSPIO0", 6);
	nx_store32(word + 48, id);
}

static const char *variable(struct made_neff *n, const char *name, const char *type, unsigned id,
			    unsigned size)
{
	return nx_arena_printf(&n->arena, ",\"%s\":{\"type\":\"%s\",\"var_id\":%u,\"size\":%u}",
			       name, type, id, size);
}

static void add_shapes(struct made_neff *n, const char *shapes)
{
	made_neff_add_text(n, "sg00/tensor_map.json", shapes);
}

/* Two transfers in (semaphores 8 and 9), one out (10); 6 says that the work is done. */
static void add_transfers(struct made_neff *n, const char *const descriptors[3])
{
	uint8_t words[4][NX_SLOT_BYTES];

	made_neff_add_text(
		n, "sg00/SP.json",
		nx_arena_printf(&n->arena, "{\"dma\":[%s,%s,%s]}", block(n, 0, 8, descriptors[0]),
				block(n, 1, 9, descriptors[1]), block(n, 2, 10, descriptors[2])));
	for (uint32_t i = 0; i < 3; i++)
		trigger(words[i], i);
	word_wait(words[2], 6, 1);
	word_clear(words[3], NX_OP_NOP);
	word_wait(words[3], 10, 16);
	made_neff_add(n, "sg00/SP.bin", words, sizeof(words));
}

static void wait_for_inputs(uint8_t *word)
{
	word_clear(word, NX_OP_EVENT_SEMAPHORE);
	word_wait(word, 8, 16);
	word[32] = 5;
	word[33] = 9;
	nx_store32(word + 36, 16);
}

void made_neff_sum(struct made_neff *n, unsigned columns, unsigned core_count)
{
	unsigned row = 4 * columns, size = 128 * row;
	const uint32_t addresses[3] = {0, row, 2 * row};
	uint8_t words[2][NX_SLOT_BYTES];
	const char *const descriptors[3] = {row_descriptor(n, "a", true, 128, row, 0),
					    row_descriptor(n, "b", true, 128, row, row),
					    row_descriptor(n, "out", false, 128, row, 2 * row)};

	made_neff_begin(n, core_count, "cayman",
			nx_arena_printf(&n->arena,
					"\"SB\":{\"type\":\"state-buffer\",\"var_id\":0}"
					"%s%s%s",
					variable(n, "a", "input", 1, size),
					variable(n, "b", "input", 2, size),
					variable(n, "out", "output", 3, size)));
	add_shapes(n, nx_arena_printf(&n->arena,
				      "{\"a\":{\"dtype\":\"float32\",\"sim_shape\":[128,%u]},"
				      "\"out\":{\"dtype\":\"float32\",\"sim_shape\":[128,%u]}}",
				      columns, columns));
	add_transfers(n, descriptors);
	wait_for_inputs(words[0]);
	word_pair(words[1], NX_OP_TENSOR_TENSOR, 4, addresses, columns, 128);
	word_update(words[1], 6);
	made_neff_add(n, "sg00/DVE.bin", words, sizeof(words));
}

/* Weights are read from their last element on; low part first, then the high one. */
static void add_product(struct made_neff *n, unsigned rows, unsigned columns, unsigned count,
			uint32_t moving)
{
	struct pattern down = {3, {-1, 0, 0}, {(uint16_t)columns, 1, 1}};
	uint8_t words[5][NX_SLOT_BYTES];

	wait_for_inputs(words[0]);
	for (unsigned pass = 0; pass < 2; pass++) {
		uint8_t *load = words[1 + 2 * pass], *multiply = words[2 + 2 * pass];

		word_clear(load, NX_OP_LDWEIGHTS);
		word_operand(load, 16, 20, 4 * (columns - 1), down);
		word_clear(multiply, NX_OP_MATMUL);
		word_operand(multiply, 16, 20, moving, row_of(3, count));
		word_operand(multiply, 48, 52, PSUM(0), row_of(3, count));
		load[32] = multiply[32] = NX_DTYPE_FP32;
		load[38] = multiply[38] = (uint8_t)rows;
		load[39] = multiply[39] = (uint8_t)columns;
		load[33] = (uint8_t)(1 + pass);
		multiply[33] = 3;
		multiply[43] = pass == 0 ? 1 : 2;
	}
	word_update(words[4], 5);
	made_neff_add(n, "sg00/PE.bin", words, sizeof(words));
}

void made_neff_product(struct made_neff *n, unsigned rows, unsigned columns, unsigned count)
{
	uint32_t moving = 4 * columns, result = moving + 4 * count;
	uint8_t word[NX_SLOT_BYTES];
	const char *const descriptors[3] = {row_descriptor(n, "w", true, rows, 4 * columns, 0),
					    row_descriptor(n, "x", true, rows, 4 * count, moving),
					    row_descriptor(n, "out", false, columns, 4 * count,
							   result)};

	made_neff_begin(n, 1, "cayman",
			nx_arena_printf(&n->arena,
					"\"SB\":{\"type\":\"state-buffer\",\"var_id\":0}"
					"%s%s%s",
					variable(n, "w", "input", 1, rows * columns * 4),
					variable(n, "x", "input", 2, rows * count * 4),
					variable(n, "out", "output", 3, columns * count * 4)));
	add_transfers(n, descriptors);
	add_product(n, rows, columns, count, moving);
	word_copy(word, NX_OP_COPY, PSUM(0), row_of(4, count), NX_DTYPE_FP32, result,
		  row_of(4, count), NX_DTYPE_FP32, columns);
	word_wait(word, 5, 1);
	word_update(word, 6);
	made_neff_add(n, "sg00/DVE.bin", word, sizeof(word));
}
