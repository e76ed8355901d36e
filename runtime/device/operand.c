/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/operand.h"

#include <assert.h>

#include "base/bare/bits.h"
#include "runtime/device/element.h"

/* Joins a dimension to the one before if it continues it, as long runs are faster. */
static void add_dimension(struct nx_device_operand *o, uint32_t count, int32_t step)
{
	o->elements *= count;
	if (count == 1)
		return;
	if (o->dims) {
		unsigned last = o->dims - 1;
		uint64_t joined = (uint64_t)o->counts[last] * count;

		if ((int64_t)o->steps[last] * o->counts[last] == step && joined <= UINT32_MAX) {
			o->counts[last] = (uint32_t)joined;
			return;
		}
	}
	o->counts[o->dims] = count;
	o->steps[o->dims++] = step;
}

static void measure(struct nx_device_operand *o)
{
	o->most = o->size_bytes;
	for (unsigned i = 0; i < o->dims; i++) {
		int64_t reach = ((int64_t)o->counts[i] - 1) * o->steps[i];

		if (reach < 0)
			o->least += reach;
		else
			o->most += reach;
	}
}

struct nx_device_operand nx_operand_of(const struct nx_access *access)
{
	struct nx_device_operand o = {.address = access->address,
				      .lanes = access->partition_count,
				      .dtype = access->dtype,
				      .size_bytes = nx_dtype_bytes(access->dtype),
				      .elements = 1};

	for (unsigned i = 0; i < access->dims; i++)
		add_dimension(&o, access->counts[i], access->steps[i] * (int32_t)o.size_bytes);
	measure(&o);
	return o;
}

struct nx_device_operand nx_operand_column(uint32_t address, unsigned dtype, uint8_t lanes)
{
	return nx_operand_of(
		&(struct nx_access){.address = address, .dtype = dtype, .partition_count = lanes});
}

struct nx_device_operand nx_operand_reversed(const struct nx_device_operand *operand)
{
	struct nx_device_operand o = *operand;

	o.least = 0;
	for (unsigned i = 0; i < o.dims; i++) {
		o.address += (uint32_t)((int64_t)(o.counts[i] - 1) * o.steps[i]);
		o.steps[i] = -o.steps[i];
	}
	measure(&o);
	return o;
}

const char *nx_operand_check(const struct nx_device_operand *o, uint32_t sbuf_partition_bytes)
{
	uint32_t partition = o->address >> NX_PARTITION_SHIFT & (NX_PARTITION_COUNT - 1);
	int64_t offset = o->address & (NX_PARTITION_STRIDE - 1);
	uint32_t limit =
		o->address >= NX_PSUM_BASE ? NX_PSUM_PARTITION_BYTES : sbuf_partition_bytes;

	if (o->size_bytes == 0)
		return "has an element type that does not exist";
	if (o->address >= NX_ON_CHIP_BYTES)
		return "lies outside of SBUF and PSUM";
	if (o->lanes == 0 || o->elements == 0)
		return "is empty";
	if (partition + o->lanes > NX_PARTITION_COUNT)
		return "has more lanes than there are partitions";
	if (o->elements > NX_OPERAND_MAX_ELEMENTS / o->size_bytes)
		return "has more elements than fit a partition";
	if (offset + o->least < 0 || offset + o->most > limit)
		return "reaches beyond its partition";
	return NULL;
}

/* Walks the outer dimensions; the caller handles runs of the innermost one. */
struct walk {
	const struct nx_device_operand *o;
	uint32_t at[4];
	ptrdiff_t offset;
	size_t run;
	ptrdiff_t stride;
	bool is_done;
};

static struct walk walk_begin(const struct nx_device_operand *o)
{
	struct walk w = {.o = o, .run = 1, .stride = (ptrdiff_t)o->size_bytes};

	if (o->dims) {
		w.run = o->counts[0];
		w.stride = o->steps[0];
	}
	return w;
}

