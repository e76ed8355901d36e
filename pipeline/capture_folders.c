/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/capture_folders.h"

#include "base/file.h"
#include "base/path.h"
#include "format/gzip_stream.h"
#include "format/process_folder.h"
#include "format/spans.h"
#include "format/xspace.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_DEPTH 32

struct walk {
	struct nx_capture_folders *found;
	struct nx_arena *arena;
	const char *root;	     /* resolved, without a trailing slash */
	struct nx_found_files loose; /* JSON files of other names, in the directory itself */
};

/* The name of the nearest folder, from this one upwards, that names a process. */
static const char *process_name(struct walk *w, const char *folder)
{
	char *path = nx_arena_copy_text(w->arena, folder);
	struct nx_slice instance;
	uint64_t pid;

	while (strlen(path) >= strlen(w->found->path)) {
		char *slash = strrchr(path, '/');

		/* the directory itself may be given as "." */
		const char *name = strlen(path) > strlen(w->found->path) ? nx_path_name(path)
									 : nx_path_name(w->root);

		if (nx_process_folder_parse(nx_slice_text(name), &instance, &pid))
			return nx_arena_copy_text(w->arena, name);
		if (!slash || slash == path)
			break;
		*slash = 0;
	}
	return nx_arena_copy_text(w->arena, nx_path_name(folder));
}

static struct nx_found_process *process_of(struct walk *w, const char *folder)
{
	struct nx_found_processes *all = &w->found->processes;
	struct nx_found_process fresh = {.folder = folder};

	if (all->len && !strcmp(all->items[all->len - 1].folder, folder))
		return &all->items[all->len - 1];
	fresh.name = process_name(w, folder);
	nx_vec_push(all, fresh);
	return &all->items[all->len - 1];
}

static void take_file(struct walk *w, const char *folder, const char *path, uint64_t size)
{
	const char *name = nx_path_name(path);
	struct nx_slice n = nx_slice_text(name);
	struct nx_found_file file = {path, folder, name, size};

	if (!strcmp(name, "trace_info.pb"))
		process_of(w, folder)->info_path = path;
	else if (!strcmp(name, "ntrace.pb"))
		process_of(w, folder)->events_path = path;
	else if (!strcmp(name, "cpu_util.pb"))
		process_of(w, folder)->cpu_path = path;
	else if (!strcmp(name, "host_mem.pb"))
		process_of(w, folder)->memory_path = path;
	else if (!strcmp(name, NX_SPANS_FILE))
		process_of(w, folder)->spans_path = path;
	else if (nx_slice_ends(n, ".ntff"))
		nx_vec_push(&w->found->sessions, file);
	else if (nx_slice_ends(n, ".neff"))
		nx_vec_push(&w->found->neffs, file);
	else if (nx_slice_ends(n, NX_XSPACE_SUFFIX))
		nx_vec_push(&w->found->xspaces, file);
	else if (nx_slice_ends(n, "trace.json") || nx_slice_ends(n, "trace.json.gz") ||
		 (strstr(name, "framework_trace") &&
		  (nx_slice_ends(n, ".json") || nx_slice_ends(n, ".json.gz"))))
		nx_vec_push(&w->found->frameworks, file);
	else if ((nx_slice_ends(n, ".json") || nx_slice_ends(n, ".json.gz")) &&
		 !strcmp(folder, w->found->path))
		nx_vec_push(&w->loose, file);
}

/* Whether the beginning of a JSON file is that of a trace. */
static bool is_trace(const struct nx_found_file *found)
{
	struct nx_gzip_stream text;
	struct nx_file file = {0};
	struct nx_slice head;
	bool is_found = false;

	if (nx_file_map(&file, found->path, NULL))
		return false;
	nx_gzip_stream_open(&text, file.bytes);
	if (nx_gzip_stream_next(&text, &head) && head.len) {
		head.len = head.len < NX_GZIP_PIECE_BYTES ? head.len : NX_GZIP_PIECE_BYTES;
		is_found = memmem(head.data, head.len, "\"traceEvents\"", 13) ||
			   (head.data[0] == '[' && memmem(head.data, head.len, "\"ph\"", 4));
	}
	nx_gzip_stream_close(&text);
	nx_file_unmap(&file);
	return is_found;
}

