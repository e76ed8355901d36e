/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/instruction.h"
#include "ntff_fixture.h"

int nx_ntff_fixture_setup(void **state)
{
	struct nx_ntff_fixture *f = nx_heap_alloc(sizeof(*f));
	static const char *const names[NX_FIXTURE_GRAPHS] = {"sg00", "sg01"};

	memset(f, 0, sizeof(*f));
	f->version = 6;
	f->info.name = nx_slice_text("model");
	f->info.arch = NX_ARCH_V3;
	f->info.nodes.items = &f->node;
	f->info.nodes.count = 1;
	f->info.executions.items = f->executions;
	f->info.executions.count = 1;
	f->executions[0] = (struct nx_ntff_execution){.start_ps = 1000, .end_ps = 9000};
	f->node.has_device = true;
	f->node.device.graphs.items = f->graphs;
	f->node.device.graphs.count = 1;
	for (unsigned g = 0; g < NX_FIXTURE_GRAPHS; g++) {
		f->graphs[g].name = nx_slice_text(names[g]);
		f->graphs[g].nc_idx = g;
		f->graphs[g].queues.items = f->queues[g];
	}
	*state = f;
	return 0;
}

int nx_ntff_fixture_teardown(void **state)
{
	struct nx_ntff_fixture *f = *state;

	for (size_t i = 0; i < f->blobs.len; i++)
		nx_vec_release(&f->blobs.items[i].bytes);
	nx_vec_release(&f->blobs);
	nx_vec_release(&f->file);
	nx_vec_release(&f->rows);
	nx_arena_release(&f->arena);
	nx_heap_free(f);
	return 0;
}

static void add_code(struct nx_ntff_fixture *f, unsigned graph, struct nx_ntff_code code,
		     const char *opcodes, size_t slot_count)
{
	struct nx_fixture_blob blob = {.graph = graph, .is_code = true, .code = code};

	nx_bytes_append_zeros(&blob.bytes, slot_count * NX_SLOT_BYTES);
	for (size_t i = 0; i < slot_count; i++)
		blob.bytes.items[i * NX_SLOT_BYTES] = (uint8_t)opcodes[i];
	nx_vec_push(&f->blobs, blob);
}

void nx_fixture_code(struct nx_ntff_fixture *f, unsigned graph, enum nx_engine engine,
		     uint64_t start_address, const char *opcodes, size_t slot_count)
{
	struct nx_ntff_code code = {.engine = engine, .start_address = start_address};

	add_code(f, graph, code, opcodes, slot_count);
}

void nx_fixture_function(struct nx_ntff_fixture *f, unsigned graph, enum nx_engine engine,
			 uint64_t start_address, const char *opcodes, size_t slot_count)
{
	struct nx_ntff_code code = {
		.engine = engine, .start_address = start_address, .is_function_section = true};

	add_code(f, graph, code, opcodes, slot_count);
}

void nx_fixture_queue(struct nx_ntff_fixture *f, unsigned graph, uint64_t engine_idx,
		      uint64_t queue_idx, const char *name)
{
	assert_true(f->graphs[graph].queues.count < NX_FIXTURE_LIST);
	f->queues[graph][f->graphs[graph].queues.count++] = (struct nx_ntff_queue){
		.engine_index = engine_idx, .queue_index = queue_idx, .name = nx_slice_text(name)};
}

struct nx_bytes *nx_fixture_ring(struct nx_ntff_fixture *f, unsigned graph, uint64_t trace_type,
				 uint64_t block_type)
{
	struct nx_fixture_blob blob = {
		.graph = graph,
		.ring = {.trace_type = trace_type, .block_type = block_type, .core_idx = graph}};

	for (size_t i = 0; i < f->blobs.len; i++)
		if (!f->blobs.items[i].is_code && f->blobs.items[i].graph == graph &&
		    f->blobs.items[i].ring.trace_type == trace_type &&
		    f->blobs.items[i].ring.block_type == block_type)
			return &f->blobs.items[i].bytes;
	nx_vec_push(&f->blobs, blob);
	return &f->blobs.items[f->blobs.len - 1].bytes;
}

void nx_fixture_record(struct nx_ntff_fixture *f, unsigned graph, uint64_t trace_type,
		       uint64_t block_type, struct nx_notification n)
{
	uint8_t record[NX_NOTIFICATION_BYTES];

	nx_notification_store(record, n);
	nx_bytes_append(nx_fixture_ring(f, graph, trace_type, block_type), record, sizeof(record));
}

static void instruction(struct nx_ntff_fixture *f, unsigned graph, unsigned type, uint32_t pc,
			uint64_t ticks)
{
	nx_fixture_record(f, graph, NX_TRACE_INSTRUCTION, NX_BLOCK_CORE,
			  (struct nx_notification){type << 24 | pc, 0, ticks});
}

