/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of continuous recording: why each was saved, and whether anything lies between two. */
#include <inttypes.h>

#include "format/snapshot_file.h"
#include "pipeline/data_quality.h"
#include "pipeline/system_run.h"

struct found_snapshot {
	const char *folder;
	struct nx_snapshot_file file;
};

struct snapshots NX_VEC_BODY(struct found_snapshot);

static void read_snapshot(struct nx_system_run *run, const char *folder, struct snapshots *all)
{
	struct nx_system_profile *p = &run->profile;
	const char *path = nx_arena_printf(&p->arena, "%s/" NX_SNAPSHOT_FILE, folder);
	struct found_snapshot snapshot = {.folder = folder};
	struct nx_error err = {0};
	struct nx_file file;
	enum nx_status st = nx_file_map(&file, path, &err);
	struct nx_slice bytes;

	if (st == NX_NOT_FOUND)
		return;
	if (!st) {
		bytes = nx_slice_of(nx_arena_copy(&p->arena, file.bytes), file.bytes.len);
		nx_file_unmap(&file);
		st = nx_snapshot_file_decode(bytes, &p->arena, &snapshot.file, &err);
	}
	if (st)
		nx_system_warn(p, NX_WARN_LOSS, "%s: %s", path, err.message);
	else
		nx_vec_push(all, snapshot);
}

/* The latest one of the same recording before this one; NULL: none is here. */
static const struct nx_snapshot_file *previous_of(const struct snapshots *all,
						  const struct nx_snapshot_file *file)
{
	const struct nx_snapshot_file *previous = NULL;

	for (size_t i = 0; i < all->len; i++) {
		const struct nx_snapshot_file *other = &all->items[i].file;

		if (other->recording_ns == file->recording_ns && other->number < file->number &&
		    (!previous || other->number > previous->number))
			previous = other;
	}
	return previous;
}

static void report(struct nx_system_profile *p, const struct snapshots *all,
		   const struct found_snapshot *snapshot)
{
	const struct nx_snapshot_file *file = &snapshot->file, *previous = previous_of(all, file);
	const char *reason = *file->reason ? nx_arena_printf(&p->arena, ": %s", file->reason) : "";
	const char *gap = "";
	uint64_t missing = 0;

	if (previous && file->first_sequence > previous->end_sequence)
		missing = file->first_sequence - previous->end_sequence;
	if (previous && file->lost_count > previous->lost_count)
		missing += file->lost_count - previous->lost_count;
	if (previous && missing)
		gap = nx_arena_printf(&p->arena,
				      " %" PRIu64 " records between snapshot %" PRIu64
				      " and this one are in neither.",
				      missing, previous->number);
	else if (previous)
		gap = nx_arena_printf(&p->arena,
				      " Nothing is missing between snapshot %" PRIu64
				      " and this one.",
				      previous->number);
	nx_system_warn(p, NX_WARN_SNAPSHOT,
		       "%s: snapshot %" PRIu64 " of a continuous recording, saved by %s%s.%s",
		       snapshot->folder, file->number, nx_snapshot_trigger_text(file->trigger),
		       reason, gap);
}

void nx_system_report_snapshots(struct nx_system_run *run)
{
	struct snapshots all = {0};

	for (size_t i = 0; i < run->found.processes.len; i++)
		read_snapshot(run, run->found.processes.items[i].folder, &all);
	for (size_t i = 0; i < all.len; i++) {
		report(&run->profile, &all, &all.items[i]);
		run->hang.is_reported |= all.items[i].file.trigger == NX_SNAPSHOT_COLLECTIVE;
	}
	nx_vec_release(&all);
}

void nx_system_report_hang(struct nx_system_run *run)
{
	char text[4096];

	if (nx_rank_hang_describe(&run->hang, text, sizeof(text)))
		nx_system_warn(&run->profile, NX_WARN_HANG, "%s", text);
}
