/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/decode/neff/neff_fixture.h"

#include <stdlib.h>

#include "format/npy.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LIST(array)                                                                                \
	{                                                                                          \
		(array), COUNT(array)                                                              \
	}
#define TEXT(literal)                                                                              \
	{                                                                                          \
		(const uint8_t *)(literal), sizeof(literal) - 1                                    \
	}

static const char info_json[] = "{\"tool_version\":\"2.23.6484.0+3b612583\",\"name\":\"m\"}";

static const char kelf_json[] = "{\"graphs\":[{\"definition\":\"sg00/def.json\",\"name\":\"sg00\"},"
				"{\"definition\":\"sg01/def.json\",\"name\":\"sg01\"}],"
				"\"version\":\"0.5\",\"target\":\"cayman\"}";

static const char neff_json[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"in_a\"},"
				"{\"op\":\"null\",\"name\":\"in_b\"},"
				"{\"op\":\"tvm_op\",\"name\":\"sg_coreV10\",\"attrs\":"
				"{\"func_name\":\"__kelf\",\"kelf\":\"kelf-0.json\"}}]}";

static const char def_json[] =
	"{\"var\":{"
	"\"table\":{\"type\":\"dge-table\",\"var_id\":6,\"list\":[2,1]},"
	"\"SB\":{\"type\":\"state-buffer\",\"var_id\":0},"
	"\"in_b\":{\"type\":\"input\",\"var_id\":1,\"size\":262144},"
	"\"in_a\":{\"type\":\"input\",\"var_id\":2,\"size\":32},"
	"\"out\":{\"type\":\"output\",\"var_id\":3,\"size\":4096},"
	"\"eye\":{\"type\":\"file\",\"var_id\":4,\"size\":24,"
	"\"file_name\":\"value_eye_CRSM.npy\"},"
	"\"spill\":{\"type\":\"virtual\",\"var_id\":5,\"size\":64,"
	"\"backing_variable_off\":4096}},"
	"\"dma_queue\":{"
	"\"qSPIO0\":{\"owner\":\"sp\",\"type\":\"in\",\"num_queues\":2,"
	"\"semaphore_set\":[24,25]},"
	"\"qPoolDynamic\":{\"owner\":\"pool\",\"type\":\"dynamic\",\"semaphore\":8}},"
	"\"runtime_semaphore_count\":4,"
	"\"sp\":\"SP.json\",\"sp_instr\":\"SP.bin\",\"sp_dbg\":[\"backend_SP.dbg\"],"
	"\"sp_asm_dbg\":[\"asm_SP.dbg\"],"
	"\"pe\":\"PE.json\",\"pe_dbg\":[\"backend_PE.dbg\"],\"pe_asm_dbg\":\"asm_PE.dbg\","
	"\"dma_dbg\":[\"backend_DMA.dbg\"]}";

static const char def_json_of_second[] =
	"{\"var\":{\"SB\":{\"type\":\"state-buffer\",\"var_id\":0},"
	"\"in_a\":{\"type\":\"input\",\"var_id\":1,\"size\":32},"
	"\"extra\":{\"type\":\"output\",\"var_id\":2,\"size\":8}},\"dma_queue\":{}}";

static const char tensor_map_json[] =
	"{\"in_a\":{\"dtype\":\"float32\",\"tf_format\":\"NC\",\"tf_shape\":[1,8]},"
	"\"in_b\":{\"dtype\":\"bfloat16\",\"tf_format\":\"NHC\",\"tf_shape\":[128,2,512]},"
	"\"out\":{\"dtype\":\"float32\",\"sim_format\":\"N\",\"sim_shape\":[1024]},"
	"\"anything\":{\"dtype\":\"float16\",\"tf_file\":\"value_eye_CRSM.npy\","
	"\"tf_format\":\"X\",\"tf_shape\":[9]}}";

static const char sp_json[] =
	"{\"dma\":[{\"#comment\":\"inst.1-block-1\",\"id\":0,\"queue\":\"qSPIO0\","
	"\"semaphore\":24,\"desc\":["
	"{\"from\":\"in_a\",\"from_off\":4,\"from_sizes\":[32,128],\"from_steps\":[1,-64],"
	"\"from_dtype\":\"float32\",\"to\":\"SB\",\"to_off\":262144,\"to_sizes\":[4096],"
	"\"to_steps\":[1],\"to_dtype\":\"bfloat16\",\"op\":\"cast\"},"
	"{\"from\":\"in_b\",\"to\":\"nowhere\",\"transpose_op\":\"2d\"}]},"
	"{\"id\":1,\"queue\":\"qSPIO0\",\"semaphore\":25,\"desc\":["
	"{\"from_arr\":[{\"from\":\"in_a\",\"from_off\":8,\"from_sizes\":[16],"
	"\"from_steps\":[1]},{\"from\":\"in_b\"},\"spill\"],\"to\":\"out\",\"op\":\"add\"}]}],"
	"\"instr\":\"SP.bin\",\"name\":\"sp\"}";

static const char pe_json[] = "{\"dma\":[],\"instr\":\"PE.bin\",\"name\":\"pe\"}";

void nx_neff_fixture_add(struct nx_neff_fixture *f, const char *name, struct nx_slice bytes)
{
	struct nx_neff_member member = {
		nx_slice_text(name),
		nx_slice_of(nx_arena_copy(&f->arena, bytes), bytes.len),
	};

	nx_vec_push(&f->members, member);
}

void nx_neff_fixture_add_text(struct nx_neff_fixture *f, const char *name, const char *text)
{
	nx_neff_fixture_add(f, name, nx_slice_text(text));
}

void nx_neff_fixture_add_debug(struct nx_neff_fixture *f, const char *name,
			       const struct nx_debug_info *info)
{
	struct nx_bytes bytes = {0};

	nx_wire_encode(&nx_debug_info_message, info, &bytes);
	nx_neff_fixture_add(f, name, nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
}

void nx_neff_fixture_drop(struct nx_neff_fixture *f, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->members.len; i++)
		if (!nx_slice_is(f->members.items[i].name, name))
			f->members.items[kept++] = f->members.items[i];
	f->members.len = kept;
}

/* SP: slot 0 comes from nothing, 1 and 3 from BIR 101, 2 from 102. */
static void add_sync_engine(struct nx_neff_fixture *f)
{
	uint64_t first[] = {101}, second[] = {102}, penguin[] = {8}, unknown[] = {9};
	uint64_t dataflow[] = {201, 102}, scheduling[] = {300}, types[] = {4, 3};
	struct nx_debug_attribute place[] = {
		{TEXT("kernel_file"), TEXT("1")},
		{TEXT("kernel_line"), TEXT("87")},
		{TEXT("kernel_name"), TEXT("0")},
	};
	struct nx_debug_attribute wrong[] = {
		{TEXT("kernel_file"), TEXT("2")},
		{TEXT("kernel_line"), TEXT("x")},
		{TEXT("kernel_name"), TEXT("-1")},
	};
	struct nx_slice files[] = {TEXT("a.py"), TEXT("b.py")}, functions[] = {TEXT("kernel")};
	struct nx_debug_record slots[] = {
		{0},
		{.parent_ids = LIST(first)},
		{.parent_ids = LIST(second)},
		{.parent_ids = LIST(first)},
	};
	struct nx_debug_record birs[] = {
		{.id = 101,
		 .name = TEXT("inst.1-trig"),
		 .parent_ids = LIST(penguin),
		 .dataflow_predecessors = LIST(dataflow),
		 .dataflow_types = LIST(types),
		 .scheduling_predecessors = LIST(scheduling),
		 .instruction_type = NX_INSTRUCTION_SPILL,
		 .attributes = LIST(place)},
		{.id = 102,
		 .name = TEXT("inst.2"),
		 .parent_ids = LIST(unknown),
		 .attributes = LIST(wrong)},
	};

	nx_neff_fixture_add_debug(f, "sg00/asm_SP.dbg",
				  &(struct nx_debug_info){.records = LIST(slots)});
	nx_neff_fixture_add_debug(
		f, "sg00/backend_SP.dbg",
		&(struct nx_debug_info){.records = LIST(birs),
					.parent_file_name = TEXT("debug_info_penguin.dbg"),
					.kernel_file_names = LIST(files),
					.kernel_function_names = LIST(functions)});
}

/* PE uses BIR 101 too: ids count per engine. And one block of the DMA. */
static void add_other_engines(struct nx_neff_fixture *f)
{
	uint64_t first[] = {101};
	struct nx_debug_record slot[] = {{.parent_ids = LIST(first)}};
	struct nx_debug_record bir[] = {{.id = 101, .name = TEXT("matmul"), .instruction_type = 3}};
	struct nx_debug_record block[] = {{.id = 300, .name = TEXT("inst.1-block-1")}};

	nx_neff_fixture_add_debug(f, "sg00/asm_PE.dbg",
				  &(struct nx_debug_info){.records = LIST(slot)});
	nx_neff_fixture_add_debug(f, "sg00/backend_PE.dbg",
				  &(struct nx_debug_info){.records = LIST(bir)});
	nx_neff_fixture_add_debug(f, "sg00/backend_DMA.dbg",
				  &(struct nx_debug_info){.records = LIST(block)});
}

static void add_penguin(struct nx_neff_fixture *f)
{
	uint64_t dot[] = {28}, absent[] = {99};
	struct nx_debug_attribute place[] = {
		{TEXT("kernel_file"), TEXT("0")},
		{TEXT("kernel_line"), TEXT("44")},
	};
	struct nx_slice files[] = {TEXT("registry.py")};
	struct nx_debug_record records[] = {
		{.id = 8, .name = TEXT("%out"), .parent_ids = LIST(dot)},
		{.id = 10,
		 .name = TEXT("%lost"),
		 .parent_ids = LIST(absent),
		 .attributes = LIST(place)},
		{.id = 11, .name = TEXT("%own")},
		{.id = 8, .name = TEXT("second of its id")},
	};

	nx_neff_fixture_add_debug(f, "debug_info/debug_info_penguin.dbg_sg000000",
				  &(struct nx_debug_info){.records = LIST(records),
							  .parent_file_name =
								  TEXT("debug_info_hlo.dbg"),
							  .kernel_file_names = LIST(files)});
}

static void add_hlo(struct nx_neff_fixture *f)
{
	uint64_t parents[] = {3, 4};
	struct nx_debug_attribute attributes[] = {
		{TEXT("source_line"), TEXT("421")},
		{TEXT("op_type"), TEXT("aten__\"dot\"")},
		{TEXT("source_file"), TEXT("model.py")},
	};
	struct nx_debug_record records[] = {
		{.id = 28,
		 .name = TEXT("%dot.3 = dot(%p0, %p1)"),
		 .parent_ids = LIST(parents),
		 .attributes = LIST(attributes),
		 .stack_frame_id = 2},
	};
	struct nx_debug_record layers[] = {{.id = 3}, {.id = 4, .name = TEXT("Net/Linear[1]")}};

	nx_neff_fixture_add_debug(f, "debug_info/debug_info_hlo.dbg_sg000000",
				  &(struct nx_debug_info){.records = LIST(records),
							  .parent_file_name =
								  TEXT("debug_info_pttf.dbg")});
	nx_neff_fixture_add_debug(f, "debug_info/debug_info_pttf.dbg_sg000000",
				  &(struct nx_debug_info){.records = LIST(layers)});
}

static void add_weight(struct nx_neff_fixture *f)
{
	struct nx_npy array = {.dtype = "<f4", .dims = 2, .shape = {2, 3}};
	struct nx_bytes bytes = {0};

	array.payload = nx_slice_text("012345678901234567890123");
	nx_npy_write(&array, &bytes);
	nx_neff_fixture_add(f, "sg00/value_eye_CRSM.npy", nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
}

void nx_neff_fixture_add_model(struct nx_neff_fixture *f)
{
	static const uint8_t code[4 * 64] = {0xb1};

	nx_neff_fixture_add_text(f, "info.json", info_json);
	nx_neff_fixture_add_text(f, "kelf-0.json", kelf_json);
	nx_neff_fixture_add_text(f, "neff.json", neff_json);
	nx_neff_fixture_add_text(f, "sg00/def.json", def_json);
	nx_neff_fixture_add_text(f, "sg00/tensor_map.json", tensor_map_json);
	nx_neff_fixture_add_text(f, "sg00/SP.json", sp_json);
	nx_neff_fixture_add(f, "sg00/SP.bin", nx_slice_of(code, sizeof(code)));
	nx_neff_fixture_add_text(f, "sg00/PE.json", pe_json);
	nx_neff_fixture_add(f, "sg00/PE.bin", nx_slice_of(code, 64));
	add_weight(f);
	add_sync_engine(f);
	add_other_engines(f);
	add_penguin(f);
	add_hlo(f);
	nx_neff_fixture_add_text(f, "sg01/def.json", def_json_of_second);
	nx_neff_fixture_add_text(f, "sg01/tensor_map.json", "{}");
}

int nx_neff_fixture_setup(void **state)
{
	struct nx_neff_fixture *f = calloc(1, sizeof(*f));

	f->header = (struct nx_neff_header){
		.package_version = 2,
		.major_version = 2,
		.core_count = 1,
		.uuid = {0x63, 0x0e, 0x77, [15] = 0x32},
		.name = "model.neff",
		.requested_core_count = 1,
		.feature_bits = 0xc00,
		.logical_core_size = 2,
	};
	nx_neff_fixture_add_model(f);
	*state = f;
	return 0;
}

int nx_neff_fixture_teardown(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_vec_release(&f->members);
	nx_vec_release(&f->file);
	nx_arena_release(&f->arena);
	free(f);
	return 0;
}

enum nx_status nx_neff_fixture_decode(struct nx_neff_fixture *f)
{
	struct nx_slice file;
	enum nx_status st;

	nx_vec_clear(&f->file);
	nx_neff_write(&f->header, f->members.items, f->members.len, &f->file);
	file = nx_slice_of(f->file.items, f->file.len);
	st = nx_neff_read(file, &f->arena, &f->neff, &f->err);
	if (st)
		return st;
	return nx_neff_decode(&f->neff, &f->options, &f->arena, &f->binary, &f->err);
}

const char *nx_neff_fixture_missing(const struct nx_neff_fixture *f, const char *member)
{
	for (size_t i = 0; i < f->binary.missing_count; i++)
		if (strcmp(f->binary.missing[i].name, member) == 0)
			return f->binary.missing[i].value;
	return NULL;
}
