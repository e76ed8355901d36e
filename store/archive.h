/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive: moves the tables of a profile to a folder or a bucket, and back.
 *
 *	<place>/<name>@<id>/archive.json	the list of files, with their digests; written last
 *	<place>/<name>@<id>/tables/...		the files of the profile's folder
 *	<place>/<name>@<id>/raw/...		what it was made from, if wanted
 *
 * An archived profile stays in the workspace: a folder with profile.json, whose member "archive"
 * says where the rest is, and with its annotations. The local files go only after every file was
 * read back from the archive; a failure before that leaves the profile as it was.
 */
#ifndef NX_STORE_ARCHIVE_H
#define NX_STORE_ARCHIVE_H

#include "store/workspace.h"

struct nx_archive_options {
	const char *to; /* a folder, or "s3://bucket/prefix" */
	bool has_raw;	/* also copy the files that the profile was made from */
	/* before each file; NULL: not wanted */
	void (*on_file)(void *context, const char *path);
	void *context;
};

/* USAGE if the profile is archived already. A profile that was fetched and has not changed is
 * not sent again. */
NX_MUST_CHECK enum nx_status nx_archive_store(struct nx_workspace *ws, const char *name,
					      const struct nx_archive_options *options,
					      struct nx_error *err);
/* Brings the files back; OK if they are here. The archive keeps its copy. */
NX_MUST_CHECK enum nx_status nx_archive_fetch(struct nx_workspace *ws, const char *name,
					      struct nx_error *err);

#endif
