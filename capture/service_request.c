/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/service_request.h"

#include <assert.h>
#include <string.h>

/* What other clients send; no server is known to use it. */
#define MAX_EVENTS 1000000

static struct nx_slice key_of(const char *option)
{
	return nx_slice_of(option, strcspn(option, "="));
}

enum nx_status nx_service_recording_check(const struct nx_service_recording *r,
					  struct nx_error *err)
{
	for (size_t i = 0; i < r->advanced_count; i++) {
		struct nx_slice key = key_of(r->advanced[i]);

		if (!key.len || key.len == strlen(r->advanced[i]))
			return nx_fail(err, NX_USAGE,
				       "--advanced-option is KEY=VALUE, not '%.100s'",
				       r->advanced[i]);
		for (size_t k = 0; k < i; k++)
			if (nx_slice_equal(key, key_of(r->advanced[k])))
				return nx_fail(err, NX_USAGE,
					       "--advanced-option %.*s is given twice",
					       (int)(key.len < 100 ? key.len : 100),
					       (const char *)key.data);
	}
	return NX_OK;
}

/* true and false are a bool, an integer is one, anything else is text. */
static struct nx_service_value value_of(const char *text)
{
	struct nx_slice digits = nx_slice_text(text);
	bool is_negative = nx_slice_starts(digits, "-");
	uint64_t size;

	if (nx_slice_is(digits, "true") || nx_slice_is(digits, "false"))
		return (struct nx_service_value){.kind = NX_SERVICE_VALUE_BOOL,
						 .integer = *text == 't'};
	if (is_negative)
		digits = nx_slice_part(digits, 1, digits.len);
	if (nx_slice_to_u64(digits, &size) && size <= INT64_MAX)
		return (struct nx_service_value){.kind = NX_SERVICE_VALUE_I64,
						 .integer = is_negative ? -(int64_t)size
									: (int64_t)size};
	return (struct nx_service_value){.kind = NX_SERVICE_VALUE_TEXT,
					 .text = nx_slice_text(text)};
}

static void add_advanced(const struct nx_service_recording *r, struct nx_service_options *options,
			 struct nx_arena *arena)
{
	struct nx_service_advanced_entry *entries =
		NX_NEW_ARRAY(arena, struct nx_service_advanced_entry, r->advanced_count);

	for (size_t i = 0; i < r->advanced_count; i++) {
		struct nx_slice key = key_of(r->advanced[i]);
		struct nx_service_value value = value_of(r->advanced[i] + key.len + 1);
		struct nx_bytes bytes = {0};

		nx_service_value_append(&bytes, &value);
		entries[i].key = key;
		entries[i].value = nx_slice_of(
			nx_arena_copy(arena, nx_slice_of(bytes.items, bytes.len)), bytes.len);
		nx_vec_release(&bytes);
	}
	options->advanced_configuration.items = entries;
	options->advanced_configuration.count = r->advanced_count;
}

void nx_service_request_encode(const struct nx_service_recording *recording,
			       const struct nx_service_target *target, struct nx_bytes *out)
{
	/* those of XProf's client, in case a server minds, and ours */
	static const char *const tools[] = {
		"trace_viewer",	    "op_profile",	    "input_pipeline",	    "kernel_stats",
		"memory_viewer",    "memory_profile",	    "overview_page",	    "pod_viewer",
		"tensorflow_stats", NX_SERVICE_TOOL_XPLANE, NX_SERVICE_TOOL_SESSION};
	struct nx_slice names[sizeof(tools) / sizeof(tools[0])];
	struct nx_arena arena = {0};
	struct nx_service_profile_request request = {
		.duration_ms = recording->duration_ms,
		.max_events = MAX_EVENTS,
		.tools = {names, sizeof(tools) / sizeof(tools[0])},
		.opts = recording->options,
		.has_opts = true,
		.repository_root = nx_slice_text(target->repository_root),
		.session_id = nx_slice_text(target->session),
		.host_name = nx_slice_text(target->address),
		.emit_xspace = true, /* else XProf's server saves it on its own disk */
	};

	for (size_t i = 0; i < request.tools.count; i++)
		names[i] = nx_slice_text(tools[i]);
	request.opts.duration_ms = recording->duration_ms;
	request.opts.start_timestamp_ns = target->start_ns;
	request.opts.session_id = request.session_id;
	request.opts.repository_path = request.repository_root;
	add_advanced(recording, &request.opts, &arena);
	nx_wire_encode(&nx_service_profile_request_message, &request, out);
	nx_arena_release(&arena);
}
