/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_packets: divides a transfer among the 16 rings of its queue.
 *
 * As in captures of trn2 (docs/design/simulator.md): each ring gets a 16th of the
 * elements. A hardware DGE, or a cast, makes a packet of each element, a software DGE
 * packets of up to 4 KiB. Each ring ends with four bytes for the semaphore; a static
 * block has them in its last packet, and uses only ring 0 if it is small.
 */
#include <assert.h>

#include "base/bare/bits.h"
#include "format/instruction.h"
#include "runtime/timing/loaded_code_internal.h"

#define PACKET_BYTES 4096u
#define SEMAPHORE_BYTES 4u
#define SMALL_BYTES 512u /* one ring is enough for fewer; assumed */

/* --- shapes of transfers --------------------------------------------------------------- */

struct shape {
	uint64_t element_bytes, element_count;
	uint32_t run_bytes;
	bool is_from_hbm, is_to_hbm;
	bool is_packet_each; /* an element is never in a packet with others */
};

static bool is_hbm(const struct nx_core_program *core, uint32_t variable)
{
	enum nx_variable_kind kind;

	if (variable >= core->variable_count)
		return true;
	kind = core->variables[variable].kind;
	return kind != NX_VARIABLE_STATE_BUFFER && kind != NX_VARIABLE_REMOTE;
}

static uint64_t saturated(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* --- dividing --------------------------------------------------------------------- */

static void push(struct nx_packet_maker *maker, const struct shape *shape, uint64_t bytes)
{
	uint64_t run = shape->run_bytes && shape->run_bytes < bytes ? shape->run_bytes : bytes;

	assert(bytes > 0 && bytes <= PACKET_BYTES);
	nx_vec_push(&maker->list,
		    ((struct nx_loaded_packet){.bytes = (uint32_t)bytes,
					       .elements = (uint32_t)(run ? bytes / run : 0),
					       .run_bytes = (uint32_t)run,
					       .is_from_hbm = shape->is_from_hbm,
					       .is_to_hbm = shape->is_to_hbm}));
}

static void push_semaphore(struct nx_packet_maker *maker)
{
	nx_vec_push(&maker->list, ((struct nx_loaded_packet){.bytes = SEMAPHORE_BYTES,
							     .elements = 1,
							     .run_bytes = SEMAPHORE_BYTES,
							     .is_semaphore = true}));
}

static bool take_budget(struct nx_packet_maker *maker, uint64_t count)
{
	if (count > maker->packets_left)
		return false;
	maker->packets_left -= count;
	return true;
}

bool nx_packet_maker_count(struct nx_packet_maker *maker, const struct nx_loaded_block *block)
{
	return take_budget(maker, block->first[NX_LOADED_RINGS]);
}

/* The elements of one ring; false when there are too many. */
static bool push_share(struct nx_packet_maker *maker, const struct shape *shape, uint64_t elements)
{
	uint64_t unit = shape->is_packet_each ? shape->element_bytes
					      : saturated(shape->element_bytes, elements);
	uint64_t units = shape->is_packet_each ? elements : elements != 0;
	uint64_t packets = unit / PACKET_BYTES + (unit % PACKET_BYTES != 0);

	if (!take_budget(maker, saturated(units, packets)))
		return false;
	for (uint64_t i = 0; i < units; i++)
		for (uint64_t left = unit; left;) {
			uint64_t part = left < PACKET_BYTES ? left : PACKET_BYTES;

			push(maker, shape, part);
			left -= part;
		}
	return true;
}

static uint64_t share_of(uint64_t count, unsigned ring)
{
	return count / NX_LOADED_RINGS + (ring < count % NX_LOADED_RINGS);
}

static_assert(SMALL_BYTES <= PACKET_BYTES, "what fits one ring fits one packet");

static void finish(struct nx_packet_maker *maker, struct nx_loaded_block *out)
{
	struct nx_loaded_packet *packets =
		NX_NEW_ARRAY(maker->arena, struct nx_loaded_packet, maker->list.len);

	out->first[NX_LOADED_RINGS] = (uint32_t)maker->list.len;
	memcpy(packets, maker->list.items, maker->list.len * sizeof(*packets));
	out->packets = packets;
}

/* --- transfers that an instruction describes ------------------------------------------- */

struct direct_side {
	uint64_t element_bytes, count, run_bytes;
	bool is_hbm;
};

static struct direct_side read_side(const struct nx_core_program *core,
				    const struct nx_word_dma_side *from)
{
	uint16_t inner = from->inner_count, outer = from->outer_count;
	struct direct_side side = {.element_bytes = nx_dma_side_element_bytes(from),
				   .count = (uint64_t)inner * outer,
				   .is_hbm = true};
	uint32_t index;

	side.run_bytes = side.element_bytes;
	/* Elements that touch each other are one run. */
	if (from->inner_step == (int32_t)side.element_bytes || inner == 1) {
		side.run_bytes *= inner ? inner : 1;
		if (from->outer_step == (int64_t)side.run_bytes)
			side.run_bytes *= outer ? outer : 1;
	}
	if (from->kind == NX_PLACE_VARIABLE &&
	    nx_core_program_variable(core, nx_dma_side_index(from), &index))
		side.is_hbm = is_hbm(core, index);
	return side;
}

bool nx_packet_maker_dynamic(struct nx_packet_maker *maker, const struct nx_core_program *core,
			     enum nx_loaded_queue_kind kind, const uint8_t *word,
			     struct nx_loaded_block *out)
{
	const struct nx_dma_word *w = &nx_word_of(word)->dma;
	struct direct_side from = read_side(core, &w->source), to = read_side(core, &w->target);
	uint64_t run = from.run_bytes < to.run_bytes ? from.run_bytes : to.run_bytes;
	struct shape shape = {.element_bytes = to.element_bytes,
			      .element_count = to.count,
			      .run_bytes = run < UINT32_MAX ? (uint32_t)run : UINT32_MAX,
			      .is_from_hbm = from.is_hbm,
			      .is_to_hbm = to.is_hbm,
			      .is_packet_each = kind == NX_LOADED_HARDWARE_DGE ||
						w->source_dtype != w->target_dtype};

	out->id = NX_NO_INDEX;
	out->semaphore = w->semaphore;
	nx_vec_clear(&maker->list);
	for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++) {
		out->first[ring] = (uint32_t)maker->list.len;
		if (!take_budget(maker, 1) ||
		    !push_share(maker, &shape, share_of(shape.element_count, ring)))
			return false;
		push_semaphore(maker);
	}
	finish(maker, out);
	return true;
}

