/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as ntrace.pb: every record must be accounted for, in bounded memory. */
#include <stdlib.h>

#include "decode/ntrace/ntrace_decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define MEMORY_PER_BYTE 256
#define MEMORY_BASE ((size_t)1 << 20)

struct account {
	const struct nx_ntrace_decoder *decoder;
	struct nx_event_shapes shapes;
	uint64_t pairs, instants;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* A shape saves work, it changes nothing. */
static void check_shape(struct account *account, const struct nx_system_event *row,
			const struct nx_event_attribute *found, size_t count)
{
	struct nx_read_attributes read;

	nx_ntrace_read_event(account->decoder, row, &account->shapes, &read);
	require(read.count == count);
	for (size_t i = 0; i < count; i++)
		require(nx_slice_equal(read.items[i].key, found[i].key) &&
			nx_slice_equal(read.items[i].value, found[i].value));
}

static void take_row(void *context, const void *data)
{
	struct nx_event_attribute found[NX_MAX_ATTRIBUTES];
	const struct nx_system_event *row = data;
	struct account *account = context;
	size_t count = nx_ntrace_event_attributes(account->decoder, row, found, NX_MAX_ATTRIBUTES);

	require(count <= NX_MAX_ATTRIBUTES);
	check_shape(account, row, found, count);
	check_shape(account, row, found, count);
	require(row->end_ns >= row->start_ns);
	require(row->name < account->decoder->process->name_count);
	account->pairs += row->flags == 0;
	account->instants += row->flags == NX_EVENT_INSTANT;
}

/* The fast reader accepts a record exactly when the tables do, and sees the same in it. */
static void check_heads(struct nx_slice file)
{
	struct nx_ntrace_stream stream = {.file = file};
	struct nx_slice record;

	while (nx_ntrace_next(&stream, &record)) {
		struct nx_arena arena = {0};
		struct nx_wire_loss loss = {0};
		struct nx_ntrace_event event;
		struct nx_ntrace_head head;
		bool is_read = nx_ntrace_read_head(record, &head);
		bool is_decoded = nx_wire_decode(&nx_ntrace_event_message, record, &event, &arena,
						 &loss, NULL) == NX_OK;

		if (is_decoded && record.len)
			require(is_read == !loss.truncated_count);
		if (is_read && is_decoded)
			require(head.timestamp_ns == event.timestamp_ns && head.id == event.id &&
				head.tracking_id == event.tracking_id &&
				head.event_type == event.event_type && head.phase == event.phase);
		nx_arena_release(&arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_ntrace_files files = {.events = nx_slice_of(data, len)};
	struct nx_system_process process;
	struct nx_ntrace_decoder decoder;
	struct account account = {.decoder = &decoder};
	struct nx_arena arena = {0};
	struct nx_error err;

	if (nx_ntrace_decoder_open(&decoder, &files, "i-0_pid_1", 0, &arena, &process, &err) ==
	    NX_OK) {
		nx_ntrace_decode_events(&decoder, take_row, &account);
		require(process.stored_event_count ==
			2 * account.pairs + account.instants + decoder.loss.unfinished_count +
				decoder.loss.orphan_count + decoder.loss.unreadable_count);
		require(arena.used_bytes <= MEMORY_BASE + MEMORY_PER_BYTE * len);
		check_heads(files.events);
	} else {
		require(len == 0 && err.message[0]);
	}
	nx_event_shapes_release(&account.shapes);
	nx_ntrace_decoder_release(&decoder);
	nx_arena_release(&arena);
	return 0;
}
