/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/ahead_rows.h"

#include <assert.h>
#include <string.h>

#include "base/workers.h"
#include "model/sorted_rows.h"

/* In the order in which tables ask for them. */
static const enum nx_analysis_id ahead_ids[] = {NX_ANALYSIS_THROUGHPUT, NX_ANALYSIS_HBM_THROUGHPUT,
						NX_ANALYSIS_BUFFER_USAGE,
						NX_ANALYSIS_SBUF_ALLOCATION};

#define AHEAD_COUNT (sizeof(ahead_ids) / sizeof(ahead_ids[0]))

struct stream {
	const struct nx_profile *profile;
	enum nx_analysis_id what;
	struct nx_sorted_rows rows;
	struct nx_job job;
};

struct nx_ahead_rows {
	struct nx_workers *workers;
	struct stream streams[AHEAD_COUNT];
};

static void find_rows(void *context)
{
	struct stream *s = context;
	const struct nx_analysis *analysis = nx_analyses[s->what];
	struct nx_error error;
	enum nx_status st;

	nx_sorted_rows_init(&s->rows, analysis->row_size);
	if (analysis->makes != NX_TABLE_COUNT)
		st = nx_profile_scan(s->profile, analysis->makes, nx_sorted_rows_add, &s->rows,
				     &error);
	else
		st = nx_analysis_run(s->what, s->profile, &s->profile->source, nx_sorted_rows_add,
				     &s->rows, &error);
	if (st)
		nx_sorted_rows_fail(&s->rows, &error);
	else
		nx_sorted_rows_sort(&s->rows);
}

struct nx_ahead_rows *nx_ahead_rows_begin(const struct nx_profile *profile)
{
	struct nx_ahead_rows *ahead = nx_heap_alloc(sizeof(*ahead));

	memset(ahead, 0, sizeof(*ahead));
	/* one thread beside the owner, which helps while it waits */
	ahead->workers = nx_workers_new("nx-ahead", nx_workers_default_count(2) - 1, 0);
	for (unsigned i = 0; i < AHEAD_COUNT; i++) {
		struct stream *s = &ahead->streams[i];

		s->profile = profile;
		s->what = ahead_ids[i];
		s->job = (struct nx_job){.run = find_rows, .context = s};
		(void)nx_workers_add(ahead->workers, &s->job);
	}
	return ahead;
}

void nx_ahead_rows_end(struct nx_ahead_rows *ahead)
{
	nx_workers_free(ahead->workers);
	for (unsigned i = 0; i < AHEAD_COUNT; i++)
		nx_spool_free(ahead->streams[i].rows.spool);
	nx_heap_free(ahead);
}

enum nx_status nx_ahead_rows_finish(const struct nx_device_fill *fill, enum nx_analysis_id what,
				    nx_row_fn fn, void *context)
{
	struct stream own = {.profile = fill->profile, .what = what};
	struct stream *s = &own;

	assert(what < NX_ANALYSIS_COUNT && fn);
	for (unsigned i = 0; fill->ahead && i < AHEAD_COUNT; i++)
		if (ahead_ids[i] == what)
			s = &fill->ahead->streams[i];
	if (s == &own)
		find_rows(s);
	else
		nx_workers_await(fill->ahead->workers, &s->job);
	return nx_sorted_rows_finish(&s->rows, fn, context, fill->err);
}
