/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff_fixture: a capture made piece by piece, written as a file in memory and
 * opened. It starts as version 6 with one graph "sg00" on core 0, no code, no
 * rings and the execution 1000..9000 ps; ticks are picoseconds. Tests change
 * `info` and `graphs` directly where no function here does it.
 */
#ifndef NX_TESTS_NTFF_FIXTURE_H
#define NX_TESTS_NTFF_FIXTURE_H

#include "base/vec.h"
#include "decode/ntff/ntff_decoder.h"
#include "format/notification.h"

#define NX_FIXTURE_GRAPHS 2
#define NX_FIXTURE_LIST 8

struct nx_fixture_blob {
	unsigned graph;
	bool is_code;
	union {
		struct nx_ntff_code code;
		struct nx_ntff_ring ring;
	};
	struct nx_bytes bytes;
};

struct nx_ntff_fixture {
	struct nx_arena arena;
	uint8_t version;
	struct nx_ntff_info info;
	struct nx_ntff_node node;
	struct nx_ntff_execution executions[NX_FIXTURE_LIST];
	struct nx_ntff_graph graphs[NX_FIXTURE_GRAPHS];
	struct nx_ntff_queue queues[NX_FIXTURE_GRAPHS][NX_FIXTURE_LIST];
	struct nx_ntff_patch patches[NX_FIXTURE_LIST];
	NX_VEC(struct nx_fixture_blob) blobs;
	size_t cut_bytes; /* missing at the end of the file */

	struct nx_bytes file;
	struct nx_ntff_options options;
	struct nx_ntff_decoder decoder;
	struct nx_capture capture;
	struct nx_error err;
	/* rows of the last nx_fixture_decode */
	struct nx_bytes rows;
	size_t row_size;
};

int nx_ntff_fixture_setup(void **state);
int nx_ntff_fixture_teardown(void **state);

/* Words of an engine: opcode bytes, one slot for each. */
void nx_fixture_code(struct nx_ntff_fixture *f, unsigned graph, enum nx_engine engine,
		     uint64_t start_address, const char *opcodes, size_t slot_count);
void nx_fixture_function(struct nx_ntff_fixture *f, unsigned graph, enum nx_engine engine,
			 uint64_t start_address, const char *opcodes, size_t slot_count);
void nx_fixture_queue(struct nx_ntff_fixture *f, unsigned graph, uint64_t engine_idx,
		      uint64_t queue_idx, const char *name);

/* Records go to the ring of their kind, in the order of the calls. */
void nx_fixture_record(struct nx_ntff_fixture *f, unsigned graph, uint64_t trace_type,
		       uint64_t block_type, struct nx_notification n);
void nx_fixture_start(struct nx_ntff_fixture *f, unsigned graph, enum nx_engine engine, uint32_t pc,
		      uint64_t ticks);
void nx_fixture_end(struct nx_ntff_fixture *f, unsigned graph, enum nx_engine engine, uint32_t pc,
		    uint64_t ticks);
void nx_fixture_dma(struct nx_ntff_fixture *f, unsigned graph, enum nx_dma_step step,
		    uint32_t engine, uint32_t queue, uint32_t size_bytes, uint64_t ticks);

/* The bytes of a blob, to spoil them before opening. */
struct nx_bytes *nx_fixture_ring(struct nx_ntff_fixture *f, unsigned graph, uint64_t trace_type,
				 uint64_t block_type);

NX_MUST_CHECK enum nx_status nx_fixture_open(struct nx_ntff_fixture *f);
/* Opens with an assertion that it works. */
void nx_fixture_must_open(struct nx_ntff_fixture *f);

typedef void (*nx_fixture_stream)(struct nx_ntff_decoder *decoder, nx_decoded_fn fn, void *context);
/* Collects the rows of a stream; returns their number. */
size_t nx_fixture_decode(struct nx_ntff_fixture *f, nx_fixture_stream stream, size_t row_size);
const void *nx_fixture_row(const struct nx_ntff_fixture *f, size_t index);

#endif
