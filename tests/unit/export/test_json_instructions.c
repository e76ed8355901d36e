/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/json_sections.h"
#include "export_fixture.h"

static const char *instructions(struct nx_export_fixture *f)
{
	uint64_t rows = 0;

	assert_int_equal(nx_json_instructions(&f->w, &f->p, NULL, &rows, &f->err), NX_OK);
	assert_int_equal(rows, f->tables[NX_TABLE_INSTRUCTION].count);
	return nx_export_fixture_text(f);
}

#define NOP_ROW                                                                                    \
	"{\"timestamp\":1,\"duration\":3,\"id\":1,\"crc_in\":4660,\"crc_out\":65535,"              \
	"\"evt_wait_time\":10,\"pc\":0,\"label\":\"Tensor\",\"subgroup\":\"Tensor\","              \
	"\"opcode\":\"NOP\",\"operands\":\" cycle=5 \",\"activation_fn\":\"\","                    \
	"\"fully_qualified_subgraph\":\"/sg00\",\"compiler_pc\":0,\"bir_id\":\"sg0001:20\","       \
	"\"raw_bir_id\":281474976710676,\"bir_instruction_name\":\"nop.1\","                       \
	"\"penguin_id\":\"sg0000:30\",\"raw_penguin_id\":30,\"instruction_type\":\"REGULAR\","     \
	"\"layer\":\"mlp\",\"hlo_name\":\"%dot\",\"hlo_attrs\":\"[{}]\",\"raw_hlo_id\":40,"        \
	"\"source_file\":\"m.py\",\"source_line\":7}"

/* Both kinds of edge to the one execution; the repeated edge once. */
#define MATMUL_ROW                                                                                 \
	"{\"timestamp\":5,\"duration\":0,\"id\":2,\"crc_in\":0,\"crc_out\":0,"                     \
	"\"evt_wait_time\":0,\"pc\":1,\"label\":\"TensorMatrix\",\"subgroup\":\"Tensor\","         \
	"\"opcode\":\"MATMUL\",\"operands\":\"%s\",\"activation_fn\":\"\","                        \
	"\"fully_qualified_subgraph\":\"/sg00\",\"bir_id\":\"sg0001:21\","                         \
	"\"raw_bir_id\":281474976710677,\"bir_instruction_name\":\"mm.2\",\"penguin_id\":\"\","    \
	"\"raw_penguin_id\":0,\"instruction_type\":\"TRANSPOSE\",\"layer\":\"\","                  \
	"\"hlo_name\":\"\",\"hlo_attrs\":\"[]\",\"source_file\":\"k.py\",\"source_line\":12,"      \
	"\"elements\":77,\"psum_write_bytes\":256,\"predecessors\":["                              \
	"{\"id\":1,\"type\":\"FLOW_DEPENDENCE\"},{\"id\":1,\"type\":\"ORDERED\"}]}"

static void rows_are_written_in_full(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_instruction_context context = {NX_ARCH_V3, NULL};
	char operands[NX_INSTRUCTION_TEXT_MAX];
	bool is_known;
	const char *want;

	nx_instruction_text(f->tensor_code + NX_SLOT_BYTES, &context, operands, sizeof(operands),
			    &is_known);
	want = nx_arena_printf(&f->p.arena, "[%s," MATMUL_ROW "]", NOP_ROW, operands);
	assert_string_equal(instructions(f), want);
}

static void pretty_and_compact_are_the_same_document(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *compact = instructions(f), *pretty;

	nx_export_fixture_begin(f, true);
	pretty = instructions(f);
	assert_string_not_equal(compact, pretty);
	nx_assert_same_json(compact, pretty);
}

/* A slot's part is rendered once and used again; that may not show. */
static void a_repeated_slot_reads_like_the_first(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *first, *second;

	f->instructions[1] = f->instructions[0];
	first = instructions(f);
	second = strstr(first + 1, "},{");
	assert_non_null(second);
	assert_memory_equal(strstr(first, "\"pc\""), strstr(second, "\"pc\""),
			    strlen(strstr(second, "\"pc\"")) - 1);
}

