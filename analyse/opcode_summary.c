/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/opcode_summary.h"

void nx_opcode_summary_add(struct nx_opcode_summary *summary, const struct nx_instruction *row,
			   const struct nx_slot *slot)
{
	struct nx_opcode_cost *cost = &summary->costs[row->engine][slot->opcode];

	cost->instruction_count++;
	cost->instruction_ps += row->end_ps - row->start_ps;
	nx_span_union_cover(&cost->busy, row->start_ps, row->end_ps);
}
