/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff_messages: the 31 messages of an NTFF, leaves first. The quoted names are
 * those of the runtime's own schema, by which a user can look a message up.
 */
#include "format/ntff.h"

static const struct nx_wire_field nx_ntff_version_fields[] = {
	NX_FIELD_U64(1, nx_ntff_version, major),     NX_FIELD_U64(2, nx_ntff_version, minor),
	NX_FIELD_U64(3, nx_ntff_version, patch),     NX_FIELD_U64(4, nx_ntff_version, maintenance),
	NX_FIELD_TEXT(5, nx_ntff_version, git_hash),
};
static const struct nx_wire_message nx_ntff_version_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_version, "version_info");

static const struct nx_wire_field nx_ntff_buffer_size_fields[] = {
	NX_FIELD_U64(1, nx_ntff_buffer_size, block_type),
	NX_FIELD_U64(2, nx_ntff_buffer_size, trace_type),
	NX_FIELD_U64(3, nx_ntff_buffer_size, buffer_size),
};
static const struct nx_wire_message nx_ntff_buffer_size_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_buffer_size, "notification_buffer_size");

static const struct nx_wire_field nx_ntff_ultraserver_fields[] = {
	NX_FIELD_U64(1, nx_ntff_ultraserver, id),
	NX_FIELD_U64(2, nx_ntff_ultraserver, type),
	NX_FIELD_U64(3, nx_ntff_ultraserver, size),
	NX_FIELD_U64(4, nx_ntff_ultraserver, instance_index),
};
static const struct nx_wire_message nx_ntff_ultraserver_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_ultraserver, "ultraserver_info");

static const struct nx_wire_field nx_ntff_execution_fields[] = {
	NX_FIELD_BYTES(1, nx_ntff_execution, uid),
	NX_FIELD_U64(2, nx_ntff_execution, start_ps),
	NX_FIELD_U64(3, nx_ntff_execution, end_ps),
};
static const struct nx_wire_message nx_ntff_execution_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_execution, "execution_info");

static const struct nx_wire_field nx_ntff_code_fields[] = {
	NX_FIELD_U64(1, nx_ntff_code, engine),
	NX_FIELD_U64(2, nx_ntff_code, start_address),
	NX_FIELD_BYTES(3, nx_ntff_code, inline_code),
	NX_FIELD_U64(4, nx_ntff_code, engine_index),
	NX_FIELD_U64(5, nx_ntff_code, block_type),
	NX_FIELD_BOOL(6, nx_ntff_code, is_function_section),
	NX_FIELD_U64(7, nx_ntff_code, offset),
	NX_FIELD_U64(8, nx_ntff_code, size),
};
static const struct nx_wire_message nx_ntff_code_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_code, "engine_instruction_info");

static const struct nx_wire_field nx_ntff_ring_fields[] = {
	NX_FIELD_U64(1, nx_ntff_ring, trace_type), NX_FIELD_BYTES(2, nx_ntff_ring, inline_records),
	NX_FIELD_U64(3, nx_ntff_ring, block_type), NX_FIELD_U64(4, nx_ntff_ring, engine_index),
	NX_FIELD_U64(5, nx_ntff_ring, offset),	   NX_FIELD_U64(6, nx_ntff_ring, size),
	NX_FIELD_U64(7, nx_ntff_ring, core_idx),
};
static const struct nx_wire_message nx_ntff_ring_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_ring, "trace_info");

static const struct nx_wire_field nx_ntff_patch_location_fields[] = {
	NX_FIELD_U64(1, nx_ntff_patch_location, offset),
	NX_FIELD_U64(2, nx_ntff_patch_location, count),
	NX_FIELD_U64(3, nx_ntff_patch_location, type),
	NX_FIELD_BOOL(4, nx_ntff_patch_location, is_function_patch),
};
static const struct nx_wire_message nx_ntff_patch_location_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_patch_location, "instruction_patch_location");

