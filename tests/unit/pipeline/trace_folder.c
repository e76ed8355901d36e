/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_folder.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

/* --- writing ----------------------------------------------------------------- */

void folder_make(struct trace_folder *folder)
{
	*folder = (struct trace_folder){.path = "/tmp/nx-folder-XXXXXX"};
	assert_non_null(mkdtemp(folder->path));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

void folder_remove(struct trace_folder *folder)
{
	folder_close(folder);
	assert_int_equal(nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void full_path(const struct trace_folder *folder, const char *name, char path[512])
{
	char *slash;

	snprintf(path, 512, "%s/%s", folder->path, name);
	slash = strrchr(path, '/');
	*slash = 0;
	assert_int_equal(nx_make_directories(path, NULL), NX_OK);
	*slash = '/';
}

void folder_put(const struct trace_folder *folder, const char *name, const void *data, size_t len)
{
	char path[512];
	FILE *file;

	full_path(folder, name, path);
	file = fopen(path, "wb");
	assert_non_null(file);
	if (len)
		assert_int_equal(fwrite(data, 1, len, file), len);
	fclose(file);
}

void folder_link(const struct trace_folder *folder, const char *name, const char *target)
{
	char path[512];

	full_path(folder, name, path);
	assert_int_equal(symlink(target, path), 0);
}

void add_record(struct nx_bytes *events, enum nx_ntrace_phase phase, uint64_t event_type,
		uint64_t id, uint64_t thread_id, uint64_t timestamp_ns,
		const struct attribute *attributes)
{
	struct nx_ntrace_attribute list[NX_MAX_ATTRIBUTES];
	struct nx_ntrace_event e = {.event_type = event_type,
				    .id = id,
				    .tracking_id = id,
				    .thread_id = thread_id,
				    .timestamp_ns = timestamp_ns,
				    .phase = phase};

	e.attributes.items = list;
	for (; attributes && attributes->key; attributes++)
		list[e.attributes.count++] = (struct nx_ntrace_attribute){
			nx_slice_text(attributes->key), nx_slice_text(attributes->value)};
	nx_ntrace_append(events, &nx_ntrace_event_message, &e);
}

void add_call(struct nx_bytes *events, uint64_t event_type, uint64_t id, uint64_t thread_id,
	      uint64_t start_ns, uint64_t end_ns, const struct attribute *attributes)
{
	add_record(events, NX_PHASE_START, event_type, id, thread_id, start_ns, attributes);
	add_record(events, NX_PHASE_STOP, event_type, id, thread_id, end_ns, NULL);
}

void put_events(const struct trace_folder *folder, const char *name, struct nx_bytes *events)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/ntrace.pb", name);
	folder_put(folder, path, events->items, events->len);
	nx_vec_release(events);
}

void put_info(const struct trace_folder *folder, const char *name, const char *instance_id,
	      uint64_t pid, uint64_t init_ns, uint64_t close_ns)
{
	struct nx_ntrace_info info = {.arch = 2,
				      .pid = pid,
				      .instance_id = nx_slice_text(instance_id),
				      .init_ns = init_ns,
				      .close_ns = close_ns,
				      .logical_nc_size = 2};
	struct nx_bytes bytes = {0};
	char path[256];

	snprintf(path, sizeof(path), "%s/trace_info.pb", name);
	nx_wire_encode(&nx_ntrace_info_message, &info, &bytes);
	folder_put(folder, path, bytes.items, bytes.len);
	nx_vec_release(&bytes);
}

/* --- reading ----------------------------------------------------------------- */

enum nx_status folder_open(struct trace_folder *folder, struct nx_system_options options)
{
	enum nx_status st;

	folder_close(folder);
	if (!options.directory)
		options.directory = folder->path;
	st = nx_system_run_open(&folder->run, &options, &folder->err);
	if (st)
		folder->run = NULL;
	else
		folder->profile = nx_system_run_borrow(folder->run);
	return st;
}

static void take_event(void *context, const void *row)
{
	struct trace_folder *folder = context;

	nx_vec_push(&folder->events, *(const struct nx_system_event *)row);
}

static void take_hbm(void *context, const void *row)
{
	struct trace_folder *folder = context;

	nx_vec_push(&folder->hbm, *(const struct nx_hbm_sample *)row);
}

static void take_transfer(void *context, const void *row)
{
	struct trace_folder *folder = context;

	nx_vec_push(&folder->transfers, *(const struct nx_host_transfer *)row);
}

void folder_read(struct trace_folder *folder, struct nx_system_options options)
{
	assert_int_equal(folder_open(folder, options), NX_OK);
	assert_int_equal(nx_system_scan(folder->profile, NX_SYSTEM_EVENT, take_event, folder, NULL),
			 NX_OK);
	assert_int_equal(nx_system_scan(folder->profile, NX_SYSTEM_HBM, take_hbm, folder, NULL),
			 NX_OK);
	assert_int_equal(nx_system_scan(folder->profile, NX_SYSTEM_TRANSFER, take_transfer, folder,
					NULL),
			 NX_OK);
	assert_int_equal(folder->profile->rows[NX_SYSTEM_EVENT], folder->events.len);
}

void folder_close(struct trace_folder *folder)
{
	nx_system_run_close(folder->run);
	folder->run = NULL;
	folder->profile = NULL;
	nx_vec_release(&folder->events);
	nx_vec_release(&folder->hbm);
	nx_vec_release(&folder->transfers);
}

size_t count_warnings(const struct nx_system_profile *profile, const char *part)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->warnings.len; i++)
		count += strstr(profile->warnings.items[i].message, part) != NULL;
	return count;
}