static void walk_next(struct walk *w)
{
	for (unsigned i = 1; i < w->o->dims; i++) {
		w->offset += w->o->steps[i];
		if (++w->at[i] < w->o->counts[i])
			return;
		w->offset -= (ptrdiff_t)w->o->steps[i] * (ptrdiff_t)w->o->counts[i];
		w->at[i] = 0;
	}
	w->is_done = true;
}

#define FOR_RUNS(w, operand) for (struct walk w = walk_begin(operand); !w.is_done; walk_next(&w))

void nx_operand_load(const struct nx_device_operand *operand, uint8_t *memory, unsigned lane,
		     float *out)
{
	const uint8_t *base = nx_operand_lane(operand, memory, lane);

	assert(lane < operand->lanes);
	FOR_RUNS(w, operand)
	{
		nx_element_load(operand->dtype, base + w.offset, w.stride, w.run, out);
		out += w.run;
	}
}

void nx_operand_store(const struct nx_device_operand *operand, uint8_t *memory, unsigned lane,
		      const float *values)
{
	uint8_t *base = nx_operand_lane(operand, memory, lane);

	assert(lane < operand->lanes);
	FOR_RUNS(w, operand)
	{
		nx_element_store(operand->dtype, values, w.run, base + w.offset, w.stride);
		values += w.run;
	}
}

void nx_operand_load_raw(const struct nx_device_operand *operand, uint8_t *memory, unsigned lane,
			 uint8_t *out)
{
	const uint8_t *base = nx_operand_lane(operand, memory, lane);
	unsigned size = operand->size_bytes;

	FOR_RUNS(w, operand)
	{
		nx_element_copy(size, base + w.offset, w.stride, w.run, out, (ptrdiff_t)size);
		out += w.run * size;
	}
}

void nx_operand_store_raw(const struct nx_device_operand *operand, uint8_t *memory, unsigned lane,
			  const uint8_t *bytes)
{
	uint8_t *base = nx_operand_lane(operand, memory, lane);
	unsigned size = operand->size_bytes;

	FOR_RUNS(w, operand)
	{
		nx_element_copy(size, bytes, (ptrdiff_t)size, w.run, base + w.offset, w.stride);
		bytes += w.run * size;
	}
}

void nx_operand_load_integer(const struct nx_device_operand *operand, uint8_t *memory,
			     unsigned lane, int64_t *out)
{
	const uint8_t *base = nx_operand_lane(operand, memory, lane);

	FOR_RUNS(w, operand)
	{
		nx_element_load_integer(operand->dtype, base + w.offset, w.stride, w.run, out);
		out += w.run;
	}
}

void nx_operand_store_integer(const struct nx_device_operand *operand, uint8_t *memory,
			      unsigned lane, const int64_t *values)
{
	uint8_t *base = nx_operand_lane(operand, memory, lane);

	FOR_RUNS(w, operand)
	{
		nx_element_store_integer(operand->dtype, values, w.run, base + w.offset, w.stride);
		values += w.run;
	}
}

void nx_operand_poison(const struct nx_device_operand *operand, uint8_t *memory)
{
	for (unsigned lane = 0; lane < operand->lanes; lane++) {
		uint8_t *base = nx_operand_lane(operand, memory, lane);

		FOR_RUNS(w, operand)
		{
			/* A run without a step is one element, however often it is named. */
			size_t run = w.stride ? w.run : 1;

			for (size_t i = 0; i < run; i++)
				memset(base + w.offset + (ptrdiff_t)i * w.stride, 0xff,
				       operand->size_bytes);
		}
	}
}

void nx_operand_offsets(const struct nx_device_operand *operand, int32_t *out)
{
	FOR_RUNS(w, operand)
	for (size_t i = 0; i < w.run; i++)
		*out++ = (int32_t)(w.offset + (ptrdiff_t)i * w.stride);
}
