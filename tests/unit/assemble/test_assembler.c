/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "assemble/assembler.h"
#include "base/bare/bits.h"
#include "base/file.h"
#include "decode/neff/neff_decoder.h"
#include "format/instruction.h"
#include "format/npy.h"

struct made {
	struct nx_arena arena;
	struct nx_bytes bytes;
	struct nx_neff neff;
	struct nx_binary binary;
};

static const struct nx_assembly_options options = {.path = "a.nasm"};

static void make(struct made *m, const char *text, const struct nx_assembly_options *how)
{
	struct nx_neff_options all = {0};
	struct nx_error err = {0};

	memset(m, 0, sizeof(*m));
	if (nx_assemble(nx_slice_text(text), how, &m->bytes, &err))
		fail_msg("%s", err.message);
	assert_int_equal(nx_neff_read(nx_slice_of(m->bytes.items, m->bytes.len), &m->arena,
				      &m->neff, &err),
			 NX_OK);
	assert_false(m->neff.is_truncated);
	assert_int_equal(nx_neff_decode(&m->neff, &all, &m->arena, &m->binary, &err), NX_OK);
}

static void drop(struct made *m)
{
	nx_arena_release(&m->arena);
	nx_vec_release(&m->bytes);
}

static void expect_fault(const char *text, enum nx_status status, const char *message)
{
	struct nx_assembly_options how = options;
	struct nx_bytes bytes = {0};
	struct nx_error err = {0};

	how.max_lines = 1000;
	how.max_constant_bytes = 4096;
	assert_int_equal(nx_assemble(nx_slice_text(text), &how, &bytes, &err), status);
	assert_string_equal(err.message, message);
	assert_int_equal(bytes.len, 0);
}

static const struct nx_engine_program *engine_of(const struct made *m, size_t graph,
						 enum nx_engine engine)
{
	return &m->binary.graphs[graph].engines[engine];
}

static void test_a_program_reads_back(void **state)
{
	struct made m;
	const struct nx_engine_program *sync;
	struct nx_dma_trigger trigger;

	(void)state;
	make(&m,
	     ".name hello\n.arch trn1\n.input a fp32 [4,8]\n.output b fp32 [4,8]\n"
	     ".queue qSPIO0 owner=sp type=in semaphores=[8,9]\n.prologue\n.engine sp\n"
	     ".dma qSPIO0 from=a to=SB+16[1,PARTITION][32,4]  # in\n"
	     ".dma qSPIO0 S[8]>=16 from=SB+16[1,PARTITION][32,4] to=b\n",
	     &options);
	assert_string_equal(m.neff.header.name, "hello");
	assert_string_equal(m.binary.target, "sunda");
	assert_int_equal(m.binary.graph_count, 1);
	sync = engine_of(&m, 0, NX_ENGINE_SYNC);
	assert_int_equal(sync->slot_count, 3); /* no label on trn1 */
	assert_true(nx_instruction_dma_trigger(sync->code.data + 2 * NX_SLOT_BYTES, &trigger));
	assert_string_equal(trigger.queue, "qSPIO0");
	assert_int_equal(trigger.block_id, 1);
	assert_int_equal(sync->block_count, 2);
	assert_int_equal(sync->blocks[0].semaphore, 8);
	assert_int_equal(sync->blocks[1].semaphore, 9);
	assert_int_equal(sync->blocks[0].descriptors[0].from_bytes, 128);
	assert_string_equal(sync->blocks[0].descriptors[0].to_dtype, "float32");
	assert_int_equal(sync->blocks[0].descriptors[0].to_offset, 16);
	drop(&m);
}

static void test_repetition_and_conditions(void **state)
{
	struct made m;
	const struct nx_engine_program *vector;

	(void)state;
	make(&m,
	     ".engine dve\n.repeat 2 i\n.repeat 3 k\n.if i == 1 & k != 0\n"
	     "NOP cycle=10*i+k\n.end\n.end\n.end\n.repeat 0\nnonsense\n.end\n",
	     &options);
	vector = engine_of(&m, 0, NX_ENGINE_VECTOR);
	assert_int_equal(vector->slot_count, 2);
	assert_int_equal(nx_load32(vector->code.data + 12), 11);
	assert_int_equal(nx_load32(vector->code.data + NX_SLOT_BYTES + 12), 12);
	drop(&m);
}

