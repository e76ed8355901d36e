/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notification: the 16-byte record that hardware writes into a trace ring: two words and a clock.
 * docs/formats/ntff.md explains the bits.
 */
#ifndef NX_FORMAT_NOTIFICATION_H
#define NX_FORMAT_NOTIFICATION_H

#include <assert.h>
#include <stdbool.h>

#include "base/bare/bits.h"
#include "machine/hardware.h"

#define NX_NOTIFICATION_BYTES 16

struct nx_notification {
	uint32_t w0;
	uint32_t w1;
	uint64_t timestamp; /* ticks of the block that wrote it, see nx_clock */
};
static_assert(sizeof(struct nx_notification) == NX_NOTIFICATION_BYTES, "as hardware writes it");

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
	assert((unsigned)engine < NX_ENGINE_COUNT);
	return (((unsigned)engine + 1) << 2) | (unsigned)kind;
}

/* --- writing ---------------------------------------------------------------------- */

#define NX_NOTIFY_HINT_DGE 1u		/* explicit records with it report generated DMAs */
#define NX_NOTIFY_DGE_NO_PC (1u << 30)	/* w1: it is the latest DMA that the engine started */
#define NX_NOTIFY_DGE_PACKETS_MAX 4096u /* stored as 0 */
#define NX_NOTIFY_NO_CRC 0xffffu

static inline uint32_t nx_notification_head(unsigned type, uint32_t low)
{
	return (uint32_t)(type & 31) << 24 | (low & 0xffffffu);
}

/* Cycles saturate at 65535. */
static inline struct nx_notification nx_notification_start(enum nx_engine engine, uint32_t pc,
							   uint64_t wait_cycles, uint64_t timestamp)
{
	uint32_t cycles = wait_cycles < 0xffff ? (uint32_t)wait_cycles : 0xffffu;

	return (struct nx_notification){
		nx_notification_head(nx_notification_type_of(engine, NX_NOTIFY_START),
				     pc & (NX_PC_COUNT - 1)),
		cycles << 16, timestamp};
}

static inline struct nx_notification nx_notification_end(enum nx_engine engine, uint32_t pc,
							 uint64_t timestamp)
{
	return (struct nx_notification){
		nx_notification_head(nx_notification_type_of(engine, NX_NOTIFY_END),
				     pc & (NX_PC_COUNT - 1)),
		NX_NOTIFY_NO_CRC << 16 | NX_NOTIFY_NO_CRC, timestamp};
}

/* For a generated DMA: which of 16 DMA engines got how many packets each, at most 4096. */
static inline struct nx_notification nx_notification_dge(enum nx_engine engine, uint32_t pc,
							 uint16_t engine_mask,
							 uint32_t packet_count, uint64_t timestamp)
{
	return (struct nx_notification){
		nx_notification_head(nx_notification_type_of(engine, NX_NOTIFY_EXPLICIT),
				     NX_NOTIFY_HINT_DGE << 20 | (pc & (NX_PC_COUNT - 1))),
		(packet_count & 0xfffu) << 16 | engine_mask, timestamp};
}

/* A semaphore's new value; type is an engine's EVENT or NX_TYPE_AXI_EVENT. */
static inline struct nx_notification nx_notification_semaphore(unsigned type, uint8_t semaphore,
							       uint8_t mode, uint32_t value,
							       uint64_t timestamp)
{
	return (struct nx_notification){nx_notification_head(type, 0xf00000u | (mode & 15u) << 16 |
									   1u << 8 | semaphore),
					value, timestamp};
}

/* The array runs at k / n of its clock from now on; n = 0 on chips that do not report it. */
static inline struct nx_notification nx_notification_throttle(uint8_t k, uint8_t n, uint8_t type,
							      uint16_t activity, uint64_t timestamp)
{
	return (struct nx_notification){nx_notification_head(NX_TYPE_THROTTLE,
							     (uint32_t)n << 16 | activity),
					n ? (uint32_t)type << 8 | (k & 0x7fu) : 0x80u, timestamp};
}

/* Only an END has bytes and crc. */
static inline struct nx_notification nx_notification_dma(enum nx_dma_step step, unsigned dma_engine,
							 unsigned queue, uint32_t bytes,
							 uint64_t timestamp)
{
	bool is_end = step == NX_DMA_END;

	return (struct nx_notification){nx_notification_head(dma_engine, is_end ? bytes : 0),
					(is_end ? NX_NOTIFY_NO_CRC << 16 : 0) |
						(uint32_t)(queue & 15) << 4 | (uint32_t)step,
					timestamp};
}

/* --- errors ------------------------------------------------------------------------- */

enum nx_notified_error { /* w0[7:0] of NX_TYPE_ERROR */
			 NX_ERROR_UNDERFLOW = 0,
			 NX_ERROR_NAN = 1,
			 NX_ERROR_INFINITY = 2,
			 NX_ERROR_OVERFLOW = 3,
			 NX_ERROR_MEMORY = 4,
			 NX_ERROR_SEMAPHORE = 6,
			 NX_ERROR_EVENT = 7,
			 NX_ERROR_SEQUENCER = 9,
};

/*
 * The place of the instruction is our own addition, only in captures of simulated devices: what
 * real ones write into w1 is not public.
 */
#define NX_ERROR_HAS_PLACE (1u << 31)

static inline struct nx_notification nx_notification_error(enum nx_notified_error id,
							   enum nx_engine engine, uint32_t pc,
							   uint64_t timestamp)
{
	return (struct nx_notification){
		nx_notification_head(NX_TYPE_ERROR, (uint32_t)id),
		NX_ERROR_HAS_PLACE | (uint32_t)engine << 20 | (pc & (NX_PC_COUNT - 1)), timestamp};
}

#endif
