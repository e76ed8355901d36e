/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntrace_messages: the messages of a system profile, leaves first. The quoted
 * names are those of the runtime's own schema.
 */
#include "format/ntrace.h"

static const struct nx_wire_field nx_ntrace_file_fields[] = {
	NX_FIELD_TEXT(1, nx_ntrace_file, filename),
	NX_FIELD_U64(2, nx_ntrace_file, type),
	NX_FIELD_U64(3, nx_ntrace_file, num_events),
	NX_FIELD_U64(4, nx_ntrace_file, session_id),
};
static const struct nx_wire_message nx_ntrace_file_message =
	NX_WIRE_MESSAGE_OF(nx_ntrace_file, "ntrace_data_file");

static const struct nx_wire_field nx_ntrace_host_stats_fields[] = {
	NX_FIELD_U64(1, nx_ntrace_host_stats, num_cpus),
	NX_FIELD_TEXT(2, nx_ntrace_host_stats, cpu_name),
	NX_FIELD_U64(3, nx_ntrace_host_stats, mem_capacity_bytes),
	NX_FIELD_F32(4, nx_ntrace_host_stats, cpu_period_s),
	NX_FIELD_F32(5, nx_ntrace_host_stats, mem_period_s),
	NX_FIELD_MESSAGE(6, nx_ntrace_host_stats, cpu_util, nx_ntrace_file),
	NX_FIELD_MESSAGE(7, nx_ntrace_host_stats, host_mem, nx_ntrace_file),
};
static const struct nx_wire_message nx_ntrace_host_stats_message =
	NX_WIRE_MESSAGE_OF(nx_ntrace_host_stats, "host_stats");

static const struct nx_wire_field nx_ntrace_text_fields[] = {
	NX_FIELD_U64(1, nx_ntrace_text, id),
	NX_FIELD_TEXT(2, nx_ntrace_text, text),
};
static const struct nx_wire_message nx_ntrace_text_message =
	NX_WIRE_MESSAGE_OF(nx_ntrace_text, "id_map");

static const struct nx_wire_field nx_ntrace_interned_fields[] = {
	NX_FIELD_TEXT(1, nx_ntrace_interned, category),
	NX_FIELD_LIST(2, nx_ntrace_interned, texts, nx_ntrace_text),
};
static const struct nx_wire_message nx_ntrace_interned_message =
	NX_WIRE_MESSAGE_OF(nx_ntrace_interned, "interned_data_db");

static const struct nx_wire_field nx_ntrace_ultraserver_fields[] = {
	NX_FIELD_U64(1, nx_ntrace_ultraserver, id),
	NX_FIELD_U64(2, nx_ntrace_ultraserver, type),
	NX_FIELD_U64(3, nx_ntrace_ultraserver, size),
	NX_FIELD_U64(4, nx_ntrace_ultraserver, instance_index),
};
static const struct nx_wire_message nx_ntrace_ultraserver_message =
	NX_WIRE_MESSAGE_OF(nx_ntrace_ultraserver, "ultraserver_info");

/* Field 3, the events of the old tracing interface, is left out: it counts as unknown. */
static const struct nx_wire_field nx_ntrace_info_fields[] = {
	NX_FIELD_U64(1, nx_ntrace_info, arch),
	NX_FIELD_U64(2, nx_ntrace_info, pid),
	NX_FIELD_TEXT(4, nx_ntrace_info, instance_id),
	NX_FIELD_U64(5, nx_ntrace_info, session_id),
	NX_FIELD_MESSAGE(6, nx_ntrace_info, events, nx_ntrace_file),
	NX_FIELD_MESSAGE(7, nx_ntrace_info, host, nx_ntrace_host_stats),
	NX_FIELD_LIST_TEXT(8, nx_ntrace_info, collected_profiles),
	NX_FIELD_U64(9, nx_ntrace_info, data_version),
	NX_FIELD_LIST(10, nx_ntrace_info, interned, nx_ntrace_interned),
	NX_FIELD_U64(11, nx_ntrace_info, init_ns),
	NX_FIELD_U64(12, nx_ntrace_info, close_ns),
	NX_FIELD_TEXT(13, nx_ntrace_info, instance_ip),
	NX_FIELD_U64(14, nx_ntrace_info, total_event_count),
	NX_FIELD_TEXT(15, nx_ntrace_info, instance_type),
	NX_FIELD_U64(16, nx_ntrace_info, logical_nc_size),
	NX_FIELD_TEXT(17, nx_ntrace_info, instance_hostname),
	NX_FIELD_MESSAGE(18, nx_ntrace_info, ultraserver, nx_ntrace_ultraserver),
};
const struct nx_wire_message nx_ntrace_info_message =
	NX_WIRE_MESSAGE_OF(nx_ntrace_info, "ntrace_info");

static const struct nx_wire_field nx_ntrace_attribute_fields[] = {
	NX_FIELD_TEXT(1, nx_ntrace_attribute, key),
	NX_FIELD_TEXT(2, nx_ntrace_attribute, value),
};
static const struct nx_wire_message nx_ntrace_attribute_message =
	NX_WIRE_MESSAGE_OF(nx_ntrace_attribute, "attributes");

static const struct nx_wire_field nx_ntrace_event_fields[] = {
	NX_FIELD_U64(1, nx_ntrace_event, type),
	NX_FIELD_U64(2, nx_ntrace_event, timestamp_ns),
	NX_FIELD_U64(3, nx_ntrace_event, data),
	NX_FIELD_U64(4, nx_ntrace_event, nd_idx),
	NX_FIELD_U64(5, nx_ntrace_event, nc_idx),
	NX_FIELD_TEXT(6, nx_ntrace_event, hint),
	NX_FIELD_U64(7, nx_ntrace_event, event_type),
	NX_FIELD_U64(8, nx_ntrace_event, duration),
	NX_FIELD_U64(9, nx_ntrace_event, thread_id),
	NX_FIELD_U64(10, nx_ntrace_event, id),
	NX_FIELD_U64(11, nx_ntrace_event, parent_id),
	NX_FIELD_LIST(12, nx_ntrace_event, attributes, nx_ntrace_attribute),
	NX_FIELD_U64(13, nx_ntrace_event, status),
	NX_FIELD_U64(14, nx_ntrace_event, phase),
	NX_FIELD_U64(15, nx_ntrace_event, tracking_id),
	NX_FIELD_U64(16, nx_ntrace_event, nrta_seq_id),
};
const struct nx_wire_message nx_ntrace_event_message =
	NX_WIRE_MESSAGE_OF(nx_ntrace_event, "ntrace_event");

static const struct nx_wire_field nx_ntrace_cpu_fields[] = {
	NX_FIELD_F32(1, nx_ntrace_cpu, util_percent),
	NX_FIELD_U64(2, nx_ntrace_cpu, timestamp_ns),
	NX_FIELD_U64(3, nx_ntrace_cpu, cpu_id),
};
const struct nx_wire_message nx_ntrace_cpu_message = NX_WIRE_MESSAGE_OF(nx_ntrace_cpu, "cpu_util");

static const struct nx_wire_field nx_ntrace_memory_fields[] = {
	NX_FIELD_U64(1, nx_ntrace_memory, usage_bytes),
	NX_FIELD_U64(2, nx_ntrace_memory, timestamp_ns),
};
const struct nx_wire_message nx_ntrace_memory_message =
	NX_WIRE_MESSAGE_OF(nx_ntrace_memory, "host_mem_usage");
