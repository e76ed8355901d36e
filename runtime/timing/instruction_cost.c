/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction_cost: finds the row of cost_rows.h that matches a word, and applies it.
 *
 * Operands are read with format/instruction.h. An opcode without a published layout
 * costs as much as one with 64 elements, the minimum of every engine.
 */
#include <assert.h>
#include <stdlib.h>

#include "format/instruction.h"
#include "runtime/device/element.h"
#include "runtime/device/operand.h"
#include "runtime/timing/cost_rows.h"

#define ASSUMED_ELEMENTS 64u
#define NEAR_BYTES 16 /* apart: neighbours that a port of SBUF or PSUM still takes at full rate */
#define WIDE_BYTES 4u

struct shape {
	uint16_t traits;
	uint8_t lanes;
	bool is_known;
	uint64_t elements; /* of the longest operand, per partition */
	uint32_t places;   /* partitions at which the operands begin, hashed */
};

static unsigned arch_of(unsigned generation)
{
	return generation == NX_ON_V2 ? NX_ARCH_V2 : NX_ARCH_V3;
}

/* --- traits of a word ---------------------------------------------------------------- */

static bool is_strided(const struct nx_access *a)
{
	unsigned fastest = 0;

	while (fastest + 1 < a->dims && a->counts[fastest] <= 1)
		fastest++;
	return a->counts[fastest] > 1 &&
	       abs(a->steps[fastest]) * (int)nx_dtype_bytes(a->dtype) > NEAR_BYTES;
}

static unsigned access_traits(const struct nx_access *a)
{
	unsigned traits = 0;

	if (a->address >= NX_PSUM_BASE)
		traits |= a->is_write ? NX_TO_PSUM : NX_FROM_PSUM;
	if (is_strided(a))
		traits |= a->is_write ? NX_TO_STRIDED : NX_FROM_STRIDED;
	if (nx_dtype_bytes(a->dtype) >= WIDE_BYTES)
		traits |= a->is_write ? NX_TO_WIDE : NX_FROM_WIDE;
	return traits;
}

/* Traits from fields other than operands. */
static unsigned field_traits(const union nx_word *w)
{
	switch (w->header.opcode) {
	case NX_OP_ACTIVATE:
		return (w->activate.is_scale_pointer & 1 ? NX_POINTER : 0u) |
		       (w->activate.accumulate ? NX_ACCUMULATE : 0u);
	case NX_OP_TENSOR_SCALAR:
		return w->scalar.pointers & 3 ? NX_POINTER : 0u;
	case NX_OP_LDWEIGHTS:
		return w->array.transpose & 1 ? NX_TRANSPOSE : 0u;
	case NX_OP_MATMUL:
		return w->array.dtype == NX_DTYPE_FP32 &&
				       (w->array.fp32_mode & NX_FP32_MODE_MASK) == NX_FP32_LOW_HIGH
			       ? NX_WHOLE_FP32
			       : 0u;
	default:
		return 0;
	}
}

static struct shape shape_of(const uint8_t *word, unsigned generation)
{
	struct nx_instruction_effect effect;
	struct shape shape = {.lanes = UINT8_MAX};
	unsigned traits = field_traits(nx_word_of(word)), psum_sources = 0, sources = 0, bf16 = 0;

	nx_instruction_effect(word, arch_of(generation), &effect);
	for (unsigned i = 0; i < effect.access_count; i++) {
		const struct nx_access *a = &effect.accesses[i];
		uint64_t elements = nx_access_elements(a);

		traits |= access_traits(a);
		sources += !a->is_write;
		psum_sources += !a->is_write && a->address >= NX_PSUM_BASE;
		bf16 += a->dtype == NX_DTYPE_BF16;
		shape.lanes = a->partition_count;
		shape.places = shape.places * 131 + (a->address >> NX_PARTITION_SHIFT);
		shape.elements = elements > shape.elements ? elements : shape.elements;
	}
	shape.is_known = effect.access_count > 0;
	if (shape.is_known && bf16 == effect.access_count)
		traits |= NX_ALL_BF16;
	if (sources == 2 && psum_sources == 1)
		traits |= NX_FROM_MIXED;
	shape.traits = (uint16_t)traits;
	if (!shape.is_known)
		shape.elements = ASSUMED_ELEMENTS;
	if (shape.elements > NX_OPERAND_MAX_ELEMENTS)
		shape.elements = NX_OPERAND_MAX_ELEMENTS;
	return shape;
}

