/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fillers: the functions that tables.c lists, each with the tables it fills. A filler begins and
 * ends its tables; failures of rows stick in the sink, others are returned.
 */
#ifndef NX_TABLES_FILLERS_H
#define NX_TABLES_FILLERS_H

#include <assert.h>

#include "tables/tables.h"

struct nx_ahead_rows;

struct nx_device_fill {
	const struct nx_profile *profile;
	const struct nx_tables_options *options;
	struct nx_table_sink *sink;
	struct nx_ahead_rows *ahead; /* NULL: rows are derived on request */
	uint64_t row_count;	     /* put by all fillers before this one */
	struct nx_error *err;
};

struct nx_system_fill {
	const struct nx_system_profile *profile;
	struct nx_table_sink *sink;
	struct nx_error *err;
};

typedef enum nx_status (*nx_device_filler)(struct nx_device_fill *fill);
typedef enum nx_status (*nx_system_filler)(struct nx_system_fill *fill);

/* clang-format off */
enum nx_status nx_fill_instructions(struct nx_device_fill *fill); /* Instruction */
enum nx_status nx_fill_assembly(struct nx_device_fill *fill); /* AssemblyInstruction, CoreBarriers */
enum nx_status nx_fill_opcodes(struct nx_device_fill *fill); /* OpcodeSummary */
enum nx_status nx_fill_dma(struct nx_device_fill *fill); /* DmaPacket, DmaPacketAggregated, Flow */
enum nx_status nx_fill_semaphores(struct nx_device_fill *fill); /* SemaphoreUpdate */
enum nx_status nx_fill_pending(struct nx_device_fill *fill); /* PendingDma */
enum nx_status nx_fill_active_time(struct nx_device_fill *fill); /* ActiveTime */
enum nx_status nx_fill_throttles(struct nx_device_fill *fill); /* Throttle, ThrottleSummary */
enum nx_status nx_fill_dma_usage(struct nx_device_fill *fill); /* DmaUsage, DmaUsageSummary */
enum nx_status nx_fill_hbm_usage(struct nx_device_fill *fill); /* HbmUsage */
enum nx_status nx_fill_errors(struct nx_device_fill *fill); /* Error */
enum nx_status nx_fill_why(struct nx_device_fill *fill); /* Release, EngineTime, CriticalPath, WhatIf, WhySummary */
enum nx_status nx_fill_collectives(struct nx_device_fill *fill); /* CcOp, CcStream */
enum nx_status nx_fill_tensors(struct nx_device_fill *fill); /* TensorInfo */
enum nx_status nx_fill_stack_frames(struct nx_device_fill *fill); /* StackFrame… */
enum nx_status nx_fill_kernels(struct nx_device_fill *fill); /* Kernel… */
enum nx_status nx_fill_hierarchy(struct nx_device_fill *fill); /* Bir-, Penguin-, Hlo-, Framework… */
enum nx_status nx_fill_buffer_usage(struct nx_device_fill *fill); /* SbufUsage, PsumUsage */
enum nx_status nx_fill_sbuf_allocations(struct nx_device_fill *fill); /* SbufAllocation */
enum nx_status nx_fill_memory_usage(struct nx_device_fill *fill); /* MemoryUsage */
enum nx_status nx_fill_queues(struct nx_device_fill *fill); /* DmaQueuesInfo */
enum nx_status nx_fill_memory(struct nx_device_fill *fill); /* HbmUsageSummaryByType */
enum nx_status nx_fill_execution(struct nx_device_fill *fill); /* ExecutionInfo */
enum nx_status nx_fill_metadata(struct nx_device_fill *fill); /* Metadata */
enum nx_status nx_fill_neff_header(struct nx_device_fill *fill); /* NeffHeader */
enum nx_status nx_fill_summary(struct nx_device_fill *fill); /* Summary */
enum nx_status nx_fill_warnings(struct nx_device_fill *fill); /* Warning */
enum nx_status nx_fill_schema_fields(struct nx_device_fill *fill); /* SchemaFields */

enum nx_status nx_fill_system_events(struct nx_system_fill *fill); /* SystemProfileEvents */
enum nx_status nx_fill_system_hbm(struct nx_system_fill *fill); /* SystemProfileHbmUsage */
enum nx_status nx_fill_system_cpu(struct nx_system_fill *fill); /* CpuUsage */
enum nx_status nx_fill_system_memory(struct nx_system_fill *fill); /* HostMemUsage */
enum nx_status nx_fill_program_counters(struct nx_system_fill *fill); /* ProgramCounter */
enum nx_status nx_fill_system_metadata(struct nx_system_fill *fill); /* SystemProfileMetadata */
enum nx_status nx_fill_system_devices(struct nx_system_fill *fill); /* DeviceProfileList */
enum nx_status nx_fill_system_sessions(struct nx_system_fill *fill); /* ProfileSession */
enum nx_status nx_fill_system_steps(struct nx_system_fill *fill); /* Step…, ExecutionGap… */
enum nx_status nx_fill_system_notes(struct nx_system_fill *fill); /* Warning, SchemaFields */
/* clang-format on */

/* An empty row of a table, which begins. */
static inline void nx_begin_table(struct nx_table_sink *sink, struct nx_row *row,
				  enum nx_schema_table_id table)
{
	assert(table < NX_SCHEMA_TABLE_COUNT);
	nx_row_init(row, table);
	nx_table_sink_begin(sink, table);
}

/* A table of one row. */
static inline void nx_put_only_row(struct nx_table_sink *sink, struct nx_row *row)
{
	enum nx_schema_table_id table = row->table;

	assert(table < NX_SCHEMA_TABLE_COUNT);
	nx_table_sink_begin(sink, table);
	nx_table_sink_put(sink, row);
	nx_table_sink_end(sink, table);
}

/* The whole table Warning, for profiles of any kind. */
void nx_put_warnings(const struct nx_warnings *warnings, struct nx_table_sink *sink);

#endif
