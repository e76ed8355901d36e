/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: one sample for every row of their tables. */
#include "export/perfetto_device.h"

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

/* The same float32 steps as in the JSON export, so that both show the same digits. */
static double sbuf_usage(const struct counter_trace *x, uint64_t live_bytes)
{
	const struct nx_hardware *hw = x->trace->profile->capture.hardware;
	float per_byte = (float)(1.0 / hw->sbuf_partition_bytes);

	return (double)(float)((double)live_bytes * (double)per_byte);
}

static void put_usage(void *context, const void *opaque)
{
	struct counter_trace *x = context;
	const struct nx_buffer_usage *row = opaque;
	unsigned banks = (unsigned)__builtin_popcount(row->banks);

	if (row->buffer != NX_BUFFER_PSUM) {
		put(x, COUNTER_SBUF, row->graph, row->time_ps, sbuf_usage(x, row->live_bytes));
		return;
	}
	put(x, COUNTER_PSUM, row->graph, row->time_ps, (double)banks / NX_PSUM_BANKS);
	put(x, COUNTER_PSUM_BANKS, row->graph, row->time_ps, banks);
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
