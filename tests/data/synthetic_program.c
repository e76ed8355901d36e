/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synthetic_program: compiles a transformer of toy size into engine streams.
 *
 * Operations are appended in an order in which everything an operation waits
 * for comes before it, so that one walk over the list can run the program.
 */
#include <stdio.h>

#include "format/debug_info.h"
#include "tests/data/synthetic_emit.h"
#include "tests/data/synthetic_words.h"

#define COLUMNS 512 /* moved through the array by one matmul */
#define PSUM_BANK_BYTES 2048
#define SBUF_ACTIVATIONS 0x4000
#define SBUF_RESULTS 0x20000

enum part { NORM, PROJECTION, SLOW_PROJECTION, SCORES, SOFTMAX, CONTEXT, GATE };

static const struct {
	const char *name;
	const char *hlo;
	enum part part;
} parts[NX_SYNTHETIC_SUBLAYERS] = {
	{"input_layernorm", "custom-call", NORM},
	{"attention/q_proj", "dot", PROJECTION},
	{"attention/k_proj", "dot", PROJECTION},
	{"attention/v_proj", "dot", PROJECTION},
	{"attention/scores", "dot", SCORES},
	{"attention/softmax", "custom-call", SOFTMAX},
	{"attention/context", "dot", CONTEXT},
	{"attention/o_proj", "dot", PROJECTION},
	{"post_attention_layernorm", "custom-call", NORM},
	{"mlp/gate_proj", "dot", PROJECTION},
	{"mlp/up_proj", "dot", PROJECTION},
	{"mlp/act", "multiply", GATE},
	{"mlp/down_proj", "dot", SLOW_PROJECTION},
};

/* --- helpers ---------------------------------------------------------------- */

static struct nx_place place(uint32_t address, enum nx_word_dtype dtype, uint16_t count)
{
	return (struct nx_place){address, dtype, count};
}

static struct nx_mark load_weights(struct nx_compiler *c, const char *layer, uint32_t packet_count,
				   struct nx_mark place_free)
{
	char name[48];
	size_t n = (size_t)snprintf(name, sizeof(name), "%s", layer);

	for (size_t i = 0; i < n && i < sizeof(name); i++)
		if (name[i] == '/' || name[i] == '.')
			name[i] = '_';
	nx_emit_statement(c, "load_weights");
	return nx_emit_static_dma(c, NX_SYNTHETIC_WEIGHTS, NX_ENGINE_SYNC, packet_count, name,
				  (struct nx_needs){.place = place_free});
}

/* --- parts of a layer ------------------------------------------------------- */

static struct nx_mark evict(struct nx_compiler *c, uint32_t bank, uint32_t target,
			    struct nx_mark matmul)
{
	struct nx_place psum = place(NX_PSUM_BASE + bank * PSUM_BANK_BYTES, NX_WORD_FP32, COLUMNS);
	struct nx_place sbuf = place(target, NX_WORD_BF16, COLUMNS);
	/* both engines that can read PSUM take their share */
	bool on_vector = c->tile & 1;
	uint8_t word[NX_SLOT_BYTES];

	if (on_vector)
		nx_word_copy(word, NX_OP_COPY, psum, sbuf);
	else
		nx_word_activate(word, NX_FUNCTION_COPY, psum, sbuf);
	return nx_emit_signal(c, nx_emit(c, on_vector ? NX_ENGINE_VECTOR : NX_ENGINE_SCALAR, word,
					 on_vector ? 586000 : 640000, NX_INSTRUCTION_REGULAR,
					 (struct nx_needs){.data = matmul}));
}

/* Two matmuls accumulate into a bank of PSUM, then another engine moves it away. */
static struct nx_mark tile(struct nx_compiler *c, struct nx_mark stationary, struct nx_mark moving,
			   bool is_transpose)
{
	uint32_t bank = c->tile % NX_SYNTHETIC_PSUM_BANKS;
	uint32_t target = SBUF_RESULTS + c->tile % 16 * COLUMNS * 2;
	unsigned type = is_transpose ? NX_INSTRUCTION_TRANSPOSE : NX_INSTRUCTION_REGULAR;
	uint8_t word[NX_SLOT_BYTES];

	for (unsigned pass = 0; pass < 2; pass++) {
		struct nx_place weights =
			place(NX_SYNTHETIC_SBUF_WEIGHTS + (c->tile * 2 + pass) % 32 * 256,
			      NX_WORD_BF16, 128);
		struct nx_place data =
			place(SBUF_ACTIVATIONS + c->tile % 8 * COLUMNS * 2, NX_WORD_BF16, COLUMNS);
		struct nx_needs needs = {.data = moving};

		nx_word_load_weights(word, weights, is_transpose);
		nx_emit_signal(c, nx_emit(c, NX_ENGINE_TENSOR, word, 96000, type,
					  (struct nx_needs){.data = stationary}));
		nx_word_matmul(word, data, NX_PSUM_BASE + bank * PSUM_BANK_BYTES, pass ? 2 : 1,
			       is_transpose);
		if (!pass)
			needs.place = c->bank_free[bank];
		c->last_matmul =
			nx_emit_signal(c, nx_emit(c, NX_ENGINE_TENSOR, word, 214000, type, needs));
		c->out->mac_count += is_transpose ? 0 : (uint64_t)128 * 128 * COLUMNS;
	}
	c->bank_free[bank] = evict(c, bank, target, c->last_matmul);
	c->tile++;
	return c->bank_free[bank];
}