static const struct nx_wire_field nx_ntff_patch_fields[] = {
	NX_FIELD_U64(1, nx_ntff_patch, engine),
	NX_FIELD_LIST(2, nx_ntff_patch, locations, nx_ntff_patch_location),
};
static const struct nx_wire_message nx_ntff_patch_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_patch, "instruction_patch_info");

static const struct nx_wire_field nx_ntff_clock_fields[] = {
	NX_FIELD_U64(1, nx_ntff_clock, init),
	NX_FIELD_U64(2, nx_ntff_clock, actual),
	NX_FIELD_U64(3, nx_ntff_clock, expected),
};
static const struct nx_wire_message nx_ntff_clock_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_clock, "block_timestamp_info");

static const struct nx_wire_field nx_ntff_clocks_fields[] = {
	NX_FIELD_MESSAGE(1, nx_ntff_clocks, tensor, nx_ntff_clock),
	NX_FIELD_MESSAGE(2, nx_ntff_clocks, scalar, nx_ntff_clock),
	NX_FIELD_MESSAGE(3, nx_ntff_clocks, vector, nx_ntff_clock),
	NX_FIELD_MESSAGE(4, nx_ntff_clocks, gpsimd, nx_ntff_clock),
	NX_FIELD_MESSAGE(5, nx_ntff_clocks, sync, nx_ntff_clock),
	NX_FIELD_MESSAGE(6, nx_ntff_clocks, events, nx_ntff_clock),
	NX_FIELD_MESSAGE(7, nx_ntff_clocks, throttle, nx_ntff_clock),
	NX_FIELD_LIST(8, nx_ntff_clocks, dma, nx_ntff_clock),
	NX_FIELD_MESSAGE(9, nx_ntff_clocks, topsp, nx_ntff_clock),
};
static const struct nx_wire_message nx_ntff_clocks_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_clocks, "nc_timestamp_info");

static const struct nx_wire_field nx_ntff_memory_usage_fields[] = {
	NX_FIELD_U64(1, nx_ntff_memory_usage, usage_type),
	NX_FIELD_U64(2, nx_ntff_memory_usage, amount_bytes),
	NX_FIELD_TEXT(3, nx_ntff_memory_usage, type),
};
static const struct nx_wire_message nx_ntff_memory_usage_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_memory_usage, "nc_memory_usage");

static const struct nx_wire_field nx_ntff_dma_block_fields[] = {
	NX_FIELD_U64(1, nx_ntff_dma_block, block_id),
	NX_FIELD_U64(2, nx_ntff_dma_block, packet_count),
	NX_FIELD_U64(3, nx_ntff_dma_block, m2s),
	NX_FIELD_U64(4, nx_ntff_dma_block, s2m),
	NX_FIELD_TEXT(5, nx_ntff_dma_block, function_name),
};
static const struct nx_wire_message nx_ntff_dma_block_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_dma_block, "desc_block_info");

static const struct nx_wire_field nx_ntff_queue_fields[] = {
	NX_FIELD_U64(1, nx_ntff_queue, engine_index),
	NX_FIELD_U64(2, nx_ntff_queue, queue_index),
	NX_FIELD_U64(3, nx_ntff_queue, queue_type),
	NX_FIELD_TEXT(4, nx_ntff_queue, name),
	NX_FIELD_I64(5, nx_ntff_queue, tracing_event_id),
	NX_FIELD_U64(6, nx_ntff_queue, axi_port),
	NX_FIELD_U64(7, nx_ntff_queue, channel),
	NX_FIELD_LIST(8, nx_ntff_queue, blocks, nx_ntff_dma_block),
};
static const struct nx_wire_message nx_ntff_queue_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_queue, "dma_queue_usage_info");