/* --- blocks -------------------------------------------------------------------------- */

static uint64_t runs_of(const struct nx_neff_side *side)
{
	uint64_t count = 1;

	for (unsigned i = 1; i < side->dims; i++)
		count = saturated(count, side->sizes[i]);
	return side->dims ? count : 0;
}

/* Both sides carry the same bytes unless they cast; the one with more runs decides. */
static struct shape static_shape(const struct nx_core_program *core,
				 const struct nx_neff_descriptor *d)
{
	const struct nx_neff_side *side = &d->to;
	struct shape shape = {.is_to_hbm = is_hbm(core, d->to.variable)};

	for (size_t i = 0; i < d->from_count; i++) {
		shape.is_from_hbm |= is_hbm(core, d->from[i].variable);
		if (runs_of(&d->from[i]) > runs_of(side))
			side = &d->from[i];
	}
	shape.element_count = runs_of(side);
	shape.element_bytes = side->dims ? side->sizes[0] : 0;
	shape.run_bytes =
		shape.element_bytes < UINT32_MAX ? (uint32_t)shape.element_bytes : UINT32_MAX;
	shape.is_packet_each = d->op == NX_DMA_CAST;
	return shape;
}

bool nx_packet_maker_static(struct nx_packet_maker *maker, const struct nx_core_program *core,
			    const struct nx_neff_block *from, struct nx_loaded_block *out)
{
	/* Newer devices write the semaphore with the last packet, older ones in its own. */
	bool is_apart = nx_device_generation(maker->arch) == NX_ARCH_V2;
	uint64_t bytes = 0;

	out->id = from->id;
	out->semaphore = from->semaphore;
	nx_vec_clear(&maker->list);
	for (size_t i = 0; i < from->descriptor_count; i++) {
		struct shape shape = static_shape(core, &from->descriptors[i]);
		uint64_t more = saturated(shape.element_bytes, shape.element_count);

		bytes = more > UINT64_MAX - bytes ? UINT64_MAX : bytes + more;
	}
	for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++) {
		out->first[ring] = (uint32_t)maker->list.len;
		if (!take_budget(maker, 1))
			return false;
		for (size_t i = 0; i < from->descriptor_count; i++) {
			struct shape shape = static_shape(core, &from->descriptors[i]);
			uint64_t share = share_of(shape.element_count, ring);

			if (bytes < SMALL_BYTES)
				share = ring == 0 ? shape.element_count : 0;
			if (!push_share(maker, &shape, share))
				return false;
		}
		if (is_apart || maker->list.len == out->first[ring])
			push_semaphore(maker);
		else
			maker->list.items[maker->list.len - 1].bytes += SEMAPHORE_BYTES;
	}
	finish(maker, out);
	return true;
}