static void without_a_neff_names_are_empty(void **state)
{
	struct nx_export_fixture *f = *state;

	f->p.program.binary_graphs[0] = NULL;
	f->tensor_slots[0].bir = NX_NONE;
	f->tensor_slots[0].layer = 0;
	f->tables[NX_TABLE_INSTRUCTION].count = 1;
	assert_string_equal(
		instructions(f),
		"[{\"timestamp\":1,\"duration\":3,\"id\":1,\"crc_in\":4660,\"crc_out\":65535,"
		"\"evt_wait_time\":10,\"pc\":0,\"label\":\"Tensor\",\"subgroup\":\"Tensor\","
		"\"opcode\":\"NOP\",\"operands\":\" cycle=5 \",\"activation_fn\":\"\","
		"\"fully_qualified_subgraph\":\"/sg00\",\"compiler_pc\":0,\"bir_id\":\"\","
		"\"raw_bir_id\":0,\"bir_instruction_name\":\"\",\"penguin_id\":\"\","
		"\"raw_penguin_id\":0,\"instruction_type\":\"\",\"layer\":\"\",\"hlo_name\":\"\","
		"\"hlo_attrs\":\"\"}]");
}

static void two_graphs_are_told_apart(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *text;

	f->p.capture.graph_count = 2;
	f->tables[NX_TABLE_INSTRUCTION].count = 1;
	text = instructions(f);
	assert_non_null(strstr(text, "\"subgraph\":\"sg00\",\"fully_qualified_subgraph\""));
}

static void a_trigger_shows_the_compilers_word_and_its_transfer(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *text;

	f->instructions[0] =
		(struct nx_instruction){.start_ps = 900, .end_ps = 990, .engine = NX_ENGINE_SYNC};
	f->tables[NX_TABLE_INSTRUCTION].count = 1;
	text = instructions(f);
	assert_non_null(strstr(text, "\"opcode\":\"WRITE\""));
	assert_non_null(strstr(text, "\"compiler_opcode\":\"PSEUDO_DMA_TRIGGER\","
				     "\"compiler_operands\":\" qSyncIO block_id=3 \""));
	assert_non_null(strstr(text, "\"hbm_read_bytes\":128,\"trigger\":1}"));
}

/* Within a nanosecond rows come by engine, not by start. */
static void triggers_of_one_nanosecond_find_their_transfers(void **state)
{
	struct nx_export_fixture *f = *state;
	const char *text, *second;

	f->p.program.slots[0][NX_ENGINE_TENSOR] = f->sync_slots;
	f->instructions[0] =
		(struct nx_instruction){.start_ps = 950, .end_ps = 990, .engine = NX_ENGINE_TENSOR};
	f->instructions[1] =
		(struct nx_instruction){.start_ps = 900, .end_ps = 990, .engine = NX_ENGINE_SYNC};
	for (unsigned i = 0; i < 3; i++)
		nx_vec_push(&f->p.transfers, f->p.transfers.items[0]);
	f->p.transfers.items[0].trigger_ps = 850; /* of an instruction that was overwritten */
	f->p.transfers.items[0].start_ps = 3000;
	f->p.transfers.items[2].start_ps = 5000; /* a second one of the same instruction */
	f->p.transfers.items[3].trigger_ps = 950;
	f->p.transfers.items[3].engine = NX_ENGINE_TENSOR;
	f->p.transfers.items[3].start_ps = 7000;
	text = instructions(f);
	second = strstr(text + 1, "},{");
	assert_non_null(strstr(text, "\"trigger\":7}"));
	assert_non_null(strstr(second, "\"hbm_read_bytes\":128,\"trigger\":1}"));
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_export_fixture_setup, nx_export_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_written_in_full),
		TEST(pretty_and_compact_are_the_same_document),
		TEST(a_repeated_slot_reads_like_the_first),
		TEST(without_a_neff_names_are_empty),
		TEST(two_graphs_are_told_apart),
		TEST(a_trigger_shows_the_compilers_word_and_its_transfer),
		TEST(triggers_of_one_nanosecond_find_their_transfers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
