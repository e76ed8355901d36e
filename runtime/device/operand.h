/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand: the bytes of a core's memory that an instruction reads or writes.
 *
 * On-chip memory is one flat space (machine/hardware.h). An operand has the same access
 * pattern in each of its lanes, from the partition of its address on. Check it with
 * nx_operand_check before you use the lane functions.
 */
#ifndef NX_RUNTIME_OPERAND_H
#define NX_RUNTIME_OPERAND_H

#include <stdint.h>

#include "format/instruction.h"

/* An operand cannot have more elements than a partition has bytes. */
#define NX_OPERAND_MAX_ELEMENTS NX_PARTITION_STRIDE

struct nx_device_operand {
	uint32_t address;
	unsigned lanes;
	unsigned dtype;
	unsigned size_bytes; /* of an element */
	unsigned dims;	     /* after joining what is contiguous */
	uint32_t counts[4];
	int32_t steps[4]; /* bytes */
	uint64_t elements;
	int64_t least, most; /* byte offsets from the address: the first, and past the last */
};

struct nx_device_operand nx_operand_of(const struct nx_access *access);
static inline struct nx_device_operand nx_operand_2d(const struct nx_pattern_2d *pattern,
						     unsigned dtype, uint8_t lanes)
{
	struct nx_access access = nx_access_2d(pattern, dtype, lanes);

	return nx_operand_of(&access);
}
static inline struct nx_device_operand nx_operand_3d(const struct nx_pattern_3d *pattern,
						     unsigned dtype, uint8_t lanes)
{
	struct nx_access access = nx_access_3d(pattern, dtype, lanes);

	return nx_operand_of(&access);
}
static inline struct nx_device_operand nx_operand_4d(const struct nx_pattern_4d *pattern,
						     unsigned dtype, uint8_t lanes)
{
	struct nx_access access = nx_access_4d(pattern, dtype, lanes);

	return nx_operand_of(&access);
}
/* One element per lane: scales, biases, scalars. */
struct nx_device_operand nx_operand_column(uint32_t address, unsigned dtype, uint8_t lanes);

/* The same elements, last one first. */
struct nx_device_operand nx_operand_reversed(const struct nx_device_operand *operand);

/* NULL when every byte exists, else what is wrong: "reaches beyond its partition". */
const char *nx_operand_check(const struct nx_device_operand *operand,
			     uint32_t sbuf_partition_bytes);

static inline uint8_t *nx_operand_lane(const struct nx_device_operand *o, uint8_t *memory,
				       unsigned lane)
{
	return memory + o->address + ((size_t)lane << NX_PARTITION_SHIFT);
}

void nx_operand_load(const struct nx_device_operand *operand, uint8_t *memory, unsigned lane,
		     float *out);
void nx_operand_store(const struct nx_device_operand *operand, uint8_t *memory, unsigned lane,
		      const float *values);

/* Bytes as they are, packed. */
void nx_operand_load_raw(const struct nx_device_operand *operand, uint8_t *memory, unsigned lane,
			 uint8_t *out);
void nx_operand_store_raw(const struct nx_device_operand *operand, uint8_t *memory, unsigned lane,
			  const uint8_t *bytes);

void nx_operand_load_integer(const struct nx_device_operand *operand, uint8_t *memory,
			     unsigned lane, int64_t *out);
void nx_operand_store_integer(const struct nx_device_operand *operand, uint8_t *memory,
			      unsigned lane, const int64_t *values);

/* Every byte 0xff: NaN for floats, all ones for integers. */
void nx_operand_poison(const struct nx_device_operand *operand, uint8_t *memory);

/* Byte offset of each element from the operand's address, in the order of the pattern. */
void nx_operand_offsets(const struct nx_device_operand *operand, int32_t *out);

#endif
