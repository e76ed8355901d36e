/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff: the file a device capture is stored in (versions 4, 5 and 6).
 *
 * 128 bytes of header, one protobuf message (struct nx_ntff_info), then raw
 * blobs: instruction images (version 6) and trace rings. docs/formats/ntff.md
 * has the layout. Reader and writer share the tables in ntff_messages.c.
 */
#ifndef NX_FORMAT_NTFF_H
#define NX_FORMAT_NTFF_H

#include "format/wire.h"

#define NX_NTFF_HEADER_BYTES 128
#define NX_NTFF_OLDEST_VERSION 4
#define NX_NTFF_NEWEST_VERSION 6

/* Begins the runtime's git_hash where a simulator wrote the file; hashes of real ones are hex. */
#define NX_NTFF_SIMULATED "simulat"

enum nx_trace_type {
	NX_TRACE_INSTRUCTION,
	NX_TRACE_EVENT,
	NX_TRACE_ERROR,
	NX_TRACE_EXPLICIT,
	NX_TRACE_DMA,
	NX_TRACE_THROTTLE,
};

enum nx_block_type { NX_BLOCK_CORE, NX_BLOCK_DMA, NX_BLOCK_TOPSP };

enum nx_patch_type { NX_PATCH_INSERT, NX_PATCH_MODIFY, NX_PATCH_DELETE };

struct nx_ntff_version {
	uint64_t major, minor, patch, maintenance;
	struct nx_slice git_hash;
};

struct nx_ntff_buffer_size {
	uint64_t block_type, trace_type, buffer_size;
};

struct nx_ntff_ultraserver {
	uint64_t id, type, size, instance_index;
};

struct nx_ntff_execution {
	struct nx_slice uid;
	uint64_t start_ps, end_ps;
};

struct nx_ntff_code {
	uint64_t engine; /* enum nx_engine */
	uint64_t start_address;
	struct nx_slice inline_code; /* versions 4 and 5 */
	uint64_t engine_index, block_type;
	bool is_function_section;
	uint64_t offset, size; /* version 6, relative to the blobs */
};

struct nx_ntff_ring {
	uint64_t trace_type; /* enum nx_trace_type */
	struct nx_slice inline_records;
	uint64_t block_type; /* enum nx_block_type */
	uint64_t engine_index;
	uint64_t offset, size;
	uint64_t core_idx; /* absolute physical core */
};

struct nx_ntff_patch_location {
	uint64_t offset; /* bytes in the device image */
	uint64_t count;	 /* slots */
	uint64_t type;	 /* enum nx_patch_type */
	bool is_function_patch;
};

struct nx_ntff_patch {
	uint64_t engine;
	NX_WIRE_LIST(struct nx_ntff_patch_location) locations;
};

struct nx_ntff_clock {
	uint64_t init, actual, expected;
};

struct nx_ntff_clocks {
	struct nx_ntff_clock tensor, scalar, vector, gpsimd, sync, events, throttle;
	bool has_tensor, has_scalar, has_vector, has_gpsimd, has_sync, has_events, has_throttle;
	NX_WIRE_LIST(struct nx_ntff_clock) dma;
	struct nx_ntff_clock topsp;
	bool has_topsp;
};

struct nx_ntff_memory_usage {
	uint64_t usage_type; /* version 4 */
	uint64_t amount_bytes;
	struct nx_slice type; /* version 5 on */
};

struct nx_ntff_dma_block {
	uint64_t block_id, packet_count, m2s, s2m;
	struct nx_slice function_name;
};

struct nx_ntff_queue {
	uint64_t engine_index, queue_index, queue_type;
	struct nx_slice name;
	int64_t tracing_event_id;
	uint64_t axi_port, channel;
	NX_WIRE_LIST(struct nx_ntff_dma_block) blocks;
};

struct nx_ntff_cc_semaphore {
	struct nx_slice name;
	uint64_t index;
};

struct nx_ntff_cc_semaphore_update {
	uint64_t semaphore_id;
	int64_t value;
};

struct nx_ntff_cc_net_update {
	uint64_t net_idx;
};

struct nx_ntff_cc_packets {
	uint64_t type, size, neighbor;
	struct nx_ntff_cc_semaphore_update semaphore_update;
	struct nx_ntff_cc_net_update net_update;
	bool has_semaphore_update, has_net_update;
	uint64_t op_idx, stream_idx;
};

struct nx_ntff_cc_subchannel {
	uint64_t index;
	struct nx_ntff_queue dma;
	bool has_dma;
	NX_WIRE_LIST(struct nx_ntff_cc_semaphore) semaphores;
	NX_WIRE_LIST(struct nx_ntff_cc_packets) packets;
};

struct nx_ntff_cc_channel {
	struct nx_slice name;
	NX_WIRE_LIST(struct nx_ntff_cc_subchannel) subchannels;
	uint64_t engine_index;
};

struct nx_ntff_collectives {
	NX_WIRE_LIST(struct nx_ntff_cc_channel) channels;
	NX_WIRE_LIST(struct nx_ntff_code) topsp;
};

struct nx_ntff_cc_op {
	int64_t type, algorithm;
	uint64_t element_count, comm_id, data_type;
	struct nx_slice algorithm_name;
};

struct nx_ntff_cc_trace {
	uint64_t cc_core_id;
	struct nx_slice notifications;
};

