/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/system_run.h"

static struct nx_system_event recorded(void)
{
	struct nx_system_event event;

	memset(&event, 0, sizeof(event));
	event.start_ns = 1;
	event.end_ns = UINT64_MAX;
	event.id = 3;
	event.thread_id = 4;
	event.flow_id = 5;
	event.handle = (struct nx_event_handle){{6, UINT64_MAX}};
	event.process = 7;
	event.type = UINT32_MAX;
	event.name = 8;
	event.nc_idx = -1;
	event.worker_gid = UINT32_MAX;
	event.stream_id = UINT32_MAX;
	event.source = NX_SOURCE_HARDWARE;
	event.flags = NX_EVENT_ORPHAN;
	return event;
}

static void check_kept(const struct nx_system_event *event)
{
	struct nx_kept_event kept;
	struct nx_system_event shown;

	nx_kept_event_fill(&kept, event);
	nx_kept_event_show(&kept, event->process, &shown);
	assert_memory_equal(&shown, event, sizeof(shown));
}

static void a_recorded_event_comes_back_whole(void **state)
{
	struct nx_system_event event = recorded();

	(void)state;
	check_kept(&event);
	event.type = 0;
	event.source = NX_SOURCE_RUNTIME;
	check_kept(&event);
}

static void a_framework_event_comes_back_with_its_stream(void **state)
{
	struct nx_system_event event = recorded();

	(void)state;
	event.source = NX_SOURCE_FRAMEWORK;
	event.type = NX_FRAMEWORK_EVENT_TYPE;
	event.stream_id = 12;
	check_kept(&event);
	event.stream_id = UINT32_MAX;
	check_kept(&event);
}

static void what_a_scan_finds_out_is_not_kept(void **state)
{
	struct nx_system_event event = recorded(), plain = event, shown;
	struct nx_kept_event kept;

	(void)state;
	event.parent_id = 9;
	event.model_id = 10;
	event.worker_gid = 11;
	event.depth = 2;
	nx_kept_event_fill(&kept, &event);
	nx_kept_event_show(&kept, 7, &shown);
	assert_memory_equal(&shown, &plain, sizeof(shown));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_event_comes_back_whole),
		cmocka_unit_test(a_framework_event_comes_back_with_its_stream),
		cmocka_unit_test(what_a_scan_finds_out_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
