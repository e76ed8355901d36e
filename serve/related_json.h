/* SPDX-License-Identifier: Apache-2.0 */
/* related_json: the device profiles of a system profile, as docs/api.md has them. */
#ifndef NX_SERVE_RELATED_JSON_H
#define NX_SERVE_RELATED_JSON_H

#include "base/json_writer.h"
#include "serve/server.h"
#include "store/catalogue.h"

/* The member "devices" of an open object. */
void nx_related_json_devices(struct nx_json_writer *w, struct nx_server *server,
			     const struct nx_catalogue *catalogue,
			     const struct nx_profile_record *system);

#endif