static void expect_origin(const struct made *m, size_t slot, const char *layer, const char *file,
			  uint32_t line)
{
	const struct nx_engine_program *sync = engine_of(m, 0, NX_ENGINE_SYNC);
	const struct nx_bir *bir = &m->binary.graphs[0].birs[sync->slot_bir[slot]];
	const struct nx_origin *origin = &m->binary.origins[bir->origin];

	assert_string_equal(origin->layer, layer);
	assert_string_equal(origin->source_file, file);
	assert_int_equal(origin->source_line, line);
}

static void test_origins(void **state)
{
	struct made m;

	(void)state;
	make(&m,
	     ".engine sp\nNOP cycle=0\n.layer \"net/dense 1\"\n.file \"net.py\"\n.line 7\n"
	     "NOP cycle=0\n.layer\n.file\nNOP cycle=0\n",
	     &options);
	expect_origin(&m, 0, "Unknown", "a.nasm", 2);
	expect_origin(&m, 1, "net/dense 1", "net.py", 7);
	expect_origin(&m, 2, "Unknown", "a.nasm", 9);
	drop(&m);
}

static void expect_payload(const struct made *m, const char *member, const void *bytes, size_t len)
{
	struct nx_npy array;

	assert_true(nx_npy_read(nx_neff_member(&m->neff, nx_slice_text(member)), &array));
	assert_int_equal(array.payload.len, len);
	assert_memory_equal(array.payload.data, bytes, len);
}

static void test_constants(void **state)
{
	static const float three[] = {1, -2.5f, 1, -2.5f};
	static const uint16_t ones[] = {0x3f80, 0, 0, 0x3f80}, halves[] = {0x3800, 0x3800};
	static const int8_t bytes[] = {-1, 2, 127};
	struct made m;

	(void)state;
	make(&m,
	     ".constant f fp32 [2,2] = 1, -2.5\n.constant e bfloat16 [2,2] = identity\n"
	     ".constant h fp16 [2] = 0.5\n.constant b int8 [3] = -1, 2, 127\n.engine sp\n"
	     "NOP cycle=b\n",
	     &options);
	expect_payload(&m, "sg00/value_f_CRSM.npy", three, sizeof(three));
	expect_payload(&m, "sg00/value_e_CRSM.npy", ones, sizeof(ones));
	expect_payload(&m, "sg00/value_h_CRSM.npy", halves, sizeof(halves));
	expect_payload(&m, "sg00/value_b_CRSM.npy", bytes, sizeof(bytes));
	/* a variable's name is its number, behind the state buffer */
	assert_int_equal(nx_load32(engine_of(&m, 0, NX_ENGINE_SYNC)->code.data + 12), 4);
	drop(&m);
}

static void test_two_cores(void **state)
{
	struct made m;

	(void)state;
	make(&m,
	     ".repeat 2 c\n.core c\n.output y fp32 [4]\n.engine pool\nNOP cycle=c\n.end\n"
	     ".core 0\n.engine pool\nNOP cycle=9\n",
	     &options);
	assert_int_equal(m.binary.graph_count, 2);
	assert_int_equal(m.neff.header.logical_core_size, 2);
	assert_int_equal(engine_of(&m, 0, NX_ENGINE_GPSIMD)->slot_count, 2);
	assert_int_equal(engine_of(&m, 1, NX_ENGINE_GPSIMD)->slot_count, 1);
	drop(&m);
}

static void test_the_option_beats_the_text(void **state)
{
	struct nx_assembly_options how = options;
	struct made m;

	(void)state;
	how.target = nx_assembly_target(nx_slice_text("inf2"));
	make(&m, ".arch trn2\n.engine sp\nNOP cycle=0\n", &how);
	assert_string_equal(m.binary.target, "sunda");
	assert_null(nx_assembly_target(nx_slice_text("gpu")));
	drop(&m);
}

