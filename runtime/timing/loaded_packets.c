/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_packets: divides a transfer among the 16 rings of its queue.
 *
 * As in captures of trn1 and trn2 (docs/design/simulator.md): each ring gets a 16th of
 * the elements. A hardware DGE, or a cast, makes a packet of each element, a software
 * DGE packets of up to 4 KiB. A static block never cuts an element; it puts as many into
 * a packet as fit 4 KiB, or four that touch in HBM. If either side is a single run, all
 * is on ring 0. Each ring ends with four bytes for the semaphore, in the last packet of a
 * static block on newer devices.
 */
#include <assert.h>

#include "base/bare/bits.h"
#include "format/instruction.h"
#include "runtime/timing/loaded_code_internal.h"

#define PACKET_BYTES 4096u
#define SEMAPHORE_BYTES 4u
#define TOUCHING_RUNS 4u	/* neighbours in HBM that share a packet of any size */
#define PACKET_RUNS 64u		/* at most */
#define DESCRIPTOR_BYTES 65536u /* longer elements are cut; assumed, none was seen */

/* --- shapes of transfers --------------------------------------------------------------- */

struct shape {
	uint64_t element_bytes, element_count;
	uint32_t run_bytes;
	bool is_from_hbm, is_to_hbm;
	bool is_packet_each; /* an element is never in a packet with others */
	/* Static blocks: whole elements in a packet, and after how many a new one begins. */
	uint64_t packet_elements, group_elements;
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

	assert(bytes > 0 && bytes <= (uint64_t)PACKET_RUNS * DESCRIPTOR_BYTES);
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

static bool is_touching(const struct nx_neff_side *side)
{
	return side->dims > 1 && side->sizes[1] > 1 && side->steps[1] > 0 &&
	       (uint64_t)side->steps[1] == side->sizes[0];
}

/* Four outer rows of HBM begin a new packet, if a row has several runs. */
static uint64_t group_of(const struct nx_neff_side *side)
{
	if (side->dims != 3 || side->sizes[1] < 2)
		return UINT64_MAX;
	return saturated(TOUCHING_RUNS, side->sizes[1]);
}

/* NULL if neither side is in HBM. */
static const struct nx_neff_side *hbm_side(const struct nx_core_program *core,
					   const struct nx_neff_descriptor *d)
{
	for (size_t i = 0; i < d->from_count; i++)
		if (is_hbm(core, d->from[i].variable))
			return &d->from[i];
	return is_hbm(core, d->to.variable) ? &d->to : NULL;
}

static void set_grouping(struct shape *shape, const struct nx_neff_side *hbm)
{
	uint64_t bytes = shape->element_bytes ? shape->element_bytes : 1;
	uint64_t fitting = bytes < PACKET_BYTES ? PACKET_BYTES / bytes : 1;

	if (hbm && is_touching(hbm) && fitting < TOUCHING_RUNS)
		fitting = TOUCHING_RUNS;
	shape->packet_elements = fitting < PACKET_RUNS ? fitting : PACKET_RUNS;
	shape->group_elements = UINT64_MAX;
	if (hbm && runs_of(hbm) == shape->element_count)
		shape->group_elements = group_of(hbm);
	if (shape->is_packet_each)
		shape->packet_elements = 1;
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
	set_grouping(&shape, hbm_side(core, d));
	return shape;
}

/* One run on either side is not divided, however many the other has. */
static bool is_single(const struct nx_neff_descriptor *d)
{
	bool is_one = runs_of(&d->to) == 1;

	for (size_t i = 0; i < d->from_count; i++)
		is_one |= runs_of(&d->from[i]) == 1;
	return is_one;
}

/* Longer elements than a descriptor can name. */
static bool push_cut(struct nx_packet_maker *maker, const struct shape *shape, uint64_t elements)
{
	for (; elements; elements--)
		for (uint64_t left = shape->element_bytes, part; left; left -= part) {
			part = left < DESCRIPTOR_BYTES ? left : DESCRIPTOR_BYTES;
			if (!take_budget(maker, 1))
				return false;
			push(maker, shape, part);
		}
	return true;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The elements of one ring; false when there are too many. */
static bool push_whole(struct nx_packet_maker *maker, const struct shape *shape, uint64_t elements)
{
	uint64_t left_in_group = shape->group_elements;

	if (shape->element_bytes == 0)
		return true;
	if (shape->element_bytes > DESCRIPTOR_BYTES)
		return push_cut(maker, shape, elements);
	while (elements) {
		uint64_t count = smaller(smaller(shape->packet_elements, elements), left_in_group);

		if (!take_budget(maker, 1))
			return false;
		push(maker, shape, count * shape->element_bytes);
		elements -= count;
		left_in_group -= count;
		if (left_in_group == 0)
			left_in_group = shape->group_elements;
	}
	return true;
}

bool nx_packet_maker_static(struct nx_packet_maker *maker, const struct nx_core_program *core,
			    const struct nx_neff_block *from, struct nx_loaded_block *out)
{
	/* Newer devices write the semaphore with the last packet, but not behind a cast. */
	bool is_apart = nx_device_generation(maker->arch) == NX_ARCH_V2;

	out->id = from->id;
	out->semaphore = from->semaphore;
	nx_vec_clear(&maker->list);
	for (size_t i = 0; i < from->descriptor_count; i++)
		is_apart |= from->descriptors[i].op == NX_DMA_CAST;
	for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++) {
		out->first[ring] = (uint32_t)maker->list.len;
		if (!take_budget(maker, 1))
			return false;
		for (size_t i = 0; i < from->descriptor_count; i++) {
			struct shape shape = static_shape(core, &from->descriptors[i]);
			uint64_t share = share_of(shape.element_count, ring);

			if (is_single(&from->descriptors[i]))
				share = ring == 0 ? shape.element_count : 0;
			if (!push_whole(maker, &shape, share))
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
