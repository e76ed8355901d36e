/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an XSpace: every event and attribute must make sense, and two readings agree. */
#include <stdlib.h>

#include "decode/xspace/xspace_decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct tally {
	struct nx_xspace_decoder *decoder;
	uint64_t count, byte_sum; /* reads every byte of the texts */
	uint64_t sample_count;
};

static void add_text(struct tally *tally, struct nx_slice text)
{
	for (size_t i = 0; i < text.len; i++)
		tally->byte_sum += text.data[i];
}

static void on_event(void *context, const struct nx_xspace_event *event)
{
	struct nx_event_attribute attributes[NX_MAX_ATTRIBUTES];
	struct tally *tally = context;
	size_t count =
		nx_xspace_attributes(tally->decoder, &event->row, attributes, NX_MAX_ATTRIBUTES);

	tally->count++;
	if (event->row.end_ns < event->row.start_ns || !event->name.len ||
	    count > NX_MAX_ATTRIBUTES)
		abort();
	add_text(tally, event->name);
	for (size_t i = 0; i < count; i++) {
		add_text(tally, attributes[i].key);
		add_text(tally, attributes[i].value);
	}
}

static void on_sample(void *context, const struct nx_xspace_sample *sample)
{
	struct tally *tally = context;

	tally->sample_count++;
	if (!sample->name.len)
		abort();
	add_text(tally, sample->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_xspace_decoder decoder;
	struct nx_arena arena = {0};
	struct tally first = {.decoder = &decoder}, again = {.decoder = &decoder};

	if (!nx_xspace_decoder_open(&decoder, nx_slice_of(data, size), "fuzz", &arena, NULL)) {
		nx_xspace_decode_events(&decoder, on_event, &first);
		nx_xspace_decode_counters(&decoder, on_sample, &first);
		nx_xspace_decode_events(&decoder, on_event, &again);
		nx_xspace_decode_counters(&decoder, on_sample, &again);
		if (first.count != again.count || first.byte_sum != again.byte_sum ||
		    first.sample_count != decoder.sample_count ||
		    decoder.loss.event_count !=
			    first.count + first.sample_count + decoder.loss.malformed_count)
			abort();
		nx_xspace_decoder_release(&decoder);
	}
	nx_arena_release(&arena);
	return 0;
}
