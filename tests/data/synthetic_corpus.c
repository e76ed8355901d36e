/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_corpus: small valid inputs from which fuzzing starts. */
#include <stdio.h>

#include "base/bare/bits.h"
#include "format/neff.h"
#include "tests/data/synthetic_debug.h"
#include "tests/data/synthetic_inside.h"

struct corpus {
	nx_synthetic_seed_fn fn;
	void *context;
	bool is_failed;
};

static void add(struct corpus *c, const char *target, const char *name, struct nx_bytes *bytes)
{
	if (!c->is_failed && !c->fn(c->context, target, name, bytes))
		c->is_failed = true;
	nx_vec_release(bytes);
}

static void append(struct nx_bytes *to, const struct nx_bytes *from)
{
	nx_bytes_append(to, from->items, from->len);
}

/* fuzz_profile takes both files in one: length of the NEFF, the NEFF, the NTFF. */
static void add_profile(struct corpus *c, const char *name, const struct nx_bytes *neff,
			const struct nx_bytes *ntff)
{
	struct nx_bytes both = {0};
	uint8_t length[4];

	nx_store32(length, (uint32_t)neff->len);
	nx_bytes_append(&both, length, sizeof(length));
	append(&both, neff);
	append(&both, ntff);
	add(c, "fuzz_profile", name, &both);
}

static void add_capture(struct corpus *c, const char *name, struct nx_synthetic_options options)
{
	struct nx_bytes neff = {0}, ntff = {0}, none = {0}, flagged = {0};
	char file[64];

	nx_synthetic_capture(&options, &neff, &ntff, NULL);
	snprintf(file, sizeof(file), "%s.seed", name);
	add_profile(c, file, &neff, &ntff);
	snprintf(file, sizeof(file), "%s_alone.seed", name);
	add_profile(c, file, &none, &ntff);
	snprintf(file, sizeof(file), "%s.ntff", name);
	add(c, "fuzz_ntff", file, &ntff);
	/* fuzz_neff makes the header itself when the first byte is odd */
	nx_bytes_append(&flagged, "\1", 1);
	nx_bytes_append(&flagged, neff.items + NX_NEFF_HEADER_BYTES,
			neff.len - NX_NEFF_HEADER_BYTES);
	snprintf(file, sizeof(file), "%s_archive.seed", name);
	add(c, "fuzz_neff", file, &flagged);
	if (options.package_version == 1) {
		nx_bytes_append(&flagged, neff.items + NX_NEFF_HEADER_BYTES,
				neff.len - NX_NEFF_HEADER_BYTES);
		snprintf(file, sizeof(file), "%s.tar", name);
		add(c, "fuzz_tar", file, &flagged);
		nx_bytes_append(&flagged, neff.items + NX_NEFF_HEADER_BYTES,
				neff.len - NX_NEFF_HEADER_BYTES);
		add(c, "fuzz_device_program", file, &flagged);
	}
	snprintf(file, sizeof(file), "%s.neff", name);
	append(&flagged, &neff);
	add(c, "fuzz_nrt", file, &flagged);
	add(c, "fuzz_neff", file, &neff);
}

static void add_debug_files(struct corpus *c, const struct nx_synthetic_program *program)
{
	struct nx_bytes bytes = {0};

	nx_synthetic_debug_asm(program, 1, NX_ENGINE_TENSOR, &bytes);
	add(c, "fuzz_debug_info", "asm.dbg", &bytes);
	nx_synthetic_debug_backend(program, 1, NX_ENGINE_VECTOR, &bytes);
	add(c, "fuzz_debug_info", "backend.dbg", &bytes);
	for (unsigned level = 0; level < NX_SYNTHETIC_LEVELS; level++) {
		nx_synthetic_debug_level(program, level, &bytes);
		add(c, "fuzz_debug_info", nx_synthetic_level_files[level], &bytes);
	}
}

/* Architecture, room for the text, then slots: one seed per opcode in use. */
static void add_slots(struct corpus *c, const struct nx_synthetic_program *program)
{
	bool seen[256] = {false};

	for (size_t i = 0; i < program->ops.len; i++) {
		const uint8_t *word = program->ops.items[i].word;
		struct nx_bytes bytes = {0};
		char file[64];

		if (seen[word[0]])
			continue;
		seen[word[0]] = true;
		nx_bytes_append(&bytes, "\6\200", 2);
		nx_bytes_append(&bytes, word, NX_SLOT_BYTES);
		snprintf(file, sizeof(file), "opcode_%02x.seed", word[0]);
		add(c, "fuzz_instruction", file, &bytes);
		nx_bytes_append(&bytes, "\033", 1); /* trn2, vector engine */
		nx_bytes_append(&bytes, word, NX_SLOT_BYTES);
		add(c, "fuzz_instruction_cost", file, &bytes);
	}
}

