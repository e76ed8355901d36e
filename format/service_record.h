/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_record: the file that a profiler service leaves for programs on the same machine, so that
 * they find it by the number of its process.
 *
 * $XDG_RUNTIME_DIR/neuron-explorer/services/<pid>.json, or /tmp/neuron-explorer-<uid>/services/ if
 * there is no such variable. Only the user can read the folder. A process that was killed leaves
 * its file: the start time of the process says whether a record is stale.
 */
#ifndef NX_FORMAT_SERVICE_RECORD_H
#define NX_FORMAT_SERVICE_RECORD_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

struct nx_service_record {
	uint64_t pid;
	uint64_t process_start; /* clock ticks since boot; tells processes of equal pid apart */
	uint64_t started_ns;	/* of the service, since 1970 */
	const char *host;	/* a numeric address */
	uint64_t port;
	const char *command; /* of the process */
	bool needs_token;
};

/* The folder of the records of this user; false if its name is too long. */
bool nx_service_record_folder(char *out, size_t cap);
/* Where they are without the variable. */
bool nx_service_record_fallback(char *out, size_t cap);

void nx_service_record_append(struct nx_bytes *out, const struct nx_service_record *record);
/* Texts lie in the arena. FORMAT if it is not a record. */
NX_MUST_CHECK enum nx_status nx_service_record_read(struct nx_slice file,
						    struct nx_service_record *record,
						    struct nx_arena *arena, struct nx_error *err);

/* When the process started, in clock ticks since boot; 0 if there is none. */
uint64_t nx_service_process_start(uint64_t pid);
/* False if the process has ended. */
bool nx_service_record_is_alive(const struct nx_service_record *record);

#endif
