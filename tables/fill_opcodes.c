/* SPDX-License-Identifier: Apache-2.0 */
/* What each opcode cost on each engine, over all cores. */
#include <assert.h>
#include <string.h>

#include "analyse/span_union.h"
#include "format/instruction.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"

#define OPCODES 256
static_assert(OPCODES > UINT8_MAX, "a place for each opcode");

struct opcode_cost {
	uint64_t instruction_count; /* 0: it did not occur */
	uint64_t instruction_ps;    /* overlaps counted each time */
	struct nx_span_union busy;  /* overlaps counted once */
};

struct opcode_fill {
	const struct nx_profile *profile;
	struct opcode_cost costs[NX_ENGINE_COUNT][OPCODES];
};

static void add_row(void *context, const void *opaque)
{
	struct opcode_fill *x = context;
	const struct nx_instruction *ran = opaque;
	struct opcode_cost *cost = &x->costs[ran->engine][nx_profile_slot(x->profile, ran)->opcode];

	cost->instruction_count++;
	cost->instruction_ps += ran->end_ps - ran->start_ps;
	nx_span_union_cover(&cost->busy, ran->start_ps, ran->end_ps);
}

static void put_cost(struct nx_device_fill *fill, struct nx_row *row, unsigned engine,
		     unsigned opcode, const struct opcode_cost *cost)
{
	uint64_t active_ps = nx_span_union_length(&cost->busy);
	uint64_t total_ps = fill->profile->capture.total_time_ps;
	char label[16];

	nx_row_put_text(row, NX_COL_OpcodeSummary_engine, nx_engines[engine].label);
	nx_row_put_text(row, NX_COL_OpcodeSummary_opcode, nx_opcode_label((uint8_t)opcode, label));
	nx_row_put_u64(row, NX_COL_OpcodeSummary_instruction_count, cost->instruction_count);
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
	nx_begin_table(fill->sink, &row, NX_SCHEMA_OpcodeSummary);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		for (unsigned op = 0; op < OPCODES; op++)
			if (x->costs[e][op].instruction_count)
				put_cost(fill, &row, e, op, &x->costs[e][op]);
	nx_table_sink_end(fill->sink, NX_SCHEMA_OpcodeSummary);
	nx_heap_free(x);
	return st;
}
