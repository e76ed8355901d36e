/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate_records: how a core writes the records of its trace, where that holds engines up.
 *
 * Each engine has a queue of records. One writer takes a record of each in turn, in next to no
 * time. But a record of descriptors that GpSimd's program made occupies the writer for longer
 * than the program takes to make the next ones. If such records wait, the others get one turn
 * between two of them, and their queues fill up. Then an instruction waits for a place to start,
 * and its semaphore for a place for the record of its end.
 *
 * Control words have a queue of their own, which was never seen full; it is not simulated.
 */
#include <assert.h>

#include "runtime/timing/simulate_internal.h"

#define RECORDS_PER_INSTRUCTION 2u /* start and end */

bool nx_sim_records_matter(const struct nx_simulation *sim)
{
	return sim->options->has_descriptors && sim->hardware->records.descriptors_ps;
}

static uint64_t waiting_of(const struct nx_sim_records *records, unsigned engine)
{
	return records->added[engine] - records->written[engine];
}

static bool is_idle(const struct nx_sim_records *records)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		if (waiting_of(records, e))
			return false;
	return records->descriptors == 0;
}

static void schedule_writer(struct nx_simulation *sim, unsigned core, uint64_t time_ps)
{
	struct nx_sim_records *records = &sim->cores[core].records;

	if (records->is_scheduled || (is_idle(records) && !records->is_held))
		return;
	records->is_scheduled = true;
	nx_sim_schedule(sim, NX_SIM_RECORD, core, 0, nx_sim_later(time_ps, records->free_ps));
}

bool nx_sim_records_have_place(const struct nx_simulation *sim, unsigned core, unsigned engine)
{
	const struct nx_record_timing *timing = &sim->hardware->records;

	return !nx_sim_records_matter(sim) || waiting_of(&sim->cores[core].records, engine) <
						      timing->depth[engine] + timing->ahead[engine];
}

void nx_sim_records_add(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	if (!nx_sim_records_matter(sim))
		return;
	sim->cores[core].records.added[engine] += RECORDS_PER_INSTRUCTION;
	schedule_writer(sim, core, now_ps);
}

void nx_sim_records_add_descriptors(struct nx_simulation *sim, unsigned core, uint64_t now_ps)
{
	if (!nx_sim_records_matter(sim))
		return;
	sim->cores[core].records.descriptors++;
	schedule_writer(sim, core, now_ps);
}

static bool has_end_place(const struct nx_simulation *sim, unsigned core, unsigned engine,
			  uint64_t number)
{
	uint64_t written = sim->cores[core].records.written[engine];

	return number <= written + sim->hardware->records.depth[engine];
}

void nx_sim_records_update(struct nx_simulation *sim, unsigned core, unsigned engine,
			   const struct nx_loaded_slot *slot, uint64_t end_ps, uint64_t now_ps)
{
	struct nx_sim_records *records = &sim->cores[core].records;
	uint64_t number = records->added[engine];

	if (!nx_sim_records_matter(sim) || has_end_place(sim, core, engine, number)) {
		nx_sim_update(sim, core, engine, slot, end_ps, now_ps);
		return;
	}
	nx_vec_push(&records->late[engine], ((struct nx_sim_late){number, end_ps, slot}));
}

/* Records of an engine were written: what waited for their places goes on. */
static void release(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	struct nx_sim_records *records = &sim->cores[core].records;

	while (records->late_head[engine] < records->late[engine].len) {
		struct nx_sim_late late = records->late[engine].items[records->late_head[engine]];

		if (!has_end_place(sim, core, engine, late.number))
			break;
		records->late_head[engine]++;
		nx_sim_update(sim, core, engine, late.slot, nx_sim_later(late.end_ps, now_ps),
			      now_ps);
	}
	if (!nx_sim_records_have_place(sim, core, engine))
		return;
	nx_sim_queue_has_place(sim, core, engine, now_ps);
	nx_sim_front_has_place(sim, core, engine, now_ps);
}

static void write_one(struct nx_simulation *sim, unsigned core, unsigned engine, uint64_t now_ps)
{
	struct nx_sim_records *records = &sim->cores[core].records;

	if (waiting_of(records, engine) == 0)
		return;
	records->written[engine]++;
	release(sim, core, engine, now_ps);
}

static void write_next(struct nx_simulation *sim, unsigned core, uint64_t now_ps)
{
	struct nx_sim_records *records = &sim->cores[core].records;

	for (unsigned i = 0; i < NX_ENGINE_COUNT; i++) {
		unsigned engine = (records->next + i) % NX_ENGINE_COUNT;

		if (waiting_of(records, engine) == 0)
			continue;
		records->next = engine + 1;
		records->free_ps = now_ps + sim->hardware->records.record_ps;
		write_one(sim, core, engine, now_ps);
		return;
	}
}

void nx_sim_records_go(struct nx_simulation *sim, unsigned core, uint64_t now_ps)
{
	struct nx_sim_records *records = &sim->cores[core].records;

	assert(records->is_scheduled);
	if (records->is_held)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			write_one(sim, core, e, now_ps);
	records->is_held = records->descriptors > 0;
	if (records->is_held) {
		records->descriptors--;
		records->free_ps = now_ps + sim->hardware->records.descriptors_ps;
	} else {
		write_next(sim, core, now_ps);
	}
	records->is_scheduled = false;
	schedule_writer(sim, core, now_ps);
}
