/* SPDX-License-Identifier: Apache-2.0 */
#include "store/upload.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "store/catalogue.h"
#include "store/durable.h"
#include "store/relative_path.h"
#include "store/workspace_internal.h"

#define UPLOADS "uploads"
#define RECORD_FILE "upload.json"
/* The reserve for the rest of the machine: this much, or a hundredth of a small disk. */
#define SPARE_BYTES (UINT64_C(64) << 20)
#define SUMMARY_FILE "summary.json"
#define COUNT_FILE "received"
#define SUMMARY_FILES_MAX 16u
#define LOCK_RETRIES 20
#define LOCK_RETRY_NS 5000000

const char *nx_upload_path(const struct nx_workspace *ws, struct nx_arena *arena, const char *id,
			   const char *below)
{
	return nx_arena_printf(arena, "%s/" UPLOADS "/%s/%s", ws->path, id, below);
}

/* --- folders -------------------------------------------------------------------------- */

/* An id comes from a request and must not be a path. */
static bool is_id(const char *id)
{
	size_t len = strlen(id);

	return len && len < NX_VERSION_ID_MAX &&
	       strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

int nx_uploads_open(const struct nx_workspace *ws)
{
	return nx_durable_open_folder(ws->root, UPLOADS);
}

static enum nx_status fail_missing(const char *id, struct nx_error *err)
{
	return nx_fail(err, NX_NOT_FOUND, "there is no upload '%.60s'; it may be over", id);
}

static enum nx_status open_one(const struct nx_workspace *ws, const char *id, int *fd,
			       struct nx_error *err)
{
	int uploads = is_id(id) ? nx_uploads_open(ws) : -1;

	*fd = -1;
	if (uploads < 0)
		return fail_missing(id, err);
	*fd = openat(uploads, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(uploads);
	return *fd < 0 ? fail_missing(id, err) : NX_OK;
}

struct listing {
	struct nx_arena *arena;
	struct nx_upload_ids *ids;
};

static enum nx_status add_id(void *context, const char *name, struct nx_error *err)
{
	struct listing *l = context;

	(void)err;
	if (is_id(name))
		nx_vec_push(l->ids, nx_arena_copy_text(l->arena, name));
	return NX_OK;
}

enum nx_status nx_uploads_list(const struct nx_workspace *ws, struct nx_arena *arena,
			       struct nx_upload_ids *ids, struct nx_error *err)
{
	struct listing l = {arena, ids};
	int uploads = nx_uploads_open(ws);
	enum nx_status st;

	if (uploads < 0)
		return NX_OK;
	st = nx_durable_each(uploads, ws->path, add_id, &l, err);
	close(uploads);
	return st;
}

/* --- space ---------------------------------------------------------------------------- */

enum nx_status nx_upload_check_space(struct nx_workspace *ws, uint64_t more_bytes,
				     struct nx_error *err)
{
	struct statvfs disk;
	uint64_t free_bytes, spare_bytes;

	if (fstatvfs(ws->root, &disk) < 0)
		return nx_fail_errno(err, errno, "cannot see how much room %s has", ws->path);
	free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	spare_bytes = (uint64_t)disk.f_blocks * disk.f_frsize / 100;
	if (spare_bytes > SPARE_BYTES)
		spare_bytes = SPARE_BYTES;
	if (free_bytes >= spare_bytes && more_bytes <= free_bytes - spare_bytes)
		return NX_OK;
	return nx_fail(err, NX_NO_SPACE,
		       "%llu MB are to come and the server's disk has %llu MB left; delete "
		       "profiles that are not needed any more",
		       (unsigned long long)(more_bytes / 1000000),
		       (unsigned long long)(free_bytes / 1000000));
}

/* --- beginning ------------------------------------------------------------------------ */

static enum nx_status check_name(struct nx_workspace *ws, const struct nx_upload *u,
				 struct nx_error *err)
{
	const struct nx_profile_record *other;
	struct nx_catalogue catalogue;
	enum nx_status st = nx_catalogue_load(&catalogue, ws, err);

	other = st || u->force ? NULL : nx_catalogue_find(&catalogue, u->name);
	if (other && other->state != NX_PROFILE_FAILED && other->state != NX_PROFILE_UNFINISHED)
		st = nx_fail(err, NX_MISMATCH,
			     "there is already a profile '%s' (%s); choose another name, or "
			     "replace it",
			     u->name, nx_profile_state_text(other->state));
	nx_catalogue_release(&catalogue);
	return st;
}

static enum nx_status check_count(struct nx_workspace *ws, struct nx_arena *arena,
				  struct nx_error *err)
{
	struct nx_upload_ids ids = {0};
	enum nx_status st = nx_uploads_list(ws, arena, &ids, err);

	if (!st && ids.len >= NX_UPLOADS_MAX)
		st = nx_fail(err, NX_LIMIT,
			     "%zu other uploads are unfinished; give up some of them, or remove "
			     "those that were abandoned with gc",
			     ids.len);
	nx_vec_release(&ids);
	return st;
}

static enum nx_status make_folder(struct nx_workspace *ws, struct nx_upload *u,
				  struct nx_error *err)
{
	int uploads;
	enum nx_status st = NX_OK;

	if (mkdirat(ws->root, UPLOADS, 0777) < 0 && errno != EEXIST)
		return nx_fail_errno(err, errno, "cannot make %s/" UPLOADS, ws->path);
	uploads = nx_uploads_open(ws);
	if (uploads < 0)
		return nx_fail_errno(err, errno, "cannot open %s/" UPLOADS, ws->path);
	if (mkdirat(uploads, u->id, 0777) < 0)
		st = nx_fail_errno(err, errno, "cannot make %s/" UPLOADS "/%s", ws->path, u->id);
	close(uploads);
	return st ? st : nx_upload_save(ws, u, err);
}

enum nx_status nx_upload_begin(struct nx_workspace *ws, struct nx_upload *u, struct nx_arena *arena,
			       struct nx_error *err)
{
	char id[NX_VERSION_ID_MAX];
	enum nx_status st = check_count(ws, arena, err);

	if (!st)
		st = check_name(ws, u, err);
	if (!st)
		st = nx_upload_check_space(ws, nx_upload_size(u), err);
	if (st)
		return st;
	nx_version_id_make(id);
	u->id = nx_arena_copy_text(arena, id);
	u->state = NX_UPLOAD_RECEIVING;
	u->reason = "";
	u->created_ms = nx_now_ms();
	st = make_folder(ws, u, err);
	if (st)
		(void)!nx_upload_remove(ws, id, NULL);
	return st;
}

/* The record with the first files only. */
static enum nx_status save_summary(const struct nx_workspace *ws, int fd, const struct nx_upload *u,
				   struct nx_error *err)
{
	struct nx_upload summary = *u;
	struct nx_bytes bytes = {0};
	enum nx_status st;

	summary.files = (struct nx_upload_files){0};
	for (size_t i = 0; i < u->files.len && summary.files.len < SUMMARY_FILES_MAX; i++)
		if (u->files.items[i].role != NX_UPLOAD_SOURCE)
			nx_vec_push(&summary.files, u->files.items[i]);
	nx_upload_write(&summary, &bytes);
	st = nx_durable_write(fd, SUMMARY_FILE, nx_slice_of(bytes.items, bytes.len), ws->path, err);
	nx_vec_release(&bytes);
	nx_vec_release(&summary.files);
	return st;
}

enum nx_status nx_upload_save(struct nx_workspace *ws, const struct nx_upload *u,
			      struct nx_error *err)
{
	struct nx_bytes bytes = {0};
	int fd;
	enum nx_status st = open_one(ws, u->id, &fd, err);

	if (st)
		return st;
	nx_upload_write(u, &bytes);
	st = save_summary(ws, fd, u, err);
	if (!st)
		st = nx_durable_write(fd, RECORD_FILE, nx_slice_of(bytes.items, bytes.len),
				      ws->path, err);
	nx_vec_release(&bytes);
	close(fd);
	return st;
}

/* --- files ---------------------------------------------------------------------------- */

static const char *place_of(struct nx_arena *arena, const struct nx_upload_file *f)
{
	return nx_arena_printf(arena, "%s/%s", f->role == NX_UPLOAD_SOURCE ? "source" : "capture",
			       f->path);
}

static void measure_files(int folder, struct nx_arena *arena, struct nx_upload *u)
{
	struct stat st;

	u->changed_ms = u->created_ms;
	for (size_t i = 0; i < u->files.len; i++) {
		struct nx_upload_file *f = &u->files.items[i];

		/* the folder is ours alone, and this only looks */
		if (fstatat(folder, place_of(arena, f), &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		f->received_bytes = (uint64_t)st.st_size;
		if ((uint64_t)st.st_mtim.tv_sec * 1000 > u->changed_ms)
			u->changed_ms = (uint64_t)st.st_mtim.tv_sec * 1000;
	}
}

static enum nx_status read_record(int fd, const char *file, const char *id, struct nx_arena *arena,
				  struct nx_upload *u, struct nx_error *err)
{
	struct nx_bytes bytes = {0};
	enum nx_status st = nx_durable_read(fd, file, NX_UPLOAD_RECORD_BYTES_MAX, &bytes, id, err);

	if (!st && nx_upload_read(nx_slice_of(bytes.items, bytes.len), arena, u, err))
		st = nx_fail(err, NX_FORMAT, "the upload '%s' is damaged; begin it again", id);
	u->id = nx_arena_copy_text(arena, id);
	nx_vec_release(&bytes);
	return st;
}

enum nx_status nx_upload_load_record(struct nx_workspace *ws, const char *id,
				     struct nx_arena *arena, struct nx_upload *u,
				     struct nx_error *err)
{
	int fd;
	enum nx_status st = open_one(ws, id, &fd, err);

	*u = (struct nx_upload){.id = "", .name = "", .label = "", .reason = ""};
	if (st)
		return st;
	st = read_record(fd, RECORD_FILE, id, arena, u, err);
	close(fd);
	return st;
}

enum nx_status nx_upload_load(struct nx_workspace *ws, const char *id, struct nx_arena *arena,
			      struct nx_upload *u, struct nx_error *err)
{
	struct nx_arena scratch = {0};
	int fd;
	enum nx_status st = open_one(ws, id, &fd, err);

	*u = (struct nx_upload){.id = "", .name = "", .label = "", .reason = ""};
	if (st)
		return st;
	st = read_record(fd, RECORD_FILE, id, arena, u, err);
	measure_files(fd, &scratch, u);
	nx_arena_release(&scratch);
	close(fd);
	return st;
}

/* --- counts ----------------------------------------------------------------------------- */

/* An upload that a server without counts began. */
static enum nx_status load_uncounted(struct nx_workspace *ws, const char *id,
				     struct nx_arena *arena, struct nx_upload *u,
				     struct nx_error *err)
{
	enum nx_status st = nx_upload_load(ws, id, arena, u, err);

	for (size_t i = 0; i < u->files.len; i++)
		u->counted_bytes += u->files.items[i].received_bytes;
	return st;
}

enum nx_status nx_upload_load_summary(struct nx_workspace *ws, const char *id,
				      struct nx_arena *arena, struct nx_upload *u,
				      struct nx_error *err)
{
	struct stat when;
	uint64_t counted;
	int fd, count;
	enum nx_status st = open_one(ws, id, &fd, err);

	*u = (struct nx_upload){.id = "", .name = "", .label = "", .reason = ""};
	if (st)
		return st;
	st = read_record(fd, SUMMARY_FILE, id, arena, u, err);
	if (st == NX_NOT_FOUND) {
		close(fd);
		return load_uncounted(ws, id, arena, u, err);
	}
	count = openat(fd, COUNT_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	u->changed_ms = u->created_ms;
	if (count >= 0 && pread(count, &counted, sizeof(counted), 0) == sizeof(counted) &&
	    fstat(count, &when) == 0) {
		u->counted_bytes = counted;
		u->changed_ms = (uint64_t)when.st_mtim.tv_sec * 1000;
	}
	nx_durable_close(count);
	close(fd);
	return st;
}

/* Several connections may receive files of one upload. The count is for people: a failure is no
 * reason to refuse a file. */
void nx_upload_count(struct nx_workspace *ws, const char *id, uint64_t bytes)
{
	uint64_t counted = 0;
	int fd, count;

	if (open_one(ws, id, &fd, NULL))
		return;
	count = openat(fd, COUNT_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		       0666);
	if (count >= 0 && flock(count, LOCK_EX) == 0) {
		if (pread(count, &counted, sizeof(counted), 0) != sizeof(counted))
			counted = 0;
		counted += bytes;
		(void)!pwrite(count, &counted, sizeof(counted), 0);
	}
	nx_durable_unlock(count);
	close(fd);
}

/* --- appending -------------------------------------------------------------------------- */

static enum nx_status lock_file(const struct nx_upload_file *f, int fd, uint64_t *received_bytes,
				struct nx_error *err)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return nx_fail(err, NX_MISMATCH, "'%s' is being received from another client",
			       f->path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || lseek(fd, 0, SEEK_END) < 0)
		return nx_fail(err, NX_IO, "'%s' cannot be written", f->path);
	*received_bytes = (uint64_t)st.st_size;
	return NX_OK;
}

enum nx_status nx_upload_open_file(struct nx_workspace *ws, const struct nx_upload *u, size_t file,
				   int *fd, uint64_t *received_bytes, struct nx_error *err)
{
	const struct nx_upload_file *f = &u->files.items[file];
	struct nx_arena arena = {0};
	int folder;
	enum nx_status st = open_one(ws, u->id, &folder, err);

	assert(file < u->files.len);
	*fd = -1;
	if (st)
		return st;
	*fd = nx_relative_path_open(folder, place_of(&arena, f), O_WRONLY | O_CREAT, true);
	if (*fd < 0)
		st = nx_fail_errno(err, errno, "cannot write '%s'", f->path);
	else
		st = lock_file(f, *fd, received_bytes, err);
	if (st && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	close(folder);
	nx_arena_release(&arena);
	return st;
}

/* --- locks and the end ------------------------------------------------------------------ */

enum nx_status nx_upload_lock(struct nx_workspace *ws, const char *id, int *fd,
			      struct nx_error *err)
{
	const struct timespec pause = {.tv_nsec = LOCK_RETRY_NS};
	enum nx_status st = open_one(ws, id, fd, err);

	if (st)
		return st;
	/* a check whether it is free holds the lock for a moment */
	for (int i = 0; i < LOCK_RETRIES; i++) {
		if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
			return NX_OK;
		nanosleep(&pause, NULL);
	}
	close(*fd);
	*fd = -1;
	return nx_fail(err, NX_MISMATCH, "the upload '%s' is being processed", id);
}

bool nx_upload_is_busy(const struct nx_workspace *ws, const char *id)
{
	bool is_busy;
	int fd;

	if (open_one(ws, id, &fd, NULL))
		return false;
	is_busy = flock(fd, LOCK_SH | LOCK_NB) < 0;
	close(fd);
	return is_busy;
}

enum nx_status nx_upload_remove(struct nx_workspace *ws, const char *id, struct nx_error *err)
{
	int uploads = is_id(id) ? nx_uploads_open(ws) : -1;
	enum nx_status st = NX_OK;

	if (uploads < 0)
		return NX_OK;
	/* in one step, as a file may just be arriving; what the trash keeps is gc's */
	if (renameat(uploads, id, ws->trash, id) < 0 && errno != ENOENT)
		st = nx_fail_errno(err, errno, "cannot remove the upload '%s'", id);
	close(uploads);
	if (!st)
		nx_workspace_empty_trash(ws, id);
	return st;
}
