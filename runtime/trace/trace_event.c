/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/trace_event.h"

#include <assert.h>
#include <stdio.h>

#define CORE_SHIFT 50
#define MAX_FIELDS 6
#define MAX_TEXT 24 /* a 64-bit number */

static_assert(NX_TRACE_TYPE_COUNT <= UINT8_MAX, "a type fits into a record");
static_assert(NX_TRACE_CHUNK_WORDS % NX_TRACE_RECORD_WORDS == 0, "positions have no gaps");

struct field {
	const char *name;
	uint8_t arg, shift, bits;
	uint8_t style;
};

struct layout { /* INSTANTs have the fields of STARTs */
	struct field start[MAX_FIELDS];
	struct field stop[MAX_FIELDS];
};
static_assert(MAX_FIELDS <= NX_TRACE_MAX_VALUES, "readers have room for all values");

#define FIELD(arg, name, shift, bits, style)                                                       \
	{                                                                                          \
		name, arg, shift, bits, style                                                      \
	}
#define WHOLE(arg, name) FIELD(arg, name, 0, 64, NX_TRACE_DECIMAL)
#define PART(arg, name, shift, bits) FIELD(arg, name, shift, bits, NX_TRACE_DECIMAL)
#define ADDRESS(arg) FIELD(arg, "physical_address", 0, 64, NX_TRACE_HEX)
#define CATEGORY(arg) FIELD(arg, "usage_type", 24, 8, NX_TRACE_CATEGORY)