void nx_fixture_start(struct nx_ntff_fixture *f, unsigned graph, enum nx_engine engine, uint32_t pc,
		      uint64_t ticks)
{
	instruction(f, graph, nx_notification_type_of(engine, NX_NOTIFY_START), pc, ticks);
}

void nx_fixture_end(struct nx_ntff_fixture *f, unsigned graph, enum nx_engine engine, uint32_t pc,
		    uint64_t ticks)
{
	instruction(f, graph, nx_notification_type_of(engine, NX_NOTIFY_END), pc, ticks);
}

void nx_fixture_dma(struct nx_ntff_fixture *f, unsigned graph, enum nx_dma_step step,
		    uint32_t engine, uint32_t queue, uint32_t size_bytes, uint64_t ticks)
{
	nx_fixture_record(f, graph, NX_TRACE_DMA, NX_BLOCK_DMA,
			  (struct nx_notification){engine << 24 | size_bytes, queue << 4 | step,
						   ticks});
}

/* Places blobs one behind the other and describes them where the version wants it. */
static void place_blobs(struct nx_ntff_fixture *f, struct nx_ntff_ring *rings, size_t *ring_count,
			struct nx_ntff_code *codes, size_t *code_count, unsigned graph,
			uint64_t *offset)
{
	for (size_t i = 0; i < f->blobs.len; i++) {
		struct nx_fixture_blob *blob = &f->blobs.items[i];

		if (blob->graph != graph)
			continue;
		if (!blob->is_code) {
			blob->ring.offset = *offset;
			blob->ring.size = blob->bytes.len;
			rings[(*ring_count)++] = blob->ring;
		} else if (f->version < 6) {
			blob->code.inline_code = nx_slice_of(blob->bytes.items, blob->bytes.len);
			codes[(*code_count)++] = blob->code;
			continue;
		} else {
			blob->code.offset = *offset;
			blob->code.size = blob->bytes.len;
			codes[(*code_count)++] = blob->code;
		}
		*offset += blob->bytes.len;
	}
}

static void describe_blobs(struct nx_ntff_fixture *f)
{
	struct nx_ntff_ring *rings = NX_NEW_ARRAY(&f->arena, struct nx_ntff_ring, f->blobs.len);
	struct nx_ntff_code *codes = NX_NEW_ARRAY(&f->arena, struct nx_ntff_code, f->blobs.len);
	size_t ring_count = 0, code_count = 0, first_ring, first_code;
	uint64_t offset = 0;

	for (unsigned g = 0; g < NX_FIXTURE_GRAPHS; g++) {
		first_ring = ring_count;
		first_code = code_count;
		place_blobs(f, rings, &ring_count, codes, &code_count, g, &offset);
		f->graphs[g].code.items = codes + first_code;
		f->graphs[g].code.count = code_count - first_code;
		if (f->version < 6) {
			f->graphs[g].rings.items = rings + first_ring;
			f->graphs[g].rings.count = ring_count - first_ring;
		}
	}
	if (f->version >= 6) {
		f->info.session_rings.items = rings;
		f->info.session_rings.count = ring_count;
	}
}

enum nx_status nx_fixture_open(struct nx_ntff_fixture *f)
{
	describe_blobs(f);
	nx_vec_clear(&f->file);
	nx_ntff_write_head(f->version, &f->info, &f->file);
	for (unsigned g = 0; g < NX_FIXTURE_GRAPHS; g++)
		for (size_t i = 0; i < f->blobs.len; i++)
			if (f->blobs.items[i].graph == g &&
			    !(f->blobs.items[i].is_code && f->version < 6))
				nx_bytes_append(&f->file, f->blobs.items[i].bytes.items,
						f->blobs.items[i].bytes.len);
	return nx_ntff_decoder_open(&f->decoder,
				    nx_slice_of(f->file.items, f->file.len - f->cut_bytes),
				    "test.ntff", &f->options, &f->arena, &f->capture, &f->err);
}

void nx_fixture_must_open(struct nx_ntff_fixture *f)
{
	if (nx_fixture_open(f))
		fail_msg("%s", f->err.message);
}

static void keep_row(void *context, const void *row)
{
	struct nx_ntff_fixture *f = context;

	nx_bytes_append(&f->rows, row, f->row_size);
}

size_t nx_fixture_decode(struct nx_ntff_fixture *f, nx_fixture_stream stream, size_t row_size)
{
	nx_vec_clear(&f->rows);
	f->row_size = row_size;
	stream(&f->decoder, keep_row, f);
	return f->rows.len / row_size;
}

const void *nx_fixture_row(const struct nx_ntff_fixture *f, size_t index)
{
	assert_true((index + 1) * f->row_size <= f->rows.len);
	return f->rows.items + index * f->row_size;
}
