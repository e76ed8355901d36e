/* SPDX-License-Identifier: Apache-2.0 */
#include "store/workspace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "store/durable.h"
#include "store/workspace_internal.h"

#define DEFAULT_PATIENCE_MS 30000u
#define READER_PATIENCE_MS 1000u
#define RETRY_MS 5u

enum nx_status nx_workspace_default_path(struct nx_arena *arena, const char **path,
					 struct nx_error *err)
{
	const char *data_home = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	/* The XDG specification says to ignore relative paths. */
	if (data_home && data_home[0] == '/')
		*path = nx_arena_printf(arena, "%s/neuron-explorer", data_home);
	else if (home && home[0] == '/')
		*path = nx_arena_printf(arena, "%s/.local/share/neuron-explorer", home);
	else
		return nx_fail(err, NX_NOT_FOUND,
			       "neither HOME nor XDG_DATA_HOME is set; say where profiles are kept "
			       "with --data-path DIR");
	return NX_OK;
}

/* --- opening --------------------------------------------------------------- */

static enum nx_status refuse_place(int errno_value, const char *what, const char *path,
				   struct nx_error *err)
{
	enum nx_status st =
		nx_fail_errno(err, errno_value, "cannot %s the workspace %s", what, path);

	if (err)
		nx_fail(err, st, "%s; choose another folder with --data-path", err->message);
	return st;
}

/* Creates the missing folders of a path, readable by the user alone. */
static enum nx_status make_private(const char *path, struct nx_error *err)
{
	size_t len = strlen(path);
	char copy[PATH_MAX];
	struct stat st;

	if (!len || len >= sizeof(copy))
		return nx_fail(err, NX_USAGE, "--data-path %s",
			       len ? "is too long" : "needs the name of a folder");
	memcpy(copy, path, len + 1);
	for (size_t i = 1; i <= len; i++) {
		char here = copy[i];

		if (here != '/' && here != '\0')
			continue;
		copy[i] = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST && stat(copy, &st) < 0)
			return refuse_place(errno, "make", path, err);
		copy[i] = here;
	}
	return NX_OK;
}

static enum nx_status open_root(struct nx_workspace *ws, const char *path, struct nx_error *err)
{
	char resolved[PATH_MAX];

	/* the workspace itself may be a link */
	ws->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ws->root < 0 && errno == ENOTDIR)
		return nx_fail(err, NX_USAGE,
			       "the workspace %s is a file; --data-path needs a "
			       "folder",
			       path);
	if (ws->root < 0 && errno == ENOENT)
		return nx_fail(err, NX_NOT_FOUND, "there is no workspace %s", path);
	if (ws->root < 0 || !realpath(path, resolved))
		return refuse_place(errno, "open", path, err);
	ws->path = nx_heap_alloc(strlen(resolved) + 1);
	memcpy(ws->path, resolved, strlen(resolved) + 1);
	return NX_OK;
}

/* In a read-only workspace a missing folder is an empty one. */
static enum nx_status open_part(const struct nx_workspace *ws, int parent, const char *name,
				int *fd, struct nx_error *err)
{
	if (!ws->is_read_only && mkdirat(parent, name, 0777) < 0 && errno != EEXIST)
		return refuse_place(errno, "write", ws->path, err);
	*fd = nx_durable_open_folder(parent, name);
	if (*fd < 0 && !(ws->is_read_only && errno == ENOENT))
		return nx_durable_fail_open(errno, parent, name, ws->path, err);
	return NX_OK;
}

static enum nx_status open_parts(struct nx_workspace *ws, struct nx_error *err)
{
	int outer = -1;
	enum nx_status st = open_part(ws, ws->root, "profiles", &outer, err);

	if (!st && outer >= 0)
		st = open_part(ws, outer, "global", &ws->profiles, err);
	nx_durable_close(outer);
	if (!st)
		st = open_part(ws, ws->root, "staging", &ws->staging, err);
	if (!st)
		st = open_part(ws, ws->root, "trash", &ws->trash, err);
	if (st)
		return st;
	return ws->is_read_only ? NX_OK : nx_durable_sync_folder(ws->root, ws->path, err);
}

/* New files get the rights of the workspace's folder: what a group shares, all of it can change. */
static void follow_rights(const struct nx_workspace *ws)
{
	struct stat st;

	if (fstat(ws->root, &st) == 0)
		umask(~st.st_mode & 077);
}

static int open_lock(const struct nx_workspace *ws)
{
	int creates = ws->is_read_only ? 0 : O_CREAT;

	return openat(ws->root, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | creates, 0666);
}

enum nx_status nx_workspace_open(struct nx_workspace **out, const struct nx_workspace_options *how,
				 struct nx_error *err)
{
	struct nx_workspace *ws = nx_heap_alloc(sizeof(*ws));
	enum nx_status st = NX_OK;
	int lock;