static const struct layout layouts[NX_TRACE_TYPE_COUNT] = {
	[NX_TRACE_NRT_LOAD] = {.stop = {WHOLE(0, "model_id")}},
	[NX_TRACE_POST_REQUEST] = {.start = {WHOLE(0, "request_id")}},
	[NX_TRACE_NRT_EXECUTE] = {.start = {WHOLE(0, "model_id")}},
	[NX_TRACE_KMGR_EXEC] = {.start = {WHOLE(0, "model_id")}},
	[NX_TRACE_LOAD_COLLECTIVES] = {.start = {WHOLE(0, "g_device_id"),
						 WHOLE(1, "g_device_count")},
				       .stop = {WHOLE(0, "model_id")}},
	[NX_TRACE_CC_BARRIER] = {.start = {WHOLE(0, "exec_id"), WHOLE(1, "model_id"),
					   WHOLE(2, "nc_timestamp_ns")},
				 .stop = {WHOLE(0, "nc_timestamp_ns")}},
	[NX_TRACE_NC_RUNNING] = {.start = {WHOLE(0, "device_core_idx"), WHOLE(1, "exec_id"),
					   WHOLE(2, "nc_timestamp_ns")},
				 .stop = {WHOLE(0, "nc_timestamp_ns")}},
	[NX_TRACE_CC_RUNNING] = {.start = {WHOLE(0, "gid"), WHOLE(1, "op_id"), WHOLE(2, "exec_id"),
					   WHOLE(3, "nc_timestamp_ns")},
				 .stop = {WHOLE(0, "nc_timestamp_ns")}},
	[NX_TRACE_TENSOR_READ] = {.start = {WHOLE(0, "tensor_id"), WHOLE(1, "size")}},
	[NX_TRACE_TENSOR_WRITE] = {.start = {WHOLE(0, "tensor_id"), WHOLE(1, "size")}},
	[NX_TRACE_TENSOR_READ_BATCH] = {.start = {WHOLE(0, "num_batches")}},
	[NX_TRACE_TENSOR_WRITE_BATCH] = {.start = {WHOLE(0, "num_batches")}},
	[NX_TRACE_NUMERICAL_ERR] = {.start = {WHOLE(0, "device_core_idx"), WHOLE(1, "exec_id"),
					      WHOLE(2, "nc_timestamp_ns"), WHOLE(3, "model_id")}},
	[NX_TRACE_ENC_BARRIER_RECV] = {.start = {WHOLE(0, "peer_id"), WHOLE(1, "exec_id"),
						 WHOLE(2, "nec_dev_id")}},
	[NX_TRACE_ENC_BARRIER_SEND] = {.start = {WHOLE(0, "peer_id"), WHOLE(1, "exec_id"),
						 WHOLE(2, "nec_dev_id")}},
	[NX_TRACE_ENC_BARRIER] = {.start = {WHOLE(0, "barrier_num"), WHOLE(1, "exec_id"),
					    WHOLE(2, "nec_dev_id")}},
	[NX_TRACE_EXEC_PRE] = {.start = {WHOLE(0, "exec_id"), WHOLE(1, "model_id")}},
	[NX_TRACE_EXEC_CORE] = {.start = {WHOLE(0, "exec_id"), WHOLE(1, "model_id")}},
	[NX_TRACE_EXEC_WAIT] = {.start = {WHOLE(0, "exec_id"), WHOLE(1, "model_id")}},
	[NX_TRACE_EXEC_POST] = {.start = {WHOLE(0, "exec_id"), WHOLE(1, "model_id")}},
	[NX_TRACE_RT_MODEL_SWITCH] = {.start = {WHOLE(0, "device_core_idx"),
						WHOLE(1, "is_neuron_core_work"),
						WHOLE(2, "model_id")}},
	[NX_TRACE_MODEL_SUBMIT] = {.start = {WHOLE(0, "model_id")}},
	[NX_TRACE_SEMA_WAIT] = {.start = {WHOLE(0, "available_request_slots"),
					  WHOLE(1, "has_work")}},
	[NX_TRACE_HW_NOTIFY] = {.start = {PART(0, "device_core_idx", 0, 32),
					  PART(0, "hint", 32, 32), WHOLE(1, "custom_data"),
					  WHOLE(2, "exec_id"), WHOLE(3, "nc_timestamp_ns")}},
	[NX_TRACE_SYNC_POINT] = {.start = {WHOLE(0, "exec_id"), WHOLE(1, "nc_timestamp_ns"),
					   WHOLE(2, "cpu_timestamp_ns")}},
	[NX_TRACE_NC_MODEL_SWITCH] = {.start = {WHOLE(0, "device_core_idx"), WHOLE(1, "exec_id"),
						WHOLE(2, "model_id"), WHOLE(3, "nc_timestamp_ns")},
				      .stop = {WHOLE(0, "nc_timestamp_ns")}},
	[NX_TRACE_TENSOR_ALLOCATE] = {.start = {WHOLE(0, "tensor_id"), WHOLE(1, "size")}},
	[NX_TRACE_TENSOR_FREE] = {.start = {WHOLE(0, "tensor_id"), WHOLE(1, "size"),
					    WHOLE(2, "ref_count")}},
	[NX_TRACE_TENSOR_BLOCK] = {.start = {WHOLE(0, "tensor_id"),
					     WHOLE(1, "pending_reader_count"),
					     WHOLE(2, "pending_writer_count")}},
	[NX_TRACE_COPYIN] = {.start = {WHOLE(0, "mem_type"), WHOLE(1, "mem_handle"),
				       WHOLE(2, "offset"), WHOLE(3, "size")}},
	[NX_TRACE_COPYOUT] = {.start = {WHOLE(0, "mem_type"), WHOLE(1, "mem_handle"),
					WHOLE(2, "offset"), WHOLE(3, "size")}},
	[NX_TRACE_BATCH_COPYIN] = {.start = {WHOLE(0, "mem_type"), WHOLE(1, "num_batches"),
					     WHOLE(2, "total_num_ops"), WHOLE(3, "total_size")}},
	[NX_TRACE_BATCH_COPYOUT] = {.start = {WHOLE(0, "mem_type"), WHOLE(1, "num_batches"),
					      WHOLE(2, "total_num_ops"), WHOLE(3, "total_size")}},
	[NX_TRACE_MEM_ALLOC] = {.start = {PART(0, "hbm_idx", 0, 8), PART(0, "is_nc_hbm", 8, 1),
					  PART(0, "is_aligned", 9, 1), PART(0, "mla_idx", 16, 8),
					  CATEGORY(0)},
				.stop = {PART(0, "allocated_bytes", 0, 48), WHOLE(1, "total_bytes"),
					 WHOLE(2, "usage_type_total_bytes"), ADDRESS(3),
					 PART(0, "return_code", 48, 16)}},
	[NX_TRACE_MEM_DEALLOC] = {.start = {PART(0, "hbm_idx", 0, 8), PART(0, "is_nc_hbm", 8, 1),
					    PART(0, "mla_idx", 16, 8), CATEGORY(0), ADDRESS(1)},
				  .stop = {WHOLE(0, "freed_bytes"), WHOLE(1, "total_bytes"),
					   WHOLE(2, "usage_type_total_bytes")}},
	[NX_TRACE_CONSUME_STATUS] = {.start = {WHOLE(0, "exec_id")}},
	[NX_TRACE_CONSUME_CC] = {.start = {WHOLE(0, "exec_id"), WHOLE(1, "model_id")}},
	[NX_TRACE_CONSUME_ERRORS] = {.start = {WHOLE(0, "exec_id"), WHOLE(1, "model_id")}},
	[NX_TRACE_CONSUME_STDIO] = {.start = {WHOLE(0, "exec_id"), WHOLE(1, "model_id")}},
};