static void projection(struct nx_compiler *c, const char *name, const char *next, bool is_slow)
{
	struct nx_mark weights = c->weights, done = {0};

	if (!weights.semaphore || is_slow)
		weights = load_weights(c, name, c->options->packet_count * (is_slow ? 2 : 1),
				       (struct nx_mark){0});
	c->weights = (struct nx_mark){0};
	/* the next one's weights travel while this one computes */
	if (next)
		c->weights = load_weights(c, next, c->options->packet_count, c->last_matmul);
	nx_emit_statement(c, "matmul");
	for (unsigned i = 0; i < c->options->tile_count; i++)
		done = tile(c, weights, c->input, false);
	c->input = done;
}

static struct nx_mark elementwise(struct nx_compiler *c, enum nx_engine engine, const uint8_t *word,
				  uint32_t duration_ps, struct nx_mark data)
{
	return nx_emit_signal(c, nx_emit(c, engine, word, duration_ps, NX_INSTRUCTION_REGULAR,
					 (struct nx_needs){.data = data}));
}

static struct nx_mark vector(struct nx_compiler *c, const uint8_t *word, uint32_t duration_ps,
			     struct nx_mark data)
{
	return elementwise(c, NX_ENGINE_VECTOR, word, duration_ps, data);
}

/* GpSimd can do what Vector does, only slower. */
static struct nx_mark shared(struct nx_compiler *c, unsigned turn, const uint8_t *word,
			     uint32_t duration_ps, struct nx_mark data)
{
	if (turn & 1)
		return elementwise(c, NX_ENGINE_GPSIMD, word, 2 * duration_ps, data);
	return vector(c, word, duration_ps, data);
}

static struct nx_mark scalar(struct nx_compiler *c, enum nx_word_function function, uint32_t from,
			     uint32_t to, uint32_t duration_ps, struct nx_mark data)
{
	uint8_t word[NX_SLOT_BYTES];

	nx_word_activate(word, function, place(from, NX_WORD_BF16, COLUMNS),
			 place(to, NX_WORD_BF16, COLUMNS));
	return nx_emit_signal(c, nx_emit(c, NX_ENGINE_SCALAR, word, duration_ps,
					 NX_INSTRUCTION_REGULAR, (struct nx_needs){.data = data}));
}

static void norm(struct nx_compiler *c)
{
	struct nx_place data = place(SBUF_ACTIVATIONS, NX_WORD_BF16, COLUMNS);
	struct nx_place sum = place(SBUF_RESULTS + 0x8000, NX_WORD_FP32, 1);
	uint8_t word[NX_SLOT_BYTES];
	struct nx_mark at = c->input;

	nx_emit_statement(c, "rmsnorm");
	nx_word_pair(word, NX_ALU_MULTIPLY, data, data, place(SBUF_RESULTS, NX_WORD_BF16, COLUMNS));
	at = vector(c, word, 620000, at);
	nx_word_reduce(word, NX_ALU_ADD, place(SBUF_RESULTS, NX_WORD_BF16, COLUMNS), sum);
	at = vector(c, word, 678000, at);
	nx_word_copy(word, NX_OP_RECIPROCAL, sum, sum);
	at = vector(c, word, 178000, at);
	at = scalar(c, NX_FUNCTION_COPY, SBUF_ACTIVATIONS, SBUF_ACTIVATIONS, 690000, at);
	c->input = at;
}

static void softmax(struct nx_compiler *c)
{
	struct nx_place data = place(SBUF_RESULTS, NX_WORD_BF16, COLUMNS);
	struct nx_place row = place(SBUF_RESULTS + 0x8000, NX_WORD_FP32, 1);
	uint8_t word[NX_SLOT_BYTES];
	struct nx_mark at = c->input;

	nx_emit_statement(c, "softmax");
	for (unsigned i = 0; i < (c->options->tile_count + 1) / 2; i++) {
		nx_word_reduce(word, NX_ALU_MAX, data, row);
		word[35] = 1; /* negated */
		at = vector(c, word, 678000, at);
		at = scalar(c, NX_FUNCTION_EXP, SBUF_RESULTS, SBUF_RESULTS, 690000, at);
		nx_word_copy(word, NX_OP_RECIPROCAL, row, row);
		at = vector(c, word, 178000, at);
		nx_word_scalar(word, NX_ALU_MULTIPLY, data, data);
		at = shared(c, i, word, 348000, at);
	}
	c->input = at;
}

