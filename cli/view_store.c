/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view_store.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal.h"
#include "cli/view.h"
#include "export/exporters.h"
#include "store/catalogue.h"
#include "store/clickhouse/clickhouse_sink.h"
#include "tables/device_tables.h"
#include "tables/system_tables.h"

/* What both kinds of profile share; the workspace is open until the end. */
struct storing {
	struct nx_workspace *workspace;
	struct nx_ingest *ingest;
	struct nx_clickhouse_sink *clickhouse;
	struct nx_influx_sink *influx;
	struct nx_progress progress;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

struct nx_slice nx_store_stem(const char *path)
{
	size_t len = strlen(path);
	const char *name, *dot;

	while (len > 1 && path[len - 1] == '/')
		len--;
	name = memrchr(path, '/', len);
	name = name && name + 1 < path + len ? name + 1 : path;
	len -= (size_t)(name - path);
	dot = memrchr(name, '.', len);
	return nx_slice_of(name, dot && dot > name ? (size_t)(dot - name) : len);
}

static bool is_database(const struct nx_store_view *view)
{
	return view->url || view->to_influx;
}

static enum nx_status choose_name(const struct nx_store_view *view, const char *path,
				  struct nx_stored *stored, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (view->folder && !is_database(view)) {
		snprintf(stored->place, sizeof(stored->place), "%s", view->folder);
		return NX_OK;
	}
	if (!view->name) {
		nx_profile_name_make(nx_store_stem(path), stored->name);
		return NX_OK;
	}
	st = nx_profile_name_check(nx_slice_text(view->name), err);
	if (!st)
		snprintf(stored->name, sizeof(stored->name), "%s", view->name);
	return st;
}

static enum nx_status workspace_at(const char *data_path, struct nx_arena *arena,
				   struct nx_workspace **workspace, struct nx_error *err)
{
	struct nx_workspace_options how = {.path = data_path};
	enum nx_status st = NX_OK;

	if (!how.path)
		st = nx_workspace_default_path(arena, &how.path, err);
	return st ? st : nx_workspace_open(workspace, &how, err);
}

/* "name", or else the first of "name_2", "name_3" and so on that nobody has. */
static enum nx_status choose_free_name(struct nx_workspace *workspace, struct nx_stored *stored,
				       struct nx_error *err)
{
	char stem[NX_PROFILE_NAME_MAX];
	struct nx_catalogue catalogue;
	enum nx_status st = nx_catalogue_load(&catalogue, workspace, err);

	snprintf(stem, sizeof(stem), "%.*s", NX_PROFILE_NAME_MAX - 12, stored->name);
	for (unsigned n = 2; !st && nx_catalogue_find(&catalogue, stored->name); n++)
		snprintf(stored->name, sizeof(stored->name), "%.*s_%u", NX_PROFILE_NAME_MAX - 12,
			 stem, n);
	nx_catalogue_release(&catalogue);
	return st;
}

static enum nx_status open_workspace(const struct nx_store_view *view, struct storing *s,
				     struct nx_stored *stored, struct nx_error *err)
{
	struct nx_arena arena = {0};
	enum nx_status st = workspace_at(view->data_path, &arena, &s->workspace, err);

	if (!st && view->may_number && !view->force)
		st = choose_free_name(s->workspace, stored, err);
	if (!st)
		snprintf(stored->place, sizeof(stored->place), "%s",
			 nx_workspace_profile_path(s->workspace, &arena, stored->name));
	nx_arena_release(&arena);
	return st;
}

static enum nx_status begin_database(const struct nx_store_view *view, struct storing *s,
				     int64_t start_ns, struct nx_stored *stored,
				     struct nx_error *err)
{
	struct nx_clickhouse_options replace = {.replaces = view->force};
	struct nx_influx_options influx = view->influx;

