/* SPDX-License-Identifier: Apache-2.0 */
#include "store/archive_place.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/durable.h"
#include "store/relative_path.h"
#include "store/s3.h"

#define PIECE_BYTES ((size_t)256 << 10)
#define BUCKET "s3://"

struct nx_archive_place {
	struct nx_arena arena;
	const char *text;
	int folder;	    /* -1: a bucket */
	struct nx_s3 *s3;   /* NULL: a folder */
	const char *prefix; /* of keys in the bucket, with a slash at its end, or "" */
};

/* --- opening -------------------------------------------------------------------- */

static enum nx_status open_bucket(struct nx_archive_place *p, const char *where,
				  struct nx_error *err)
{
	const char *name = where + strlen(BUCKET);
	size_t len = strcspn(name, "/");
	const char *rest = name + len;
	size_t rest_len;

	while (*rest == '/')
		rest++;
	rest_len = strlen(rest);
	while (rest_len && rest[rest_len - 1] == '/')
		rest_len--;
	p->prefix = nx_arena_printf(&p->arena, "%.*s%s", (int)rest_len, rest, rest_len ? "/" : "");
	p->text = nx_arena_printf(&p->arena, BUCKET "%.*s%s%.*s", (int)len, name,
				  rest_len ? "/" : "", (int)rest_len, rest);
	return nx_s3_open(&p->s3, nx_arena_printf(&p->arena, "%.*s", (int)len, name), err);
}

static enum nx_status open_folder(struct nx_archive_place *p, const char *where, bool is_written,
				  struct nx_error *err)
{
	char real[PATH_MAX];
	enum nx_status st = is_written ? nx_make_directories(where, err) : NX_OK;

	if (st)
		return st;
	if (!realpath(where, real))
		return nx_fail_errno(err, errno, "cannot open the archive %s", where);
	p->text = nx_arena_copy_text(&p->arena, real);
	p->folder = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->folder < 0)
		return nx_fail_errno(err, errno, "cannot open the archive %s", where);
	return NX_OK;
}

enum nx_status nx_archive_place_open(struct nx_archive_place **out, const char *where,
				     bool is_written, struct nx_error *err)
{
	struct nx_archive_place *p = nx_heap_alloc(sizeof(*p));
	enum nx_status st;

	memset(p, 0, sizeof(*p));
	p->folder = -1;
	st = !strncmp(where, BUCKET, strlen(BUCKET)) ? open_bucket(p, where, err)
						     : open_folder(p, where, is_written, err);
	if (st) {
		nx_archive_place_close(p);
		return st;
	}
	*out = p;
	return NX_OK;
}

void nx_archive_place_close(struct nx_archive_place *p)
{
	if (!p)
		return;
	nx_durable_close(p->folder);
	nx_s3_close(p->s3);
	nx_arena_release(&p->arena);
	nx_heap_free(p);
}

const char *nx_archive_place_text(const struct nx_archive_place *p)
{
	return p->text;
}

/* --- bytes ------------------------------------------------------------------------ */

/* Bytes on their way to a descriptor, or only to their digest. */
struct passing {
	int fd; /* -1: nowhere */
	struct nx_sha256 hash;
	uint64_t len;
};

static enum nx_status pass(void *context, struct nx_slice piece, struct nx_error *err)
{
	struct passing *p = context;

	nx_sha256_add(&p->hash, piece);
	p->len += piece.len;
	for (size_t at = 0; p->fd >= 0 && at < piece.len;) {
		ssize_t n = write(p->fd, (const char *)piece.data + at, piece.len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return nx_fail_errno(err, errno, "cannot write");
		at += (size_t)n;
	}
	return NX_OK;
}

static enum nx_status pass_file(struct passing *p, int from, const char *shown,
				struct nx_error *err)
{
	uint8_t *piece = nx_heap_alloc(PIECE_BYTES);
	enum nx_status st = NX_OK;
	ssize_t n = 1;

