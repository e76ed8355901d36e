/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a framework trace: every event must make sense and every record be accounted for. */
#include <stdlib.h>

#include "decode/framework/framework_decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct tally {
	uint64_t delivered_count;
	uint64_t byte_sum; /* reads every byte of the texts */
};

static void on_event(void *context, const struct nx_framework_event *event)
{
	struct tally *tally = context;

	tally->delivered_count++;
	for (size_t i = 0; i < event->name.len; i++)
		tally->byte_sum += event->name.data[i];
	for (size_t i = 0; i < event->category.len; i++)
		tally->byte_sum += event->category.data[i];
	if (event->row.end_ns < event->row.start_ns || event->name.len > 4096)
		abort();
}

static void check_names(const struct nx_framework_names *names)
{
	if (names->list.len > NX_FRAMEWORK_NAMES_MAX)
		abort();
	for (size_t i = 0; i < names->list.len; i++) {
		const struct nx_framework_name *name = &names->list.items[i];

		if (name->is_thread &&
		    nx_framework_names_thread(names, name->pid, name->thread_id) != name)
			abort();
		if (!name->is_thread && nx_framework_names_process(names, name->pid) != name)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_arena arena = {0};
	struct nx_framework_names names = {.arena = &arena};
	struct nx_framework_loss loss;
	struct tally tally = {0};
	struct nx_error err;
	bool is_epoch;

	if (nx_framework_decode(nx_slice_of(data, size), "fuzz", on_event, &tally, &names,
				&is_epoch, &loss, &err) == NX_OK) {
		if (tally.delivered_count + loss.skipped_count + loss.malformed_count +
			    loss.metadata_count + loss.overflow_count >
		    loss.event_count)
			abort();
		check_names(&names);
	}
	nx_framework_names_release(&names);
	nx_arena_release(&arena);
	return 0;
}
