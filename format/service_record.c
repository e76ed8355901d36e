/* SPDX-License-Identifier: Apache-2.0 */
#include "format/service_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/json_writer.h"

#define START_FIELD 22 /* of /proc/<pid>/stat */

bool nx_service_record_folder(char *out, size_t cap)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int len;

	if (!runtime || runtime[0] != '/')
		return nx_service_record_fallback(out, cap);
	len = snprintf(out, cap, "%s/neuron-explorer/services", runtime);
	return len > 0 && (size_t)len < cap;
}

bool nx_service_record_fallback(char *out, size_t cap)
{
	int len = snprintf(out, cap, "/tmp/neuron-explorer-%u/services", (unsigned)getuid());

	return len > 0 && (size_t)len < cap;
}

/* Numbers are texts, as JavaScript's numbers are not exact beyond 2^53. */
static void put_number(struct nx_json_writer *w, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	nx_json_key_text(w, key, text);
}

void nx_service_record_append(struct nx_bytes *out, const struct nx_service_record *record)
{
	struct nx_json_writer w;

	nx_json_init_bytes(&w, out, true);
	nx_json_begin_object(&w);
	put_number(&w, "pid", record->pid);
	put_number(&w, "process_start", record->process_start);
	put_number(&w, "started_ns", record->started_ns);
	nx_json_key_text(&w, "host", record->host);
	put_number(&w, "port", record->port);
	nx_json_key_text(&w, "command", record->command);
	nx_json_key(&w, "needs_token");
	nx_json_bool(&w, record->needs_token);
	nx_json_end_object(&w);
	nx_bytes_append(out, "\n", 1);
}

static uint64_t number_of(const struct nx_json *root, const char *key)
{
	uint64_t value;

	return nx_slice_to_u64(nx_json_as_slice(nx_json_get(root, key)), &value) ? value : 0;
}

enum nx_status nx_service_record_read(struct nx_slice file, struct nx_service_record *record,
				      struct nx_arena *arena, struct nx_error *err)
{
	const struct nx_json *needs_token;
	struct nx_json *root;
	enum nx_status st = nx_json_parse(file, arena, &root, err);

	*record = (struct nx_service_record){0};
	if (st)
		return st;
	needs_token = nx_json_get(root, "needs_token");
	*record = (struct nx_service_record){
		.pid = number_of(root, "pid"),
		.process_start = number_of(root, "process_start"),
		.started_ns = number_of(root, "started_ns"),
		.host = nx_json_as_text(nx_json_get(root, "host"), arena, ""),
		.port = number_of(root, "port"),
		.command = nx_json_as_text(nx_json_get(root, "command"), arena, ""),
		.needs_token = needs_token && nx_slice_is(needs_token->text, "true"),
	};
	if (!record->pid || !*record->host || !record->port || record->port > UINT16_MAX)
		return nx_fail(err, NX_FORMAT,
			       "the record has no process, address or port; delete it");
	return NX_OK;
}

uint64_t nx_service_process_start(uint64_t pid)
{
	char path[64], text[1024];
	const char *at;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return 0;
	text[len] = 0;
	at = strrchr(text, ')'); /* the name in parentheses may contain anything */
	for (unsigned field = 2; at && field < START_FIELD; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

bool nx_service_record_is_alive(const struct nx_service_record *record)
{
	uint64_t start = nx_service_process_start(record->pid);

	return start && start == record->process_start;
}