/* Programs for the software device: ten words each, which wait for nothing. */
static void add_device_words(struct corpus *c, const struct nx_synthetic_program *program)
{
	for (size_t i = 0; i + 10 <= program->ops.len && i < 200; i += 10) {
		struct nx_bytes bytes = {0};
		char file[64];

		nx_bytes_append(&bytes, "\0", 1);
		for (size_t k = i; k < i + 10; k++) {
			nx_bytes_append(&bytes, program->ops.items[k].word, NX_SLOT_BYTES);
			bytes.items[bytes.len - NX_SLOT_BYTES + 4] = 0;
		}
		snprintf(file, sizeof(file), "words_%zu.seed", i);
		add(c, "fuzz_device", file, &bytes);
	}
}

/* The first byte is the size of pieces. */
static void add_answers(struct corpus *c)
{
	static const char *const answers[] = {
		"\7a\tb\nNullable(Int64)\tString\n-5\tx\\ty\n\\N\t\n",
		"\2l\tt\nArray(Int64)\tArray(String)\n[1,-2]\t['a','it\\'s']\n[]\t[]\n",
		"\1f\tb\tu\nFloat64\tBool\tLowCardinality(UInt64)\n-1.5e3\ttrue\t7\n",
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct nx_bytes bytes = {0};
		char file[32];

		nx_bytes_append(&bytes, answers[i], strlen(answers[i]));
		snprintf(file, sizeof(file), "answer_%zu.tsv", i);
		add(c, "fuzz_clickhouse_rows", file, &bytes);
	}
}

static void add_texts(struct corpus *c)
{
	static const char *const texts[] = {
		"{\"graphs\":[{\"definition\":\"sg00/def.json\"}],\"version\":\"0.5\"}",
		"[0,-1,1.5e-3,18446744073709551615,true,false,null,\"\"]",
		"{\"a\":{\"b\":[[],{},[{\"c\":\"\\u00e9\\ud83d\\ude00\\n\\\"\\\\\"}]]}}",
		" \"text\" ",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct nx_bytes bytes = {0};
		char file[32];

		nx_bytes_append(&bytes, texts[i], strlen(texts[i]));
		snprintf(file, sizeof(file), "text_%zu.json", i);
		add(c, "fuzz_json", file, &bytes);
	}
}

static void add_models(struct corpus *c)
{
	static const char text[] = "{\"var\":{\"x\":{\"type\":\"input\",\"size\":96,\"var_id\":1},"
				   "\"../y\":{\"type\":\"output\",\"size\":8,\"var_id\":2}},"
				   "\"#rank_world_size\":2,\"replica_groups\":[[0,1]]}\n"
				   "{\"x\":{\"dtype\":\"bfloat16\",\"sim_shape\":[6,8]}}";
	struct nx_bytes bytes = {0};

	nx_bytes_append(&bytes, text, sizeof(text) - 1);
	add(c, "fuzz_capture_model", "two_tensors.json", &bytes);
}

static void add_record(struct corpus *c)
{
	static const char record[] =
		"{\"store_version\":1,\"schema_version\":\"7.4.0\",\"id\":\"i\",\"key\":\"n_0\","
		"\"begun_as\":\"bert\",\"kind\":\"device\",\"state\":\"failed\",\"reason\":\"cut\","
		"\"created_ms\":1763248440123,\"opened_ms\":0,\"size_bytes\":7,\"favourite\":true,"
		"\"label\":\"old\",\"sources\":[{\"path\":\"a\",\"size_bytes\":1,\"modified_ms\":2}"
		"],"
		"\"tables\":[{\"name\":\"Instruction\",\"row_count\":3}]}";
	struct nx_bytes bytes = {0};

	nx_bytes_append(&bytes, record, strlen(record));
	add(c, "fuzz_profile_record", "record.json", &bytes);
}

bool nx_synthetic_corpus(nx_synthetic_seed_fn fn, void *context)
{
	struct corpus c = {.fn = fn, .context = context};
	struct nx_synthetic_options options = nx_synthetic_tiny;
	struct nx_synthetic_program program = {0};

	for (options.version = 4; options.version <= 6; options.version++) {
		char name[16];

		options.arch = options.version < 6 ? 1 : 2;
		snprintf(name, sizeof(name), "v%u", options.version);
		add_capture(&c, name, options);
	}
	options = nx_synthetic_tiny;
	options.with_faults = true;
	add_capture(&c, "faults", options);
	options = nx_synthetic_tiny;
	options.graph_count = 2;
	options.sublayer_count = 1;
	options.package_version = 1;
	options.without_debug_info = true;
	add_capture(&c, "two_cores", options);
	options = nx_synthetic_tiny;
	options.sublayer_count = NX_SYNTHETIC_SUBLAYERS;
	nx_synthetic_compile(&options, 1, &program);
	add_debug_files(&c, &program);
	add_slots(&c, &program);
	add_device_words(&c, &program);
	add_texts(&c);
	add_models(&c);
	add_record(&c);
	add_answers(&c);
	nx_synthetic_program_release(&program);
	return !c.is_failed;
}
