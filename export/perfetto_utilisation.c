/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto_utilisation.h"

#include "model/measure.h"

void nx_utilisation_begin(struct nx_utilisation *u, const struct nx_device_trace *trace,
			  uint32_t graph)
{
	uint32_t core = trace->cores[graph];

	u->p = trace->p;
	u->peak_flops = nx_peak_flops(trace->profile->capture.hardware);
	u->hfu.track =
		nx_perfetto_counter(u->p, core, "HFU", NX_UNIT_NONE, "fraction", NX_RANK_HFU);
	u->mfu.track =
		nx_perfetto_counter(u->p, core, "MFU", NX_UNIT_NONE, "fraction", NX_RANK_MFU);
}

static void flush_step(struct nx_utilisation *u, struct nx_utilisation_step *step)
{
	if (step->value == step->written)
		return;
	nx_perfetto_count(u->p, step->track, step->time_ns, step->value);
	step->written = step->value;
}

/* Only the last value of a moment is worth writing. */
static void set_step(struct nx_utilisation *u, struct nx_utilisation_step *step, uint64_t time_ns,
		     double value)
{
	if (time_ns != step->time_ns)
		flush_step(u, step);
	step->time_ns = time_ns;
	step->value = value;
}

/* Summed anew each time: what is in flight is little, and differences would drift. */
static void set_sums(struct nx_utilisation *u, uint64_t time_ns)
{
	double hardware = 0, model = 0;

	for (size_t i = 0; i < u->open.len; i++) {
		hardware += u->open.items[i].hardware;
		model += u->open.items[i].model;
	}
	set_step(u, &u->hfu, time_ns, hardware);
	set_step(u, &u->mfu, time_ns, model);
}

static void end_until(struct nx_utilisation *u, uint64_t time_ns)
{
	while (u->open.len && u->open.items[u->open.len - 1].end_ns <= time_ns) {
		u->open.len--;
		set_sums(u, u->open.items[u->open.len].end_ns);
	}
}

static void insert(struct nx_utilisation *u, struct nx_work work)
{
	size_t at = u->open.len;

	nx_vec_push(&u->open, work);
	for (; at && u->open.items[at - 1].end_ns < work.end_ns; at--)
		u->open.items[at] = u->open.items[at - 1];
	u->open.items[at] = work;
}

void nx_utilisation_add(struct nx_utilisation *u, const struct nx_instruction *row,
			const struct nx_slot *slot)
{
	uint64_t start_ns = row->start_ps / 1000;
	uint64_t end_ns = nx_perfetto_end_ns(row->start_ps, row->end_ps);
	double flops = 2.0 * (double)slot->elements, share;

	if (end_ns <= start_ns)
		return; /* too short to have a rate */
	share = flops / ((double)(end_ns - start_ns) * 1e-9 * u->peak_flops);
	end_until(u, start_ns);
	insert(u, (struct nx_work){end_ns, share,
				   slot->instruction_type == NX_TYPE_TRANSPOSE ? 0 : share});
	set_sums(u, start_ns);
}

void nx_utilisation_finish(struct nx_utilisation *u)
{
	end_until(u, UINT64_MAX);
	flush_step(u, &u->hfu);
	flush_step(u, &u->mfu);
	nx_vec_release(&u->open);
}
