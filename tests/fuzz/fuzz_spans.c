/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as spans.pb: each BEGIN gives one event, and attributes can be read. */
#include "decode/spans/spans_decoder.h"
#include "decode/spans/spans_head.h"
#include "tests/fuzz/wire_again.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct account {
	const struct nx_spans_decoder *decoder;
	uint64_t events, samples;
};

static void take_event(void *context, const struct nx_spans_event *event)
{
	struct nx_event_attribute found[NX_MAX_ATTRIBUTES];
	struct account *account = context;
	size_t count =
		nx_spans_event_attributes(account->decoder, &event->row, found, NX_MAX_ATTRIBUTES);

	expect(count <= NX_MAX_ATTRIBUTES);
	for (size_t i = 0; i < count; i++)
		expect(found[i].key.len > 0);
	expect(event->row.end_ns >= event->row.start_ns);
	account->events++;
}

static void take_sample(void *context, const struct nx_spans_sample *sample)
{
	struct account *account = context;

	(void)sample;
	account->samples++;
}

/* The fast reader sees what the tables see, and what was read survives being written. */
static uint64_t check_records(struct nx_slice file)
{
	struct nx_ntrace_stream stream = {.file = file};
	struct nx_slice record;
	uint64_t begun = 0;

	while (nx_ntrace_next(&stream, &record)) {
		struct nx_arena arena = {0};
		struct nx_wire_loss loss = {0};
		struct nx_spans_record read, again;
		struct nx_spans_head head;
		bool is_read = nx_spans_head_read(record, &head);

		begun += is_read && head.time_ns &&
			 (head.what == NX_SPANS_BEGIN || head.what == NX_SPANS_COMPLETE ||
			  head.what == NX_SPANS_INSTANT);
		if (nx_wire_decode(&nx_spans_record_message, record, &read, &arena, &loss, NULL) ==
		    NX_OK) {
			if (is_read)
				expect(head.what == read.what && head.time_ns == read.time_ns &&
				       head.id == read.id && head.name == read.name &&
				       head.step_num == read.step_num &&
				       nx_slice_equal(head.text, read.text));
			if (!loss.truncated_count)
				expect_wire_again(&nx_spans_record_message, &read, &again, &arena);
		}
		nx_arena_release(&arena);
	}
	return begun;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_slice file = nx_slice_of(data, len);
	struct nx_spans_decoder decoder = {0};
	struct account account = {.decoder = &decoder};

	nx_spans_decode(&decoder, file, take_event, &account);
	expect(account.events == check_records(file));
	nx_spans_decode_counters(&decoder, take_sample, &account);
	expect(account.samples <= decoder.loss.record_count);
	nx_spans_decoder_release(&decoder);
	return 0;
}
