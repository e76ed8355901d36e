/* SPDX-License-Identifier: Apache-2.0 */
/* ntrace_fixture: traces written record by record, and the rows decoded from them. */
#ifndef NX_TESTS_NTRACE_FIXTURE_H
#define NX_TESTS_NTRACE_FIXTURE_H

#include "decode/ntrace/ntrace_decoder.h"

struct trace {
	struct nx_bytes info, events, cpu, memory;
	struct nx_arena arena;
	struct nx_system_process process;
	struct nx_ntrace_decoder decoder;
	NX_VEC(struct nx_system_event) rows;
	NX_VEC(struct nx_cpu_sample) cpu_rows;
	NX_VEC(struct nx_memory_sample) memory_rows;
};

struct pair {
	const char *key, *value;
};

/* Attributes end with a NULL key; NULL for none. */
void put_event(struct trace *trace, enum nx_ntrace_phase phase, uint64_t event_type,
	       uint64_t tracking_id, uint64_t timestamp_ns, const struct pair *attributes);
void put_info(struct trace *trace, const struct nx_ntrace_info *info);

/* Opens the decoder and decodes all. */
void decode(struct trace *trace, const char *folder_name);
/* Closes the decoder and forgets the rows; what was written stays. */
void forget(struct trace *trace);
void release(struct trace *trace);

#endif
