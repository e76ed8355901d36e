/* SPDX-License-Identifier: Apache-2.0 */
/* neff_plan_internal: what the writers of a NEFF's members share. */
#ifndef NX_FORMAT_NEFF_PLAN_INTERNAL_H
#define NX_FORMAT_NEFF_PLAN_INTERNAL_H

#include "base/json_writer.h"
#include "format/neff_plan.h"

struct nx_plan_members {
	struct nx_arena arena;
	NX_VEC(struct nx_neff_member) items;
};

/* Copies name and bytes, and empties the buffer. */
void nx_plan_add_member(struct nx_plan_members *m, const char *name, struct nx_bytes *bytes);
/* "sg00/" and the name */
const char *nx_plan_path(struct nx_plan_members *m, size_t graph, const char *name);

void nx_plan_add_graph(struct nx_plan_members *m, const struct nx_plan_graph *graph, size_t index);
void nx_plan_add_engine(struct nx_plan_members *m, const struct nx_plan_graph *graph, size_t index,
			unsigned engine);
void nx_plan_add_debug_info(struct nx_plan_members *m, const struct nx_neff_plan *plan);

#endif
