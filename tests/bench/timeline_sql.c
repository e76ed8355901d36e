/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the same queries on a timeline and in SQL: windows of 1,920 buckets at four zooms for the
 * times, and random ones to compare the results.
 *
 * usage: timeline_sql FILE FOLDER [--no-limits]
 *        timeline_sql FILE --questions OUT.json
 *
 * FILE is a timeline, FOLDER has its rows as Span.parquet (bench_timeline --parquet). Prints a row
 * of the table of timeline.sh for each zoom: program, rows, window, ms, ms of the timeline,
 * speed-up; separated by tabs. --questions writes the windows of the zooms,
 * the timeline's results and times, for timeline.mjs.
 *
 * Exit code 1 if results differ or a target is missed, 77 if there is no DuckDB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "tests/bench/timeline_asked.h"

#define ZOOM_WINDOWS 5
#define RANDOM_WINDOWS 20
#define OUR_TIMES 15
#define THEIR_TIMES 3
#define LEAST_RATIO 50

static const struct {
	const char *label;
	uint64_t part;
} zooms[] = {{"everything", 1}, {"10 %", 10}, {"1 %", 100}, {"0.01 %", 10000}};

#define ZOOM_COUNT (sizeof(zooms) / sizeof(zooms[0]))

struct bench {
	struct nx_timeline *timeline;
	struct nx_duckdb *db; /* NULL: there is no DuckDB */
	struct nx_json_writer *json;
	uint64_t from_ns, to_ns, row_count;
	uint32_t track_count;
	bool has_limits, has_missed;
	struct nx_asked ours, theirs;
};

static void __attribute__((noreturn)) die(const char *what, const struct nx_error *err)
{
	fprintf(stderr, "timeline_sql: %s%s%s\n", what, err ? ": " : "", err ? err->message : "");
	exit(1);
}

static uint64_t random_number(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(0x2545f4914f6cdd1d) >> 11;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times, size_t count)
{
	qsort(times, count, sizeof(*times), compare_doubles);
	return times[count / 2];
}

/* --- windows ---------------------------------------------------------------- */

static uint32_t depth_count(const struct bench *b, uint32_t track)
{
	struct nx_track found;

	return nx_timeline_track(b->timeline, track, &found) ? found.depth_count : 0;
}

/* Somewhere, of this length; buckets of less than a nanosecond are nothing SQL knows of. */
static struct nx_timeline_window place(const struct bench *b, uint64_t length_ns)
{
	struct nx_timeline_window window = {.bucket_count = NX_ASKED_BUCKETS};

	if (length_ns < NX_ASKED_BUCKETS)
		length_ns = NX_ASKED_BUCKETS;
	if (length_ns > b->to_ns - b->from_ns)
		length_ns = b->to_ns - b->from_ns;
	window.from_ns = b->from_ns + random_number() % (b->to_ns - b->from_ns - length_ns + 1);
	window.to_ns = window.from_ns + length_ns;
	do { /* of few rows some tracks have none */
		window.track = (uint32_t)(random_number() % b->track_count);
	} while (!depth_count(b, window.track));
	return window;
}

static struct nx_timeline_window any_window(const struct bench *b)
{
	uint64_t length_ns = (b->to_ns - b->from_ns) >> random_number() % 24;
	struct nx_timeline_window window =
		place(b, length_ns - random_number() % (length_ns / 2 + 1));
	uint32_t depths = depth_count(b, window.track);

	window.depth = depths ? (uint32_t)(random_number() % depths) : 0;
	return window;
}

/* --- asking ------------------------------------------------------------------ */

static double ask_timeline(struct bench *b, const struct nx_timeline_window *window)
{
	double times[OUR_TIMES];
	struct nx_error err;

	b->ours.window = *window;
	for (size_t i = 0; i < OUR_TIMES; i++) {
		if (nx_asked_of_timeline(&b->ours, b->timeline, &err))
			die("cannot ask the timeline", &err);
		times[i] = b->ours.seconds;
	}
	return median(times, OUR_TIMES);
}

static void ask_duckdb_once(struct bench *b, const struct nx_timeline_window *window)
{
	struct nx_error err;

	b->theirs.window = *window;
	if (nx_asked_of_duckdb(&b->theirs, b->db, &err))
		die("cannot ask DuckDB", &err);
	if (nx_asked_compare(&b->ours, &b->theirs, &err))
		die("DIFFERENT ANSWERS", &err);
}

static double ask_duckdb(struct bench *b, const struct nx_timeline_window *window)
{
	double times[THEIR_TIMES];

	ask_duckdb_once(b, window); /* so that all find their pages in memory */
	for (size_t i = 0; i < THEIR_TIMES; i++) {
		ask_duckdb_once(b, window);
		times[i] = b->theirs.seconds;
	}
	return median(times, THEIR_TIMES);
}

