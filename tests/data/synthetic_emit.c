/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/synthetic_emit.h"

#include <stdio.h>

#include "base/bare/bits.h"
#include "format/debug_info.h"
#include "tests/data/synthetic_words.h"

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

/* --- operations ---------------------------------------------------------------- */

void nx_emit_layer(struct nx_compiler *c, const char *name, const char *hlo)
{
	struct nx_synthetic_layer layer = {.hlo_operation = hlo};

	snprintf(layer.name, sizeof(layer.name), "%s", name);
	layer.source_line = 40 + 7 * (uint32_t)(c->out->layers.len % 60);
	nx_vec_push(&c->out->layers, layer);
}

void nx_emit_statement(struct nx_compiler *c, const char *name)
{
	struct nx_synthetic_penguin penguin = {.layer = (uint32_t)c->out->layers.len - 1};

	c->penguin = (uint32_t)c->out->penguins.len;
	snprintf(penguin.name, sizeof(penguin.name), "%s_%u", name, c->penguin);
	penguin.kernel_line = 100 + 3 * (c->penguin % 50);
	nx_vec_push(&c->out->penguins, penguin);
}

static uint32_t new_bir(struct nx_compiler *c, enum nx_engine engine, unsigned type)
{
	struct nx_synthetic_bir bir = {.engine = (uint8_t)engine, .type = (uint8_t)type};

	snprintf(bir.name, sizeof(bir.name), "I-%zu", c->out->birs.len + 1);
	bir.penguin = c->penguin;
	nx_vec_push(&c->out->birs, bir);
	return (uint32_t)c->out->birs.len - 1;
}

static void add_edge(struct nx_compiler *c, uint32_t bir, const struct nx_mark *mark, unsigned type)
{
	struct nx_synthetic_bir *to = &c->out->birs.items[bir];

	if (mark->semaphore && to->predecessor_count < NX_SYNTHETIC_PREDECESSORS)
		to->predecessors[to->predecessor_count++] =
			(struct nx_synthetic_edge){mark->bir, (uint8_t)type};
}

struct nx_synthetic_op *nx_emit_raw(struct nx_compiler *c, enum nx_engine engine,
				    const uint8_t *word, uint32_t duration_ps, uint32_t bir)
{
	struct nx_synthetic_op op = {.engine = (uint8_t)engine, .is_throttled = c->is_throttled};

	memcpy(op.word, word, sizeof(op.word));
	op.duration_ps = duration_ps;
	op.bir = bir;
	nx_vec_push(&c->out->ops, op);
	return &c->out->ops.items[c->out->ops.len - 1];
}

static bool must_wait(const struct nx_mark *mark, enum nx_engine engine)
{
	return mark->semaphore && mark->engine != engine;
}

/* The first wait of two needs an instruction of its own; a word has room for one. */
struct nx_synthetic_op *nx_emit(struct nx_compiler *c, enum nx_engine engine, const uint8_t *word,
				uint32_t duration_ps, unsigned type, struct nx_needs needs)
{
	uint32_t bir = new_bir(c, engine, type);
	const struct nx_mark *last = &needs.data;
	struct nx_synthetic_op *op;

	add_edge(c, bir, &needs.data, NX_EDGE_FLOW_DEPENDENCE);
	add_edge(c, bir, &needs.place, NX_EDGE_ANTI_DEPENDENCE);
	if (must_wait(&needs.place, engine)) {
		if (must_wait(&needs.data, engine)) {
			uint8_t wait[NX_SLOT_BYTES];

			nx_word_event_semaphore(wait, needs.data.semaphore, needs.data.value);
			op = nx_emit_raw(c, engine, wait, 20000, bir);
			op->wait_semaphore = needs.data.semaphore;
			op->wait_value = needs.data.value;
		}
		last = &needs.place;
	}
	op = nx_emit_raw(c, engine, word, duration_ps, bir);
	if (must_wait(last, engine)) {
		op->wait_semaphore = last->semaphore;
		op->wait_value = last->value;
		nx_word_set_wait(op->word, last->semaphore, last->value);
	}
	return op;
}

struct nx_mark nx_emit_signal(struct nx_compiler *c, struct nx_synthetic_op *op)
{
	uint8_t semaphore = nx_synthetic_counters[op->engine];

	op->update_semaphore = semaphore;
	nx_word_set_update(op->word, semaphore);
	return (struct nx_mark){semaphore, ++c->semaphores[semaphore], op->bir, op->engine};
}

/* Each DMA engine counts the queue's semaphore up once when its share is done. */
static struct nx_mark signal_dma(struct nx_compiler *c, struct nx_synthetic_op *op,
				 enum nx_synthetic_queue queue, uint32_t packet_count)
{
	uint8_t semaphore = nx_synthetic_queues[queue].semaphore;

	op->queue = queue;
	op->dma_packets = packet_count;
	c->semaphores[semaphore] += c->options->dma_engine_count;
	return (struct nx_mark){semaphore, c->semaphores[semaphore], op->bir, NX_ENGINE_COUNT};
}

/* --- DMA ----------------------------------------------------------------------- */

struct nx_mark nx_emit_static_dma(struct nx_compiler *c, enum nx_synthetic_queue queue,
				  enum nx_engine engine, uint32_t packet_count,
				  const char *variable, struct nx_needs needs)
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
	return signal_dma(c, nx_emit(c, engine, word, 60000, type, needs), queue, packet_count);
}

struct nx_mark nx_emit_dynamic_dma(struct nx_compiler *c, enum nx_synthetic_queue queue,
				   uint32_t packet_count, uint32_t from, uint32_t to,
				   struct nx_mark data)
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
			  nx_emit(c, is_software ? NX_ENGINE_GPSIMD : NX_ENGINE_SYNC, word,
				  is_software ? 600000 : 62000, NX_INSTRUCTION_REGULAR,
				  (struct nx_needs){.data = data}),
			  queue, packet_count);
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
