/* SPDX-License-Identifier: Apache-2.0 */
/* api_types: what answers look like, for the description of the API; the pages' types follow. */
#ifndef NX_SERVE_API_TYPES_H
#define NX_SERVE_API_TYPES_H

#include "base/json_writer.h"

/* A schema: "string", "Track[]", "integer?" (or null), "'a'|'b'"; see api_types.c. */
void nx_api_type_describe(struct nx_json_writer *w, const char *type);
/* {"Profile":{...},...}: all types with a name. */
void nx_api_types_describe(struct nx_json_writer *w);

#endif