void nx_trace_event_unpack(uint64_t position, const uint64_t *words, struct nx_trace_record *out)
{
	*out = (struct nx_trace_record){
		.position = position / NX_TRACE_RECORD_WORDS,
		.ticks = words[1],
		.tracking = words[2],
		.thread_id = (uint32_t)words[0],
		.type = (uint8_t)(words[0] >> 32),
		.phase = (uint8_t)(words[0] >> 40),
		.flags = (uint8_t)nx_trace_head_flags(words[0]),
	};
	for (unsigned i = 0; i < NX_TRACE_ARGS; i++)
		out->args[i] = words[3 + i];
}

size_t nx_trace_event_values(const struct nx_trace_record *record, struct nx_trace_value *out)
{
	const struct field *fields;
	size_t count = 0;

	if (record->type >= NX_TRACE_TYPE_COUNT)
		return 0;
	fields = record->phase == NX_PHASE_STOP ? layouts[record->type].stop
						: layouts[record->type].start;
	for (; count < MAX_FIELDS && fields[count].name; count++) {
		const struct field *field = &fields[count];
		uint64_t word = record->args[field->arg] >> field->shift;

		if (field->bits < 64)
			word &= (UINT64_C(1) << field->bits) - 1;
		out[count] = (struct nx_trace_value){field->name, field->style, word};
	}
	return count;
}

uint64_t nx_trace_event_seq(const struct nx_trace_record *record)
{
	const uint64_t one = 1;
	const uint64_t types = one << NX_TRACE_POST_REQUEST | one << NX_TRACE_NRT_EXECUTE |
			       one << NX_TRACE_KMGR_EXEC | one << NX_TRACE_CC_BARRIER |
			       one << NX_TRACE_NC_RUNNING | one << NX_TRACE_TENSOR_READ |
			       one << NX_TRACE_TENSOR_WRITE | one << NX_TRACE_EXEC_PRE |
			       one << NX_TRACE_EXEC_WAIT | one << NX_TRACE_EXEC_POST |
			       one << NX_TRACE_MODEL_SUBMIT | one << NX_TRACE_CONSUME_ERRORS |
			       one << NX_TRACE_CONSUME_STDIO;

	return types >> (record->type & 63) & 1 ? record->args[NX_TRACE_SEQ_ARG] : 0;
}

uint64_t nx_trace_event_id(const struct nx_trace_place *place, uint64_t position_plus_one)
{
	return ((uint64_t)place->core_idx << CORE_SHIFT) + (position_plus_one - place->first);
}

uint64_t nx_trace_event_time(const struct nx_trace_place *place,
			     const struct nx_trace_record *record)
{
	if (record->flags & NX_TRACE_IS_EPOCH)
		return record->ticks;
	return nx_trace_clock_convert(place->clock, record->ticks);
}

struct texts { /* of a record's attributes */
	struct nx_ntrace_attribute items[NX_TRACE_MAX_VALUES + 2];
	size_t count;
	char buffer[(NX_TRACE_MAX_VALUES + 2) * MAX_TEXT];
	size_t used;
};

static void add_number(struct texts *texts, const char *name, const char *format, uint64_t value)
{
	char *at = texts->buffer + texts->used;
	int len = snprintf(at, MAX_TEXT, format, (unsigned long long)value);

	texts->used += (size_t)len;
	texts->items[texts->count++] =
		(struct nx_ntrace_attribute){nx_slice_text(name), nx_slice_of(at, (size_t)len)};
}

static void add_value(struct texts *texts, const struct nx_trace_value *value)
{
	const char *category = nx_ntrace_category_name(value->number);

	if (value->style == NX_TRACE_CATEGORY && category)
		texts->items[texts->count++] = (struct nx_ntrace_attribute){
			nx_slice_text(value->name), nx_slice_text(category)};
	else
		add_number(texts, value->name, value->style == NX_TRACE_HEX ? "0x%llx" : "%llu",
			   value->number);
}

void nx_trace_event_append(const struct nx_trace_place *place, const struct nx_trace_record *record,
			   struct nx_bytes *out)
{
	struct nx_trace_value values[NX_TRACE_MAX_VALUES];
	size_t count = nx_trace_event_values(record, values);
	struct texts texts = {.count = 0};
	struct nx_ntrace_event event = {
		.timestamp_ns = nx_trace_event_time(place, record),
		.event_type = record->type,
		.thread_id = record->thread_id,
		.id = nx_trace_event_id(place, record->position + 1),
		.phase = record->phase,
		.nrta_seq_id = nx_trace_event_seq(record),
	};

	for (size_t i = 0; i < count; i++)
		add_value(&texts, &values[i]);
	add_number(&texts, "nc_idx", "%llu", place->core_idx);
	add_number(&texts, "worker_gid", "%llu", place->worker);
	/* A START from before the session is in no file. */
	event.tracking_id = record->tracking > place->first
				    ? nx_trace_event_id(place, record->tracking)
				    : event.id;
	event.attributes.items = texts.items;
	event.attributes.count = texts.count;
	nx_ntrace_append(out, &nx_ntrace_event_message, &event);
}
