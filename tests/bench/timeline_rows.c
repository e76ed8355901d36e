/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/timeline_rows.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"
#include "format/parquet/parquet.h"
#include "format/perfetto/perfetto.h"

/* The next span of one depth of one track. */
struct cursor {
	uint32_t track, depth;
	uint64_t idx;
	struct nx_span span; /* its row is UINT64_MAX behind the last one */
};

struct cursors NX_VEC_BODY(struct cursor);

static void move_on(const struct nx_timeline *t, struct cursor *c)
{
	if (!nx_timeline_span(t, c->track, c->depth, c->idx++, &c->span))
		c->span.row = UINT64_MAX;
}

static void open_cursors(const struct nx_timeline *t, struct cursors *cursors)
{
	struct nx_track track;

	for (uint32_t i = 0; nx_timeline_track(t, i, &track); i++) {
		for (uint32_t depth = 0; depth < track.depth_count; depth++) {
			struct cursor c = {.track = i, .depth = depth};

			move_on(t, &c);
			nx_vec_push(cursors, c);
		}
	}
}

static struct cursor *find_row(const struct cursors *cursors, uint64_t row)
{
	for (size_t i = 0; i < cursors->len; i++) {
		if (cursors->items[i].span.row == row)
			return &cursors->items[i];
	}
	return NULL;
}

typedef enum nx_status (*row_fn)(void *context, const struct cursor *c, struct nx_error *err);

static enum nx_status walk(const struct nx_timeline *t, row_fn fn, void *context,
			   struct nx_error *err)
{
	struct cursors cursors = {0};
	uint64_t row_count = 0;
	enum nx_status st = NX_OK;

	open_cursors(t, &cursors);
	for (size_t i = 0; i < cursors.len; i++)
		row_count +=
			nx_timeline_span_count(t, cursors.items[i].track, cursors.items[i].depth);
	for (uint64_t row = 0; row < row_count && !st; row++) {
		struct cursor *c = find_row(&cursors, row);

		if (!c) {
			st = nx_fail(err, NX_FORMAT, "the timeline has no row %llu",
				     (unsigned long long)row);
			break;
		}
		st = fn(context, c, err);
		move_on(t, c);
	}
	nx_vec_release(&cursors);
	return st;
}

static enum nx_status end_output(struct nx_output *out, enum nx_status st, struct nx_error *err)
{
	if (!st)
		return nx_output_commit(out, err);
	nx_output_abort(out);
	return st;
}

/* --- CSV -------------------------------------------------------------------- */

static enum nx_status put_csv(void *context, const struct cursor *c, struct nx_error *err)
{
	char line[128];
	int len = snprintf(line, sizeof(line), "%u,%u,%llu,%llu,%u,%llu\n", c->track, c->depth,
			   (unsigned long long)c->span.start_ns, (unsigned long long)c->span.end_ns,
			   c->span.name, (unsigned long long)c->span.row);

	(void)err; /* failures stick in the output */
	nx_output_write(context, line, (size_t)len);
	return NX_OK;
}

enum nx_status nx_rows_write_csv(const struct nx_timeline *t, const char *path,
				 struct nx_error *err)
{
	struct nx_slice head = nx_slice_text("track,depth,start_ns,end_ns,name,row\n");
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, path, err);

	if (st)
		return st;
	nx_output_write(&out, head.data, head.len);
	return end_output(&out, walk(t, put_csv, &out, err), err);
}

/* --- Parquet ---------------------------------------------------------------- */

enum { TRACK, DEPTH, START, END, NAME, FIELD_COUNT };

static const struct nx_parquet_field fields[FIELD_COUNT] = {
	[TRACK] = {.name = "track", .type = NX_PARQUET_I32},
	[DEPTH] = {.name = "depth", .type = NX_PARQUET_I32},
	[START] = {.name = "start_ns", .type = NX_PARQUET_I64},
	[END] = {.name = "end_ns", .type = NX_PARQUET_I64},
	[NAME] = {.name = "name", .type = NX_PARQUET_I32},
};

static enum nx_status put_parquet(void *context, const struct cursor *c, struct nx_error *err)
{
	struct nx_parquet_writer *w = context;

	nx_parquet_put_i32(w, TRACK, (int32_t)c->track);
	nx_parquet_put_i32(w, DEPTH, (int32_t)c->depth);
	nx_parquet_put_i64(w, START, (int64_t)c->span.start_ns);
	nx_parquet_put_i64(w, END, (int64_t)c->span.end_ns);
	nx_parquet_put_i32(w, NAME, (int32_t)c->span.name);
	return nx_parquet_end_row(w, err);
}

enum nx_status nx_rows_write_parquet(const struct nx_timeline *t, const char *path,
				     struct nx_error *err)
{
	struct nx_parquet_writer *w;
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, path, err);

	if (st)
		return st;
	st = nx_parquet_open(&w, nx_parquet_to_output(&out), fields, FIELD_COUNT, NULL, err);
	if (!st) {
		st = walk(t, put_parquet, w, err);
		if (st)
			nx_parquet_abandon(w);
		else
			st = nx_parquet_close(w, err);
	}
	return end_output(&out, st, err);
}

/* --- Perfetto --------------------------------------------------------------- */

static void put_slices(const struct nx_timeline *t, struct nx_perfetto *p, struct cursor *c)
{
	struct nx_arena arena = {0};
	uint32_t name_count = nx_timeline_name_count(t), track;
	const char **names = NX_NEW_ARRAY(&arena, const char *, name_count);
	char title[32];

	for (uint32_t i = 0; i < name_count; i++)
		names[i] = nx_arena_copy(&arena, nx_timeline_name(t, i));
	snprintf(title, sizeof(title), "%u.%u", c->track, c->depth);
	track = nx_perfetto_track(p, NX_PERFETTO_ROOT, title, c->track);
	for (; c->span.row != UINT64_MAX; move_on(t, c)) {
		nx_perfetto_begin(p, track, c->span.start_ns, names[c->span.name], NULL, 0, NULL);
		nx_perfetto_end(p, track, c->span.end_ns);
	}
	nx_arena_release(&arena);
}

enum nx_status nx_rows_write_perfetto(const struct nx_timeline *t, const char *path,
				      struct nx_error *err)
{
	struct cursors cursors = {0};
	struct nx_perfetto *p;
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, path, err);

	if (st)
		return st;
	p = nx_perfetto_new(&out, true);
	open_cursors(t, &cursors);
	for (size_t i = 0; i < cursors.len; i++)
		put_slices(t, p, &cursors.items[i]);
	nx_perfetto_finish(p);
	nx_vec_release(&cursors);
	return nx_output_commit(&out, err);
}
