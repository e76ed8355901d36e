/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/timeline_asked.h"
#include "tests/unit/store/timeline_whole.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

enum nx_status nx_asked_of_timeline(struct nx_asked *asked, const struct nx_timeline *t,
				    struct nx_error *err)
{
	static struct nx_span_bucket buckets[NX_ASKED_BUCKETS];
	double begin = seconds_now();
	enum nx_status st = whole_spans(t, &asked->window, buckets, err);

	asked->seconds = seconds_now() - begin;
	for (size_t i = 0; i < NX_ASKED_BUCKETS && !st; i++)
		asked->buckets[i] = (struct nx_asked_bucket){buckets[i].count, buckets[i].busy_ns,
							     buckets[i].longest_ns};
	return st;
}

/*
 * Bucket i starts i * length // buckets after the window, so a time `at` is in bucket
 * ((at + 1) * buckets - 1) // length. Empty spans end where they start and are in one bucket.
 * end_ns >= from lets DuckDB skip groups of rows, which it does not do for the OR.
 */
static const char sql_format[] =
	"WITH cut AS (SELECT greatest(start_ns, %1$llu) - %1$llu AS a,"
	" least(end_ns, %2$llu) - %1$llu AS b, end_ns - start_ns AS length FROM Span"
	" WHERE track = %3$u AND depth = %4$u AND start_ns < %2$llu AND end_ns >= %1$llu"
	" AND (end_ns > %1$llu OR start_ns = %1$llu)),"
	" piece AS (SELECT a, b, length, unnest(range(((a + 1) * %5$u - 1) // %6$llu,"
	" (greatest(a + 1, b) * %5$u - 1) // %6$llu + 1)) AS bucket FROM cut)"
	" SELECT bucket, count(*), CAST(sum(least(b, (bucket + 1) * %6$llu // %5$u)"
	" - greatest(a, bucket * %6$llu // %5$u)) AS BIGINT), max(length)"
	" FROM piece GROUP BY bucket";

static enum nx_status read_rows(struct nx_asked *asked, struct nx_row_stream *rows,
				struct nx_error *err)
{
	const struct nx_value *row;
	enum nx_status st;

	memset(asked->buckets, 0, sizeof(asked->buckets));
	while (!(st = nx_row_stream_next(rows, &row, err)) && row) {
		if (row[0].i64 < 0 || row[0].i64 >= NX_ASKED_BUCKETS)
			return nx_fail(err, NX_FORMAT, "DuckDB knows a bucket %lld",
				       (long long)row[0].i64);
		asked->buckets[row[0].i64] = (struct nx_asked_bucket){
			(uint64_t)row[1].i64, (uint64_t)row[2].i64, (uint64_t)row[3].i64};
	}
	return st;
}

enum nx_status nx_asked_of_duckdb(struct nx_asked *asked, struct nx_duckdb *db,
				  struct nx_error *err)
{
	const struct nx_timeline_window *w = &asked->window;
	struct nx_row_stream *rows = NULL;
	double begin = seconds_now();
	char sql[2048];
	enum nx_status st;

	snprintf(sql, sizeof(sql), sql_format, (unsigned long long)w->from_ns,
		 (unsigned long long)w->to_ns, w->track, w->depth, NX_ASKED_BUCKETS,
		 (unsigned long long)(w->to_ns - w->from_ns));
	st = nx_duckdb_query(db, nx_slice_text(sql), &rows, err);
	if (!st)
		st = read_rows(asked, rows, err);
	nx_row_stream_close(rows);
	asked->seconds = seconds_now() - begin;
	return st;
}

enum nx_status nx_asked_compare(const struct nx_asked *ours, const struct nx_asked *theirs,
				struct nx_error *err)
{
	for (size_t i = 0; i < NX_ASKED_BUCKETS; i++) {
		const struct nx_asked_bucket *a = &ours->buckets[i], *b = &theirs->buckets[i];

		if (a->count == b->count && a->busy_ns == b->busy_ns &&
		    a->longest_ns == b->longest_ns)
			continue;
		return nx_fail(err, NX_FORMAT,
			       "track %u, depth %u, [%llu, %llu), bucket %zu: the timeline has "
			       "%llu spans, %llu ns busy, %llu ns longest; the rows have %llu, "
			       "%llu, %llu",
			       ours->window.track, ours->window.depth,
			       (unsigned long long)ours->window.from_ns,
			       (unsigned long long)ours->window.to_ns, i,
			       (unsigned long long)a->count, (unsigned long long)a->busy_ns,
			       (unsigned long long)a->longest_ns, (unsigned long long)b->count,
			       (unsigned long long)b->busy_ns, (unsigned long long)b->longest_ns);
	}
	return NX_OK;
}
