/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/stored_profile.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analyse/rank_times.h"
#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "base/progress.h"
#include "base/vec.h"
#include "store/catalogue.h"
#include "store/clickhouse/clickhouse_sink.h"
#include "tables/tables.h"

/* Shared by both kinds of profile; the workspace stays open until the end. */
struct storing {
	struct nx_workspace *workspace;
	struct nx_ingest *ingest;
	struct nx_clickhouse_sink *clickhouse;
	struct nx_influx_sink *influx;
	struct nx_progress progress;
};

static bool is_database(const struct nx_store_target *target)
{
	return target->url || target->to_influx;
}

static enum nx_status choose_name(const struct nx_store_target *target, const char *path,
				  struct nx_stored *stored, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (target->folder && !is_database(target)) {
		snprintf(stored->place, sizeof(stored->place), "%s", target->folder);
		return NX_OK;
	}
	if (!target->name) {
		nx_profile_name_make(nx_path_stem(path), stored->name);
		return NX_OK;
	}
	st = nx_profile_name_check(nx_slice_text(target->name), err);
	if (!st)
		snprintf(stored->name, sizeof(stored->name), "%s", target->name);
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

/* "name", or the first of "name_2", "name_3" and so on that is free. */
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

static enum nx_status open_workspace(const struct nx_store_target *target, struct storing *s,
				     struct nx_stored *stored, struct nx_error *err)
{
	struct nx_arena arena = {0};
	enum nx_status st = workspace_at(target->data_path, &arena, &s->workspace, err);

	if (!st && target->may_number && !target->force)
		st = choose_free_name(s->workspace, stored, err);
	if (!st)
		snprintf(stored->place, sizeof(stored->place), "%s",
			 nx_workspace_profile_path(s->workspace, &arena, stored->name));
	nx_arena_release(&arena);
	return st;
}

static enum nx_status begin_database(const struct nx_store_target *target, struct storing *s,
				     int64_t start_ns, struct nx_stored *stored,
				     struct nx_error *err)
{
	struct nx_clickhouse_options replace = {.replaces = target->force};
	struct nx_influx_options influx = target->influx;

	if (target->url) {
		snprintf(stored->place, sizeof(stored->place), "ClickHouse");
		return nx_clickhouse_sink_open(target->url, stored->name, &replace, &s->clickhouse,
					       err);
	}
	snprintf(stored->place, sizeof(stored->place), "InfluxDB");
	influx.start_ns = start_ns;
	influx.makes_bucket = !influx.bucket; /* a name that the user gave may be mistyped */
	if (!influx.bucket && target->has_own_bucket && *stored->key)
		influx.bucket = stored->key;
	return nx_influx_sink_open(&influx, stored->name, &s->influx, err);
}

static enum nx_status begin(const struct nx_store_target *target, struct nx_ingest_target *ingest,
			    struct storing *s, int64_t start_ns, struct nx_stored *stored,
			    struct nx_error *err)
{
	enum nx_status st;

	if (is_database(target))
		return begin_database(target, s, start_ns, stored, err);
	ingest->folder = target->folder;
	ingest->name = stored->name;
	ingest->recipe = target->recipe;
	ingest->force = target->force;
	st = target->folder ? nx_make_directories(target->folder, err)
			    : open_workspace(target, s, stored, err);
	ingest->workspace = s->workspace;
	if (!st)
		st = nx_ingest_begin(&s->ingest, ingest, err);
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

/* The next push of the same profile resumes what was not committed. */
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
	stored->counts.file_bytes = nx_influx_sink_sent_bytes(s->influx);
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

/* --- reuse ----------------------------------------------------------------- */

static const struct nx_profile_record *find_made_like(const struct nx_catalogue *catalogue,
						      const struct nx_profile_record *wanted,
						      const char *name)
{
	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if (r->state == NX_PROFILE_READY && r->store_version >= NX_STORE_VERSION_OLDEST &&
		    r->store_version <= NX_STORE_VERSION && (!name || !strcmp(name, r->name)) &&
		    nx_profile_record_is_made_like(r, wanted))
			return r;
	}
	return NULL;
}

bool nx_stored_find(const struct nx_store_target *target, enum nx_profile_kind kind,
		    const char *const *sources, size_t source_count, struct nx_stored *stored)
{
	struct nx_profile_record wanted = {.kind = kind, .recipe = target->recipe};
	const struct nx_profile_record *same = NULL;
	struct nx_catalogue catalogue = {0};
	struct nx_workspace *workspace = NULL;
	struct nx_arena arena = {0};
	enum nx_status st;

	assert(sources && source_count);
	memset(stored, 0, sizeof(*stored));
	if (target->force || target->folder || is_database(target))
		return false;
	st = workspace_at(target->data_path, &arena, &workspace, NULL);
	for (size_t i = 0; i < source_count && !st; i++)
		st = nx_profile_record_add_source(&wanted, sources[i], &arena, NULL);
	if (!st)
		st = nx_catalogue_load(&catalogue, workspace, NULL);
	if (!st) /* with may_number the capture may have been stored under another name */
		same = find_made_like(&catalogue, &wanted,
				      target->may_number ? NULL : target->name);
	if (same)
		snprintf(stored->name, sizeof(stored->name), "%s", same->name);
	if (same)
		snprintf(stored->key, sizeof(stored->key), "%s", same->key);
	nx_catalogue_release(&catalogue);
	nx_profile_record_release(&wanted);
	nx_workspace_close(workspace);
	nx_arena_release(&arena);
	return same;
}

/* --- source code ----------------------------------------------------------- */

struct source_names {
	struct nx_text_map seen;
	struct nx_name_list NX_VEC_BODY(const char *) list; /* each once, borrowed */
};

static void add_source(struct source_names *names, const char *name)
{
	uint64_t ignored;

	if (!name || !*name || nx_text_map_get(&names->seen, nx_slice_text(name), &ignored))
		return;
	nx_text_map_put(&names->seen, nx_slice_text(name), 1);
	nx_vec_push(&names->list, name);
}

static void collect_sources(struct source_names *names, const struct nx_binary *b)
{
	for (size_t i = 0; i < b->stack.file_name_count; i++)
		add_source(names, b->stack.file_names[i]);
	for (size_t i = 0; i < b->origin_count; i++)
		add_source(names, b->origins[i].source_file);
	for (size_t i = 0; i < b->kernel_frame_count; i++)
		add_source(names, b->kernel_frames[i].file);
	for (size_t i = 0; i < b->kernel_iteration_count; i++)
		add_source(names, b->kernel_iterations[i].file);
	for (size_t i = 0; i < b->kernel_instruction_count; i++)
		add_source(names, b->kernel_instructions[i].file);
	for (size_t g = 0; g < b->graph_count; g++)
		for (size_t i = 0; i < b->graphs[g].bir_count; i++)
			add_source(names, b->graphs[g].birs[i].kernel_file);
}

/* Copies the source files that the profile names and that are below the roots into its folder. */
static enum nx_status copy_sources(const struct nx_store_target *target,
				   const struct nx_binary *binary, const char *folder,
				   struct nx_stored *stored, struct nx_error *err)
{
	const char *roots[NX_SOURCE_ROOTS_MAX];
	struct source_names names = {0};
	size_t root_count = 0;
	enum nx_status st;

	for (size_t i = 0; i < NX_SOURCE_ROOTS_MAX; i++)
		if (target->source_roots[i])
			roots[root_count++] = target->source_roots[i];
	if (!root_count)
		return NX_OK;
	collect_sources(&names, binary);
	stored->source_count = names.list.len;
	st = nx_source_copy(folder, roots, root_count, names.list.items, names.list.len,
			    &stored->sources, err);
	nx_text_map_release(&names.seen);
	nx_vec_release(&names.list);
	return st;
}

/* --- storing --------------------------------------------------------------- */

/* Databases need a calendar time: if the host's clock is unknown, the file's time is used. */
static int64_t start_of(const struct nx_profile *profile, const char *session_path)
{
	struct stat file;

	if (profile->start_epoch_ns)
		return (int64_t)profile->start_epoch_ns;
	if (stat(session_path, &file))
		return 0;
	return (int64_t)file.st_mtim.tv_sec * 1000000000 + file.st_mtim.tv_nsec;
}

enum nx_status nx_store_device(const struct nx_store_target *target,
			       const struct nx_profile *profile, const char *const *sources,
			       size_t source_count, struct nx_stored *stored, struct nx_error *err)
{
	const char *session_path = sources[0];
	char key[NX_PROFILE_KEY_MAX], collective[NX_RANK_COLLECTIVE_MAX];
	struct nx_ingest_target ingest = {.kind = NX_PROFILE_DEVICE,
					  .is_simulated = profile->capture.is_simulation,
					  .has_rank = profile->capture.rank != UINT32_MAX,
					  .rank = profile->capture.rank,
					  .core = profile->capture.graphs[0].nc_idx,
					  .key = key,
					  .sources = sources,
					  .source_count = source_count,
					  .clock = {.start_epoch_ns = profile->start_epoch_ns,
						    .total_ns =
							    profile->capture.total_time_ps / 1000,
						    .collective = collective}};
	struct nx_tables_options options = {.explorer_version = NX_PRODUCT_VERSION,
					    .only_why = target->only_why};
	struct storing s = {0};
	enum nx_status st;

	assert(source_count && session_path);
	memset(stored, 0, sizeof(*stored));
	nx_profile_key(profile, key);
	ingest.clock.collective_end_ns = nx_rank_collective(&profile->capture, collective);
	snprintf(stored->key, sizeof(stored->key), "%s", key);
	st = choose_name(target, session_path, stored, err);
	if (!st)
		st = begin(target, &ingest, &s, start_of(profile, session_path), stored, err);
	if (st)
		return st;
	options.profile_name = *stored->name ? stored->name : nx_path_name(session_path);
	options.progress = &s.progress;
	nx_progress_begin(&s.progress, "storing", nx_profile_row_count(profile),
			  target->show_progress);
	st = nx_device_tables_write(profile, &options, sink_of(&s), err);
	nx_progress_end(&s.progress);
	if (!st && s.ingest && !target->folder)
		st = copy_sources(target, &profile->binary, nx_ingest_path(s.ingest), stored, err);
	return end(&s, st, stored, err);
}

static void list_sessions(const struct nx_system_profile *profile,
			  struct nx_profile_sessions *sessions)
{
	for (size_t i = 0; i < profile->sessions.len; i++) {
		const struct nx_run_session *from = &profile->sessions.items[i];
		struct nx_profile_session session = {.name = from->name,
						     .kind = from->kind,
						     .reason = from->reason,
						     .start_ns = from->start_ns,
						     .end_ns = from->end_ns,
						     .host_count = (uint32_t)from->hosts.len};

		for (size_t k = 0; k < from->hosts.len; k++)
			session.failed_count += *from->hosts.items[k].failure != '\0';
		nx_vec_push(sessions, session);
	}
}

enum nx_status nx_store_system(const struct nx_store_target *target,
			       const struct nx_system_profile *profile, struct nx_stored *stored,
			       struct nx_error *err)
{
	struct nx_ingest_target ingest = {
		.kind = NX_PROFILE_SYSTEM, .sources = &profile->path, .source_count = 1};
	struct nx_tables_options options = {.explorer_version = NX_PRODUCT_VERSION};
	struct nx_profile_sessions sessions = {0};
	struct storing s = {0};
	enum nx_status st;

	assert(profile->path);
	memset(stored, 0, sizeof(*stored));
	list_sessions(profile, &sessions);
	ingest.run = profile->run_path;
	ingest.sessions = sessions.items;
	ingest.session_count = sessions.len;
	st = choose_name(target, profile->path, stored, err);
	if (!st)
		st = begin(target, &ingest, &s, 0, stored, err);
	nx_vec_release(&sessions);
	if (st)
		return st;
	options.profile_name = stored->name;
	options.progress = &s.progress;
	nx_progress_begin(&s.progress, "storing", profile->rows[NX_SYSTEM_EVENT],
			  target->show_progress);
	st = nx_system_tables_write(profile, &options, sink_of(&s), err);
	nx_progress_end(&s.progress);
	return end(&s, st, stored, err);
}