static void write_question(struct bench *b, size_t zoom, double seconds)
{
	struct nx_json_writer *w = b->json;

	nx_json_begin_object(w);
	nx_json_key_text(w, "zoom", zooms[zoom].label);
	nx_json_key_u64(w, "track", b->ours.window.track);
	nx_json_key_u64(w, "depth", b->ours.window.depth);
	nx_json_key_u64(w, "from_ns", b->ours.window.from_ns);
	nx_json_key_u64(w, "to_ns", b->ours.window.to_ns);
	nx_json_key(w, "ms");
	nx_json_f64(w, seconds * 1e3);
	nx_json_key(w, "buckets");
	nx_json_begin_array(w);
	for (size_t i = 0; i < NX_ASKED_BUCKETS; i++) {
		nx_json_begin_array(w);
		nx_json_u64(w, b->ours.buckets[i].count);
		nx_json_u64(w, b->ours.buckets[i].busy_ns);
		nx_json_u64(w, b->ours.buckets[i].longest_ns);
		nx_json_end_array(w);
	}
	nx_json_end_array(w);
	nx_json_end_object(w);
}

static void ask_zoom(struct bench *b, size_t zoom)
{
	double ours[ZOOM_WINDOWS], theirs[ZOOM_WINDOWS], ratio;

	for (size_t i = 0; i < ZOOM_WINDOWS; i++) {
		struct nx_timeline_window window =
			place(b, (b->to_ns - b->from_ns) / zooms[zoom].part);

		ours[i] = ask_timeline(b, &window);
		if (b->json)
			write_question(b, zoom, ours[i]);
		else
			theirs[i] = ask_duckdb(b, &window);
	}
	if (b->json)
		return;
	ratio = median(theirs, ZOOM_WINDOWS) / median(ours, ZOOM_WINDOWS);
	printf("DuckDB %s\t%llu\t%s\t%.2f\t%.3f\t%.0f\n", nx_duckdb_version(b->db),
	       (unsigned long long)b->row_count, zooms[zoom].label, theirs[ZOOM_WINDOWS / 2] * 1e3,
	       ours[ZOOM_WINDOWS / 2] * 1e3, ratio);
	if (b->has_limits && ratio < LEAST_RATIO) {
		printf("MISSED: %u times as fast as DuckDB on rows\n", LEAST_RATIO);
		b->has_missed = true;
	}
}

static void ask_at_random(struct bench *b)
{
	for (size_t i = 0; i < RANDOM_WINDOWS; i++) {
		struct nx_timeline_window window = any_window(b);
		struct nx_error err;

		b->ours.window = window;
		if (nx_asked_of_timeline(&b->ours, b->timeline, &err))
			die("cannot ask the timeline", &err);
		ask_duckdb_once(b, &window);
	}
	printf("%u random windows and those above: counts, busy times and longest of DuckDB and "
	       "of the timeline are equal in all %u buckets\n",
	       RANDOM_WINDOWS, NX_ASKED_BUCKETS);
}

/* --- the two ways to use it -------------------------------------------------- */

static void open_timeline(struct bench *b, const char *path)
{
	struct nx_track track;
	struct nx_error err;

	if (nx_timeline_open(&b->timeline, path, &err))
		die("cannot open the timeline", &err);
	if (!nx_timeline_extent(b->timeline, &b->from_ns, &b->to_ns) ||
	    b->to_ns - b->from_ns < NX_ASKED_BUCKETS)
		die("the timeline is shorter than its buckets", NULL);
	b->track_count = nx_timeline_track_count(b->timeline);
	for (uint32_t i = 0; nx_timeline_track(b->timeline, i, &track); i++)
		b->row_count += track.row_count;
}

static int compare_with_duckdb(struct bench *b, const char *folder)
{
	struct nx_profile_folder profile;
	struct nx_error err;
	enum nx_status st;

	if (nx_profile_folder_open(&profile, folder, &err))
		die("cannot open the rows", &err);
	st = nx_duckdb_open(&b->db, &profile, &(struct nx_duckdb_options){0}, &err);
	if (st == NX_UNSUPPORTED) {
		printf("DuckDB is left out: %s\n", err.message);
		nx_profile_folder_release(&profile);
		return 77;
	}
	if (st)
		die("cannot open DuckDB", &err);
	for (size_t i = 0; i < ZOOM_COUNT; i++)
		ask_zoom(b, i);
	ask_at_random(b);
	nx_duckdb_close(b->db);
	nx_profile_folder_release(&profile);
	return b->has_missed;
}

static int write_questions(struct bench *b, const char *path)
{
	struct nx_json_writer writer;
	struct nx_output out;
	struct nx_error err;

	if (nx_output_open(&out, path, &err))
		die("cannot write questions", &err);
	nx_json_init_output(&writer, &out, false);
	b->json = &writer;
	nx_json_begin_object(&writer);
	nx_json_key_u64(&writer, "row_count", b->row_count);
	nx_json_key(&writer, "questions");
	nx_json_begin_array(&writer);
	for (size_t i = 0; i < ZOOM_COUNT; i++)
		ask_zoom(b, i);
	nx_json_end_array(&writer);
	nx_json_end_object(&writer);
	if (nx_output_commit(&out, &err))
		die("cannot write questions", &err);
	return 0;
}

int main(int argc, char **argv)
{
	static struct bench b = {.has_limits = true};
	int code;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: timeline_sql FILE FOLDER [--no-limits]\n"
				"       timeline_sql FILE --questions OUT.json\n");
		return 2;
	}
	open_timeline(&b, argv[1]);
	if (strcmp(argv[2], "--questions") == 0 && argc == 4) {
		code = write_questions(&b, argv[3]);
	} else {
		b.has_limits = argc == 3;
		code = compare_with_duckdb(&b, argv[2]);
	}
	nx_timeline_close(b.timeline);
	return code;
}
