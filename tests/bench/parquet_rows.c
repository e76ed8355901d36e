/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_rows: writes synthetic events, twelve columns of which three are texts, and prints
 * the cost: parquet_rows ROWS THREADS GROUP_ROWS OUT.parquet
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "format/parquet/parquet.h"

#define NAME_COUNT 2000
#define OPCODE_COUNT 40

enum {
	START,
	DURATION,
	ENGINE,
	OPCODE,
	NAME,
	PC,
	CORE,
	QUEUE,
	BYTES,
	IS_FAULT,
	RATE,
	PARENT,
};

static const struct nx_parquet_field fields[] = {
	[START] = {.name = "start_ts", .type = NX_PARQUET_I64},
	[DURATION] = {.name = "duration_ns", .type = NX_PARQUET_I64},
	[ENGINE] = {.name = "engine", .type = NX_PARQUET_TEXT},
	[OPCODE] = {.name = "opcode", .type = NX_PARQUET_TEXT},
	[NAME] = {.name = "name", .type = NX_PARQUET_TEXT},
	[PC] = {.name = "pc", .type = NX_PARQUET_I64},
	[CORE] = {.name = "pcore_idx", .type = NX_PARQUET_I64},
	[QUEUE] = {.name = "queue", .type = NX_PARQUET_I64},
	[BYTES] = {.name = "transfer_bytes", .type = NX_PARQUET_I64},
	[IS_FAULT] = {.name = "is_fault", .type = NX_PARQUET_BOOL},
	[RATE] = {.name = "rate", .type = NX_PARQUET_F64},
	[PARENT] = {.name = "parent_id", .type = NX_PARQUET_I64, .is_optional = true},
};

static struct nx_slice engines[5], opcodes[OPCODE_COUNT], names[NAME_COUNT];

static struct nx_slice make_text(const char *prefix, unsigned number)
{
	static char texts[1 << 17];
	static size_t used;
	char *text = texts + used;

	used += (size_t)snprintf(text, sizeof(texts) - used, "%s%u", prefix, number) + 1;
	return nx_slice_text(text);
}

static void make_texts(void)
{
	for (unsigned i = 0; i < 5; i++)
		engines[i] = make_text("Engine", i);
	for (unsigned i = 0; i < OPCODE_COUNT; i++)
		opcodes[i] = make_text("OPCODE_", i);
	for (unsigned i = 0; i < NAME_COUNT; i++)
		names[i] = make_text("model.layers.attention.matmul.", i);
}

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static enum nx_status put_rows(struct nx_parquet_writer *w, uint64_t count, struct nx_error *err)
{
	uint64_t seed = 88172645463325252u;
	int64_t now_ns = 1700000000000000000;
	enum nx_status st = NX_OK;

	for (uint64_t i = 0; i < count && !st; i++) {
		uint64_t r = next_random(&seed);

		now_ns += (int64_t)(r & 63);
		nx_parquet_put_i64(w, START, now_ns);
		nx_parquet_put_i64(w, DURATION, (int64_t)(r >> 6 & 0xfff));
		nx_parquet_put_slice(w, ENGINE, engines[(r >> 18 & 0xff) % 5]);
		nx_parquet_put_slice(w, OPCODE, opcodes[(r >> 18 & 0xff) % OPCODE_COUNT]);
		nx_parquet_put_slice(w, NAME, names[(r >> 20 & 0xffff) % NAME_COUNT]);
		nx_parquet_put_i64(w, PC, (int64_t)(i % 30000));
		nx_parquet_put_i64(w, CORE, (int64_t)(r >> 36 & 7));
		nx_parquet_put_i64(w, QUEUE, (int64_t)(r >> 39 & 15));
		nx_parquet_put_i64(w, BYTES, (int64_t)((r >> 43 & 0xff) * 512));
		nx_parquet_put_bool(w, IS_FAULT, (r >> 51 & 1023) == 0);
		nx_parquet_put_f64(w, RATE, (double)(r >> 48) * 0.25);
		if (r >> 61)
			nx_parquet_put_i64(w, PARENT, (int64_t)(i - (r >> 57 & 15)));
		st = nx_parquet_end_row(w, err);
	}
	return st;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Steadier than the clock on a machine that has other work. */
static double cpu_seconds(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static enum nx_status write_rows(char **argv, uint64_t *bytes, struct nx_error *err)
{
	struct nx_parquet_options options = {
		.threads = (unsigned)strtoul(argv[2], NULL, 10),
		.group_rows = strtoul(argv[3], NULL, 10),
	};
	struct nx_parquet_writer *w;
	struct nx_output out;
	enum nx_status st, closed;

	st = nx_output_open(&out, argv[4], err);
	if (st)
		return st;
	st = nx_parquet_open(&w, nx_parquet_to_output(&out), fields,
			     sizeof(fields) / sizeof(fields[0]), &options, err);
	if (!st) {
		st = put_rows(w, strtoull(argv[1], NULL, 10), err);
		closed = nx_parquet_close(w, st ? NULL : err);
		st = st ? st : closed;
	}
	*bytes = out.written_bytes;
	if (!st)
		return nx_output_commit(&out, err);
	nx_output_abort(&out);
	return st;
}

int main(int argc, char **argv)
{
	struct nx_error err = {0};
	struct rusage usage;
	uint64_t bytes = 0;
	double begin, seconds, rows;

	if (argc != 5) {
		fprintf(stderr, "usage: %s ROWS THREADS GROUP_ROWS OUT.parquet\n", argv[0]);
		return 2;
	}
	make_texts();
	begin = seconds_now();
	if (write_rows(argv, &bytes, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	seconds = seconds_now() - begin;
	rows = strtod(argv[1], NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"rows_per_second\":%.0f,\"rows_per_cpu_second\":%.0f,\"resident_mb\":%.1f,"
	       "\"bytes_per_row\":%.2f}\n",
	       rows / seconds, rows / cpu_seconds(&usage), (double)usage.ru_maxrss / 1e3,
	       (double)bytes / rows);
	return 0;
}
