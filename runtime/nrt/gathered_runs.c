/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/gathered_runs.h"

#define MAX_EXECUTIONS 100000
#define MAX_RING_BYTES (UINT64_C(256) << 20)

struct adding {
	struct nx_gathered_runs *gathered;
	const struct nx_model *model;
	const struct nx_port_run *run;
};

static uint64_t ring_bytes(const struct nx_notified *rings)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rings->rings.len; i++)
		sum += rings->rings.items[i].records.len;
	return sum;
}

static bool wants_rings(const struct adding *a)
{
	bool has_timeline = !nx_notify_counts_ticks(a->model->port->arch(a->model->program));

	if (a->gathered->executions.len > 1 && !has_timeline)
		return false;
	return ring_bytes(&a->gathered->rings) < MAX_RING_BYTES;
}

static void add_guarded(void *context)
{
	struct adding *a = context;
	struct nx_notified *all = &a->gathered->rings, rings = {0};

	nx_vec_push(&a->gathered->executions,
		    ((struct nx_ntff_execution){{0}, a->run->start_ps, a->run->end_ps}));
	a->gathered->duration_ps = a->run->end_ps - a->run->start_ps;
	if (!wants_rings(a))
		return;
	a->model->port->record(a->model->program, a->run,
			       nx_instance_physical_core(nx_state_instance(), a->model->core),
			       &rings);
	if (!all->rings.len) {
		*all = rings;
		return;
	}
	for (size_t i = 0; i < rings.rings.len && i < all->rings.len; i++)
		nx_bytes_append(&all->rings.items[i].records, rings.rings.items[i].records.items,
				rings.rings.items[i].records.len);
	nx_notified_release(&rings);
}

bool nx_gathered_runs_add(struct nx_gathered_runs *gathered, const struct nx_model *model,
			  const struct nx_port_run *run)
{
	struct adding adding = {gathered, model, run};

	return gathered->executions.len < MAX_EXECUTIONS && nx_heap_guarded(add_guarded, &adding);
}

bool nx_gathered_runs_change(struct nx_gathered_runs *gathered)
{
	bool had_rings = gathered->rings.rings.len > 0;

	nx_notified_release(&gathered->rings);
	memset(&gathered->rings, 0, sizeof(gathered->rings));
	return had_rings;
}

void nx_gathered_runs_release(struct nx_gathered_runs *gathered)
{
	nx_vec_release(&gathered->executions);
	(void)nx_gathered_runs_change(gathered);
	gathered->duration_ps = 0;
}
