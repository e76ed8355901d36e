/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opcode_summary: what each opcode cost on each engine, over all cores. Feed instructions in
 * the order of their table; a cost whose count is 0 did not occur.
 */
#ifndef NX_ANALYSE_OPCODE_SUMMARY_H
#define NX_ANALYSE_OPCODE_SUMMARY_H

#include "analyse/span_union.h"
#include "model/profile.h"

#define NX_OPCODES 256

struct nx_opcode_cost {
	uint64_t instruction_count;
	uint64_t instruction_ps;   /* overlaps counted each time */
	struct nx_span_union busy; /* overlaps counted once */
};

struct nx_opcode_summary {
	struct nx_opcode_cost costs[NX_ENGINE_COUNT][NX_OPCODES];
};

void nx_opcode_summary_add(struct nx_opcode_summary *summary, const struct nx_instruction *row,
			   const struct nx_slot *slot);

#endif