	*ws = (struct nx_workspace){
		.is_read_only = how->is_read_only,
		.lock_patience_ms =
			how->lock_patience_ms ? how->lock_patience_ms : DEFAULT_PATIENCE_MS,
		.root = -1,
		.profiles = -1,
		.staging = -1,
		.trash = -1,
	};
	if (!ws->is_read_only)
		st = make_private(how->path, err);
	if (!st)
		st = open_root(ws, how->path, err);
	if (!st && !ws->is_read_only)
		follow_rights(ws);
	if (!st)
		st = open_parts(ws, err);
	if (st) {
		nx_workspace_close(ws);
		return st;
	}
	/* If another process holds the lock, it recovers as well; there is no need to wait. A
	 * failure is not an error: what is there can still be read. */
	lock = open_lock(ws);
	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
		(void)!nx_workspace_recover(ws, NULL);
	nx_durable_unlock(lock);
	*out = ws;
	return NX_OK;
}

void nx_workspace_close(struct nx_workspace *ws)
{
	if (!ws)
		return;
	nx_durable_close(ws->root);
	nx_durable_close(ws->profiles);
	nx_durable_close(ws->staging);
	nx_durable_close(ws->trash);
	nx_heap_free(ws->path);
	nx_heap_free(ws);
}

const char *nx_workspace_path(const struct nx_workspace *ws)
{
	return ws->path;
}

const char *nx_workspace_profile_path(const struct nx_workspace *ws, struct nx_arena *arena,
				      const char *name)
{
	return nx_arena_printf(arena, "%s/profiles/global/%s" NX_PROFILE_VERSION_SUFFIX, ws->path,
			       name);
}

/* --- the lock -------------------------------------------------------------- */

uint64_t nx_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* flock alone would wait forever for a stopped process. */
static int lock_within(int fd, int how, uint32_t patience_ms)
{
	for (uint32_t waited_ms = 0;; waited_ms += RETRY_MS) {
		struct timespec pause = {.tv_nsec = RETRY_MS * 1000000L};

		if (flock(fd, how | LOCK_NB) == 0) {
			nx_heap_hold();
			return 0;
		}
		if ((errno != EWOULDBLOCK && errno != EINTR) || waited_ms >= patience_ms)
			return errno;
		nanosleep(&pause, NULL);
	}
}

enum nx_status nx_workspace_lock(struct nx_workspace *ws, int *lock, struct nx_error *err)
{
	enum nx_status st;
	int fd, failure;

	*lock = -1;
	if (ws->is_read_only)
		return nx_fail(err, NX_PERMISSION, "the workspace %s was opened for reading only",
			       ws->path);
	fd = open_lock(ws);
	if (fd < 0)
		return nx_fail_errno(err, errno, "cannot open %s/lock", ws->path);
	failure = lock_within(fd, LOCK_EX, ws->lock_patience_ms);
	if (!failure) {
		st = nx_workspace_recover(ws, err);
		if (st)
			nx_workspace_unlock(fd);
		else
			*lock = fd;
		return st;
	}
	close(fd);
	if (failure == EWOULDBLOCK)
		return nx_fail(err, NX_IO,
			       "another process has been changing the workspace %s for %u s; wait "
			       "for it or end it, then try again",
			       ws->path, ws->lock_patience_ms / 1000);
	return nx_fail_errno(err, failure,
			     "cannot lock %s/lock; does this file system know locks? Choose "
			     "another place with --data-path",
			     ws->path);
}

