/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peaks of all memories and what holds them then, in one pass: what a holder had at the peak is
 * noted when it changes for the first time after it.
 */
#include <assert.h>
#include <string.h>

#include "analyse/memory_holders.h"

struct note { /* of one holder in one memory */
	uint64_t live_bytes, bytes_at_peak;
	uint64_t peak_version; /* the peak of which bytes_at_peak is; 0: none */
};

struct peaks {
	struct nx_memory_report *report;
	struct note (*notes)[NX_MEMORY_COUNT]; /* by holder */
	uint64_t versions[NX_MAX_GRAPHS][NX_MEMORY_COUNT];
};

static void add_use(void *context, const void *opaque)
{
	struct peaks *x = context;
	const struct nx_memory_use *row = opaque;
	struct nx_memory_peak *peak = &x->report->peaks[row->graph][row->memory];
	struct nx_memory_share *share = &x->report->holders[row->holder].shares[row->memory];
	struct note *note = &x->notes[row->holder][row->memory];
	uint64_t *version = &x->versions[row->graph][row->memory];

	peak->row_count++;
	if (row->total_bytes > peak->peak_bytes) {
		peak->peak_bytes = row->total_bytes;
		peak->time_ps = row->time_ps;
		++*version;
	}
	if (row->time_ps > peak->time_ps && note->peak_version != *version) {
		note->bytes_at_peak = note->live_bytes;
		note->peak_version = *version;
	}
	if (!share->max_bytes)
		share->first_ps = row->time_ps;
	if (row->live_bytes > share->max_bytes)
		share->max_bytes = row->live_bytes;
	share->last_ps = row->time_ps;
	note->live_bytes = row->live_bytes;
}

static void finish(struct peaks *x, uint64_t end_ps)
{
	for (size_t i = 0; i < x->report->holder_count; i++) {
		struct nx_memory_holder *holder = &x->report->holders[i];

		for (unsigned m = 0; m < NX_MEMORY_COUNT; m++) {
			const struct note *note = &x->notes[i][m];

			holder->shares[m].bytes_at_peak =
				note->peak_version == x->versions[holder->graph][m]
					? note->bytes_at_peak
					: note->live_bytes;
			if (note->live_bytes) /* never freed */
				holder->shares[m].last_ps = end_ps;
		}
	}
}

enum nx_status nx_memory_peaks_find(struct nx_profile *profile, struct nx_error *err)
{
	struct peaks x = {.report = profile->memory};
	size_t size = (profile->memory->holder_count + 1) * sizeof(*x.notes);
	enum nx_status st;

	assert(profile->memory);
	x.notes = nx_heap_alloc(size);
	memset(x.notes, 0, size);
	st = nx_profile_scan(profile, NX_TABLE_MEMORY_USE, add_use, &x, err);
	if (!st)
		finish(&x, profile->capture.total_time_ps);
	nx_heap_free(x.notes);
	return st;
}