static bool is_control(uint8_t opcode)
{
	if (opcode == 0xbc) /* RANGE_SELECT */
		return false;
	return (opcode >= 0xa0 && opcode <= 0xdf) || opcode == 0xeb || opcode == 0xf1;
}

static bool is_weights(uint8_t opcode)
{
	return opcode == NX_OP_LDWEIGHTS || opcode == 0x09; /* LDWEIGHTS_MX */
}

static bool is_matmul(uint8_t opcode)
{
	return opcode == NX_OP_MATMUL || opcode == 0x07 || opcode == 0x0a; /* sparse, MX */
}

/* The opcode whose row a control word has: pseudo words have that of what replaces them. */
static uint8_t control_row_opcode(uint8_t opcode, bool *is_alike)
{
	*is_alike = false;
	switch (opcode) {
	case NX_OP_PSEUDO_DMA_TRIGGER:
		return NX_OP_WRITE;
	case NX_OP_PSEUDO_TENSOR_LOAD:
		return NX_OP_TENSOR_LOAD;
	case 0xcd: /* PSEUDO_TENSOR_STORE */
		return NX_OP_TENSOR_STORE;
	case NX_OP_PSEUDO_DMA_DIRECT2D:
		return NX_OP_DMA_DIRECT2D;
	case 0xbb: /* DMA_INDIRECT */
	case 0xbd: /* DMA_TRANSPOSE */
	case 0xf1: /* DMA_GATHER_TRANSPOSE */
		*is_alike = true;
		return NX_OP_DMA_DIRECT2D;
	default:
		return opcode;
	}
}

/* --- rows applied --------------------------------------------------------------------- */

static bool is_fit(uint8_t row_opcode, uint8_t opcode, unsigned generations, unsigned generation)
{
	return (row_opcode == 0 || row_opcode == opcode) && (generations & generation);
}

static bool has_traits(unsigned traits, unsigned has, unsigned lacks)
{
	return (traits & has) == has && (traits & lacks) == 0;
}

static uint64_t cycles_ps(unsigned generation, unsigned engine, double cycles)
{
	const struct nx_hardware *hardware = nx_hardware_of(arch_of(generation));
	double ghz = engine == NX_ENGINE_TENSOR	  ? hardware->tensor_clock_ghz
		     : engine == NX_ENGINE_VECTOR ? hardware->vector_clock_ghz
						  : hardware->engine_clock_ghz;

	return (uint64_t)(cycles * 1e6 / (ghz * 1e3) + 0.5);
}

static void control_cost(unsigned generation, unsigned engine, const uint8_t *word,
			 struct nx_cost *out)
{
	bool is_alike;
	uint8_t opcode = control_row_opcode(nx_word_opcode(word), &is_alike);
	const struct nx_control_row *row = nx_control_rows;
	struct nx_register_transfer transfer;
	unsigned traits = 0;

	if (nx_instruction_register_transfer(word, arch_of(generation), &transfer))
		traits = (transfer.is_on_chip ? NX_FROM_SBUF : 0u) |
			 (transfer.value_count > 1 ? NX_REGISTERS : 0u);
	while (!is_fit(row->opcode, opcode, row->generations, generation) ||
	       !has_traits(traits, row->has, 0))
		row++;
	out->kind = NX_COST_CONTROL;
	out->latency_ps = (uint64_t)row->latency_ps[engine];
	out->occupancy_ps = out->latency_ps;
	out->gap_ps = (uint64_t)row->gap_ps[engine];
	out->evidence = (uint8_t)row->source.evidence;
	if (is_alike || (row->assumed >> engine & 1))
		out->evidence = NX_ASSUMED;
}

