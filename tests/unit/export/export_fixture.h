/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export_fixture: a profile small enough to know its JSON by heart. One graph
 * "sg00" on trn2 with a Tensor program (NOP, MATMUL) and a Sync program (WRITE),
 * a NEFF that knows them, two executed instructions, two packets of which the
 * second belongs to a static transfer. Streamed tables come from the arrays in
 * `tables`; tests put in what they need.
 */
#ifndef NX_TESTS_EXPORT_FIXTURE_H
#define NX_TESTS_EXPORT_FIXTURE_H

#include "base/file.h"
#include "base/json_writer.h"
#include "format/instruction.h"
#include "model/profile.h"

struct nx_fixture_table {
	const void *rows;
	size_t row_size, count;
};

struct nx_export_fixture {
	struct nx_profile p;
	struct nx_graph graphs[2];
	uint8_t tensor_code[2 * NX_SLOT_BYTES], sync_code[NX_SLOT_BYTES];
	uint8_t compiled_sync[NX_SLOT_BYTES];
	uint32_t compiler_slots[2];
	struct nx_slot tensor_slots[2], sync_slots[1];
	struct nx_queue queues[2];
	struct nx_memory_usage memory[1];
	struct nx_binary_graph neff;
	struct nx_bir birs[2];
	struct nx_predecessor predecessors[3];
	struct nx_origin origin;
	struct nx_tensor tensors[2];
	struct nx_tensor_load loads[2];
	struct nx_property header[2];
	struct nx_variable variables[2];
	struct nx_dma_block block;
	struct nx_dma_descriptor descriptor;
	struct nx_instruction instructions[2];
	struct nx_packet packets[2];
	struct nx_fixture_table tables[NX_TABLE_COUNT];

	struct nx_bytes text;
	struct nx_json_writer w;
	struct nx_error err;
};

int nx_export_fixture_setup(void **state);
int nx_export_fixture_teardown(void **state);

/* What was written since the last call, NUL-terminated; the next writer may be pretty. */
const char *nx_export_fixture_text(struct nx_export_fixture *f);
void nx_export_fixture_begin(struct nx_export_fixture *f, bool pretty);

/* The bytes an exporter writes, through a real output file. */
const char *nx_export_fixture_file(struct nx_export_fixture *f, const char *exporter, bool pretty);

/* Parsed documents are equal, whatever their spaces. */
void nx_assert_same_json(const char *left, const char *right);

#endif