static void gate(struct nx_compiler *c)
{
	struct nx_place data = place(SBUF_RESULTS, NX_WORD_BF16, COLUMNS);
	uint8_t word[NX_SLOT_BYTES];
	struct nx_mark at = c->input;

	nx_emit_statement(c, "silu");
	for (unsigned i = 0; i < c->options->tile_count; i++) {
		at = scalar(c, NX_FUNCTION_EXP, SBUF_RESULTS, SBUF_RESULTS + 0x4000, 690000, at);
		nx_word_pair(word, NX_ALU_MULTIPLY, data,
			     place(SBUF_RESULTS + 0x4000, NX_WORD_BF16, COLUMNS), data);
		at = shared(c, i, word, 620000, at);
	}
	c->input = at;
}

static void attend(struct nx_compiler *c, bool is_scores)
{
	struct nx_mark data = c->input;

	if (is_scores) {
		nx_emit_statement(c, "spill_save");
		c->spilled = nx_emit_static_dma(c, NX_SYNTHETIC_SPILL_SAVE, NX_ENGINE_SCALAR,
						c->options->packet_count, "spill0",
						(struct nx_needs){.data = data});
		nx_emit_statement(c, "transpose");
		data = tile(c, data, data, true);
	} else {
		nx_emit_statement(c, "spill_reload");
		data = nx_emit_static_dma(c, NX_SYNTHETIC_SPILL_RELOAD, NX_ENGINE_SCALAR,
					  c->options->packet_count, "spill0",
					  (struct nx_needs){.data = c->spilled});
	}
	nx_emit_statement(c, is_scores ? "scores" : "context");
	for (unsigned i = 0; i < c->options->tile_count; i++)
		c->input = tile(c, data, data, false);
}

static void layer_part(struct nx_compiler *c, unsigned layer, unsigned part, const char *next)
{
	char name[64];

	snprintf(name, sizeof(name), "Llama/layers.%u/%s", layer, parts[part].name);
	nx_emit_layer(c, name, parts[part].hlo);
	switch (parts[part].part) {
	case NORM:
		norm(c);
		break;
	case PROJECTION:
	case SLOW_PROJECTION:
		projection(c, name, next, parts[part].part == SLOW_PROJECTION);
		break;
	case SOFTMAX:
		softmax(c);
		break;
	case GATE:
		gate(c);
		break;
	case SCORES:
	case CONTEXT:
		attend(c, parts[part].part == SCORES);
		break;
	}
}

static const char *next_projection(const struct nx_compiler *c, unsigned layer, unsigned part,
				   char *name, size_t cap)
{
	if (part + 1 >= c->options->sublayer_count || parts[part + 1].part != PROJECTION)
		return NULL;
	snprintf(name, cap, "Llama/layers.%u/%s", layer, parts[part + 1].name);
	return name;
}

/* --- the whole -------------------------------------------------------------- */

static void begin(struct nx_compiler *c)
{
	uint8_t word[NX_SLOT_BYTES];

	nx_emit_layer(c, "Llama/embed_tokens", "gather");
	nx_emit_statement(c, "gather");
	nx_word_range_clear(word, 3, 40);
	nx_emit_raw(c, NX_ENGINE_SYNC, word, 285000, NX_SYNTHETIC_NOTHING);
	nx_word_plain(word, NX_OP_ACT_TABLE_LOAD);
	nx_emit_raw(c, NX_ENGINE_SCALAR, word, 1283000, NX_SYNTHETIC_NOTHING);
	c->input =
		nx_emit_dynamic_dma(c, NX_SYNTHETIC_SOFTWARE_DYNAMIC,
				    (c->options->packet_count + 1) / 2, 1, 0, (struct nx_mark){0});
}

static void end(struct nx_compiler *c)
{
	nx_emit_layer(c, "Llama/lm_head", "dot");
	nx_emit_statement(c, "store");
	nx_emit_dynamic_dma(c, NX_SYNTHETIC_HARDWARE_DYNAMIC, (c->options->packet_count + 1) / 2, 0,
			    2, c->input);
}

void nx_synthetic_compile(const struct nx_synthetic_options *options, unsigned graph,
			  struct nx_synthetic_program *out)
{
	struct nx_compiler c = {.options = options, .out = out, .graph = graph};
	char name[64];

	begin(&c);
	for (unsigned layer = 0; layer < options->layer_count; layer++) {
		/* the power limit bites in the middle of the model */
		c.is_throttled = options->layer_count > 2 && layer == options->layer_count / 2;
		for (unsigned part = 0; part < options->sublayer_count; part++)
			layer_part(&c, layer, part,
				   next_projection(&c, layer, part, name, sizeof(name)));
	}
	c.is_throttled = false;
	end(&c);
}

void nx_synthetic_program_release(struct nx_synthetic_program *program)
{
	nx_vec_release(&program->ops);
	nx_vec_release(&program->birs);
	nx_vec_release(&program->penguins);
	nx_vec_release(&program->layers);
	nx_vec_release(&program->blocks);
}