int nx_workspace_lock_shared(const struct nx_workspace *ws)
{
	int lock = openat(ws->root, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (lock >= 0 && lock_within(lock, LOCK_SH, READER_PATIENCE_MS) != 0) {
		close(lock);
		return -1;
	}
	return lock;
}

void nx_workspace_unlock(int lock)
{
	if (lock < 0)
		return;
	nx_heap_unhold();
	nx_durable_unlock(lock);
}

/* --- profiles -------------------------------------------------------------- */

void nx_profile_folder_name(const char *name, char folder[NX_PROFILE_FOLDER_MAX])
{
	snprintf(folder, NX_PROFILE_FOLDER_MAX, "%s" NX_PROFILE_VERSION_SUFFIX, name);
}

bool nx_profile_exists(const struct nx_workspace *ws, const char *name)
{
	char folder[NX_PROFILE_FOLDER_MAX];
	struct stat st;

	nx_profile_folder_name(name, folder);
	return fstatat(ws->profiles, folder, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

enum nx_status nx_profile_folder_read(int parent, const char *folder, struct nx_arena *arena,
				      struct nx_profile_record *record, struct nx_error *err)
{
	int fd = nx_durable_open_folder(parent, folder);
	struct nx_bytes bytes = {0};
	enum nx_status st;

	*record = (struct nx_profile_record){.name = ""};
	if (fd < 0)
		return nx_durable_fail_open(errno, parent, folder, "profiles", err);
	st = nx_durable_read(fd, NX_PROFILE_RECORD_FILE, NX_PROFILE_RECORD_BYTES_MAX, &bytes,
			     folder, err);
	close(fd);
	if (!st) {
		st = nx_profile_record_read(nx_slice_of(bytes.items, bytes.len), arena, record,
					    err);
		if (st)
			nx_context(err, "%s/" NX_PROFILE_RECORD_FILE " cannot be used", folder);
	}
	nx_vec_release(&bytes);
	return st;
}

enum nx_status nx_profile_folder_write(int folder, const char *shown,
				       const struct nx_profile_record *record, struct nx_error *err)
{
	struct nx_bytes bytes = {0};
	enum nx_status st;

	nx_profile_record_write(record, &bytes);
	st = nx_durable_write(folder, NX_PROFILE_RECORD_FILE, nx_slice_of(bytes.items, bytes.len),
			      shown, err);
	nx_vec_release(&bytes);
	return st;
}

static enum nx_status check_version(const struct nx_profile_record *r, struct nx_error *err)
{
	if (r->store_version > NX_STORE_VERSION)
		return nx_fail(err, NX_VERSION,
			       "profile '%s' was stored by a newer program (version %u of the "
			       "store, this one reads %u); update neuron-explorer, or process the "
			       "capture again with --force",
			       r->name, r->store_version, NX_STORE_VERSION);
	if (r->store_version < NX_STORE_VERSION_OLDEST)
		return nx_fail(err, NX_VERSION,
			       "profile '%s' was stored by an older program (version %u of the "
			       "store, this one reads %u); process the capture again with --force",
			       r->name, r->store_version, NX_STORE_VERSION_OLDEST);
	return NX_OK;
}

enum nx_status nx_workspace_load(struct nx_workspace *ws, const char *name, struct nx_arena *arena,
				 struct nx_profile_record *record, struct nx_error *err)
{
	char folder[NX_PROFILE_FOLDER_MAX];
	enum nx_status st = nx_profile_name_check(nx_slice_text(name), err);
	int lock;

	*record = (struct nx_profile_record){.name = ""};
	if (st)
		return st;
	lock = nx_workspace_lock_shared(ws);
	nx_profile_folder_name(name, folder);
	if (ws->profiles < 0 || !nx_profile_exists(ws, name))
		st = nx_fail(err, NX_NOT_FOUND, "there is no profile '%s' in %s", name, ws->path);
	else
		st = nx_profile_folder_read(ws->profiles, folder, arena, record, err);
	nx_workspace_unlock(lock);
	record->name = nx_arena_copy_text(arena, name);
	if (!st)
		st = check_version(record, err);
	if (!st && nx_profile_record_is_away(record))
		st = nx_fail(err, NX_NOT_FOUND,
			     "profile '%s' is archived in %s; bring it back with: neuron-explorer "
			     "view %s",
			     name, record->archive.place, name);
	return st;
}

/* --- changes --------------------------------------------------------------- */

static uint64_t look_at(int folder, const char *name, const char *record, uint64_t seed)
{
	char path[512];
	struct stat st = {0};
	int len = snprintf(path, sizeof(path), "%s/%s", name, record);
	uint64_t hash = nx_fnv1a(seed, name, strlen(name));

	if (len > 0 && (size_t)len < sizeof(path) &&
	    !fstatat(folder, path, &st, AT_SYMLINK_NOFOLLOW)) {
		const uint64_t words[] = {st.st_ino, (uint64_t)st.st_mtim.tv_sec,
					  (uint64_t)st.st_mtim.tv_nsec, (uint64_t)st.st_size};

		hash = nx_fnv1a(hash, words, sizeof(words));
	}
	return hash;
}

/* Listings come in any order, so add up the hashes. */
static uint64_t look_into(int folder, const char *below, const char *record, uint64_t seed)
{
	int fd = folder < 0 ? -1 : nx_durable_open_folder(folder, below);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t sum = 0;

	if (!entries && fd >= 0)
		close(fd);
	while (entries && (entry = readdir(entries)))
		if (entry->d_name[0] != '.')
			sum += look_at(fd, entry->d_name, record, seed);
	if (entries)
		closedir(entries);
	return sum;
}

uint64_t nx_workspace_fingerprint(const struct nx_workspace *ws)
{
	return look_into(ws->profiles, ".", NX_PROFILE_RECORD_FILE, NX_FNV_SEED) +
	       look_into(ws->staging, ".", NX_PROFILE_RECORD_FILE, NX_FNV_SEED + 1) +
	       look_into(ws->root, "uploads", "upload.json", NX_FNV_SEED + 2);
}
