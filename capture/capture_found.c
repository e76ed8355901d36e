/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_found.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "format/ntrace.h"
#include "format/process_folder.h"

#define NS_PER_S UINT64_C(1000000000)
#define DIGITS "0123456789"

struct scan {
	struct nx_capture_found *found;
	struct nx_arena *arena;
	uint64_t since_ns;
};

static uint64_t ns_of(struct timespec time)
{
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

/* Files get the time of the kernel's last tick, not of the fine clock, which is ahead. */
uint64_t nx_capture_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return ns_of(now);
}

static uint64_t count_events(const char *path)
{
	struct nx_ntrace_stream stream = {0};
	struct nx_file file = {0};
	struct nx_slice record;
	uint64_t count = 0;

	if (nx_file_map(&file, path, NULL))
		return 0;
	stream.file = file.bytes;
	while (nx_ntrace_next(&stream, &record))
		count++;
	nx_file_unmap(&file);
	return count;
}

/* A runtime writes its end time last. */
static bool has_no_end(const char *path)
{
	struct nx_wire_loss loss = {0};
	struct nx_ntrace_info info = {0};
	struct nx_arena arena = {0};
	struct nx_file file = {0};
	bool is_open;

	if (nx_file_map(&file, path, NULL))
		return false;
	is_open =
		!nx_wire_decode(&nx_ntrace_info_message, file.bytes, &info, &arena, &loss, NULL) &&
		info.init_ns && !info.close_ns;
	nx_file_unmap(&file);
	nx_arena_release(&arena);
	return is_open;
}

static void take_file(struct nx_captured_folder *folder, const char *name, const char *path,
		      const struct stat *st)
{
	struct nx_slice n = nx_slice_text(name);

	folder->size_bytes += (uint64_t)st->st_size;
	folder->ntff_count += nx_slice_ends(n, ".ntff");
	folder->neff_count += nx_slice_ends(n, ".neff");
	if (nx_slice_is(n, "ntrace.pb")) {
		folder->has_events = true;
		folder->event_count += count_events(path);
	}
	if (nx_slice_is(n, "trace_info.pb"))
		folder->has_no_end = has_no_end(path);
}

static void add(struct scan *s, const struct nx_captured_folder *folder)
{
	struct nx_captured_folder *total = &s->found->total;

	nx_vec_push(s->found, *folder);
	total->event_count += folder->event_count;
	total->ntff_count += folder->ntff_count;
	total->neff_count += folder->neff_count;
	total->size_bytes += folder->size_bytes;
	total->has_events |= folder->has_events;
	total->has_no_end |= folder->has_no_end;
	total->was_disk_full |= folder->was_disk_full;
}

/* Not the temporary files of a killed process. */
static bool is_captured(const char *name)
{
	struct nx_slice n = nx_slice_text(name);

	return name[0] != '.' &&
	       (nx_slice_ends(n, ".pb") || nx_slice_ends(n, ".ntff") || nx_slice_ends(n, ".neff"));
}

/* Sessions are subfolders of a process's folder; there are no deeper levels. */
static void scan_process(struct scan *s, const char *path, const char *name, bool is_top)
{
	struct nx_captured_folder folder = {.path = name};
	bool is_fresh = false;
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir))) {
		const char *below = nx_arena_printf(s->arena, "%s/%s", path, entry->d_name);
		struct stat st;

		folder.was_disk_full |= !strcmp(entry->d_name, NX_PROCESS_DISK_FULL);
		if (entry->d_name[0] == '.' || lstat(below, &st))
			continue;
		if (S_ISDIR(st.st_mode) && is_top && !entry->d_name[strspn(entry->d_name, DIGITS)])
			scan_process(s, below,
				     nx_arena_printf(s->arena, "%s/%s", name, entry->d_name),
				     false);
		if (!S_ISREG(st.st_mode) || !is_captured(entry->d_name))
			continue;
		is_fresh |= ns_of(st.st_mtim) >= s->since_ns;
		take_file(&folder, entry->d_name, below, &st);
	}
	if (dir)
		closedir(dir);
	if (is_fresh)
		add(s, &folder);
	else
		s->found->older_count += folder.size_bytes > 0;
}

static int by_path(const void *left, const void *right)
{
	const struct nx_captured_folder *a = left, *b = right;

	return strcmp(a->path, b->path);
}

enum nx_status nx_capture_found_scan(struct nx_capture_found *found, const char *folder,
				     uint64_t since_ns, struct nx_arena *arena,
				     struct nx_error *err)
{
	struct scan s = {found, arena, since_ns};
	struct nx_slice instance;
	struct dirent *entry;
	uint64_t pid;
	DIR *dir = opendir(folder);

	if (!dir)
		return nx_fail_errno(err, errno, "cannot read the folder %s", folder);
	while ((entry = readdir(dir)))
		if (nx_process_folder_parse(nx_slice_text(entry->d_name), &instance, &pid))
			scan_process(&s, nx_arena_printf(arena, "%s/%s", folder, entry->d_name),
				     nx_arena_copy_text(arena, entry->d_name), true);
	closedir(dir);
	if (found->len > 1)
		qsort(found->items, found->len, sizeof(*found->items), by_path);
	return NX_OK;
}

void nx_capture_found_release(struct nx_capture_found *found)
{
	nx_vec_release(found);
}