static const struct nx_wire_field nx_ntff_cc_semaphore_fields[] = {
	NX_FIELD_TEXT(1, nx_ntff_cc_semaphore, name),
	NX_FIELD_U64(2, nx_ntff_cc_semaphore, index),
};
static const struct nx_wire_message nx_ntff_cc_semaphore_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_semaphore, "collectives_semaphore");

static const struct nx_wire_field nx_ntff_cc_semaphore_update_fields[] = {
	NX_FIELD_U64(1, nx_ntff_cc_semaphore_update, semaphore_id),
	NX_FIELD_I64(2, nx_ntff_cc_semaphore_update, value),
};
static const struct nx_wire_message nx_ntff_cc_semaphore_update_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_semaphore_update, "collectives_semaphore_update");

static const struct nx_wire_field nx_ntff_cc_net_update_fields[] = {
	NX_FIELD_U64(1, nx_ntff_cc_net_update, net_idx),
};
static const struct nx_wire_message nx_ntff_cc_net_update_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_net_update, "collectives_net_idx_update");

static const struct nx_wire_field nx_ntff_cc_packets_fields[] = {
	NX_FIELD_U64(1, nx_ntff_cc_packets, type),
	NX_FIELD_U64(2, nx_ntff_cc_packets, size),
	NX_FIELD_U64(3, nx_ntff_cc_packets, neighbor),
	NX_FIELD_MESSAGE(4, nx_ntff_cc_packets, semaphore_update, nx_ntff_cc_semaphore_update),
	NX_FIELD_MESSAGE(5, nx_ntff_cc_packets, net_update, nx_ntff_cc_net_update),
	NX_FIELD_U64(6, nx_ntff_cc_packets, op_idx),
	NX_FIELD_U64(7, nx_ntff_cc_packets, stream_idx),
};
static const struct nx_wire_message nx_ntff_cc_packets_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_packets, "collectives_dma_packets");

static const struct nx_wire_field nx_ntff_cc_subchannel_fields[] = {
	NX_FIELD_U64(1, nx_ntff_cc_subchannel, index),
	NX_FIELD_MESSAGE(2, nx_ntff_cc_subchannel, dma, nx_ntff_queue),
	NX_FIELD_LIST(3, nx_ntff_cc_subchannel, semaphores, nx_ntff_cc_semaphore),
	NX_FIELD_LIST(4, nx_ntff_cc_subchannel, packets, nx_ntff_cc_packets),
};
static const struct nx_wire_message nx_ntff_cc_subchannel_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_subchannel, "collectives_subchannel");

static const struct nx_wire_field nx_ntff_cc_channel_fields[] = {
	NX_FIELD_TEXT(1, nx_ntff_cc_channel, name),
	NX_FIELD_LIST(3, nx_ntff_cc_channel, subchannels, nx_ntff_cc_subchannel),
	NX_FIELD_U64(4, nx_ntff_cc_channel, engine_index),
};
static const struct nx_wire_message nx_ntff_cc_channel_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_channel, "collectives_channel");

static const struct nx_wire_field nx_ntff_collectives_fields[] = {
	NX_FIELD_LIST(1, nx_ntff_collectives, channels, nx_ntff_cc_channel),
	NX_FIELD_LIST(2, nx_ntff_collectives, topsp, nx_ntff_code),
};
static const struct nx_wire_message nx_ntff_collectives_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_collectives, "collectives_info");

static const struct nx_wire_field nx_ntff_cc_op_fields[] = {
	NX_FIELD_I64(1, nx_ntff_cc_op, type),
	NX_FIELD_I64(2, nx_ntff_cc_op, algorithm),
	NX_FIELD_U64(3, nx_ntff_cc_op, element_count),
	NX_FIELD_U64(4, nx_ntff_cc_op, comm_id),
	NX_FIELD_U64(5, nx_ntff_cc_op, data_type),
	NX_FIELD_TEXT(6, nx_ntff_cc_op, algorithm_name),
};
static const struct nx_wire_message nx_ntff_cc_op_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_op, "collectives_op");