	if (view->url) {
		snprintf(stored->place, sizeof(stored->place), "ClickHouse");
		return nx_clickhouse_sink_open(view->url, stored->name, &replace, &s->clickhouse,
					       err);
	}
	snprintf(stored->place, sizeof(stored->place), "InfluxDB");
	influx.start_ns = start_ns;
	return nx_influx_sink_open(&influx, stored->name, &s->influx, err);
}

static enum nx_status begin(const struct nx_store_view *view, struct nx_ingest_target *target,
			    struct storing *s, int64_t start_ns, struct nx_stored *stored,
			    struct nx_error *err)
{
	enum nx_status st;

	if (is_database(view))
		return begin_database(view, s, start_ns, stored, err);
	target->folder = view->folder;
	target->name = stored->name;
	target->recipe = view->recipe;
	target->force = view->force;
	st = view->folder ? nx_make_directories(view->folder, err)
			  : open_workspace(view, s, stored, err);
	target->workspace = s->workspace;
	if (!st)
		st = nx_ingest_begin(&s->ingest, target, err);
	if (st)
		nx_workspace_close(s->workspace);
	return st;
}

static struct nx_table_sink *sink_of(struct storing *s)
{
	if (s->clickhouse)
		return nx_clickhouse_sink_tables(s->clickhouse);
	return s->influx ? nx_influx_sink_tables(s->influx) : nx_ingest_sink(s->ingest);
}

/* What was not committed is taken up by the next push of the same profile. */
static enum nx_status end_database(struct storing *s, enum nx_status st, struct nx_stored *stored,
				   struct nx_error *err)
{
	if (s->clickhouse) {
		if (!st)
			st = nx_clickhouse_sink_commit(s->clickhouse, err);
		stored->counts.row_count = nx_clickhouse_sink_counts(s->clickhouse).row_count;
		stored->counts.file_bytes = nx_clickhouse_sink_counts(s->clickhouse).sent_bytes;
		nx_clickhouse_sink_close(s->clickhouse);
		return st;
	}
	if (!st)
		st = nx_influx_sink_commit(s->influx, err);
	stored->counts.row_count = nx_influx_sink_line_count(s->influx);
	nx_influx_sink_close(s->influx);
	return st;
}

static enum nx_status end(struct storing *s, enum nx_status st, struct nx_stored *stored,
			  struct nx_error *err)
{
	if (s->clickhouse || s->influx)
		return end_database(s, st, stored, err);
	st = nx_ingest_end(s->ingest, st, &stored->counts, err);
	nx_workspace_close(s->workspace);
	return st;
}

/* --- what is there already ------------------------------------------------- */

static const struct nx_profile_record *find_made_like(const struct nx_catalogue *catalogue,
						      const struct nx_profile_record *wanted,
						      const char *name)
{
	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if (r->state == NX_PROFILE_READY && r->store_version == NX_STORE_VERSION &&
		    (!name || !strcmp(name, r->name)) && nx_profile_record_is_made_like(r, wanted))
			return r;
	}
	return NULL;
}

bool nx_store_has(const struct nx_store_view *view, enum nx_profile_kind kind,
		  const char *const *sources, size_t source_count, struct nx_stored *stored)
{
	struct nx_profile_record wanted = {.kind = kind, .recipe = view->recipe};
	const struct nx_profile_record *same = NULL;
	struct nx_catalogue catalogue = {0};
	struct nx_workspace *workspace = NULL;
	struct nx_arena arena = {0};
	enum nx_status st = workspace_at(view->data_path, &arena, &workspace, NULL);

	memset(stored, 0, sizeof(*stored));
	for (size_t i = 0; i < source_count && !st; i++)
		st = nx_profile_record_add_source(&wanted, sources[i], &arena, NULL);
	if (!st)
		st = nx_catalogue_load(&catalogue, workspace, NULL);
	if (!st)
		same = find_made_like(&catalogue, &wanted, view->name);
	if (same)
		snprintf(stored->name, sizeof(stored->name), "%s", same->name);
	nx_catalogue_release(&catalogue);
	nx_profile_record_release(&wanted);
	nx_workspace_close(workspace);
	nx_arena_release(&arena);
	return same;
}