static void test_same_text_same_bytes(void **state)
{
	static const char text[] = ".input a fp32 [4]\n.engine sp\nNOP cycle=0\n";
	struct made a, b;

	(void)state;
	make(&a, text, &options);
	make(&b, text, &options);
	assert_int_equal(a.bytes.len, b.bytes.len);
	assert_memory_equal(a.bytes.items, b.bytes.items, a.bytes.len);
	drop(&a);
	drop(&b);
}

#define QUEUE ".queue q owner=sp semaphores=[8]\n"

static void test_faults_name_line_and_column(void **state)
{
	(void)state;
	expect_fault("", NX_FORMAT, "a.nasm holds no instruction");
	expect_fault("\n  NOP cycle=1\n", NX_FORMAT,
		     "a.nasm:2:3: no engine is chosen; write .engine first");
	expect_fault(".engine sp\n\tNOP cycle=x\n", NX_FORMAT,
		     "a.nasm:2:12: unknown name 'x'; define it with .set");
	expect_fault(" .foo", NX_FORMAT, "a.nasm:1:2: unknown directive .foo");
	expect_fault(".engine gpu", NX_FORMAT,
		     "a.nasm:1:12: unknown engine 'gpu'; use pe, act, pool, dve or sp");
	expect_fault(".arch x", NX_FORMAT,
		     "a.nasm:1:8: unknown device 'x'; use trn1, inf2, trn2 or trn3");
	expect_fault(".core 2", NX_FORMAT, "a.nasm:1:7: 2 is out of range; use 0 to 1");
	expect_fault(".repeat 2\n", NX_FORMAT, "a.nasm:1:1: its .end is missing");
	expect_fault(".end", NX_FORMAT, "a.nasm:1:1: .end without .repeat or .if");
	expect_fault(".repeat -1\n.end", NX_FORMAT,
		     "a.nasm:1:9: -1 is out of range; use 0 to 9223372036854775807");
	expect_fault(".set 1", NX_FORMAT, "a.nasm:1:6: write .set NAME = NUMBER");
	expect_fault(".set a = 1 2", NX_FORMAT, "a.nasm:1:12: expected the end of the line");
	expect_fault(".line 1", NX_FORMAT, "a.nasm:1:8: .line needs a file; write .file first");
	expect_fault(".name \"x", NX_FORMAT, "a.nasm:1:9: the closing '\"' is missing");
}

static void test_faults_of_variables(void **state)
{
	(void)state;
	expect_fault(".input a fp33 [1]", NX_FORMAT,
		     "a.nasm:1:10: expected an element type: fp32, bfloat16, fp16, int32, "
		     "...");
	expect_fault(".input a fp32 [0]", NX_FORMAT,
		     "a.nasm:1:16: 0 is out of range; use 1 to 9223372036854775807");
	expect_fault(".input a fp32 [1<<50]", NX_LIMIT,
		     "a.nasm:1:22: a tensor of this shape is too large for any memory");
	expect_fault(".input a fp32 [1]\n.input a fp32 [1]", NX_FORMAT,
		     "a.nasm:2:18: core 0 has a variable 'a' already");
	expect_fault(".constant a fp32 [2000] = 0", NX_LIMIT,
		     "a.nasm:1:24: the constants are larger than allowed; use a .npy file");
	expect_fault(".constant a fp32 [3] = 1, 2", NX_FORMAT,
		     "a.nasm:1:28: the values do not fill the shape evenly");
	expect_fault(".constant a fp32 [1] = 1, 2", NX_FORMAT,
		     "a.nasm:1:27: there are more values than elements");
	expect_fault(".constant a uint8 [1] = 256", NX_FORMAT,
		     "a.nasm:1:25: 256 is not a valid uint8");
	expect_fault(".constant a fp32 [2,3] = identity", NX_FORMAT,
		     "a.nasm:1:34: an identity has the shape [N,N]");
	expect_fault(".constant a file=\"x.npy\"", NX_UNSUPPORTED,
		     "a.nasm:1:25: files cannot be read here");
	expect_fault(".table t = z", NX_FORMAT, "a.nasm:1:13: unknown variable 'z'");
}