static void array_cost(unsigned generation, const uint8_t *word, struct nx_cost *out)
{
	struct shape shape = shape_of(word, generation);
	const struct nx_array_row *row = nx_array_rows;
	uint8_t opcode = nx_word_opcode(word);

	while (!is_fit(row->opcode, opcode, row->generations, generation) ||
	       !has_traits(shape.traits, row->has, row->lacks))
		row++;
	out->kind = is_weights(opcode) ? NX_COST_WEIGHTS : NX_COST_MATMUL;
	out->is_rate_bound = row->column_ps == 0;
	if (out->is_rate_bound)
		out->latency_ps = cycles_ps(generation, NX_ENGINE_TENSOR,
					    (double)shape.elements * row->cycles);
	else
		out->latency_ps = shape.elements * (uint64_t)row->column_ps;
	out->occupancy_ps = out->latency_ps;
	out->evidence = shape.is_known ? (uint8_t)row->source.evidence : (uint8_t)NX_ASSUMED;
}

/* How much sooner an instruction on few partitions ends than one on all. */
static int64_t lanes_ps(unsigned generation, unsigned engine, uint8_t opcode,
			const struct shape *shape)
{
	if (generation != NX_ON_V3 || !shape->is_known || opcode == NX_OP_ACTIVATE ||
	    (engine != NX_ENGINE_SCALAR && engine != NX_ENGINE_VECTOR))
		return 0;
	for (size_t i = 0; i < nx_lanes_row_count; i++)
		if (shape->lanes <= nx_lanes_rows[i].most_lanes)
			return nx_lanes_rows[i].less_ps;
	return 0;
}

/* Instructions on all partitions share a route; of others, those of one opcode and place. */
static uint32_t route_of(unsigned generation, unsigned engine, uint8_t opcode,
			 const struct shape *shape)
{
	if (generation != NX_ON_V3 || engine != NX_ENGINE_SCALAR || !shape->is_known ||
	    shape->lanes >= NX_PARTITION_COUNT)
		return 0;
	return ((shape->places * 131 + shape->lanes) << 8 | opcode) | 1u << 31;
}

static void compute_cost(unsigned generation, unsigned engine, const uint8_t *word,
			 struct nx_cost *out)
{
	struct shape shape = shape_of(word, generation);
	const struct nx_compute_row *row = nx_compute_rows;
	uint8_t opcode = nx_word_opcode(word);
	uint64_t counted;
	int64_t latency_ps, occupancy_ps;

	while (!is_fit(row->opcode, opcode, row->generations, generation) ||
	       !(row->engines >> engine & 1) || !has_traits(shape.traits, row->has, row->lacks))
		row++;
	counted = shape.elements > row->free_elements ? shape.elements - row->free_elements : 0;
	latency_ps = row->base_ps - lanes_ps(generation, engine, opcode, &shape) +
		     (int64_t)cycles_ps(generation, engine, (double)counted * row->cycles);
	occupancy_ps = latency_ps - row->overlap_ps;
	out->kind = NX_COST_COMPUTE;
	out->latency_ps = (uint64_t)latency_ps;
	out->occupancy_ps = (uint64_t)(occupancy_ps > row->least_ps ? occupancy_ps : row->least_ps);
	out->route = route_of(generation, engine, opcode, &shape);
	out->refill_ps = nx_refill_row.refill_ps;
	out->evidence = (uint8_t)row->source.evidence;
	if (row->cycles > 0 && !shape.is_known)
		out->evidence = NX_ASSUMED;
	else if (row->free_elements > 0 && counted > 0 && out->evidence == NX_MEASURED)
		out->evidence = NX_PUBLISHED;
}

void nx_hardware_cost(const struct nx_hardware_timing *hardware, unsigned engine,
		      const uint8_t *word, struct nx_cost *out)
{
	uint8_t opcode = nx_word_opcode(word);
	bool is_v2 = nx_device_generation(hardware->arch) == NX_ARCH_V2;
	unsigned generation = is_v2 ? NX_ON_V2 : NX_ON_V3;

	assert(hardware && word && out);
	*out = (struct nx_cost){0};
	if (engine >= NX_ENGINE_COUNT)
		engine = NX_ENGINE_SYNC;
	if (is_control(opcode))
		control_cost(generation, engine, word, out);
	else if (is_weights(opcode) || is_matmul(opcode))
		array_cost(generation, word, out);
	else
		compute_cost(generation, engine, word, out);
	if (hardware->arch == NX_DEVICE_TRN3)
		out->evidence = NX_ASSUMED;
}