/* --- storing --------------------------------------------------------------- */

/* Databases want a time of the calendar: without the host's clock, when the file was written. */
static int64_t start_of(const struct nx_profile *profile, const char *session_path)
{
	struct stat file;

	if (profile->start_epoch_ns)
		return (int64_t)profile->start_epoch_ns;
	if (stat(session_path, &file))
		return 0;
	return (int64_t)file.st_mtim.tv_sec * 1000000000 + file.st_mtim.tv_nsec;
}

enum nx_status nx_store_device(const struct nx_store_view *view, const struct nx_profile *profile,
			       const char *session_path, const char *neff_path,
			       struct nx_stored *stored, struct nx_error *err)
{
	const char *sources[] = {session_path, neff_path};
	char key[NX_PROFILE_KEY_MAX];
	struct nx_ingest_target target = {.kind = NX_PROFILE_DEVICE,
					  .is_simulated = profile->capture.is_simulation,
					  .key = key,
					  .sources = sources,
					  .source_count = neff_path ? 2 : 1};
	struct nx_tables_options options = {.explorer_version = NX_PRODUCT_VERSION};
	struct storing s = {0};
	enum nx_status st;

	memset(stored, 0, sizeof(*stored));
	nx_profile_key(profile, key);
	st = choose_name(view, session_path, stored, err);
	if (!st)
		st = begin(view, &target, &s, start_of(profile, session_path), stored, err);
	if (st)
		return st;
	options.profile_name = *stored->name ? stored->name : base_name(session_path);
	options.progress = &s.progress;
	nx_progress_begin(&s.progress, "storing", nx_profile_row_count(profile),
			  view->verbosity > NX_SAY_ERRORS);
	st = nx_device_tables_write(profile, &options, sink_of(&s), err);
	nx_progress_end(&s.progress);
	if (!st && s.ingest && !view->folder)
		st = nx_view_source_keep(&profile->binary, view->source_roots,
					 nx_ingest_path(s.ingest), view->verbosity > NX_SAY_ERRORS,
					 err);
	return end(&s, st, stored, err);
}

enum nx_status nx_store_system(const struct nx_store_view *view,
			       const struct nx_system_profile *profile, struct nx_stored *stored,
			       struct nx_error *err)
{
	struct nx_ingest_target target = {
		.kind = NX_PROFILE_SYSTEM, .sources = &profile->path, .source_count = 1};
	struct nx_tables_options options = {.explorer_version = NX_PRODUCT_VERSION};
	struct storing s = {0};
	enum nx_status st;

	memset(stored, 0, sizeof(*stored));
	st = choose_name(view, profile->path, stored, err);
	if (!st)
		st = begin(view, &target, &s, 0, stored, err);
	if (st)
		return st;
	options.profile_name = stored->name;
	options.progress = &s.progress;
	nx_progress_begin(&s.progress, "storing", profile->rows[NX_SYSTEM_EVENT],
			  view->verbosity > NX_SAY_ERRORS);
	st = nx_system_tables_write(profile, &options, sink_of(&s), err);
	nx_progress_end(&s.progress);
	return end(&s, st, stored, err);
}

void nx_store_say(const struct nx_stored *stored, uint64_t duration_ns)
{
	char rows[NX_COUNT_TEXT_MAX], size[NX_COUNT_TEXT_MAX];
	double seconds = (double)duration_ns / 1e9;
	bool is_profile = *stored->name && stored->place[0] == '/';

	nx_count_text(stored->counts.row_count, rows);
	nx_size_text(stored->counts.file_bytes, size);
	if (is_profile)
		nx_say("stored as %s: %s rows, %s in %.1f s (%s)", stored->name, rows, size,
		       seconds, stored->place);
	else
		nx_say("wrote %s to %s: %s rows, %s in %.1f s",
		       *stored->name ? stored->name : "tables", stored->place, rows, size, seconds);
	if (is_profile)
		nx_say("ask it with: neuron-explorer query -d %s .tables", stored->name);
}
