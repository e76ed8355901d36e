/* SPDX-License-Identifier: Apache-2.0 */
/* system_run: what the halves of pipeline/system_profile.h share. */
#ifndef NX_PIPELINE_SYSTEM_RUN_H
#define NX_PIPELINE_SYSTEM_RUN_H

#include "base/file.h"
#include "base/spool.h"
#include "decode/ntrace/ntrace_decoder.h"
#include "pipeline/capture_folders.h"
#include "pipeline/system_profile.h"

/* What an event means to the derived tables, looked up once per name. */
enum nx_event_role {
	NX_ROLE_NONE,
	NX_ROLE_EXECUTION, /* carries an exec_id: belongs to a flow */
	NX_ROLE_ALLOCATE,
	NX_ROLE_RELEASE,
	NX_ROLE_TO_DEVICE,
	NX_ROLE_TO_HOST,
};

struct nx_process_input {
	struct nx_file info, events, cpu, memory;
	struct nx_ntrace_decoder decoder;
	uint8_t *roles; /* by name */
	int events_fd;	/* for attributes, opened when first asked; 0 = not yet, -1 = cannot */
	struct nx_process_names NX_VEC_BODY(
		const char *) names; /* decoder's, then the framework's */
	struct nx_text_map name_ids;
	uint64_t next_id; /* for framework events */
	bool is_kept;
};

struct nx_system_run {
	struct nx_system_profile profile;
	struct nx_system_options options;
	struct nx_capture_folders found;
	struct nx_system_filter filter;
	struct nx_process_input *inputs; /* parallel to profile.processes */
	struct nx_text_map processes_by_folder;
	struct nx_spool *events; /* struct nx_system_event by start */
	struct nx_progress progress;
	uint32_t *open_fds; /* processes whose events_fd is open, oldest first; a ring */
	size_t open_count, oldest_open;
	struct nx_bytes start_record, stop_record; /* read last */
	enum nx_status status;			   /* first failure of a row sink */
	struct nx_error error;
};

void nx_system_sink_event(struct nx_system_run *run, struct nx_system_event *event,
			  const char *name);

/* system_framework.c: traces of frameworks, joined to the process they lie beside. */
void nx_system_read_frameworks(struct nx_system_run *run);

/* system_devices.c: session files and the NEFFs they belong to. */
void nx_system_find_devices(struct nx_system_run *run);

/* system_scan.c: the row source. */
enum nx_status nx_system_run_scan(void *context, enum nx_system_table table, nx_row_fn fn,
				  void *fn_context, struct nx_error *err);
size_t nx_system_run_attributes(void *context, const struct nx_system_event *event,
				struct nx_event_attribute *out, size_t cap);
struct nx_slice nx_system_run_interned(void *context, uint32_t process, uint64_t id);

#endif
