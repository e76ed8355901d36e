/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/decode/ntrace/ntrace_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void put_event(struct trace *trace, enum nx_ntrace_phase phase, uint64_t event_type,
	       uint64_t tracking_id, uint64_t timestamp_ns, const struct pair *attributes)
{
	struct nx_ntrace_attribute list[NX_MAX_ATTRIBUTES * 2];
	struct nx_ntrace_event event = {
		.timestamp_ns = timestamp_ns,
		.event_type = event_type,
		.thread_id = 45,
		.id = tracking_id,
		.phase = phase,
		.tracking_id = tracking_id,
		.attributes = {list, 0},
	};

	for (; attributes && attributes->key; attributes++)
		list[event.attributes.count++] = (struct nx_ntrace_attribute){
			nx_slice_text(attributes->key), nx_slice_text(attributes->value)};
	nx_ntrace_append(&trace->events, &nx_ntrace_event_message, &event);
}

void put_info(struct trace *trace, const struct nx_ntrace_info *info)
{
	nx_wire_encode(&nx_ntrace_info_message, info, &trace->info);
}

static void keep_event(void *context, const void *row)
{
	struct trace *trace = context;

	nx_vec_push(&trace->rows, *(const struct nx_system_event *)row);
}

static void keep_cpu(void *context, const void *row)
{
	struct trace *trace = context;

	nx_vec_push(&trace->cpu_rows, *(const struct nx_cpu_sample *)row);
}

static void keep_memory(void *context, const void *row)
{
	struct trace *trace = context;

	nx_vec_push(&trace->memory_rows, *(const struct nx_memory_sample *)row);
}

void decode(struct trace *trace, const char *folder_name)
{
	struct nx_ntrace_files files = {
		.info = nx_slice_of(trace->info.items, trace->info.len),
		.events = nx_slice_of(trace->events.items, trace->events.len),
		.cpu = nx_slice_of(trace->cpu.items, trace->cpu.len),
		.memory = nx_slice_of(trace->memory.items, trace->memory.len),
	};
	struct nx_error err;

	assert_int_equal(nx_ntrace_decoder_open(&trace->decoder, &files, folder_name, 9,
						&trace->arena, &trace->process, &err),
			 NX_OK);
	nx_ntrace_decode_events(&trace->decoder, keep_event, trace);
	nx_ntrace_decode_cpu(&trace->decoder, keep_cpu, trace);
	nx_ntrace_decode_memory(&trace->decoder, keep_memory, trace);
}

void forget(struct trace *trace)
{
	nx_ntrace_decoder_release(&trace->decoder);
	nx_vec_clear(&trace->rows);
	nx_vec_clear(&trace->cpu_rows);
	nx_vec_clear(&trace->memory_rows);
	nx_arena_release(&trace->arena);
}

void release(struct trace *trace)
{
	forget(trace);
	nx_vec_release(&trace->rows);
	nx_vec_release(&trace->cpu_rows);
	nx_vec_release(&trace->memory_rows);
	nx_vec_release(&trace->info);
	nx_vec_release(&trace->events);
	nx_vec_release(&trace->cpu);
	nx_vec_release(&trace->memory);
}
