/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyse/opcode_summary.h"
#include "format/instruction.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"

struct opcode_fill {
	const struct nx_profile *profile;
	struct nx_opcode_summary summary;
};

static void add_row(void *context, const void *opaque)
{
	struct opcode_fill *x = context;
	const struct nx_instruction *ran = opaque;

	nx_opcode_summary_add(&x->summary, ran, nx_profile_slot(x->profile, ran));
}

static void put_cost(struct nx_device_fill *fill, struct nx_row *row, unsigned engine,
		     unsigned opcode, const struct nx_opcode_cost *cost)
{
	uint64_t active_ps = nx_span_union_length(&cost->busy);
	uint64_t total_ps = fill->profile->capture.total_time_ps;
	char label[16];

	nx_row_put_text(row, NX_COL_OpcodeSummary_engine, nx_engines[engine].label);
	nx_row_put_text(row, NX_COL_OpcodeSummary_opcode, nx_opcode_label((uint8_t)opcode, label));
	nx_row_put_i64(row, NX_COL_OpcodeSummary_instruction_count,
		       nx_to_i64(cost->instruction_count));
	nx_row_put_i64(row, NX_COL_OpcodeSummary_instruction_time_ns,
		       nx_ps_to_ns(cost->instruction_ps));
	nx_row_put_i64(row, NX_COL_OpcodeSummary_active_time_ns, nx_ps_to_ns(active_ps));
	nx_row_put_f64(row, NX_COL_OpcodeSummary_active_time_percent,
		       total_ps ? (double)active_ps / (double)total_ps : 0);
	nx_table_sink_put(fill->sink, row);
}

enum nx_status nx_fill_opcodes(struct nx_device_fill *fill)
{
	struct opcode_fill *x = nx_heap_alloc(sizeof(*x));
	struct nx_row row;
	enum nx_status st;

	memset(x, 0, sizeof(*x));
	x->profile = fill->profile;
	st = nx_profile_scan(fill->profile, NX_TABLE_INSTRUCTION, add_row, x, fill->err);
	nx_row_init(&row, NX_SCHEMA_OpcodeSummary);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_OpcodeSummary);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		for (unsigned op = 0; op < NX_OPCODES; op++)
			if (x->summary.costs[e][op].instruction_count)
				put_cost(fill, &row, e, op, &x->summary.costs[e][op]);
	nx_table_sink_end(fill->sink, NX_SCHEMA_OpcodeSummary);
	nx_heap_free(x);
	return st;
}
