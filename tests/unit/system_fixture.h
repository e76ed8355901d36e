/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small system profile in memory. Process 0 is i-a, pid 70, process 1 (off
 * until process_count is raised) i-b, pid 70. Tests add the rows they need.
 */
#ifndef NX_TEST_SYSTEM_FIXTURE_H
#define NX_TEST_SYSTEM_FIXTURE_H

#include "base/arena.h"
#include "model/system.h"

enum fixture_name {
	NAME_EXECUTE,
	NAME_PRE,
	NAME_RUNNING,
	NAME_SYNC,
	NAME_WRITE,
	NAME_CALL,
	NAME_WEIGHT,
	NAME_IO,
	NAME_COUNT,
};

#define FIXTURE_ROWS 300
#define FIXTURE_ATTRIBUTES 40

struct nx_system_fixture {
	struct nx_system_profile p;
	struct nx_system_process processes[2];
	struct nx_core_worker workers[1];
	struct nx_system_event events[FIXTURE_ROWS];
	struct nx_event_attribute attributes[FIXTURE_ROWS][FIXTURE_ATTRIBUTES];
	size_t attribute_counts[FIXTURE_ROWS];
	struct nx_cpu_sample cpu[FIXTURE_ROWS];
	struct nx_memory_sample memory[FIXTURE_ROWS];
	struct nx_hbm_sample hbm[FIXTURE_ROWS];
	struct nx_host_transfer transfers[FIXTURE_ROWS];
	struct nx_counter_sample counters[FIXTURE_ROWS];
	struct nx_step steps[FIXTURE_ROWS];
	struct nx_step_total step_totals[FIXTURE_ROWS];
	struct nx_execution_gap gaps[FIXTURE_ROWS];
	struct nx_gap_total gap_totals[FIXTURE_ROWS];
	unsigned failing_table; /* its scan fails; NX_SYSTEM_TABLE_COUNT: none */
	struct nx_arena arena;
	struct nx_error err;
};

int nx_system_fixture_setup(void **state);
int nx_system_fixture_teardown(void **state);

/* A runtime event on core 0 and thread 70 without attributes; id counts from 1. */
struct nx_system_event *nx_fixture_event(struct nx_system_fixture *f, enum fixture_name name,
					 uint64_t start_ns, uint64_t end_ns);
/* Of the event added last. */
void nx_fixture_attribute(struct nx_system_fixture *f, const char *key, const char *value);
void nx_fixture_device(struct nx_system_fixture *f, uint64_t model_id, bool is_empty);

#endif
