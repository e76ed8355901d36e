/* SPDX-License-Identifier: Apache-2.0 */
#include "store/upgrade.h"

#include "store/staging.h"
#include "store/workspace_internal.h"

const struct nx_upgrade_step nx_upgrade_steps[] = {{0}};

static const struct nx_upgrade_step *step_from(const struct nx_upgrade_step *steps,
					       uint32_t version)
{
	for (const struct nx_upgrade_step *step = steps; step->run; step++)
		if (step->from == version)
			return step;
	return NULL;
}

static enum nx_status run_step(struct nx_workspace *ws, const struct nx_upgrade_step *step,
			       struct nx_profile_record *record, struct nx_arena *arena,
			       struct nx_error *err)
{
	uint64_t created_ms = record->created_ms;
	const char *old_id = record->id;
	struct nx_staging *staging;
	enum nx_status st = nx_staging_begin(&staging, ws, record, true, err);

	if (st)
		return st;
	/* It is the same profile in another form, not a new one. */
	record->created_ms = created_ms;
	nx_staging_expect(staging, old_id);
	st = step->run(nx_workspace_profile_path(ws, arena, record->name), nx_staging_path(staging),
		       record, err);
	if (st) {
		nx_staging_abort(staging);
		return nx_context(err, "cannot bring profile '%s' to version %u of the store",
				  record->name, NX_STORE_VERSION);
	}
	return nx_staging_commit(staging, err);
}

enum nx_status nx_upgrade_profile(struct nx_workspace *ws, const char *name,
				  const struct nx_upgrade_step *steps, struct nx_error *err)
{
	const struct nx_upgrade_step *step = NULL;
	struct nx_profile_record record;
	struct nx_arena arena = {0};
	enum nx_status st = nx_workspace_load(ws, name, &arena, &record, err);

	if (st == NX_VERSION && record.store_version < NX_STORE_VERSION)
		step = step_from(steps, record.store_version);
	if (step)
		st = run_step(ws, step, &record, &arena, err);
	nx_profile_record_release(&record);
	nx_arena_release(&arena);
	return st;
}
