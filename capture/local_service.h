/* SPDX-License-Identifier: Apache-2.0 */
/* local_service: the profiler services of this user's processes on this machine. */
#ifndef NX_CAPTURE_LOCAL_SERVICE_H
#define NX_CAPTURE_LOCAL_SERVICE_H

#include "format/service_record.h"

struct nx_local_services NX_VEC_BODY(struct nx_service_record);

/* Those that are alive, by pid; records that cannot be read are left out. Texts lie in the arena.
 */
void nx_local_services_find(struct nx_local_services *services, struct nx_arena *arena);

/* The address of the process's service. NOT_FOUND if there is no such process, UNSUPPORTED with a
 * remedy if it has no service. */
NX_MUST_CHECK enum nx_status nx_local_service_address(uint64_t pid, struct nx_arena *arena,
						      const char **address, struct nx_error *err);

/* "127.0.0.1:9012", "[::1]:9012" */
const char *nx_local_service_text(const struct nx_service_record *record, struct nx_arena *arena);

#endif
