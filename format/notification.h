/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notification: the 16-byte record that hardware writes into a trace ring.
 * docs/formats/ntff.md explains the bits; a record is two words and a clock.
 */
#ifndef NX_FORMAT_NOTIFICATION_H
#define NX_FORMAT_NOTIFICATION_H

#include <stdbool.h>

#include "base/bare/bits.h"
#include "base/bare/engine_id.h"

#define NX_NOTIFICATION_BYTES 16

struct nx_notification {
	uint32_t w0;
	uint32_t w1;
	uint64_t timestamp; /* ticks of the block that wrote it, see nx_clock */
};

enum nx_notification_kind { /* of an engine's record: type code & 3 */
			    NX_NOTIFY_START,
			    NX_NOTIFY_END,
			    NX_NOTIFY_EXPLICIT,
			    NX_NOTIFY_EVENT,
};

enum nx_notification_type { /* type codes that are not an engine's */
			    NX_TYPE_INTERRUPT = 0x03,
			    NX_TYPE_FIRST_ENGINE = 0x04,
			    NX_TYPE_LAST_ENGINE = 0x17,
			    NX_TYPE_AXI_EVENT = 0x1b,
			    NX_TYPE_THROTTLE = 0x1e,
			    NX_TYPE_ERROR = 0x1f,
};

enum nx_dma_step {			  /* of a DMA record: w1[3:0] */
		   NX_DMA_START = 1,	  /* first read of a packet */
		   NX_DMA_END = 5,	  /* last write of a packet */
		   NX_DMA_COMPLETION = 6, /* completion written */
};

static inline struct nx_notification nx_notification_load(const uint8_t *record)
{
	return (struct nx_notification){nx_load32(record), nx_load32(record + 4),
					nx_load64(record + 8)};
}

static inline void nx_notification_store(uint8_t *record, struct nx_notification n)
{
	nx_store32(record, n.w0);
	nx_store32(record + 4, n.w1);
	nx_store64(record + 8, n.timestamp);
}

static inline unsigned nx_notification_type(struct nx_notification n)
{
	return nx_bits32(n.w0, 28, 24);
}

static inline bool nx_notification_is_engine(unsigned type)
{
	return type >= NX_TYPE_FIRST_ENGINE && type <= NX_TYPE_LAST_ENGINE;
}

static inline enum nx_engine nx_notification_engine(unsigned type)
{
	return (enum nx_engine)((type >> 2) - 1);
}

static inline enum nx_notification_kind nx_notification_kind(unsigned type)
{
	return (enum nx_notification_kind)(type & 3);
}

static inline unsigned nx_notification_type_of(enum nx_engine engine,
					       enum nx_notification_kind kind)
{
	return (((unsigned)engine + 1) << 2) | (unsigned)kind;
}

#endif
