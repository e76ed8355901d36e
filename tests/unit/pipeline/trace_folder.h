/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_folder: a directory as captures leave it, written file by file, and the
 * rows that are read back from it. Gone after the test.
 */
#ifndef NX_TESTS_TRACE_FOLDER_H
#define NX_TESTS_TRACE_FOLDER_H

#include "format/ntrace.h"
#include "pipeline/system_profile.h"

struct trace_folder {
	char path[64];
	struct nx_system_run *run;
	const struct nx_system_profile *profile;
	struct nx_error err;
	NX_VEC(struct nx_system_event) events;
	NX_VEC(struct nx_hbm_sample) hbm;
	NX_VEC(struct nx_host_transfer) transfers;
};

struct attribute {
	const char *key, *value;
};

/* --- writing ----------------------------------------------------------------- */

void folder_make(struct trace_folder *folder);
void folder_remove(struct trace_folder *folder);
/* name is relative; folders above it are made. */
void folder_put(const struct trace_folder *folder, const char *name, const void *data, size_t len);
void folder_link(const struct trace_folder *folder, const char *name, const char *target);

/* Attributes end with a NULL key; NULL for none. */
void add_record(struct nx_bytes *events, enum nx_ntrace_phase phase, uint64_t event_type,
		uint64_t id, uint64_t thread_id, uint64_t timestamp_ns,
		const struct attribute *attributes);
/* A start and its stop. */
void add_call(struct nx_bytes *events, uint64_t event_type, uint64_t id, uint64_t thread_id,
	      uint64_t start_ns, uint64_t end_ns, const struct attribute *attributes);
/* folder/ntrace.pb, and empties the buffer. */
void put_events(const struct trace_folder *folder, const char *name, struct nx_bytes *events);
void put_info(const struct trace_folder *folder, const char *name, const char *instance_id,
	      uint64_t pid, uint64_t init_ns, uint64_t close_ns);

/* --- reading ----------------------------------------------------------------- */

enum nx_status folder_open(struct trace_folder *folder, struct nx_system_options options);
/* Asserts that it opens, and reads its rows. */
void folder_read(struct trace_folder *folder, struct nx_system_options options);
void folder_close(struct trace_folder *folder);
/* How many warnings have this part. */
size_t count_warnings(const struct nx_system_profile *profile, const char *part);

#endif
