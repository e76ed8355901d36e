/* SPDX-License-Identifier: Apache-2.0 */
#include "format/snapshot_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/json_reader.h"
#include "base/json_writer.h"

#define TEXT(name, text) text,
static const char *const triggers[] = {NX_SNAPSHOT_TRIGGER_MAP(TEXT)};
#undef TEXT

/* X(member): all numbers of the file but its version */
#define NUMBERS(X)                                                                                 \
	X(number)                                                                                  \
	X(recording_ns)                                                                            \
	X(time_ns)                                                                                 \
	X(first_sequence)                                                                          \
	X(end_sequence)                                                                            \
	X(span_count)                                                                              \
	X(event_count)                                                                             \
	X(cut_count)                                                                               \
	X(device_count)                                                                            \
	X(overwritten_count)                                                                       \
	X(expired_count)                                                                           \
	X(lost_count)                                                                              \
	X(suppressed_count)                                                                        \
	X(missed_count)

const char *nx_snapshot_trigger_text(enum nx_snapshot_trigger trigger)
{
	assert(trigger < NX_SNAPSHOT_TRIGGER_COUNT);
	return triggers[trigger];
}

static void put_u64(struct nx_json_writer *w, const char *key, uint64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	nx_json_key_text(w, key, text);
}

void nx_snapshot_file_encode(const struct nx_snapshot_file *snapshot, struct nx_bytes *out)
{
	struct nx_json_writer w;

	nx_json_init_bytes(&w, out, true);
	nx_json_begin_object(&w);
	nx_json_key_u64(&w, "version", NX_SNAPSHOT_FILE_VERSION);
	nx_json_key_text(&w, "trigger", nx_snapshot_trigger_text(snapshot->trigger));
	nx_json_key_text(&w, "reason", snapshot->reason ? snapshot->reason : "");
#define PUT(member) put_u64(&w, #member, snapshot->member);
	NUMBERS(PUT)
#undef PUT
	nx_json_end_object(&w);
	nx_bytes_append(out, "\n", 1);
}

static void get_u64(const struct nx_json *object, const char *key, uint64_t *value)
{
	if (!nx_slice_to_u64(nx_json_as_slice(nx_json_get(object, key)), value))
		*value = 0;
}

enum nx_status nx_snapshot_file_decode(struct nx_slice input, struct nx_arena *arena,
				       struct nx_snapshot_file *snapshot, struct nx_error *err)
{
	struct nx_json *root;
	enum nx_status st = nx_json_parse(input, arena, &root, err);
	struct nx_slice trigger;
	uint64_t version;
	size_t i = 0;

	*snapshot = (struct nx_snapshot_file){0};
	if (st)
		return st;
	version = nx_json_as_u64(nx_json_get(root, "version"), 0);
	if (version > NX_SNAPSHOT_FILE_VERSION)
		return nx_fail(err, NX_VERSION,
			       "version %" PRIu64 " is newer than this program; update it",
			       version);
	trigger = nx_json_as_slice(nx_json_get(root, "trigger"));
	while (i < NX_SNAPSHOT_TRIGGER_COUNT && !nx_slice_is(trigger, triggers[i]))
		i++;
	if (!version || i == NX_SNAPSHOT_TRIGGER_COUNT)
		return nx_fail(err, NX_FORMAT,
			       "not the description of a snapshot: version or trigger is missing");
	snapshot->trigger = (enum nx_snapshot_trigger)i;
	snapshot->reason = nx_json_as_text(nx_json_get(root, "reason"), arena, "");
#define GET(member) get_u64(root, #member, &snapshot->member);
	NUMBERS(GET)
#undef GET
	return NX_OK;
}
