/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retention: which finished profiles may go, by age and total size.
 *
 * Favourites always stay, and so do the device profiles that were captured with one. A profile's
 * age counts from its last use. What goes is deleted, or moved to an archive; of a profile that was
 * fetched from an archive only the local copy goes. Captures are never touched.
 */
#ifndef NX_STORE_RETENTION_H
#define NX_STORE_RETENTION_H

#include "store/catalogue.h"

/* In the workspace, for the server: {"keep_days": 30, "keep_bytes": 1e12, "archive_to": "s3://…"}
 */
#define NX_RETENTION_FILE "retention.json"

struct nx_retention {
	bool has_days, has_bytes;
	uint64_t keep_days, keep_bytes;
	const char *archive_to; /* NULL: deleted */
};

/* The workspace's own rules; all zero if it has none. FORMAT if the file is not valid. */
NX_MUST_CHECK enum nx_status nx_retention_read(const struct nx_workspace *ws,
					       struct nx_arena *arena, struct nx_retention *rules,
					       struct nx_error *err);

struct nx_retention_records NX_VEC_BODY(const struct nx_profile_record *);

/* What the rules let go, oldest first; the caller releases the list. */
void nx_retention_choose(const struct nx_catalogue *catalogue, const struct nx_retention *rules,
			 uint64_t now_ms, struct nx_retention_records *chosen);

/* Lets them go, or only lists them. Continues after a failure, which becomes the result. */
NX_MUST_CHECK enum nx_status nx_retention_apply(struct nx_workspace *ws,
						const struct nx_retention *rules, bool is_dry_run,
						struct nx_arena *arena,
						struct nx_leftovers *leftovers,
						struct nx_error *err);

#endif
