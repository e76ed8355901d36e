/* SPDX-License-Identifier: Apache-2.0 */
/* ntrace_samples: what the host's sampler wrote, processor load and memory. */
#include <assert.h>
#include <math.h>

#include "base/bare/bits.h"
#include "decode/ntrace/ntrace_internal.h"

#define FIXED32 5

/* A sample without a time is unreadable. */
static bool read_cpu(struct nx_slice record, struct nx_cpu_sample *row)
{
	struct nx_wire_reader reader = nx_wire_reader_of(record);
	struct nx_wire_value value;

	row->time_ns = 0;
	row->cpu_id = 0;
	row->util_percent = 0;
	while (nx_wire_next(&reader, &value)) {
		uint32_t bits = (uint32_t)value.integer;

		if (value.number == 1 && value.wire_type == FIXED32)
			row->util_percent = nx_load_f32(&bits);
		else if (value.number == 2 && value.wire_type == 0)
			row->time_ns = value.integer;
		else if (value.number == 3 && value.wire_type == 0 && value.integer > UINT32_MAX)
			return false;
		else if (value.number == 3 && value.wire_type == 0)
			row->cpu_id = bits;
	}
	return !reader.failed && row->time_ns && isfinite(row->util_percent) &&
	       row->util_percent >= 0;
}

static bool read_memory(struct nx_slice record, struct nx_memory_sample *row)
{
	struct nx_wire_reader reader = nx_wire_reader_of(record);
	struct nx_wire_value value;

	row->time_ns = 0;
	row->usage_bytes = 0;
	while (nx_wire_next(&reader, &value)) {
		if (value.number == 1 && value.wire_type == 0)
			row->usage_bytes = value.integer;
		else if (value.number == 2 && value.wire_type == 0)
			row->time_ns = value.integer;
	}
	return !reader.failed && row->time_ns;
}

void nx_ntrace_decode_cpu(struct nx_ntrace_decoder *decoder, nx_row_fn fn, void *context)
{
	struct nx_ntrace_stream stream = {.file = decoder->files.cpu};
	struct nx_cpu_sample row = {.process = decoder->process_idx};
	uint64_t unreadable_count = 0;
	struct nx_slice record;

	assert(fn);
	while (nx_ntrace_next(&stream, &record)) {
		if (read_cpu(record, &row))
			fn(context, &row);
		else
			unreadable_count++;
	}
	nx_ntrace_set_unreadable(decoder, NX_STREAM_CPU, unreadable_count);
	decoder->loss.torn_cpu_bytes = nx_ntrace_torn_bytes(&stream);
}

void nx_ntrace_decode_memory(struct nx_ntrace_decoder *decoder, nx_row_fn fn, void *context)
{
	struct nx_ntrace_stream stream = {.file = decoder->files.memory};
	struct nx_memory_sample row = {.process = decoder->process_idx};
	uint64_t unreadable_count = 0;
	struct nx_slice record;

	assert(fn);
	while (nx_ntrace_next(&stream, &record)) {
		if (read_memory(record, &row))
			fn(context, &row);
		else
			unreadable_count++;
	}
	nx_ntrace_set_unreadable(decoder, NX_STREAM_MEMORY, unreadable_count);
	decoder->loss.torn_memory_bytes = nx_ntrace_torn_bytes(&stream);
}
