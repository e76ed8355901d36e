/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synthetic_program: compiles a transformer of toy size into engine streams.
 *
 * Operations are appended in an order in which everything an operation waits
 * for comes before it, so that one walk over the list can run the program.
 */
#include <stdio.h>

#include "base/bare/bits.h"
#include "format/debug_info.h"
#include "tests/data/synthetic_inside.h"
#include "tests/data/synthetic_words.h"

#define COLUMNS 512 /* moved through the array by one matmul */
#define PSUM_BANKS 8
#define PSUM_BANK_BYTES 2048
#define SBUF_ACTIVATIONS 0x4000
#define SBUF_WEIGHTS 0x10000
#define SBUF_RESULTS 0x20000
#define V2_SBUF UINT64_C(0xfffc0000000)
#define V3_SBUF UINT64_C(0x802000000000)
#define HBM UINT64_C(0x100000000000)
#define DOORBELL UINT64_C(0x80100252f000)

const struct nx_synthetic_queue_facts nx_synthetic_queues[NX_SYNTHETIC_QUEUE_COUNT] = {
	[NX_SYNTHETIC_WEIGHTS] = {"qSPWeights0", "sp", "data", 2, 2, 8, true},
	[NX_SYNTHETIC_SPILL_SAVE] = {"qActSpillSave0", "act", "data", 3, 0, 9, true},
	[NX_SYNTHETIC_SPILL_RELOAD] = {"qActSpillReload0", "act", "data", 4, 0, 10, true},
	[NX_SYNTHETIC_HARDWARE_DYNAMIC] = {"qSPDynamicHW", "sp", "dynamic", 1, 2, 16, false},
	[NX_SYNTHETIC_SOFTWARE_DYNAMIC] = {"qPoolDynamic", "pool", "dynamic", 0, 2, 24, false},
};

const uint8_t nx_synthetic_counters[NX_ENGINE_COUNT] = {
	[NX_ENGINE_TENSOR] = 5, [NX_ENGINE_SCALAR] = 4, [NX_ENGINE_GPSIMD] = 3,
	[NX_ENGINE_VECTOR] = 6, [NX_ENGINE_SYNC] = 7,
};

/* Something finished that others can wait for. */
struct mark {
	uint8_t semaphore; /* 0: nothing to wait for */
	uint32_t value;
	uint32_t bir;
	uint8_t engine;
};

struct compiler {
	const struct nx_synthetic_options *options;
	struct nx_synthetic_program *out;
	unsigned graph;
	bool is_throttled;
	uint32_t penguin;
	uint32_t semaphores[NX_SEMAPHORE_COUNT]; /* values when all so far has finished */
	uint32_t block_counts[NX_SYNTHETIC_QUEUE_COUNT];
	uint32_t tile;
	struct mark bank_free[PSUM_BANKS];
	struct mark input;   /* what the next part reads */
	struct mark weights; /* prefetched for the next projection */
	struct mark spilled;
	struct mark last_matmul;
};

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

/* --- emitting --------------------------------------------------------------- */

static void set_layer(struct compiler *c, const char *name, const char *hlo)
{
	struct nx_synthetic_layer layer = {.hlo_operation = hlo};

	snprintf(layer.name, sizeof(layer.name), "%s", name);
	layer.source_line = 40 + 7 * (uint32_t)(c->out->layers.len % 60);
	nx_vec_push(&c->out->layers, layer);
}

/* One statement of the kernel: backend instructions made from it share it. */
static void set_statement(struct compiler *c, const char *name)
{
	struct nx_synthetic_penguin penguin = {.layer = (uint32_t)c->out->layers.len - 1};

	c->penguin = (uint32_t)c->out->penguins.len;
	snprintf(penguin.name, sizeof(penguin.name), "%s_%u", name, c->penguin);
	penguin.kernel_line = 100 + 3 * (c->penguin % 50);
	nx_vec_push(&c->out->penguins, penguin);
}

static uint32_t new_bir(struct compiler *c, enum nx_engine engine, unsigned type)
{
	struct nx_synthetic_bir bir = {.engine = (uint8_t)engine, .type = (uint8_t)type};

	snprintf(bir.name, sizeof(bir.name), "I-%zu", c->out->birs.len + 1);
	bir.penguin = c->penguin;
	nx_vec_push(&c->out->birs, bir);
	return (uint32_t)c->out->birs.len - 1;
}

