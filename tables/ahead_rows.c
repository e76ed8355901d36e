/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/ahead_rows.h"

#include <string.h>

#include "analyse/sbuf_allocation.h"
#include "analyse/static_dma.h"
#include "analyse/throughput.h"
#include "base/workers.h"
#include "tables/sorted_rows.h"

/* --- what is found ---------------------------------------------------------- */

static enum nx_status find_throughput(const struct nx_profile *profile, struct nx_sorted_rows *rows,
				      struct nx_error *err)
{
	return nx_profile_scan(profile, NX_TABLE_THROUGHPUT, nx_sorted_rows_add, rows, err);
}

struct hbm_scan {
	const struct nx_profile *profile;
	struct nx_throughput_analysis analysis;
};

/* Only a NEFF tells where a packet's bytes come from or go to, and only of static transfers. */
static void add_packet(void *context, const void *opaque)
{
	struct hbm_scan *x = context;
	const struct nx_packet *packet = opaque;
	uint32_t at = nx_profile_find_transfer(x->profile, packet);
	const struct nx_transfer *t;

	if (at == NX_NONE || packet->size_bytes <= NX_SEMAPHORE_WRITE_BYTES)
		return;
	t = &x->profile->transfers.items[at];
	if (x->profile->program.slots[t->graph][t->engine][t->slot].flags &
	    (NX_SLOT_HBM_READ | NX_SLOT_HBM_WRITE))
		nx_throughput_add(&x->analysis, packet);
}

static enum nx_status find_hbm(const struct nx_profile *profile, struct nx_sorted_rows *rows,
			       struct nx_error *err)
{
	struct hbm_scan x = {.profile = profile,
			     .analysis = {.fn = nx_sorted_rows_add, .context = rows}};
	enum nx_status st = NX_OK;

	if (profile->transfers.len)
		st = nx_profile_scan(profile, NX_TABLE_PACKET, add_packet, &x, err);
	nx_throughput_finish(&x.analysis);
	return st;
}

static enum nx_status find_buffer_usage(const struct nx_profile *profile,
					struct nx_sorted_rows *rows, struct nx_error *err)
{
	return nx_profile_scan(profile, NX_TABLE_BUFFER_USAGE, nx_sorted_rows_add, rows, err);
}

static void add_instruction(void *context, const void *row)
{
	nx_sbuf_add(context, row);
}

static enum nx_status find_allocations(const struct nx_profile *profile,
				       struct nx_sorted_rows *rows, struct nx_error *err)
{
	struct nx_sbuf_analysis *analysis = nx_sbuf_new(profile);
	enum nx_status st =
		nx_profile_scan(profile, NX_TABLE_INSTRUCTION, add_instruction, analysis, err);

	if (!st)
		st = nx_sbuf_finish(analysis, nx_sorted_rows_add, rows, err);
	nx_sbuf_free(analysis);
	return st;
}

static const struct {
	size_t row_size;
	enum nx_status (*find)(const struct nx_profile *profile, struct nx_sorted_rows *rows,
			       struct nx_error *err);
} kinds[NX_AHEAD_COUNT] = {
	[NX_AHEAD_THROUGHPUT] = {sizeof(struct nx_throughput), find_throughput},
	[NX_AHEAD_HBM] = {sizeof(struct nx_throughput), find_hbm},
	[NX_AHEAD_BUFFER_USAGE] = {sizeof(struct nx_buffer_usage), find_buffer_usage},
	[NX_AHEAD_SBUF_ALLOCATION] = {sizeof(struct nx_sbuf_allocation), find_allocations},
};

/* --- when ------------------------------------------------------------------- */

struct stream {
	const struct nx_profile *profile;
	enum nx_ahead what;
	struct nx_sorted_rows rows;
	struct nx_job job;
};

struct nx_ahead_rows {
	struct nx_workers *workers;
	struct stream streams[NX_AHEAD_COUNT];
};

static void find_rows(void *context)
{
	struct stream *s = context;
	struct nx_error error;
	enum nx_status st;

	nx_sorted_rows_init(&s->rows, kinds[s->what].row_size);
	st = kinds[s->what].find(s->profile, &s->rows, &error);
	if (st)
		nx_sorted_rows_fail(&s->rows, &error);
	else
		nx_sorted_rows_sort(&s->rows);
}

struct nx_ahead_rows *nx_ahead_rows_begin(const struct nx_profile *profile)
{
	struct nx_ahead_rows *ahead = nx_heap_alloc(sizeof(*ahead));

	memset(ahead, 0, sizeof(*ahead));
	/* One beside the owner, which works while it awaits. */
	ahead->workers = nx_workers_new("nx-ahead", nx_workers_default_count(2) - 1, 0);
	for (unsigned i = 0; i < NX_AHEAD_COUNT; i++) {
		struct stream *s = &ahead->streams[i];

		s->profile = profile;
		s->what = (enum nx_ahead)i;
		s->job = (struct nx_job){.run = find_rows, .context = s};
		(void)nx_workers_add(ahead->workers, &s->job);
	}
	return ahead;
}

void nx_ahead_rows_end(struct nx_ahead_rows *ahead)
{
	nx_workers_free(ahead->workers);
	for (unsigned i = 0; i < NX_AHEAD_COUNT; i++)
		nx_spool_free(ahead->streams[i].rows.spool);
	nx_heap_free(ahead);
}

enum nx_status nx_ahead_rows_finish(const struct nx_device_fill *fill, enum nx_ahead what,
				    nx_row_fn fn, void *context)
{
	struct stream own = {.profile = fill->profile, .what = what};
	struct stream *s = &own;

	if (fill->ahead) {
		s = &fill->ahead->streams[what];
		nx_workers_await(fill->ahead->workers, &s->job);
	} else {
		find_rows(s);
	}
	return nx_sorted_rows_finish(&s->rows, fn, context, fill->err);
}
