/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures a timeline: how fast it is built, its size on disk and in memory, and how
 * long queries of a row and of a screen of rows take at random positions and zooms.
 *
 * usage: timeline FILE [--events N] [--tracks N] [--names mixed|uniform] [--dump CSV]
 *                      [--parquet FILE] [--perfetto FILE] [--seed N] [--no-limits]
 *
 * FILE is created and kept. --dump (CSV), --parquet and --perfetto write its rows, to query
 * other programs (tests/bench/timeline_rows.h). With the same seed, fewer events
 * are a prefix of more. Exit code 1 if a target is missed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "store/timeline/timeline_internal.h"
#include "store/timeline/timeline_writer.h"
#include "tests/bench/timeline_rows.h"
#include "tests/unit/store/timeline_whole.h"

#define BUCKETS 1920
#define WINDOWS 1000
#define SCREENS 200
#define SCREEN_ROWS 40
#define NAME_COUNT 500
#define MAX_TRACKS 64

struct options {
	const char *path, *dump, *parquet, *perfetto;
	uint64_t events, seed;
	uint32_t tracks;
	bool is_uniform, has_limits;
};

/* What the next span of a track will be. */
struct source {
	struct nx_span next;
	uint64_t made;
	uint64_t parent_end_ns;
	uint32_t layer;
};

static uint64_t random_state;
static bool has_missed;

static void __attribute__((noreturn)) die(const char *what, const struct nx_error *err)
{
	fprintf(stderr, "timeline: %s%s%s\n", what, err ? ": " : "", err ? err->message : "");
	exit(2);
}

static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * UINT64_C(0x2545f4914f6cdd1d) >> 11;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Few names are frequent: opcode-like, about 1/rank. */
static uint32_t frequent_name(void)
{
	return (uint32_t)(NAME_COUNT / (1 + random_number() % NAME_COUNT)) % NAME_COUNT;
}

static uint32_t next_name(const struct options *o, struct source *s, uint32_t track)
{
	if (o->is_uniform)
		return (uint32_t)(random_number() % NAME_COUNT);
	switch (track % 4) {
	case 1: /* layers: runs of some hundred spans */
		if (random_number() % 300 == 0)
			s->layer = (s->layer + 1) % NAME_COUNT;
		return s->layer;
	case 2: /* a handful that take turns */
		return (uint32_t)(random_number() % 20);
	default:
		return frequent_name();
	}
}

/* Track 3 of 4 comes in bursts; every tenth span of track 0 of 4 holds some others; of track 2 of
 * 4 every eighth is empty. */
static void make_next(const struct options *o, struct source *s, uint32_t track)
{
	uint64_t after_ns = s->next.end_ns;
	uint64_t gap_ns = random_number() % 300, length_ns = 50 + random_number() % 1500;

	if (s->parent_end_ns > s->next.start_ns)
		after_ns = s->next.start_ns + 20;
	if (track % 4 == 3 && s->made % 1000 == 0)
		gap_ns = random_number() % 2000000;
	if (track % 4 == 2 && random_number() % 8 == 0)
		length_ns = 0;
	s->next.start_ns = after_ns + gap_ns;
	if (track % 4 == 0 && random_number() % 10 == 0 && s->next.start_ns >= s->parent_end_ns) {
		length_ns = 3000 + random_number() % 3000;
		s->parent_end_ns = s->next.start_ns + length_ns;
	}
	s->next.end_ns = s->next.start_ns + length_ns;
	s->next.name = next_name(o, s, track);
	s->made++;
}

static uint32_t soonest(const struct source *sources, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++) {
		if (sources[i].next.start_ns < sources[best].next.start_ns)
			best = i;
	}
	return best;
}

static void declare(struct nx_timeline_writer *writer, const struct options *o)
{
	for (uint32_t i = 0; i < NAME_COUNT; i++) {
		char text[32];

		snprintf(text, sizeof(text), "operation_%u", i);
		if (nx_timeline_writer_add_name(writer, nx_slice_text(text)) != i)
			die("names do not count from 0", NULL);
	}
	for (uint32_t i = 0; i < o->tracks; i++) {
		struct nx_track track = {
			.kind = NX_TRACK_SPANS,
			.parent = NX_TRACK_NONE,
			.name = nx_slice_text("engine"),
			.unit = nx_slice_text(""),
			.rank = i,
		};

		nx_timeline_writer_add_track(writer, &track);
	}
}

