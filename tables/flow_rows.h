/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow_rows: the table Flow, dependencies between rows of other tables:
 *
 *	Instruction -> Instruction		as the compiler noted them, for what came before
 *	DmaPacketAggregated -> Instruction	that waited for the transfer's end
 *	Instruction -> DmaPacketAggregated	that it triggered
 *	Instruction -> DmaPacket		of the transfer that it triggered
 *
 * Those into instructions come first, then transfers, then packets, each in order of the later
 * row's start. Packets are added by the filler of their own table, so that millions of them are
 * read, matched and named once for both.
 */
#ifndef NX_TABLES_FLOW_ROWS_H
#define NX_TABLES_FLOW_ROWS_H

#include "analyse/transfer_links.h"
#include "model/executions.h"
#include "tables/fillers.h"

struct nx_flow_rows {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	const struct nx_transfer_links *links;
	struct nx_executions executions;
	uint32_t *completed; /* transfers somebody waited for, in order of the waiting row */
	size_t completed_count, next_completed;
	uint64_t id;
	struct nx_row row;
};

/* Begins the table and fills it up to the packets; links are borrowed until the end. */
NX_MUST_CHECK enum nx_status nx_flow_rows_begin(struct nx_flow_rows *flows,
						const struct nx_device_fill *fill,
						const struct nx_transfer_links *links);
/* A packet of a transfer, in order of start; id is its own in DmaPacket. */
void nx_flow_rows_add_packet(struct nx_flow_rows *flows, const struct nx_packet *packet,
			     uint32_t transfer, uint64_t id);
/* Ends the table, also after a failure, and releases. */
void nx_flow_rows_end(struct nx_flow_rows *flows);

#endif
