/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: one sample for every row of their tables. */
#include <assert.h>

#include "export/perfetto_device.h"
#include "model/measure.h"

enum counter {
	COUNTER_THROUGHPUT,
	COUNTER_PENDING,
	COUNTER_SBUF,
	COUNTER_PSUM,
	COUNTER_PSUM_BANKS,
	COUNTER_THROTTLE,
	COUNTER_COUNT,
};

static const struct {
	const char *name, *unit_name;
	enum nx_perfetto_unit unit;
	enum nx_device_rank rank;
} counters[COUNTER_COUNT] = {
	[COUNTER_THROUGHPUT] = {"DMA throughput", "bytes/s", NX_UNIT_NONE, NX_RANK_THROUGHPUT},
	[COUNTER_PENDING] = {"Pending DMA", NULL, NX_UNIT_COUNT, NX_RANK_PENDING},
	[COUNTER_SBUF] = {"SBUF usage", "fraction", NX_UNIT_NONE, NX_RANK_SBUF},
	[COUNTER_PSUM] = {"PSUM usage", "fraction", NX_UNIT_NONE, NX_RANK_PSUM},
	[COUNTER_PSUM_BANKS] = {"PSUM banks", NULL, NX_UNIT_COUNT, NX_RANK_PSUM_BANKS},
	[COUNTER_THROTTLE] = {"Throttling limit", "fraction", NX_UNIT_NONE, NX_RANK_THROTTLE},
};

struct counter_trace {
	const struct nx_device_trace *trace;
	uint32_t tracks[NX_MAX_GRAPHS][COUNTER_COUNT];
};

static void put(struct counter_trace *x, enum counter counter, uint32_t graph, uint64_t time_ps,
		double value)
{
	assert(graph < NX_MAX_GRAPHS && counter < COUNTER_COUNT);
	nx_perfetto_count(x->trace->p, x->tracks[graph][counter], time_ps / 1000, value);
}

static void put_throughput(void *context, const void *opaque)
{
	const struct nx_throughput *row = opaque;

	put(context, COUNTER_THROUGHPUT, row->graph, row->time_ps, (double)row->bytes_per_s);
}

static void put_pending(void *context, const void *opaque)
{
	const struct nx_pending *row = opaque;

	put(context, COUNTER_PENDING, row->graph, row->time_ps, (double)row->value);
}

static void put_usage(void *context, const void *opaque)
{
	struct counter_trace *x = context;
	const struct nx_buffer_usage *row = opaque;

	if (row->buffer != NX_BUFFER_PSUM) {
		put(x, COUNTER_SBUF, row->graph, row->time_ps,
		    (double)nx_sbuf_usage(x->trace->profile->capture.hardware, row->live_bytes));
		return;
	}
	put(x, COUNTER_PSUM, row->graph, row->time_ps, nx_psum_usage(row->banks));
	put(x, COUNTER_PSUM_BANKS, row->graph, row->time_ps, __builtin_popcount(row->banks));
}

static void put_throttle(void *context, const void *opaque)
{
	const struct nx_throttle *row = opaque;

	put(context, COUNTER_THROTTLE, row->graph, row->start_ps,
	    row->n ? (double)row->k / row->n : 0);
}

enum nx_status nx_perfetto_counters(const struct nx_device_trace *trace, struct nx_error *err)
{
	static const struct {
		enum nx_table table;
		nx_row_fn put;
	} tables[] = {
		{NX_TABLE_THROUGHPUT, put_throughput},
		{NX_TABLE_PENDING, put_pending},
		{NX_TABLE_BUFFER_USAGE, put_usage},
		{NX_TABLE_THROTTLE, put_throttle},
	};
	struct counter_trace x = {.trace = trace};
	enum nx_status st = NX_OK;

	for (uint32_t g = 0; g < trace->profile->capture.graph_count; g++)
		for (unsigned c = 0; c < COUNTER_COUNT; c++)
			x.tracks[g][c] =
				nx_perfetto_counter(trace->p, trace->cores[g], counters[c].name,
						    counters[c].unit, counters[c].unit_name,
						    counters[c].rank);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !st; i++)
		st = nx_profile_scan(trace->profile, tables[i].table, tables[i].put, &x, err);
	return st;
}

/* --- utilisation ------------------------------------------------------------ */

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

/* Only the last value of a moment is written. */
static void set_step(struct nx_utilisation *u, struct nx_utilisation_step *step, uint64_t time_ns,
		     double value)
{
	if (time_ns != step->time_ns)
		flush_step(u, step);
	step->time_ns = time_ns;
	step->value = value;
}

/* Summed again each time: few are in flight, and differences would drift. */
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

void nx_utilisation_add(struct nx_utilisation *u, const struct nx_instruction *row,
			const struct nx_slot *slot)
{
	uint64_t start_ns = row->start_ps / 1000;
	uint64_t end_ns = nx_perfetto_end_ns(row->start_ps, row->end_ps);
	struct nx_work work = {.end_ns = end_ns};
	size_t at;

	if (end_ns <= start_ns)
		return; /* too short to have a rate */
	end_until(u, start_ns);
	work.hardware =
		2.0 * (double)slot->elements / ((double)(end_ns - start_ns) * 1e-9 * u->peak_flops);
	work.model = slot->instruction_type == NX_TYPE_TRANSPOSE ? 0 : work.hardware;
	at = u->open.len;
	nx_vec_push(&u->open, work);
	for (; at && u->open.items[at - 1].end_ns < end_ns; at--)
		u->open.items[at] = u->open.items[at - 1];
	u->open.items[at] = work;
	set_sums(u, start_ns);
}

void nx_utilisation_finish(struct nx_utilisation *u)
{
	end_until(u, UINT64_MAX);
	flush_step(u, &u->hfu);
	flush_step(u, &u->mfu);
	nx_vec_release(&u->open);
}
