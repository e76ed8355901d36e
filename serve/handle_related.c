/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles that were captured together: devices of a system profile, ranks of one run. */
#include "analyse/rank_times.h"
#include "base/arena.h"
#include "base/path.h"
#include "format/process_folder.h"
#include "query/table_rows.h"
#include "serve/handlers.h"
#include "store/related_profiles.h"

static void put_device(struct nx_json_writer *w, const struct nx_catalogue *catalogue,
		       const struct nx_profile_record *system, const char *capture)
{
	const struct nx_profile_record *device = nx_related_device(catalogue, system, capture);

	nx_json_begin_object(w);
	nx_json_key_text(w, "name", capture);
	nx_json_key_text_or_null(w, "profile", device ? device->name : NULL);
	nx_json_end_object(w);
}

static enum nx_status put_listed(struct nx_json_writer *w, const struct nx_catalogue *catalogue,
				 const struct nx_profile_record *system,
				 struct nx_open_profile *profile, struct nx_error *err)
{
	struct nx_table_choice choice = {.field_count = 1};
	const struct nx_stored_table *table;
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	struct nx_arena arena = {0};
	size_t field;
	enum nx_status st = nx_open_profile_table(profile, "DeviceProfileList", &table, err);

	if (st || !nx_stored_table_find(table, "device_profile_name", &field))
		return st;
	choice.fields = &field;
	st = nx_table_rows_open(&rows, table, &choice, err);
	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row)
		if (row[0].kind == NX_VALUE_TEXT)
			put_device(w, catalogue, system, nx_arena_copy(&arena, row[0].text));
	nx_row_stream_close(rows);
	nx_arena_release(&arena);
	return st;
}

/* A profile without captures, or one that cannot be read, has no devices. That is not an error. */
void nx_put_devices(struct nx_json_writer *w, struct nx_server *server,
		    const struct nx_catalogue *catalogue, const struct nx_profile_record *system)
{
	struct nx_open_profile *profile = NULL;

	nx_json_key_array(w, "devices");
	if (system->kind == NX_PROFILE_SYSTEM &&
	    !nx_open_profiles_take(server->profiles, system->name, &profile, NULL))
		(void)!put_listed(w, catalogue, system, profile, NULL);
	nx_open_profiles_return(profile);
	nx_json_end_array(w);
}

/* --- ranks -------------------------------------------------------------------------------- */

static struct nx_rank_time *times_of(const struct nx_ranks *ranks)
{
	struct nx_rank_time *times = nx_heap_alloc(sizeof(*times) * (ranks->len + 1));

	for (size_t i = 0; i < ranks->len; i++) {
		const struct nx_profile_clock *clock = &ranks->items[i].record->clock;

		times[i] = (struct nx_rank_time){
			.start_epoch_ns = clock->start_epoch_ns,
			.total_ns = clock->total_ns,
			.collective = clock->collective,
			.collective_end_ns = clock->collective_end_ns,
		};
	}
	return times;
}

static void put_totals(struct nx_json_writer *w, const struct nx_rank_time *times, size_t count)
{
	struct nx_rank_totals totals;

	nx_rank_times_sum(times, count, &totals);
	nx_json_key_u64(w, "span_ns", totals.span_ns);
	nx_json_key_u64_or_null(w, "collective_skew_ns", totals.collective_skew_ns != UINT64_MAX,
				totals.collective_skew_ns);
}

/* Machine and process by the folder of the session file; empty and null if it is not of a process.
 */
static void put_process(struct nx_json_writer *w, const struct nx_profile_record *r)
{
	struct nx_slice folder = {0}, instance = {0};
	uint64_t pid = 0;
	bool is_known = false;

	if (r->sources.len) {
		folder = nx_path_folder(r->sources.items[0].path);
		for (size_t i = folder.len; i; i--)
			if (folder.data[i - 1] == '/') {
				folder = nx_slice_part(folder, i, folder.len - i);
				break;
			}
		is_known = nx_process_folder_parse(folder, &instance, &pid);
	}
	nx_json_key(w, "instance");
	nx_json_slice(w, is_known ? instance : nx_slice_text(""));
	nx_json_key_u64_or_null(w, "process", is_known, pid);
}

static void put_ranks(struct nx_json_writer *w, const struct nx_ranks *ranks)
{
	struct nx_rank_time *times = times_of(ranks);
	enum nx_rank_clock how = nx_rank_times_align(times, ranks->len);

	nx_json_key_array(w, "ranks");
	for (size_t i = 0; i < ranks->len; i++) {
		nx_json_begin_object(w);
		nx_json_key_u64_or_null(w, "rank", ranks->items[i].number != NX_RANK_NONE,
					ranks->items[i].number);
		nx_json_key_u64(w, "core", ranks->items[i].record->core);
		put_process(w, ranks->items[i].record);
		nx_json_key_text(w, "profile", ranks->items[i].record->name);
		nx_json_key_u64(w, "offset_ns", times[i].offset_ns);
		nx_json_key_u64(w, "total_ns", times[i].total_ns);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	nx_json_key_text(w, "aligned_by", nx_rank_clock_name(how));
	put_totals(w, times, ranks->len);
	nx_json_end_object(w);
	nx_heap_free(times);
}

NX_HANDLER(ranks)
{
	const char *name = nx_request_variable(request, "p");
	struct nx_catalogue catalogue = {0};
	struct nx_ranks ranks = {0};
	struct nx_json_writer w;
	enum nx_status st = nx_catalogue_load(&catalogue, server->workspace, err);

	if (!st)
		nx_related_ranks(&catalogue, name, &ranks);
	if (!st && !ranks.len)
		st = nx_fail(err, NX_NOT_FOUND,
			     "there are no profiles of ranks called '%s'; process a directory of "
			     "them with view -n NEFF -d DIRECTORY --display-name NAME",
			     name);
	if (!st) {
		nx_reply_json(reply, &w);
		put_ranks(&w, &ranks);
	}
	nx_vec_release(&ranks);
	nx_catalogue_release(&catalogue);
	return st;
}