struct nx_ntff_cc_ops {
	struct nx_slice op_trace;
	NX_WIRE_LIST(struct nx_ntff_cc_op) ops;
	NX_WIRE_LIST(struct nx_ntff_cc_trace) traces;
};

struct nx_ntff_cc_comm {
	uint64_t id, rank, rank_count, node_count, local_rank_count, stream_id;
};

struct nx_ntff_cc_stream {
	uint64_t id;
	NX_WIRE_LIST(uint64_t) cc_core_ids;
};

struct nx_ntff_graph {
	struct nx_slice name; /* "sg00" */
	uint64_t nd_idx, nc_idx;
	NX_WIRE_LIST(struct nx_ntff_code) code;
	NX_WIRE_LIST(struct nx_ntff_patch) patches;
	NX_WIRE_LIST(struct nx_ntff_ring) rings; /* versions 4 and 5 */
	NX_WIRE_LIST(struct nx_ntff_queue) queues;
	bool is_io_on_host;
	struct nx_ntff_collectives collectives;
	bool has_collectives;
	struct nx_ntff_clocks clocks;
	bool has_clocks;
	NX_WIRE_LIST(struct nx_ntff_memory_usage) memory;
	NX_WIRE_LIST(struct nx_ntff_cc_channel) cc_channels;
	NX_WIRE_LIST(struct nx_ntff_code) cc_code;
	uint64_t exec_duration_ps;
	struct nx_ntff_cc_ops cc_ops;
	bool has_cc_ops;
	NX_WIRE_LIST(struct nx_ntff_cc_comm) comms;
	NX_WIRE_LIST(struct nx_ntff_cc_stream) streams;
};

struct nx_ntff_device_node {
	NX_WIRE_LIST(struct nx_ntff_graph) graphs;
};

struct nx_ntff_cpu_node {
	struct nx_slice name;
	int64_t cpu_num;
};

struct nx_ntff_outcc_node {
	struct nx_ntff_cc_ops cc_ops;
	bool has_cc_ops;
	NX_WIRE_LIST(struct nx_ntff_cc_comm) comms;
	NX_WIRE_LIST(struct nx_ntff_cc_stream) streams;
	NX_WIRE_LIST(struct nx_ntff_cc_channel) cc_channels;
	NX_WIRE_LIST(uint64_t) participants;
};

struct nx_ntff_node {
	int64_t node_id;
	double runtime_latency;
	struct nx_ntff_cpu_node cpu;
	struct nx_ntff_device_node device;
	struct nx_ntff_outcc_node outcc;
	bool has_cpu, has_device, has_outcc;
	struct nx_slice uid;
};

struct nx_ntff_info {
	struct nx_slice name;
	struct nx_slice
		uuid; /* as a C string: may be cut at a zero byte, or carry garbage after it */
	uint64_t id;
	NX_WIRE_LIST(struct nx_ntff_node) nodes;
	uint64_t arch; /* 1 = V2 (trn1, inf2), 2 = V3 (trn2), 3 = V4 (trn3) */
	struct nx_slice framework;
	int64_t profile_start_time;
	struct nx_ntff_version runtime_version;
	bool has_runtime_version;
	struct nx_slice instance_type;
	int64_t ncfw_notification_version;
	struct nx_ntff_version driver_version;
	bool has_driver_version;
	struct nx_ntff_version collectives_version;
	bool has_collectives_version;
	NX_WIRE_LIST(struct nx_ntff_buffer_size) buffer_sizes;
	struct nx_ntff_ultraserver ultraserver;
	bool has_ultraserver;
	NX_WIRE_LIST(struct nx_ntff_execution) executions;
	NX_WIRE_LIST(struct nx_ntff_ring) session_rings; /* version 6 */
	struct nx_slice instance_id;
	uint64_t pid;
	int64_t start_nc;
	uint64_t session_id;
};

extern const struct nx_wire_message nx_ntff_info_message;

struct nx_ntff {
	uint8_t version;
	struct nx_ntff_info info;
	struct nx_slice blobs; /* everything after the protobuf */
	struct nx_wire_loss loss;
	bool is_truncated; /* the protobuf or a blob reaches beyond the file */
};

/*
 * Reads header and message; borrows from file. VERSION when the version byte is
 * outside OLDEST..NEWEST (the message names both), FORMAT when the file cannot
 * be an NTFF at all (empty, shorter than its header, no parsable message).
 */
NX_MUST_CHECK enum nx_status nx_ntff_read(struct nx_slice file, struct nx_arena *arena,
					  struct nx_ntff *out, struct nx_error *err);

/* The bytes of a code image or a ring, inline or in the blobs, as far as the file has them. */
struct nx_slice nx_ntff_code_bytes(const struct nx_ntff *ntff, const struct nx_ntff_code *code);
struct nx_slice nx_ntff_ring_bytes(const struct nx_ntff *ntff, const struct nx_ntff_ring *ring);

/* The first tick of a block's clock that is not before a time; a clock of zeros counts ps. */
uint64_t nx_ntff_clock_ticks(const struct nx_ntff_clock *clock, uint64_t time_ps);

/*
 * Writing: append header and message with nx_ntff_write_head, then the blobs in
 * the order of their offsets. The caller sets offset and size (version 6) or
 * inline_code and the ring offsets (versions 4, 5).
 */
void nx_ntff_write_head(uint8_t version, const struct nx_ntff_info *info, struct nx_bytes *out);

#endif
