/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a table in a time range as CSV, sent while they are read. */
#include <assert.h>
#include <string.h>

#include "base/progress.h"
#include "export/row_sink.h"
#include "model/schema.h"
#include "query/row_choice.h"
#include "query/table_rows.h"
#include "serve/handlers.h"
#include "serve/routes.h"
#include "serve/stream.h"
#include "serve/time_part.h"

#define TRACKS_MAX 4096u
#define PIECE_BYTES ((size_t)64 << 10)
#define TURN_NS 50000000u
#define FIRST_COLUMN "timeline_track"

/* Lives in the request's arena while the answer is sent. */
struct asked_csv {
	struct nx_request *request;
	const struct nx_stored_table *table;
	struct nx_table_choice choice;
	struct nx_row_choice drawn; /* of the tracks, if some are named */
	bool has_tracks;
	struct nx_row_stream *rows;
	struct nx_stream *stream;
	uint64_t next_row;
};

/* --- which rows ---------------------------------------------------------------- */

static enum nx_status check_track(const struct asked_csv *a, uint32_t id, struct nx_error *err)
{
	struct nx_track track;

	if (!nx_timeline_track(a->request->profile->timeline, id, &track) ||
	    track.kind != NX_TRACK_SPANS || track.keys[0] >= NX_SCHEMA_TABLE_COUNT ||
	    strcmp(nx_schema_tables[track.keys[0]].name, a->table->name) != 0)
		return nx_fail(err, NX_USAGE, "track %u does not draw rows of the table %s", id,
			       a->table->name);
	return NX_OK;
}

/* Rows are stored in order of time, so those of a time range lie together; others are not read. */
static enum nx_status choose_tracks(struct asked_csv *a, const uint32_t *tracks, size_t count,
				    struct nx_error *err)
{
	const struct nx_timeline *timeline;
	struct nx_time_part part;
	enum nx_status st = nx_open_profile_timeline(a->request->profile, &timeline, err);

	if (!st)
		st = nx_request_time_part(a->request, timeline, &part, err);
	for (size_t i = 0; !st && i < count; i++)
		st = check_track(a, tracks[i], err);
	if (st)
		return st;
	a->has_tracks = true;
	nx_row_choice_init(&a->drawn, a->table->row_count);
	for (size_t i = 0; i < count; i++)
		nx_row_choice_add_track(&a->drawn, timeline, tracks[i], part.from_ns, part.to_ns);
	if (a->drawn.first <= a->drawn.last) {
		a->choice.first_row = a->drawn.first;
		a->choice.row_count = a->drawn.last - a->drawn.first + 1;
	}
	return NX_OK;
}

static void choose_columns(struct asked_csv *a)
{
	size_t *fields = NX_NEW_ARRAY(&a->request->arena, size_t, a->table->field_count + 1);
	size_t first, count = 0;
	bool has_first = nx_stored_table_find(a->table, FIRST_COLUMN, &first);

	if (has_first)
		fields[count++] = first;
	for (size_t i = 0; i < a->table->field_count; i++)
		if (!has_first || i != first)
			fields[count++] = i;
	assert(count == a->table->field_count);
	a->choice.fields = fields;
	a->choice.field_count = count;
}

static enum nx_status parse(struct asked_csv *a, struct nx_error *err)
{
	struct nx_stored_times times;
	const char *name;
	uint32_t *tracks;
	size_t count;
	enum nx_status st = nx_request_need(a->request, "table", &name, err);

	if (!st)
		st = nx_open_profile_table(a->request->profile, name, &a->table, err);
	if (!st)
		st = nx_request_time_range(a->request, &a->choice.range, err);
	if (!st)
		st = nx_request_tracks(a->request, TRACKS_MAX, &tracks, &count, err);
	if (!st && nx_time_range_is_given(&a->choice.range) &&
	    !nx_stored_table_times(a->table, &times))
		st = nx_fail(err, NX_USAGE,
			     "rows of the table %s have no time; omit 'from' and 'to'",
			     a->table->name);
	if (st)
		return st;
	choose_columns(a);
	if (!count)
		return NX_OK;
	a->choice.range = (struct nx_time_range){0};
	return choose_tracks(a, tracks, count, err);
}

/* --- sending ------------------------------------------------------------------- */

static enum nx_status send_piece(struct asked_csv *a, struct nx_bytes *text, struct nx_error *err)
{
	enum nx_status st = nx_stream_write(a->stream, text->items, text->len, err);

	nx_vec_clear(text);
	return st;
}

/* Rows until the stream is full or other requests should have a turn. */
static enum nx_status send_rows(struct asked_csv *a, bool *is_over, struct nx_error *err)
{
	bool is_empty = a->has_tracks && a->drawn.first > a->drawn.last;
	uint64_t begin_ns = nx_now_ns();
	const struct nx_value *row;
	struct nx_bytes text = {0};
	enum nx_status st = NX_OK;

	if (a->next_row == a->choice.first_row)
		nx_csv_append_header(&text, a->rows->columns, a->rows->column_count);
	*is_over = is_empty;
	while (!st && !*is_over && !nx_stream_is_full(a->stream) &&
	       nx_now_ns() - begin_ns < TURN_NS) {
		while (!st && !*is_over && text.len < PIECE_BYTES) {
			st = nx_row_stream_next(a->rows, &row, err);
			*is_over = st || !row;
			if (!*is_over &&
			    (!a->has_tracks || nx_row_choice_has(&a->drawn, a->next_row)))
				nx_csv_append_row_safe(&text, row, a->rows->column_count);
			a->next_row += !*is_over;
		}
		if (!st)
			st = send_piece(a, &text, err);
	}
	if (!st && text.len)
		st = send_piece(a, &text, err);
	nx_vec_release(&text);
	return st;
}

static enum nx_status go_on(struct nx_server *server, struct nx_request *request,
			    struct nx_reply *reply, struct nx_error *err)
{
	struct asked_csv *a = request->state;
	bool is_over;
	enum nx_status st = send_rows(a, &is_over, err);

	(void)server, (void)reply;
	if (!st && !is_over)
		nx_request_continue_slow(request, go_on);
	return st;
}

void nx_forget_csv(struct nx_request *request)
{
	struct asked_csv *a = request->state;

	nx_row_stream_close(a->rows);
	nx_row_choice_release(&a->drawn);
	request->state = NULL;
}

/* Replaces what a header cannot carry by '_'. */
static const char *attachment(const struct asked_csv *a)
{
	char *name = nx_arena_printf(&a->request->arena, "%s-%s.csv", a->request->profile->name,
				     a->table->name);

	for (char *c = name; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e || strchr("\"\\%;", *c))
			*c = '_';
	return nx_arena_printf(&a->request->arena, "attachment; filename=\"%s\"", name);
}

NX_HANDLER(csv)
{
	struct asked_csv *a = NX_NEW(&request->arena, struct asked_csv);
	enum nx_status st = nx_request_open_profile(server, request, err);

	a->request = request;
	request->state = a;
	if (!st)
		st = parse(a, err);
	if (!st)
		st = nx_table_rows_open(&a->rows, a->table, &a->choice, err);
	if (st)
		return st;
	a->next_row = a->choice.first_row;
	reply->type = "text/csv; charset=utf-8";
	nx_reply_add_header(reply, "Content-Disposition", attachment(a));
	a->stream = nx_request_begin_stream(request, reply, err);
	if (!a->stream)
		return err->status;
	return go_on(server, request, reply, err);
}