static const struct nx_wire_field nx_ntff_cc_trace_fields[] = {
	NX_FIELD_U64(1, nx_ntff_cc_trace, cc_core_id),
	NX_FIELD_BYTES(2, nx_ntff_cc_trace, notifications),
};
static const struct nx_wire_message nx_ntff_cc_trace_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_trace, "collectives_op_trace");

static const struct nx_wire_field nx_ntff_cc_ops_fields[] = {
	NX_FIELD_BYTES(1, nx_ntff_cc_ops, op_trace),
	NX_FIELD_LIST(2, nx_ntff_cc_ops, ops, nx_ntff_cc_op),
	NX_FIELD_LIST(3, nx_ntff_cc_ops, traces, nx_ntff_cc_trace),
};
static const struct nx_wire_message nx_ntff_cc_ops_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_ops, "collectives_op_info");

static const struct nx_wire_field nx_ntff_cc_comm_fields[] = {
	NX_FIELD_U64(1, nx_ntff_cc_comm, id),
	NX_FIELD_U64(2, nx_ntff_cc_comm, rank),
	NX_FIELD_U64(3, nx_ntff_cc_comm, rank_count),
	NX_FIELD_U64(4, nx_ntff_cc_comm, node_count),
	NX_FIELD_U64(5, nx_ntff_cc_comm, local_rank_count),
	NX_FIELD_U64(6, nx_ntff_cc_comm, stream_id),
};
static const struct nx_wire_message nx_ntff_cc_comm_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_comm, "collectives_comm_info");

static const struct nx_wire_field nx_ntff_cc_stream_fields[] = {
	NX_FIELD_U64(1, nx_ntff_cc_stream, id),
	NX_FIELD_LIST_U64(2, nx_ntff_cc_stream, cc_core_ids),
};
static const struct nx_wire_message nx_ntff_cc_stream_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cc_stream, "collectives_stream_info");

static const struct nx_wire_field nx_ntff_graph_fields[] = {
	NX_FIELD_TEXT(1, nx_ntff_graph, name),
	NX_FIELD_U64(2, nx_ntff_graph, nd_idx),
	NX_FIELD_U64(3, nx_ntff_graph, nc_idx),
	NX_FIELD_LIST(4, nx_ntff_graph, code, nx_ntff_code),
	NX_FIELD_LIST(5, nx_ntff_graph, patches, nx_ntff_patch),
	NX_FIELD_LIST(6, nx_ntff_graph, rings, nx_ntff_ring),
	NX_FIELD_LIST(7, nx_ntff_graph, queues, nx_ntff_queue),
	NX_FIELD_BOOL(8, nx_ntff_graph, is_io_on_host),
	NX_FIELD_MESSAGE(9, nx_ntff_graph, collectives, nx_ntff_collectives),
	NX_FIELD_MESSAGE(10, nx_ntff_graph, clocks, nx_ntff_clocks),
	NX_FIELD_LIST(11, nx_ntff_graph, memory, nx_ntff_memory_usage),
	NX_FIELD_LIST(12, nx_ntff_graph, cc_channels, nx_ntff_cc_channel),
	NX_FIELD_LIST(13, nx_ntff_graph, cc_code, nx_ntff_code),
	NX_FIELD_U64(14, nx_ntff_graph, exec_duration_ps),
	NX_FIELD_MESSAGE(15, nx_ntff_graph, cc_ops, nx_ntff_cc_ops),
	NX_FIELD_LIST(16, nx_ntff_graph, comms, nx_ntff_cc_comm),
	NX_FIELD_LIST(17, nx_ntff_graph, streams, nx_ntff_cc_stream),
};
static const struct nx_wire_message nx_ntff_graph_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_graph, "subgraph_info");

static const struct nx_wire_field nx_ntff_device_node_fields[] = {
	NX_FIELD_LIST(1, nx_ntff_device_node, graphs, nx_ntff_graph),
};
static const struct nx_wire_message nx_ntff_device_node_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_device_node, "nd_node_info");

