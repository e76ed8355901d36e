/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/system_fixture.h"

static const char *names[NAME_COUNT] = {
	[NAME_EXECUTE] = "nrt_execute",	    [NAME_PRE] = "kbl_exec_pre",
	[NAME_RUNNING] = "nc_exec_running", [NAME_SYNC] = "timestamp_sync_point",
	[NAME_WRITE] = "nrt_tensor_write",  [NAME_CALL] = "PjitFunction(f)",
	[NAME_WEIGHT] = "weight",	    [NAME_IO] = "io",
};

static enum nx_status scan(void *context, enum nx_system_table table, nx_row_fn fn,
			   void *fn_context, struct nx_error *err)
{
	const struct nx_system_fixture *f = context;
	const void *rows[] = {f->events,   f->cpu,   f->memory,	     f->hbm,  f->transfers,
			      f->counters, f->steps, f->step_totals, f->gaps, f->gap_totals};
	static const size_t sizes[] = {
#define ROW_SIZE(name, row) sizeof(row),
		NX_SYSTEM_TABLE_MAP(ROW_SIZE)};

	if (table == f->failing_table)
		return nx_fail(err, NX_IO, "table %u cannot be read", (unsigned)table);
	for (size_t i = 0; i < f->p.rows[table]; i++)
		fn(fn_context, (const uint8_t *)rows[table] + i * sizes[table]);
	return NX_OK;
}

static enum nx_status scan_process(void *context, uint32_t process, nx_row_fn fn, void *fn_context,
				   struct nx_error *err)
{
	const struct nx_system_fixture *f = context;

	if (f->failing_table == NX_SYSTEM_EVENT)
		return nx_fail(err, NX_IO, "events cannot be read");
	for (size_t i = 0; i < f->p.rows[NX_SYSTEM_EVENT]; i++)
		if (f->events[i].process == process)
			fn(fn_context, &f->events[i]);
	return NX_OK;
}

/* As a decoder may: the number of attributes, not of those that fit. */
static size_t attributes(void *context, const struct nx_system_event *event,
			 struct nx_event_attribute *out, size_t cap)
{
	const struct nx_system_fixture *f = context;
	size_t count = f->attribute_counts[event->handle.words[0]];

	memcpy(out, f->attributes[event->handle.words[0]],
	       (count < cap ? count : cap) * sizeof(*out));
	return count;
}

static struct nx_slice interned(void *context, uint32_t process, uint64_t id)
{
	(void)context, (void)process;
	return nx_slice_text(id == 5 ? "/m/net.neff" : "_unknown_");
}

int nx_system_fixture_setup(void **state)
{
	struct nx_system_fixture *f = nx_heap_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->failing_table = NX_SYSTEM_TABLE_COUNT;
	f->workers[0] = (struct nx_core_worker){0, 3};
	f->processes[0] = (struct nx_system_process){.folder = "i-a_pid_70",
						     .instance_id = "i-a",
						     .pid = 70,
						     .instance_type = "trn2.3xlarge",
						     .instance_ip = "10.0.0.1",
						     .instance_hostname = "ip-10-0-0-1",
						     .arch = 2,
						     .logical_nc_size = 2,
						     .cpu_count = 4,
						     .memory_capacity_bytes = 1000,
						     .init_ns = 50,
						     .close_ns = 1050,
						     .stored_event_count = 8,
						     .total_event_count = 10,
						     .names = names,
						     .name_count = NAME_COUNT,
						     .workers = f->workers,
						     .worker_count = 1};
	f->processes[1] = (struct nx_system_process){
		.instance_id = "i-b", .pid = 70, .names = names, .name_count = NAME_COUNT};
	f->p.path = "run";
	f->p.processes = f->processes;
	f->p.process_count = 1;
	f->p.first_ns = 100;
	f->p.last_ns = 900;
	f->p.source = (struct nx_system_source){scan, scan_process, attributes, interned, NULL, f};
	*state = f;
	return 0;
}

int nx_system_fixture_teardown(void **state)
{
	struct nx_system_fixture *f = *state;

	nx_vec_release(&f->p.devices);
	nx_vec_release(&f->p.warnings);
	nx_arena_release(&f->p.arena);
	nx_arena_release(&f->arena);
	nx_heap_free(f);
	return 0;
}

struct nx_system_event *nx_fixture_event(struct nx_system_fixture *f, enum fixture_name name,
					 uint64_t start_ns, uint64_t end_ns)
{
	uint64_t at = f->p.rows[NX_SYSTEM_EVENT]++;

	f->events[at] = (struct nx_system_event){.start_ns = start_ns,
						 .end_ns = end_ns,
						 .id = at + 1,
						 .thread_id = 70,
						 .handle = {{at}},
						 .type = 10,
						 .name = name,
						 .worker_gid = 3,
						 .stream_id = UINT32_MAX};
	return &f->events[at];
}

void nx_fixture_attribute(struct nx_system_fixture *f, const char *key, const char *value)
{
	uint64_t at = f->p.rows[NX_SYSTEM_EVENT] - 1;

	f->attributes[at][f->attribute_counts[at]++] =
		(struct nx_event_attribute){nx_slice_text(key), nx_slice_text(value)};
}

void nx_fixture_device(struct nx_system_fixture *f, uint64_t model_id, bool is_empty)
{
	nx_vec_push(&f->p.devices, ((struct nx_device_capture){.session_path = "a/p.ntff",
							       .neff_path = "a/n.neff",
							       .model_id = model_id,
							       .model_name = "net",
							       .rank = UINT32_MAX,
							       .nc_idx = UINT32_MAX,
							       .session = UINT32_MAX,
							       .is_empty = is_empty}));
}