static void add_edge(struct compiler *c, uint32_t bir, const struct mark *mark, unsigned type)
{
	struct nx_synthetic_bir *to = &c->out->birs.items[bir];

	if (mark->semaphore && to->predecessor_count < NX_SYNTHETIC_PREDECESSORS)
		to->predecessors[to->predecessor_count++] =
			(struct nx_synthetic_edge){mark->bir, (uint8_t)type};
}

static struct nx_synthetic_op *append(struct compiler *c, enum nx_engine engine,
				      const uint8_t *word, uint32_t duration_ps, uint32_t bir)
{
	struct nx_synthetic_op op = {.engine = (uint8_t)engine, .is_throttled = c->is_throttled};

	memcpy(op.word, word, sizeof(op.word));
	op.duration_ps = duration_ps;
	op.bir = bir;
	nx_vec_push(&c->out->ops, op);
	return &c->out->ops.items[c->out->ops.len - 1];
}

static bool must_wait(const struct mark *mark, enum nx_engine engine)
{
	return mark->semaphore && mark->engine != engine;
}

struct needs { /* up to two things to wait for: data, then a place to put the result */
	struct mark data, place;
};

/* The first wait of two needs an instruction of its own; a word has room for one. */
static struct nx_synthetic_op *emit(struct compiler *c, enum nx_engine engine, const uint8_t *word,
				    uint32_t duration_ps, unsigned type, struct needs needs)
{
	uint32_t bir = new_bir(c, engine, type);
	const struct mark *last = &needs.data;
	struct nx_synthetic_op *op;

	add_edge(c, bir, &needs.data, NX_EDGE_FLOW_DEPENDENCE);
	add_edge(c, bir, &needs.place, NX_EDGE_ANTI_DEPENDENCE);
	if (must_wait(&needs.place, engine)) {
		if (must_wait(&needs.data, engine)) {
			uint8_t wait[NX_SLOT_BYTES];

			nx_word_event_semaphore(wait, needs.data.semaphore, needs.data.value);
			op = append(c, engine, wait, 20000, bir);
			op->wait_semaphore = needs.data.semaphore;
			op->wait_value = needs.data.value;
		}
		last = &needs.place;
	}
	op = append(c, engine, word, duration_ps, bir);
	if (must_wait(last, engine)) {
		op->wait_semaphore = last->semaphore;
		op->wait_value = last->value;
		nx_word_set_wait(op->word, last->semaphore, last->value);
	}
	return op;
}

static struct mark signal_end(struct compiler *c, struct nx_synthetic_op *op)
{
	uint8_t semaphore = nx_synthetic_counters[op->engine];

	op->update_semaphore = semaphore;
	nx_word_set_update(op->word, semaphore);
	return (struct mark){semaphore, ++c->semaphores[semaphore], op->bir, op->engine};
}

/* Each DMA engine counts the queue's semaphore up once when its share is done. */
static struct mark signal_dma(struct compiler *c, struct nx_synthetic_op *op,
			      enum nx_synthetic_queue queue, uint32_t packet_count)
{
	uint8_t semaphore = nx_synthetic_queues[queue].semaphore;

	op->queue = queue;
	op->dma_packets = packet_count;
	c->semaphores[semaphore] += c->options->dma_engine_count;
	return (struct mark){semaphore, c->semaphores[semaphore], op->bir, NX_ENGINE_COUNT};
}

static struct nx_place place(uint32_t address, enum nx_word_dtype dtype, uint16_t count)
{
	return (struct nx_place){address, dtype, count};
}

/* --- DMA -------------------------------------------------------------------- */

