/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive_place: where archived profiles are kept: a folder, or a bucket "s3://bucket/prefix".
 *
 * A file is stored under a key, a relative path. Storing ends with reading it back and comparing
 * its digest, so that what it was made from may go.
 */
#ifndef NX_STORE_ARCHIVE_PLACE_H
#define NX_STORE_ARCHIVE_PLACE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/sha256.h"

struct nx_archive_place;

/* A folder is made if it is to be written to. USAGE if a bucket's keys are missing. */
NX_MUST_CHECK enum nx_status nx_archive_place_open(struct nx_archive_place **out, const char *where,
						   bool is_written, struct nx_error *err);
void nx_archive_place_close(struct nx_archive_place *place);
/* "s3://bucket/prefix" or the absolute path of the folder; borrowed. */
const char *nx_archive_place_text(const struct nx_archive_place *place);

struct nx_archived_file {
	const char *path; /* relative */
	uint64_t size_bytes;
	char sha256[NX_SHA256_TEXT_MAX];
};

/* Stores the file of the descriptor under the key, and fills in size and digest. MISMATCH if
 * other bytes came back. */
NX_MUST_CHECK enum nx_status nx_archive_place_put(struct nx_archive_place *place, const char *key,
						  int fd, struct nx_archived_file *file,
						  struct nx_error *err);
/* Appends a stored file to the descriptor. MISMATCH if size or digest differ. */
NX_MUST_CHECK enum nx_status nx_archive_place_get(struct nx_archive_place *place, const char *key,
						  const struct nx_archived_file *file, int fd,
						  struct nx_error *err);

#endif