	while (!st && n) {
		n = read(from, piece, PIECE_BYTES);
		if (n > 0)
			st = pass(p, nx_slice_of(piece, (size_t)n), err);
		else if (n < 0 && errno != EINTR)
			st = nx_fail_errno(err, errno, "cannot read %s", shown);
	}
	nx_heap_free(piece);
	return st;
}

static void end_passing(struct passing *p, struct nx_archived_file *file)
{
	uint8_t digest[NX_SHA256_BYTES];

	nx_sha256_end(&p->hash, digest);
	nx_sha256_text(digest, file->sha256);
	file->size_bytes = p->len;
}

static bool is_same(const struct nx_archived_file *a, const struct nx_archived_file *b)
{
	return a->size_bytes == b->size_bytes && !strcmp(a->sha256, b->sha256);
}

/* --- a folder ----------------------------------------------------------------------- */

/* Under a temporary name until all bytes are on the disk. */
static enum nx_status copy_in(struct nx_archive_place *p, const char *key, int from,
			      struct nx_error *err)
{
	char aside[NX_RELATIVE_PATH_BYTES];
	struct passing copy = {.fd = -1};
	enum nx_status st;

	snprintf(aside, sizeof(aside), "%.1000s" NX_DURABLE_ASIDE_SUFFIX, key);
	copy.fd = nx_relative_path_open(p->folder, aside, O_WRONLY | O_CREAT | O_TRUNC, true);
	if (copy.fd < 0)
		return nx_fail_errno(err, errno, "cannot write %s/%s", p->text, key);
	nx_sha256_init(&copy.hash);
	st = pass_file(&copy, from, key, err);
	if (!st && fsync(copy.fd) < 0)
		st = nx_fail_errno(err, errno, "cannot write");
	close(copy.fd);
	if (!st && renameat(p->folder, aside, p->folder, key) < 0)
		st = nx_fail_errno(err, errno, "cannot rename");
	if (st) {
		unlinkat(p->folder, aside, 0);
		nx_context(err, "%s/%s", p->text, key);
	}
	return st;
}

static enum nx_status receive(struct nx_archive_place *p, const char *key, struct passing *to,
			      struct nx_error *err)
{
	struct nx_arena arena = {0};
	enum nx_status st;
	int fd;

	nx_sha256_init(&to->hash);
	to->len = 0;
	if (p->s3) {
		st = nx_s3_get(p->s3, nx_arena_printf(&arena, "%s%s", p->prefix, key), pass, to,
			       err);
		nx_arena_release(&arena);
		return st;
	}
	fd = nx_relative_path_open(p->folder, key, O_RDONLY, false);
	if (fd < 0)
		return nx_fail_errno(err, errno, "cannot read %s/%s from the archive", p->text,
				     key);
	st = pass_file(to, fd, key, err);
	close(fd);
	return st;
}

/* --- files -------------------------------------------------------------------------- */

enum nx_status nx_archive_place_put(struct nx_archive_place *p, const char *key, int fd,
				    struct nx_archived_file *file, struct nx_error *err)
{
	struct passing local = {.fd = -1}, stored = {.fd = -1};
	struct nx_archived_file came = {0};
	struct nx_arena arena = {0};
	enum nx_status st;

	assert(fd >= 0);
	nx_sha256_init(&local.hash);
	st = pass_file(&local, fd, key, err);
	if (st)
		return st;
	end_passing(&local, file);
	if (lseek(fd, 0, SEEK_SET) < 0)
		return nx_fail_errno(err, errno, "cannot read %s", key);
	st = p->s3 ? nx_s3_put(p->s3, nx_arena_printf(&arena, "%s%s", p->prefix, key), fd,
			       file->size_bytes, file->sha256, err)
		   : copy_in(p, key, fd, err);
	nx_arena_release(&arena);
	if (!st)
		st = receive(p, key, &stored, err);
	if (st)
		return st;
	end_passing(&stored, &came);
	if (is_same(file, &came))
		return NX_OK;
	return nx_fail(err, NX_MISMATCH,
		       "%s/%s: the archive gives back other bytes than it was given; choose "
		       "another place",
		       p->text, key);
}

enum nx_status nx_archive_place_get(struct nx_archive_place *p, const char *key,
				    const struct nx_archived_file *file, int fd,
				    struct nx_error *err)
{
	struct passing to = {.fd = fd};
	struct nx_archived_file came = {0};
	enum nx_status st = receive(p, key, &to, err);

	if (st)
		return st;
	end_passing(&to, &came);
	if (is_same(file, &came))
		return NX_OK;
	return nx_fail(err, NX_MISMATCH,
		       "%s/%s was changed in the archive: its checksum is not the one it was "
		       "stored with",
		       p->text, key);
}