static struct mark trigger(struct compiler *c, enum nx_synthetic_queue queue, enum nx_engine engine,
			   uint32_t packet_count, const char *variable, struct needs needs)
{
	struct nx_synthetic_block block = {.queue = queue, .engine = (uint8_t)engine};
	unsigned type =
		queue == NX_SYNTHETIC_WEIGHTS ? NX_INSTRUCTION_REGULAR : NX_INSTRUCTION_SPILL;
	uint8_t word[NX_SLOT_BYTES];

	block.id = c->block_counts[queue]++;
	block.packet_count = packet_count;
	snprintf(block.variable, sizeof(block.variable), "%s", variable);
	nx_vec_push(&c->out->blocks, block);
	nx_word_dma_trigger(word, nx_synthetic_queues[queue].name, block.id);
	return signal_dma(c, emit(c, engine, word, 60000, type, needs), queue, packet_count);
}

static struct mark dynamic_dma(struct compiler *c, enum nx_synthetic_queue queue,
			       uint32_t packet_count, uint32_t from, uint32_t to, struct mark data)
{
	bool is_software = queue == NX_SYNTHETIC_SOFTWARE_DYNAMIC;
	struct nx_word_dma dma = {
		.semaphore = nx_synthetic_queues[queue].semaphore,
		.from_variable = from,
		.to_variable = to,
		.element_bytes = NX_SYNTHETIC_PACKET_BYTES,
	};
	uint8_t word[NX_SLOT_BYTES];

	dma.element_count = (uint16_t)(packet_count * c->options->dma_engine_count);
	nx_word_dma(word, &dma);
	return signal_dma(c,
			  emit(c, is_software ? NX_ENGINE_GPSIMD : NX_ENGINE_SYNC, word,
			       is_software ? 600000 : 62000, NX_INSTRUCTION_REGULAR,
			       (struct needs){.data = data}),
			  queue, packet_count);
}

static struct mark load_weights(struct compiler *c, const char *layer, uint32_t packet_count,
				struct mark place_free)
{
	char name[48];
	size_t n = (size_t)snprintf(name, sizeof(name), "%s", layer);

	for (size_t i = 0; i < n && i < sizeof(name); i++)
		if (name[i] == '/' || name[i] == '.')
			name[i] = '_';
	set_statement(c, "load_weights");
	return trigger(c, NX_SYNTHETIC_WEIGHTS, NX_ENGINE_SYNC, packet_count, name,
		       (struct needs){.place = place_free});
}

/* --- parts of a layer ------------------------------------------------------- */

static struct mark evict(struct compiler *c, uint32_t bank, uint32_t target, struct mark matmul)
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
	return signal_end(c, emit(c, on_vector ? NX_ENGINE_VECTOR : NX_ENGINE_SCALAR, word,
				  on_vector ? 586000 : 640000, NX_INSTRUCTION_REGULAR,
				  (struct needs){.data = matmul}));
}

/* Two matmuls accumulate into a bank of PSUM, then another engine moves it away. */
static struct mark tile(struct compiler *c, struct mark stationary, struct mark moving,
			bool is_transpose)
{
	uint32_t bank = c->tile % PSUM_BANKS;
	uint32_t target = SBUF_RESULTS + c->tile % 16 * COLUMNS * 2;
	unsigned type = is_transpose ? NX_INSTRUCTION_TRANSPOSE : NX_INSTRUCTION_REGULAR;
	uint8_t word[NX_SLOT_BYTES];

	for (unsigned pass = 0; pass < 2; pass++) {
		struct nx_place weights =
			place(SBUF_WEIGHTS + (c->tile * 2 + pass) % 32 * 256, NX_WORD_BF16, 128);
		struct nx_place data =
			place(SBUF_ACTIVATIONS + c->tile % 8 * COLUMNS * 2, NX_WORD_BF16, COLUMNS);
		struct needs needs = {.data = moving};

		nx_word_load_weights(word, weights, is_transpose);
		signal_end(c, emit(c, NX_ENGINE_TENSOR, word, 96000, type,
				   (struct needs){.data = stationary}));
		nx_word_matmul(word, data, NX_PSUM_BASE + bank * PSUM_BANK_BYTES, pass ? 2 : 1,
			       is_transpose);
		if (!pass)
			needs.place = c->bank_free[bank];
		c->last_matmul =
			signal_end(c, emit(c, NX_ENGINE_TENSOR, word, 214000, type, needs));
		c->out->mac_count += is_transpose ? 0 : (uint64_t)128 * 128 * COLUMNS;
	}
	c->bank_free[bank] = evict(c, bank, target, c->last_matmul);
	c->tile++;
	return c->bank_free[bank];
}

