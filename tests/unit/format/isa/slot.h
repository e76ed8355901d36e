/* SPDX-License-Identifier: Apache-2.0 */
/* slot: instruction words made by hand, for the tests of this folder. */
#ifndef NX_TEST_SLOT_H
#define NX_TEST_SLOT_H

#include <string.h>

#include "base/bare/bits.h"
#include "format/instruction.h"

struct slot {
	uint8_t bytes[NX_SLOT_BYTES];
};

static inline struct slot slot_of(uint8_t opcode)
{
	struct slot s = {{opcode, 0x10}};

	return s;
}

/* Copies the bytes to an offset: at(&s, 36, 2, 0) sets byte 36 to 2 and 37 to 0. */
#define at(s, offset, ...)                                                                         \
	memcpy((s)->bytes + (offset), (const uint8_t[]){__VA_ARGS__},                              \
	       sizeof((const uint8_t[]){__VA_ARGS__}))

static inline void at16(struct slot *s, unsigned offset, unsigned value)
{
	nx_store16(s->bytes + offset, (uint16_t)value);
}

static inline void at32(struct slot *s, unsigned offset, uint32_t value)
{
	nx_store32(s->bytes + offset, value);
}

static inline void at64(struct slot *s, unsigned offset, uint64_t value)
{
	nx_store64(s->bytes + offset, value);
}

static inline void at_f32(struct slot *s, unsigned offset, float value)
{
	memcpy(s->bytes + offset, &value, sizeof(value));
}

/* Steps and counts of an access pattern of two to four dimensions. */
static inline void at_pattern(struct slot *s, unsigned offset, unsigned dims, const int *steps,
			      const unsigned *counts)
{
	for (unsigned i = 0; i < dims; i++) {
		at16(s, offset + 2 * i, (uint16_t)steps[i]);
		at16(s, offset + 2 * (dims + i), counts[i]);
	}
}

#define pattern(s, offset, dims, steps, counts)                                                    \
	at_pattern(s, offset, dims, (const int[])STEPS steps, (const unsigned[])STEPS counts)
#define STEPS(...)                                                                                 \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

#endif
