/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_event: event types of the runtime and the layout of their records.
 *
 * Numbers and names are those of ntrace files (format/ntrace). A record has four
 * argument words; a table maps their bits to attributes. Writing an event costs
 * four stores; names are left to the reader.
 */
#ifndef NX_RUNTIME_TRACE_TRACE_EVENT_H
#define NX_RUNTIME_TRACE_TRACE_EVENT_H

#include "format/ntrace.h"
#include "runtime/trace/trace_clock.h"
#include "runtime/trace/trace_ring.h"

enum nx_trace_event_type {
	NX_TRACE_NRT_LOAD = 1,
	NX_TRACE_POST_REQUEST = 2,
	NX_TRACE_NRT_EXECUTE = 3,
	NX_TRACE_KMGR_EXEC = 4,
	NX_TRACE_LOAD_COLLECTIVES = 5,
	NX_TRACE_CC_BARRIER = 6,
	NX_TRACE_NC_RUNNING = 7,
	NX_TRACE_CC_RUNNING = 8,
	NX_TRACE_TENSOR_READ = 9,
	NX_TRACE_TENSOR_WRITE = 10,
	NX_TRACE_TENSOR_READ_BATCH = 11,
	NX_TRACE_TENSOR_WRITE_BATCH = 12,
	NX_TRACE_NUMERICAL_ERR = 13,
	NX_TRACE_ENC_BARRIER_RECV = 14,
	NX_TRACE_ENC_BARRIER_SEND = 15,
	NX_TRACE_ENC_BARRIER = 16,
	NX_TRACE_EXEC_PRE = 17,
	NX_TRACE_EXEC_CORE = 18,
	NX_TRACE_EXEC_WAIT = 19,
	NX_TRACE_EXEC_POST = 20,
	NX_TRACE_RT_MODEL_SWITCH = 21,
	NX_TRACE_MODEL_SUBMIT = 22,
	NX_TRACE_SEMA_WAIT = 23,
	NX_TRACE_HW_NOTIFY = 24,
	NX_TRACE_SYNC_POINT = 25,
	NX_TRACE_NC_MODEL_SWITCH = 26,
	NX_TRACE_TENSOR_ALLOCATE = 27,
	NX_TRACE_TENSOR_FREE = 28,
	NX_TRACE_TENSOR_BLOCK = 29,
	NX_TRACE_COPYIN = 30,
	NX_TRACE_COPYOUT = 31,
	NX_TRACE_BATCH_COPYIN = 32,
	NX_TRACE_BATCH_COPYOUT = 33,
	NX_TRACE_MEM_ALLOC = 34,
	NX_TRACE_MEM_DEALLOC = 35,
	NX_TRACE_CONSUME_STATUS = 36,
	NX_TRACE_CONSUME_CC = 37,
	NX_TRACE_CONSUME_ERRORS = 38,
	NX_TRACE_CONSUME_STDIO = 39,
	NX_TRACE_TYPE_COUNT = 40,
};

#define NX_TRACE_ARGS 4
#define NX_TRACE_RECORD_WORDS (3u + NX_TRACE_ARGS + 1u) /* one is spare: a cache line */

struct nx_trace_record {
	uint64_t position; /* unique in its ring; consecutive within a thread's chunk */
	uint64_t ticks;	   /* of trace_clock, or epoch nanoseconds with NX_TRACE_IS_EPOCH */
	uint64_t tracking; /* of a STOP: position of its START plus 1; else 0 */
	uint32_t thread_id;
	uint8_t type;  /* as ntrace files number events */
	uint8_t phase; /* enum nx_ntrace_phase */
	uint8_t flags;
	uint64_t args[NX_TRACE_ARGS]; /* packed as trace_event.c says */
};

/* The first word of a record in the ring; ticks, tracking and arguments follow. */
static inline uint64_t nx_trace_pack(uint32_t thread_id, unsigned type, unsigned phase,
				     unsigned flags)
{
	return nx_trace_head(thread_id | (uint64_t)(type & 0xff) << 32 |
				     (uint64_t)(phase & 0xff) << 40,
			     flags, NX_TRACE_RECORD_WORDS);
}

void nx_trace_event_unpack(uint64_t position, const uint64_t *words, struct nx_trace_record *out);

#define NX_TRACE_MAX_VALUES 8

enum nx_trace_style { NX_TRACE_DECIMAL, NX_TRACE_HEX, NX_TRACE_CATEGORY };

struct nx_trace_value {
	const char *name;
	enum nx_trace_style style;
	uint64_t number; /* CATEGORY: see nx_ntrace_category_name */
};

/* The attributes of a record except core and worker; at most NX_TRACE_MAX_VALUES. */
size_t nx_trace_event_values(const struct nx_trace_record *record, struct nx_trace_value *out);

/* The argument word with the sequence id of the asynchronous request that the event belongs to, in
 * types that leave it free. */
#define NX_TRACE_SEQ_ARG 3
/* The sequence id; 0: none. */
uint64_t nx_trace_event_seq(const struct nx_trace_record *record);

/* The place of device memory, for the first word of MEM_ALLOC and MEM_DEALLOC starts. */
static inline uint64_t nx_trace_pack_place(unsigned hbm_idx, bool is_device, bool is_aligned,
					   unsigned device_idx, unsigned category)
{
	return (hbm_idx & 0xff) | (uint64_t)is_device << 8 | (uint64_t)is_aligned << 9 |
	       (uint64_t)(device_idx & 0xff) << 16 | (uint64_t)(category & 0xff) << 24;
}

/* The first word of a MEM_ALLOC stop. */
static inline uint64_t nx_trace_pack_outcome(uint64_t allocated_bytes, unsigned return_code)
{
	return (allocated_bytes & ((UINT64_C(1) << 48) - 1)) | (uint64_t)return_code << 48;
}

struct nx_trace_place { /* what all records of a core share */
	uint32_t core_idx;
	uint32_t worker; /* across the processes of a job */
	uint64_t first;	 /* position whose id has the sequence number 1 */
	const struct nx_trace_clock *clock;
};

/* Ids as in files: the core from bit 50 on, a number from 1 below. */
uint64_t nx_trace_event_id(const struct nx_trace_place *place, uint64_t position_plus_one);
uint64_t nx_trace_event_time(const struct nx_trace_place *place,
			     const struct nx_trace_record *record);
/* Appends a record of ntrace.pb. */
void nx_trace_event_append(const struct nx_trace_place *place, const struct nx_trace_record *record,
			   struct nx_bytes *out);

#endif
