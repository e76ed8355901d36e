/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/local_service.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* Another user may have made a folder of that name in /tmp. */
static bool is_own_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == getuid();
}

static bool read_record(const char *path, struct nx_arena *arena, struct nx_service_record *record)
{
	struct nx_file file;
	struct nx_error err;
	bool is_read;

	if (nx_file_map(&file, path, &err))
		return false;
	is_read = nx_service_record_read(file.bytes, record, arena, &err) == NX_OK &&
		  nx_service_record_is_alive(record);
	nx_file_unmap(&file);
	return is_read;
}

static void read_folder(const char *folder, struct nx_local_services *services,
			struct nx_arena *arena)
{
	DIR *directory = is_own_folder(folder) ? opendir(folder) : NULL;
	const struct dirent *entry;
	struct nx_service_record record;

	while (directory && (entry = readdir(directory)))
		if (nx_slice_ends(nx_slice_text(entry->d_name), ".json") &&
		    read_record(nx_arena_printf(arena, "%s/%s", folder, entry->d_name), arena,
				&record))
			nx_vec_push(services, record);
	if (directory)
		closedir(directory);
}

static int by_pid(const void *left, const void *right)
{
	const struct nx_service_record *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

void nx_local_services_find(struct nx_local_services *services, struct nx_arena *arena)
{
	char folder[PATH_MAX], other[PATH_MAX];

	*services = (struct nx_local_services){0};
	if (nx_service_record_folder(folder, sizeof(folder)))
		read_folder(folder, services, arena);
	/* a job of a scheduler often lacks the variable that a shell has */
	if (nx_service_record_fallback(other, sizeof(other)) && strcmp(folder, other) != 0)
		read_folder(other, services, arena);
	if (services->len)
		qsort(services->items, services->len, sizeof(*services->items), by_pid);
}

const char *nx_local_service_text(const struct nx_service_record *record, struct nx_arena *arena)
{
	bool is_v6 = strchr(record->host, ':') != NULL;

	return nx_arena_printf(arena, "%s%s%s:%" PRIu64, is_v6 ? "[" : "", record->host,
			       is_v6 ? "]" : "", record->port);
}

enum nx_status nx_local_service_address(uint64_t pid, struct nx_arena *arena, const char **address,
					struct nx_error *err)
{
	struct nx_local_services services;

	*address = NULL;
	nx_local_services_find(&services, arena);
	for (size_t i = 0; i < services.len; i++)
		if (services.items[i].pid == pid)
			*address = nx_local_service_text(&services.items[i], arena);
	nx_vec_release(&services);
	if (*address)
		return NX_OK;
	if (!nx_service_process_start(pid))
		return nx_fail(err, NX_NOT_FOUND, "there is no process %" PRIu64, pid);
	return nx_fail(err, NX_UNSUPPORTED,
		       "process %" PRIu64 " has no profiler service of yours; start it with "
		       "NEURON_PROFILER_PORT=0 under our runtime, or let it call "
		       "nx_profiler_start_server",
		       pid);
}