static void fill(struct nx_timeline_writer *writer, const struct options *o)
{
	struct source sources[MAX_TRACKS] = {0};
	struct nx_error err;

	random_state = o->seed;
	for (uint32_t i = 0; i < o->tracks; i++)
		make_next(o, &sources[i], i);
	for (uint64_t row = 0; row < o->events; row++) {
		uint32_t track = soonest(sources, o->tracks);

		sources[track].next.row = row;
		if (writer &&
		    nx_timeline_writer_add_span(writer, track, &sources[track].next, &err))
			die("cannot add a span", &err);
		make_next(o, &sources[track], track);
	}
}

static void check(const struct options *o, bool is_met, const char *what)
{
	if (is_met || !o->has_limits)
		return;
	printf("MISSED: %s\n", what);
	has_missed = true;
}

static void make(const struct options *o)
{
	struct nx_timeline_writer *writer;
	struct rusage usage;
	struct nx_error err;
	double making, begin, cpu, wall;

	begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
	fill(NULL, o);
	making = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin; /* of the numbers alone */
	wall = seconds(CLOCK_MONOTONIC);
	begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
	if (nx_timeline_writer_open(&writer, o->path, 0, &err))
		die("cannot write", &err);
	declare(writer, o);
	fill(writer, o);
	if (nx_timeline_writer_commit(writer, &err))
		die("cannot write", &err);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin - making;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	getrusage(RUSAGE_SELF, &usage);
	printf("ingest      %.2f s of CPU time (%.2f s passed), %.2f M rows/s per core, %.0f MB "
	       "resident\n",
	       cpu, wall, (double)o->events / cpu / 1e6, (double)usage.ru_maxrss / 1024);
	check(o, (double)o->events / cpu >= 2e6, "at least 2 M rows/s");
	check(o, usage.ru_maxrss < 100 * 1024, "less than 100 MB resident");
}

