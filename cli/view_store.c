/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view_store.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"
#include "cli/view.h"
#include "export/exporters.h"
#include "tables/device_tables.h"
#include "tables/system_tables.h"

/* What both kinds of profile share; the workspace is open until the end. */
struct storing {
	struct nx_workspace *workspace;
	struct nx_ingest *ingest;
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

static enum nx_status choose_name(const struct nx_store_view *view, const char *path,
				  struct nx_stored *stored, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (view->folder) {
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

static enum nx_status open_workspace(const struct nx_store_view *view, struct storing *s,
				     struct nx_stored *stored, struct nx_error *err)
{
	struct nx_workspace_options how = {.path = view->data_path};
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	if (!how.path)
		st = nx_workspace_default_path(&arena, &how.path, err);
	if (!st)
		st = nx_workspace_open(&s->workspace, &how, err);
	if (!st)
		snprintf(stored->place, sizeof(stored->place), "%s",
			 nx_workspace_profile_path(s->workspace, &arena, stored->name));
	nx_arena_release(&arena);
	return st;
}

static enum nx_status begin(const struct nx_store_view *view, struct nx_ingest_target *target,
			    struct storing *s, struct nx_stored *stored, struct nx_error *err)
{
	enum nx_status st;

	memset(s, 0, sizeof(*s));
	target->folder = view->folder;
	target->name = stored->name;
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

static enum nx_status end(struct storing *s, enum nx_status st, struct nx_stored *stored,
			  struct nx_error *err)
{
	st = nx_ingest_end(s->ingest, st, &stored->counts, err);
	nx_workspace_close(s->workspace);
	return st;
}

enum nx_status nx_store_device(const struct nx_store_view *view, const struct nx_profile *profile,
			       const char *session_path, const char *neff_path,
			       struct nx_stored *stored, struct nx_error *err)
{
	const char *sources[] = {session_path, neff_path};
	char key[NX_PROFILE_KEY_MAX];
	struct nx_ingest_target target = {.kind = NX_PROFILE_DEVICE,
					  .key = key,
					  .sources = sources,
					  .source_count = neff_path ? 2 : 1};
	struct nx_tables_options options = {.explorer_version = NX_PRODUCT_VERSION};
	struct storing s;
	enum nx_status st;

	memset(stored, 0, sizeof(*stored));
	nx_profile_key(profile, key);
	st = choose_name(view, session_path, stored, err);
	if (!st)
		st = begin(view, &target, &s, stored, err);
	if (st)
		return st;
	options.profile_name = *stored->name ? stored->name : base_name(session_path);
	options.progress = &s.progress;
	nx_progress_begin(&s.progress, "storing", nx_profile_row_count(profile),
			  view->verbosity > NX_SAY_ERRORS);
	st = nx_device_tables_write(profile, &options, nx_ingest_sink(s.ingest), err);
	nx_progress_end(&s.progress);
	return end(&s, st, stored, err);
}

enum nx_status nx_store_system(const struct nx_store_view *view,
			       const struct nx_system_profile *profile, struct nx_stored *stored,
			       struct nx_error *err)
{
	struct nx_ingest_target target = {.kind = NX_PROFILE_SYSTEM};
	struct nx_tables_options options = {.explorer_version = NX_PRODUCT_VERSION};
	struct storing s;
	enum nx_status st;

	memset(stored, 0, sizeof(*stored));
	st = choose_name(view, profile->path, stored, err);
	if (!st)
		st = begin(view, &target, &s, stored, err);
	if (st)
		return st;
	options.profile_name = stored->name;
	options.progress = &s.progress;
	nx_progress_begin(&s.progress, "storing", profile->rows[NX_SYSTEM_EVENT],
			  view->verbosity > NX_SAY_ERRORS);
	st = nx_system_tables_write(profile, &options, nx_ingest_sink(s.ingest), err);
	nx_progress_end(&s.progress);
	return end(&s, st, stored, err);
}

void nx_store_say(const struct nx_stored *stored, uint64_t duration_ns)
{
	char rows[NX_COUNT_TEXT_MAX];

	nx_count_text(stored->counts.row_count, rows);
	if (*stored->name)
		nx_say("stored as %s: %s rows, %.1f MB in %.1f s (%s)\n"
		       "ask it with: neuron-explorer query -d %s \"SELECT * FROM Summary\"",
		       stored->name, rows, (double)stored->counts.file_bytes / 1e6,
		       (double)duration_ns / 1e9, stored->place, stored->name);
	else
		nx_say("wrote %s: %s rows, %.1f MB in %.1f s", stored->place, rows,
		       (double)stored->counts.file_bytes / 1e6, (double)duration_ns / 1e9);
}