static void test_faults_of_transfers(void **state)
{
	(void)state;
	expect_fault(".queue q owner=sp", NX_FORMAT,
		     "a.nasm:1:18: a queue needs owner= and semaphores=[...]");
	expect_fault(".queue q owner=sp semaphores=[256]", NX_FORMAT,
		     "a.nasm:1:30: semaphores are 0 to 255");
	expect_fault(QUEUE QUEUE, NX_FORMAT, "a.nasm:2:9: core 0 has a queue 'q' already");
	expect_fault(QUEUE ".block q", NX_FORMAT,
		     "a.nasm:2:9: no engine is chosen; write .engine first");
	expect_fault(".engine sp\n.block p", NX_FORMAT,
		     "a.nasm:2:9: unknown queue 'p'; declare it with .queue");
	expect_fault(".engine sp\n.copy from=a", NX_FORMAT,
		     "a.nasm:2:6: a transfer belongs to a block; write .block first");
	expect_fault(QUEUE ".engine sp\n.dma q from=a to=SB+0[1][4]", NX_FORMAT,
		     "a.nasm:3:13: core 0 has no variable 'a'; it has SB");
	expect_fault(QUEUE ".engine sp\n.dma q from=fp32@SB+0[1][8] to=SB+0[1][4]", NX_FORMAT,
		     "a.nasm:3:42: from= has 8 bytes and to= 4");
	expect_fault(QUEUE ".engine sp\n.dma q from=SB+0[1][4] to=SB+0[1][4]", NX_FORMAT,
		     "a.nasm:3:37: the element type is missing: from=fp32@...");
	expect_fault(QUEUE ".engine sp\n.dma q from=fp32@SB+0[1,2][4] to=SB+0[1][4]", NX_FORMAT,
		     "a.nasm:3:30: 2 steps but 1 sizes; give the same number of both");
	expect_fault(QUEUE ".engine sp\n.dma q S[x]>=1 from=fp32@SB+0[1][4] to=SB+0[1][4]",
		     NX_FORMAT, "a.nasm:3:10: unknown name 'x'; define it with .set");
}

static void test_repetition_is_bounded(void **state)
{
	(void)state;
	expect_fault(".repeat 1<<40\n.end\n", NX_LIMIT,
		     "a.nasm:1: the repetitions make more lines than allowed");
	expect_fault(".engine sp\n.repeat 600\nNOP cycle=0\n.end\n", NX_LIMIT,
		     "a.nasm:2: the repetitions make more lines than allowed");
}

static void test_files(void **state)
{
	char folder[] = "/tmp/nx_assembler_XXXXXX", path[64];
	struct nx_npy array = {.dtype = "<f4", .dims = 1, .shape = {2}};
	struct nx_assembly_options how = options;
	float numbers[2] = {3, 4};
	struct nx_bytes file = {0};
	struct nx_output out;
	struct made m;

	(void)state;
	assert_non_null(mkdtemp(folder));
	array.payload = nx_slice_of(numbers, sizeof(numbers));
	nx_npy_write(&array, &file);
	snprintf(path, sizeof(path), "%s/x.npy", folder);
	assert_int_equal(nx_output_open(&out, path, NULL), NX_OK);
	nx_output_write(&out, file.items, file.len);
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	how.folder = folder;
	make(&m,
	     ".constant w file=\"x.npy\" as=\"w.npy\"\n.member \"extra/x\" file=\"x.npy\"\n"
	     ".engine sp\nNOP cycle=0\n",
	     &how);
	expect_payload(&m, "sg00/w.npy", numbers, sizeof(numbers));
	expect_payload(&m, "extra/x", numbers, sizeof(numbers));
	drop(&m);
	nx_vec_release(&file);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_program_reads_back),
		cmocka_unit_test(test_repetition_and_conditions),
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_two_cores),
		cmocka_unit_test(test_the_option_beats_the_text),
		cmocka_unit_test(test_same_text_same_bytes),
		cmocka_unit_test(test_faults_name_line_and_column),
		cmocka_unit_test(test_faults_of_variables),
		cmocka_unit_test(test_faults_of_transfers),
		cmocka_unit_test(test_repetition_is_bounded),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