static const struct nx_wire_field nx_ntff_cpu_node_fields[] = {
	NX_FIELD_TEXT(1, nx_ntff_cpu_node, name),
	NX_FIELD_I64(2, nx_ntff_cpu_node, cpu_num),
};
static const struct nx_wire_message nx_ntff_cpu_node_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_cpu_node, "cpu_node_info");

static const struct nx_wire_field nx_ntff_outcc_node_fields[] = {
	NX_FIELD_MESSAGE(1, nx_ntff_outcc_node, cc_ops, nx_ntff_cc_ops),
	NX_FIELD_LIST(2, nx_ntff_outcc_node, comms, nx_ntff_cc_comm),
	NX_FIELD_LIST(3, nx_ntff_outcc_node, streams, nx_ntff_cc_stream),
	NX_FIELD_LIST(4, nx_ntff_outcc_node, cc_channels, nx_ntff_cc_channel),
	NX_FIELD_LIST_U64(5, nx_ntff_outcc_node, participants),
};
static const struct nx_wire_message nx_ntff_outcc_node_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_outcc_node, "outcc_info");

static const struct nx_wire_field nx_ntff_node_fields[] = {
	NX_FIELD_I64(1, nx_ntff_node, node_id),
	NX_FIELD_F64(2, nx_ntff_node, runtime_latency),
	NX_FIELD_MESSAGE(3, nx_ntff_node, cpu, nx_ntff_cpu_node),
	NX_FIELD_MESSAGE(4, nx_ntff_node, device, nx_ntff_device_node),
	NX_FIELD_BYTES(5, nx_ntff_node, uid),
	NX_FIELD_MESSAGE(6, nx_ntff_node, outcc, nx_ntff_outcc_node),
};
static const struct nx_wire_message nx_ntff_node_message =
	NX_WIRE_MESSAGE_OF(nx_ntff_node, "neff_node_info");

static const struct nx_wire_field nx_ntff_info_fields[] = {
	NX_FIELD_TEXT(1, nx_ntff_info, name),
	NX_FIELD_BYTES(2, nx_ntff_info, uuid),
	NX_FIELD_U64(3, nx_ntff_info, id),
	NX_FIELD_LIST(4, nx_ntff_info, nodes, nx_ntff_node),
	NX_FIELD_U64(5, nx_ntff_info, arch),
	NX_FIELD_TEXT(6, nx_ntff_info, framework),
	NX_FIELD_I64(7, nx_ntff_info, profile_start_time),
	NX_FIELD_MESSAGE(8, nx_ntff_info, runtime_version, nx_ntff_version),
	NX_FIELD_TEXT(9, nx_ntff_info, instance_type),
	NX_FIELD_I64(10, nx_ntff_info, ncfw_notification_version),
	NX_FIELD_MESSAGE(11, nx_ntff_info, driver_version, nx_ntff_version),
	NX_FIELD_MESSAGE(12, nx_ntff_info, collectives_version, nx_ntff_version),
	NX_FIELD_LIST(13, nx_ntff_info, buffer_sizes, nx_ntff_buffer_size),
	NX_FIELD_MESSAGE(14, nx_ntff_info, ultraserver, nx_ntff_ultraserver),
	NX_FIELD_LIST(15, nx_ntff_info, executions, nx_ntff_execution),
	NX_FIELD_LIST(16, nx_ntff_info, session_rings, nx_ntff_ring),
	NX_FIELD_TEXT(17, nx_ntff_info, instance_id),
	NX_FIELD_U64(18, nx_ntff_info, pid),
	NX_FIELD_I64(19, nx_ntff_info, start_nc),
	NX_FIELD_U64(20, nx_ntff_info, session_id),
};
const struct nx_wire_message nx_ntff_info_message = NX_WIRE_MESSAGE_OF(nx_ntff_info, "ntff_info");