static void print_sizes(const struct nx_timeline *t, const struct options *o)
{
	uint64_t index_at = t->footer.directory_at;
	double rows, index;

	for (uint32_t i = 0; i < t->footer.strip_count; i++) {
		if (t->strips[i].index_at < index_at)
			index_at = t->strips[i].index_at;
	}
	rows = (double)index_at / (double)o->events;
	index = (double)(t->footer.directory_at - index_at) / (double)o->events;
	printf("size        %.1f MB: rows %.2f bytes each, pyramid %.2f bytes each; %u strips\n",
	       (double)t->bytes.len / 1e6, rows, index, t->footer.strip_count);
	check(o, index < 1.1, "at most 1.1 bytes a row for the pyramid");
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_times(const char *what, double *times, size_t count)
{
	qsort(times, count, sizeof(*times), compare_doubles);
	printf("%-11s median %.3f ms, 99 %% below %.3f ms, worst %.3f ms\n", what,
	       times[count / 2] * 1e3, times[count * 99 / 100] * 1e3, times[count - 1] * 1e3);
}

static double ask(const struct nx_timeline *t, const struct nx_timeline_window *window)
{
	static struct nx_span_bucket buckets[BUCKETS];
	struct nx_error err;
	/* Of this thread alone: nothing here waits, and others may be at work beside us. */
	double begin = seconds(CLOCK_THREAD_CPUTIME_ID);

	if (whole_spans(t, window, buckets, &err))
		die("cannot ask", &err);
	return seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/* Somewhere, at any zoom from a microsecond to everything, each as likely as the next. */
static struct nx_timeline_window any_window(const struct nx_timeline *t, const struct options *o)
{
	struct nx_timeline_window window = {.bucket_count = BUCKETS};
	uint64_t from_ns, to_ns, length_ns;

	nx_timeline_extent(t, &from_ns, &to_ns);
	length_ns = to_ns - from_ns;
	length_ns >>= random_number() % 32;
	length_ns -= random_number() % (length_ns / 2 + 1);
	if (length_ns < 1000)
		length_ns = 1000;
	window.from_ns = from_ns + random_number() % (to_ns - from_ns - length_ns + 1);
	window.to_ns = window.from_ns + length_ns;
	do { /* of few rows some tracks have none */
		window.track = (uint32_t)(random_number() % o->tracks);
	} while (!t->tracks[window.track].depth_count);
	window.depth = (uint32_t)(random_number() % t->tracks[window.track].depth_count);
	return window;
}

static double ask_screen(const struct nx_timeline *t, struct nx_timeline_window window,
			 const struct options *o)
{
	double spent = 0;
	uint32_t rows = 0;

	while (rows < SCREEN_ROWS) {
		for (window.track = 0; window.track < o->tracks; window.track++) {
			uint32_t depths = t->tracks[window.track].depth_count;

			for (window.depth = 0; window.depth < depths && rows < SCREEN_ROWS;
			     window.depth++, rows++)
				spent += ask(t, &window);
		}
	}
	return spent;
}

static void question(const struct nx_timeline *t, const struct options *o)
{
	struct nx_timeline_window all = {.bucket_count = BUCKETS};
	static double times[WINDOWS];
	double first;

	nx_timeline_extent(t, &all.from_ns, &all.to_ns);
	first = ask_screen(t, all, o);
	printf("first       %.1f ms for %u rows over everything, pages not mapped yet\n",
	       first * 1e3, SCREEN_ROWS);
	for (size_t i = 0; i < 51; i++)
		times[i] = ask(t, &all);
	print_times("everything", times, 51);
	random_state = o->seed + 1;
	for (size_t i = 0; i < WINDOWS; i++) {
		struct nx_timeline_window window = any_window(t, o);

		times[i] = ask(t, &window);
	}
	print_times("row", times, WINDOWS);
	check(o, times[WINDOWS - 1] < 2e-3, "a row takes less than 2 ms");
	for (size_t i = 0; i < SCREENS; i++)
		times[i] = ask_screen(t, any_window(t, o), o);
	print_times("screen", times, SCREENS);
	check(o, times[SCREENS - 1] < 40e-3, "40 rows take less than 40 ms");
}

/* For whoever wants to ask another program the same. */
static void write_rows(const struct nx_timeline *t, const struct options *o)
{
	struct nx_error err;

	if (o->dump && nx_rows_write_csv(t, o->dump, &err))
		die("cannot write the dump", &err);
	if (o->parquet && nx_rows_write_parquet(t, o->parquet, &err))
		die("cannot write Parquet", &err);
	if (o->perfetto && nx_rows_write_perfetto(t, o->perfetto, &err))
		die("cannot write the trace", &err);
}

static struct options read_options(int argc, char **argv)
{
	struct options o = {.events = 50000000, .seed = 7, .tracks = 12, .has_limits = true};

	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--no-limits") == 0) {
			o.has_limits = false;
			continue;
		}
		if (argv[i][0] != '-') {
			o.path = argv[i];
			continue;
		}
		if (strcmp(argv[i], "--events") == 0)
			o.events = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--tracks") == 0)
			o.tracks = (uint32_t)strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--names") == 0)
			o.is_uniform = strcmp(value, "uniform") == 0;
		else if (strcmp(argv[i], "--dump") == 0)
			o.dump = value;
		else if (strcmp(argv[i], "--parquet") == 0)
			o.parquet = value;
		else if (strcmp(argv[i], "--perfetto") == 0)
			o.perfetto = value;
		else if (strcmp(argv[i], "--seed") == 0)
			o.seed = strtoull(value, NULL, 10);
		else
			die("unknown option", NULL);
		i++;
	}
	if (!o.path || !o.events || !o.tracks || o.tracks > MAX_TRACKS || !o.seed)
		die("usage: timeline FILE [--events N] [--tracks N] [--names mixed|uniform] "
		    "[--dump CSV] [--parquet FILE] [--perfetto FILE] [--seed N] [--no-limits]",
		    NULL);
	return o;
}

int main(int argc, char **argv)
{
	struct options o = read_options(argc, argv);
	struct nx_timeline *t;
	struct nx_error err;

	printf("%llu spans, %u tracks, %s names\n", (unsigned long long)o.events, o.tracks,
	       o.is_uniform ? "uniform" : "mixed");
	make(&o);
	if (nx_timeline_open(&t, o.path, &err))
		die("cannot open", &err);
	print_sizes(t, &o);
	question(t, &o);
	write_rows(t, &o);
	nx_timeline_close(t);
	return has_missed;
}
