/* SPDX-License-Identifier: Apache-2.0 */
/* neff_plan_internal: what the writers of a NEFF's members share. */
#ifndef NX_FORMAT_NEFF_PLAN_INTERNAL_H
#define NX_FORMAT_NEFF_PLAN_INTERNAL_H

#include "base/json_writer.h"
#include "format/neff_plan.h"

/* A member that is one JSON object: open it, write its keys to the result, close it. */
struct nx_json_writer *nx_plan_open_json(struct nx_plan_members *m);
void nx_plan_close_json(struct nx_plan_members *m, const char *name);

/* "sg00/" and the name */
const char *nx_plan_path(struct nx_plan_members *m, size_t graph, const char *name);

void nx_plan_add_graph(struct nx_plan_members *m, const struct nx_neff_plan *plan, size_t index);
void nx_plan_add_debug_info(struct nx_plan_members *m, const struct nx_neff_plan *plan);

static inline void nx_plan_begin_list(struct nx_json_writer *w, const char *key)
{
	nx_json_key(w, key);
	nx_json_begin_array(w);
}

static inline void nx_plan_begin_object(struct nx_json_writer *w, const char *key)
{
	nx_json_key(w, key);
	nx_json_begin_object(w);
}

static inline void nx_plan_put_numbers(struct nx_json_writer *w, const char *key,
				       const uint64_t *numbers, size_t count)
{
	nx_plan_begin_list(w, key);
	for (size_t i = 0; i < count; i++)
		nx_json_u64(w, numbers[i]);
	nx_json_end_array(w);
}

static inline void nx_plan_put_texts(struct nx_json_writer *w, const char *key,
				     const char *const *texts, size_t count)
{
	nx_plan_begin_list(w, key);
	for (size_t i = 0; i < count; i++)
		nx_json_text(w, texts[i]);
	nx_json_end_array(w);
}

#endif