/* Programs name the traces of ranks as they like ("rank0.json.gz"): without any other capture, the
 * directory is one of traces. */
static void take_loose(struct walk *w)
{
	const struct nx_capture_folders *found = w->found;

	if (found->processes.len || found->sessions.len || found->xspaces.len ||
	    found->frameworks.len)
		return;
	for (size_t i = 0; i < w->loose.len; i++)
		if (is_trace(&w->loose.items[i]))
			nx_vec_push(&w->found->frameworks, w->loose.items[i]);
}

/* A file the user named need not be called like those we look for. */
static bool take_named(struct walk *w, const char *path, uint64_t size)
{
	struct nx_slice name = nx_slice_text(nx_path_name(path));
	struct nx_found_file file = {path, nx_arena_copy(w->arena, nx_path_folder(path)),
				     nx_path_name(path), size};

	if (nx_slice_ends(name, ".pb"))
		nx_vec_push(&w->found->xspaces, file);
	else if (nx_slice_ends(name, ".json") || nx_slice_ends(name, ".json.gz"))
		nx_vec_push(&w->found->frameworks, file);
	else
		return false;
	return true;
}

/* JAX writes "<host>.trace.json.gz" and "perfetto_trace.json.gz" beside "<host>.xplane.pb": the
 * same events again, and fewer of them. */
static bool is_in_xspace(const struct nx_capture_folders *found, const struct nx_found_file *trace)
{
	size_t suffix = nx_slice_ends(nx_slice_text(trace->name), ".gz") ? strlen(".trace.json.gz")
									 : strlen(".trace.json");
	size_t stem = strlen(trace->name) > suffix ? strlen(trace->name) - suffix : 0;

	for (size_t i = 0; i < found->xspaces.len; i++) {
		const struct nx_found_file *space = &found->xspaces.items[i];

		if (strcmp(space->folder, trace->folder) != 0)
			continue;
		if (nx_slice_starts(nx_slice_text(trace->name), "perfetto_trace.json") ||
		    (stem && strlen(space->name) == stem + strlen(NX_XSPACE_SUFFIX) &&
		     !strncmp(space->name, trace->name, stem)))
			return true;
	}
	return false;
}

/* "<host>_<port>.xplane.pb" beside the folder "<host>_<port>" of the same host, with more in it. */
static bool is_in_folder(const struct nx_capture_folders *found, const struct nx_found_file *space)
{
	size_t stem = strlen(space->path) - strlen(NX_XSPACE_SUFFIX);

	for (size_t i = 0; i < found->processes.len; i++)
		if (!strncmp(found->processes.items[i].folder, space->path, stem) &&
		    (found->processes.items[i].folder[stem] == '/' ||
		     !found->processes.items[i].folder[stem]))
			return true;
	return false;
}

static void drop_repeated(struct nx_capture_folders *found)
{
	size_t kept = 0, kept_spaces = 0;

	for (size_t i = 0; i < found->frameworks.len; i++)
		if (!is_in_xspace(found, &found->frameworks.items[i]))
			found->frameworks.items[kept++] = found->frameworks.items[i];
	found->frameworks.len = kept;
	for (size_t i = 0; i < found->xspaces.len; i++)
		if (!is_in_folder(found, &found->xspaces.items[i]))
			found->xspaces.items[kept_spaces++] = found->xspaces.items[i];
	found->xspaces.len = kept_spaces;
}

static bool stays_inside(struct walk *w, const char *path)
{
	size_t root_len = strcmp(w->root, "/") ? strlen(w->root) : 0;
	char *real = realpath(path, NULL);
	bool inside = real && !strncmp(real, w->root, root_len) &&
		      (real[root_len] == '/' || !real[root_len]);

	nx_heap_free(real);
	if (!inside)
		w->found->outside_link_count++;
	return inside;
}

