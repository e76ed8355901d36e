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

	tally->delivered_count += !event->is_thread_name;
	for (size_t i = 0; i < event->name.len; i++)
		tally->byte_sum += event->name.data[i];
	if (event->row.end_ns < event->row.start_ns || event->name.len > 4096)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_framework_loss loss;
	struct tally tally = {0};
	struct nx_error err;
	bool is_epoch;

	if (nx_framework_decode(nx_slice_of(data, size), "fuzz", on_event, &tally, &is_epoch, &loss,
				&err) == NX_OK) {
		if (tally.delivered_count + loss.skipped_count + loss.malformed_count +
			    loss.metadata_count + loss.overflow_count >
		    loss.event_count)
			abort();
	}
	return 0;
}
