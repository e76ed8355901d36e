/* SPDX-License-Identifier: Apache-2.0 */
/* fillers: the functions that device_tables.c lists, each with the tables it fills. */
#ifndef NX_TABLES_FILLERS_H
#define NX_TABLES_FILLERS_H

#include "tables/device_tables.h"

enum nx_status nx_fill_instructions(struct nx_device_fill *fill); /* Instruction */
enum nx_status nx_fill_assembly(
	struct nx_device_fill *fill);			     /* AssemblyInstruction, CoreBarriers */
enum nx_status nx_fill_opcodes(struct nx_device_fill *fill); /* OpcodeSummary */
/* DmaPacket, DmaPacketAggregated, Flow */
enum nx_status nx_fill_dma(struct nx_device_fill *fill);
enum nx_status nx_fill_semaphores(struct nx_device_fill *fill);	 /* SemaphoreUpdate */
enum nx_status nx_fill_pending(struct nx_device_fill *fill);	 /* PendingDma */
enum nx_status nx_fill_active_time(struct nx_device_fill *fill); /* ActiveTime */
enum nx_status nx_fill_throttles(struct nx_device_fill *fill);	 /* Throttle, ThrottleSummary */
enum nx_status nx_fill_dma_usage(struct nx_device_fill *fill);	 /* DmaUsage, DmaUsageSummary */
enum nx_status nx_fill_hbm_usage(struct nx_device_fill *fill);	 /* HbmUsage */
enum nx_status nx_fill_errors(struct nx_device_fill *fill);	 /* Error */
enum nx_status nx_fill_collectives(struct nx_device_fill *fill); /* CcOp, CcStream */
enum nx_status nx_fill_tensors(struct nx_device_fill *fill);	 /* TensorInfo */
/* StackFrame, StackFrameFileLocation, StackFrameFileName, StackFrameFunctionName */
enum nx_status nx_fill_stack_frames(struct nx_device_fill *fill);
/* KernelStackFrames, KernelIterationVariables, KernelInstructions */
enum nx_status nx_fill_kernels(struct nx_device_fill *fill);
/* BirInstruction, PenguinInstruction, HloInstruction, FrameworkInstruction, FrameworkNode */
enum nx_status nx_fill_hierarchy(struct nx_device_fill *fill);
enum nx_status nx_fill_buffer_usage(struct nx_device_fill *fill);     /* SbufUsage, PsumUsage */
enum nx_status nx_fill_sbuf_allocations(struct nx_device_fill *fill); /* SbufAllocation */
enum nx_status nx_fill_queues(struct nx_device_fill *fill);	      /* DmaQueuesInfo */
enum nx_status nx_fill_memory(struct nx_device_fill *fill);	      /* HbmUsageSummaryByType */
enum nx_status nx_fill_execution(struct nx_device_fill *fill);	      /* ExecutionInfo */
enum nx_status nx_fill_metadata(struct nx_device_fill *fill);	      /* Metadata */
enum nx_status nx_fill_neff_header(struct nx_device_fill *fill);      /* NeffHeader */
enum nx_status nx_fill_summary(struct nx_device_fill *fill);	      /* Summary */
enum nx_status nx_fill_warnings(struct nx_device_fill *fill);	      /* Warning */
enum nx_status nx_fill_schema_fields(struct nx_device_fill *fill);    /* SchemaFields */

/* The whole table Warning, for profiles of any kind. */
void nx_put_warnings(const struct nx_warnings *warnings, struct nx_table_sink *sink);

#endif
