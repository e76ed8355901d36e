/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as each message of a profiler service: what is read survives being written. */
#include "format/profiler_service.h"
#include "tests/fuzz/wire_again.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct nx_wire_message *const messages[] = {
	&nx_service_profile_request_message,	 &nx_service_profile_response_message,
	&nx_service_terminate_request_message,	 &nx_service_snapshot_request_message,
	&nx_service_monitor_request_message,	 &nx_service_monitor_response_message,
	&nx_service_new_session_request_message, &nx_service_new_session_response_message,
	&nx_service_enum_request_message,	 &nx_service_enum_response_message,
	&nx_service_tool_request_message,	 &nx_service_tool_response_message,
};

static void check_message(const struct nx_wire_message *message, struct nx_slice input)
{
	struct nx_arena arena = {0};
	struct nx_wire_loss loss = {0};
	void *read = nx_arena_zalloc(&arena, 1, message->size);
	void *again = nx_arena_zalloc(&arena, 1, message->size);

	if (nx_wire_decode(message, input, read, &arena, &loss, NULL) == NX_OK &&
	    !loss.truncated_count)
		expect_wire_again(message, read, again, &arena);
	nx_arena_release(&arena);
}

static void check_value(struct nx_slice input)
{
	struct nx_service_value first, second;
	struct nx_bytes bytes = {0};

	(void)nx_service_value_read(input, &first);
	nx_service_value_append(&bytes, &first);
	expect(nx_service_value_read(nx_slice_of(bytes.items, bytes.len), &second));
	expect(first.kind == second.kind && first.integer == second.integer &&
	       nx_slice_equal(first.text, second.text));
	nx_vec_release(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_slice input = nx_slice_of(data, len);

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		check_message(messages[i], input);
	check_value(input);
	return 0;
}
