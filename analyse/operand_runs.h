/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand_runs: which bytes of its partition an operand touches, as runs of neighbours.
 *
 * The fastest dimension makes one run if it steps by one element in either direction; a step of
 * zero touches its element once; any other step makes a run of each element. Runs are cut to [0,
 * limit_bytes) and may overlap. Work is bounded by the size of a partition.
 */
#ifndef NX_ANALYSE_OPERAND_RUNS_H
#define NX_ANALYSE_OPERAND_RUNS_H

#include "model/program.h"

typedef void (*nx_run_fn)(void *context, uint32_t first_byte, uint32_t end_byte);

void nx_operand_runs(const struct nx_operand *operand, uint32_t limit_bytes, nx_run_fn fn,
		     void *context);

#endif