static void projection(struct compiler *c, const char *name, const char *next, bool is_slow)
{
	struct mark weights = c->weights, done = {0};

	if (!weights.semaphore || is_slow)
		weights = load_weights(c, name, c->options->packet_count * (is_slow ? 2 : 1),
				       (struct mark){0});
	c->weights = (struct mark){0};
	/* the next one's weights travel while this one computes */
	if (next)
		c->weights = load_weights(c, next, c->options->packet_count, c->last_matmul);
	set_statement(c, "matmul");
	for (unsigned i = 0; i < c->options->tile_count; i++)
		done = tile(c, weights, c->input, false);
	c->input = done;
}

static struct mark elementwise(struct compiler *c, enum nx_engine engine, const uint8_t *word,
			       uint32_t duration_ps, struct mark data)
{
	return signal_end(c, emit(c, engine, word, duration_ps, NX_INSTRUCTION_REGULAR,
				  (struct needs){.data = data}));
}

static struct mark vector(struct compiler *c, const uint8_t *word, uint32_t duration_ps,
			  struct mark data)
{
	return elementwise(c, NX_ENGINE_VECTOR, word, duration_ps, data);
}

/* GpSimd can do what Vector does, only slower. */
static struct mark shared(struct compiler *c, unsigned turn, const uint8_t *word,
			  uint32_t duration_ps, struct mark data)
{
	if (turn & 1)
		return elementwise(c, NX_ENGINE_GPSIMD, word, 2 * duration_ps, data);
	return vector(c, word, duration_ps, data);
}

static struct mark scalar(struct compiler *c, enum nx_word_function function, uint32_t from,
			  uint32_t to, uint32_t duration_ps, struct mark data)
{
	uint8_t word[NX_SLOT_BYTES];

	nx_word_activate(word, function, place(from, NX_WORD_BF16, COLUMNS),
			 place(to, NX_WORD_BF16, COLUMNS));
	return signal_end(c, emit(c, NX_ENGINE_SCALAR, word, duration_ps, NX_INSTRUCTION_REGULAR,
				  (struct needs){.data = data}));
}

static void norm(struct compiler *c)
{
	struct nx_place data = place(SBUF_ACTIVATIONS, NX_WORD_BF16, COLUMNS);
	struct nx_place sum = place(SBUF_RESULTS + 0x8000, NX_WORD_FP32, 1);
	uint8_t word[NX_SLOT_BYTES];
	struct mark at = c->input;

	set_statement(c, "rmsnorm");
	nx_word_pair(word, NX_ALU_MULTIPLY, data, data, place(SBUF_RESULTS, NX_WORD_BF16, COLUMNS));
	at = vector(c, word, 620000, at);
	nx_word_reduce(word, NX_ALU_ADD, place(SBUF_RESULTS, NX_WORD_BF16, COLUMNS), sum);
	at = vector(c, word, 678000, at);
	nx_word_copy(word, NX_OP_RECIPROCAL, sum, sum);
	at = vector(c, word, 178000, at);
	at = scalar(c, NX_FUNCTION_COPY, SBUF_ACTIVATIONS, SBUF_ACTIVATIONS, 690000, at);
	c->input = at;
}