/* Core 2 before core 10: captures of one model are numbered in this order. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Some file systems do not say in a folder's listing what its entries are. */
static bool is_folder(const char *folder, const struct dirent *entry, struct walk *w)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !lstat(nx_arena_printf(w->arena, "%s/%s", folder, entry->d_name), &st) &&
	       S_ISDIR(st.st_mode);
}

static void walk_folder(struct walk *w, const char *folder, unsigned depth);

static void visit(struct walk *w, const char *folder, const char *name, unsigned depth)
{
	const char *path = nx_arena_printf(w->arena, "%s/%s", folder, name);
	struct stat st;

	if (lstat(path, &st) != 0)
		return;
	if (S_ISLNK(st.st_mode)) {
		/* a linked folder could lead round in circles: only files are followed */
		if (!stays_inside(w, path) || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
			return;
	}
	if (S_ISDIR(st.st_mode) &&
	    strncmp(name, NX_PROCESS_UNFINISHED, strlen(NX_PROCESS_UNFINISHED)) == 0)
		return;
	if (S_ISDIR(st.st_mode))
		walk_folder(w, path, depth + 1);
	else if (S_ISREG(st.st_mode))
		take_file(w, folder, path, (uint64_t)st.st_size);
}

/* Files before folders, so that what belongs to one process comes in one piece. */
static void walk_folder(struct walk *w, const char *folder, unsigned depth)
{
	struct dirent **entries;
	int count = depth < MAX_DEPTH ? scandir(folder, &entries, NULL, by_name) : -1;

	if (count < 0) {
		w->found->unreadable_count++;
		return;
	}
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < count; i++) {
			const char *name = entries[i]->d_name;

			if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
			    is_folder(folder, entries[i], w) == (pass == 1))
				visit(w, folder, name, depth);
		}
	for (int i = 0; i < count; i++)
		nx_heap_free(entries[i]);
	nx_heap_free(entries);
}

static int compare_processes(const void *left, const void *right)
{
	const struct nx_found_process *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->folder, b->folder);
}

enum nx_status nx_capture_folders_find(struct nx_capture_folders *found, const char *path,
				       struct nx_arena *arena, struct nx_error *err)
{
	struct walk w = {.found = found, .arena = arena};
	char *real = realpath(path, NULL);
	struct stat st;

	assert(path && arena);
	memset(found, 0, sizeof(*found));
	if (!real || stat(real, &st) != 0) {
		int reason = errno;

		nx_heap_free(real);
		return nx_fail_errno(err, reason, "cannot open the directory %s", path);
	}
	w.root = nx_arena_copy_text(arena, real);
	nx_heap_free(real);
	found->path = nx_arena_copy_text(arena, path);
	if (!S_ISDIR(st.st_mode) && take_named(&w, found->path, (uint64_t)st.st_size))
		return NX_OK;
	if (!S_ISDIR(st.st_mode))
		return nx_fail(err, NX_NOT_FOUND,
			       "%s is a file, not a directory; give a session file with -s", path);
	for (char *end = (char *)found->path + strlen(found->path);
	     end > found->path + 1 && end[-1] == '/';)
		*--end = 0;
	walk_folder(&w, found->path, 0);
	take_loose(&w);
	nx_vec_release(&w.loose);
	drop_repeated(found);
	if (found->processes.len)
		qsort(found->processes.items, found->processes.len, sizeof(*found->processes.items),
		      compare_processes);
	return NX_OK;
}

void nx_capture_folders_release(struct nx_capture_folders *found)
{
	nx_vec_release(&found->processes);
	nx_vec_release(&found->sessions);
	nx_vec_release(&found->neffs);
	nx_vec_release(&found->frameworks);
	nx_vec_release(&found->xspaces);
}