static void softmax(struct compiler *c)
{
	struct nx_place data = place(SBUF_RESULTS, NX_WORD_BF16, COLUMNS);
	struct nx_place row = place(SBUF_RESULTS + 0x8000, NX_WORD_FP32, 1);
	uint8_t word[NX_SLOT_BYTES];
	struct mark at = c->input;

	set_statement(c, "softmax");
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

static void gate(struct compiler *c)
{
	struct nx_place data = place(SBUF_RESULTS, NX_WORD_BF16, COLUMNS);
	uint8_t word[NX_SLOT_BYTES];
	struct mark at = c->input;

	set_statement(c, "silu");
	for (unsigned i = 0; i < c->options->tile_count; i++) {
		at = scalar(c, NX_FUNCTION_EXP, SBUF_RESULTS, SBUF_RESULTS + 0x4000, 690000, at);
		nx_word_pair(word, NX_ALU_MULTIPLY, data,
			     place(SBUF_RESULTS + 0x4000, NX_WORD_BF16, COLUMNS), data);
		at = shared(c, i, word, 620000, at);
	}
	c->input = at;
}

static void attend(struct compiler *c, bool is_scores)
{
	struct mark data = c->input;

	if (is_scores) {
		set_statement(c, "spill_save");
		c->spilled =
			trigger(c, NX_SYNTHETIC_SPILL_SAVE, NX_ENGINE_SCALAR,
				c->options->packet_count, "spill0", (struct needs){.data = data});
		set_statement(c, "transpose");
		data = tile(c, data, data, true);
	} else {
		set_statement(c, "spill_reload");
		data = trigger(c, NX_SYNTHETIC_SPILL_RELOAD, NX_ENGINE_SCALAR,
			       c->options->packet_count, "spill0",
			       (struct needs){.data = c->spilled});
	}
	set_statement(c, is_scores ? "scores" : "context");
	for (unsigned i = 0; i < c->options->tile_count; i++)
		c->input = tile(c, data, data, false);
}

static void layer_part(struct compiler *c, unsigned layer, unsigned part, const char *next)
{
	char name[64];

	snprintf(name, sizeof(name), "Llama/layers.%u/%s", layer, parts[part].name);
	set_layer(c, name, parts[part].hlo);
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

static const char *next_projection(const struct compiler *c, unsigned layer, unsigned part,
				   char *name, size_t cap)
{
	if (part + 1 >= c->options->sublayer_count || parts[part + 1].part != PROJECTION)
		return NULL;
	snprintf(name, cap, "Llama/layers.%u/%s", layer, parts[part + 1].name);
	return name;
}

/* --- the whole -------------------------------------------------------------- */

static void begin(struct compiler *c)
{
	uint8_t word[NX_SLOT_BYTES];

	set_layer(c, "Llama/embed_tokens", "gather");
	set_statement(c, "gather");
	nx_word_range_clear(word, 3, 40);
	append(c, NX_ENGINE_SYNC, word, 285000, NX_SYNTHETIC_NOTHING);
	nx_word_plain(word, NX_OP_ACT_TABLE_LOAD);
	append(c, NX_ENGINE_SCALAR, word, 1283000, NX_SYNTHETIC_NOTHING);
	c->input = dynamic_dma(c, NX_SYNTHETIC_SOFTWARE_DYNAMIC, (c->options->packet_count + 1) / 2,
			       1, 0, (struct mark){0});
}

static void end(struct compiler *c)
{
	set_layer(c, "Llama/lm_head", "dot");
	set_statement(c, "store");
	dynamic_dma(c, NX_SYNTHETIC_HARDWARE_DYNAMIC, (c->options->packet_count + 1) / 2, 0, 2,
		    c->input);
}

void nx_synthetic_compile(const struct nx_synthetic_options *options, unsigned graph,
			  struct nx_synthetic_program *out)
{
	struct compiler c = {.options = options, .out = out, .graph = graph};
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

/* --- the runtime's view ------------------------------------------------------ */

static uint64_t device_address(uint64_t compiled, unsigned arch)
{
	uint32_t variable = (uint32_t)(compiled >> 32) & 0xfffffff;
	uint32_t offset = (uint32_t)compiled;

	if (variable == 0)
		return (arch == 1 ? V2_SBUF : V3_SBUF) + offset;
	return HBM + ((uint64_t)variable << 30) + offset;
}

void nx_synthetic_device_word(const struct nx_synthetic_op *op, unsigned arch,
			      uint8_t word[NX_SLOT_BYTES])
{
	if (op->word[0] == NX_OP_PSEUDO_DMA_TRIGGER) {
		nx_word_write(word, DOORBELL + 0x1000u * op->queue, op->dma_packets);
		memcpy(word + 4, op->word + 4, 8); /* its wait stays */
		return;
	}
	memcpy(word, op->word, NX_SLOT_BYTES);
	if (word[0] != NX_OP_PSEUDO_DMA_DIRECT2D)
		return;
	word[0] = NX_OP_DMA_DIRECT2D;
	nx_store64(word + 16, device_address(nx_load64(op->word + 16), arch));
	nx_store64(word + 40, device_address(nx_load64(op->word + 40), arch));
}
