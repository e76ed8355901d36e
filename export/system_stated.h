/* SPDX-License-Identifier: Apache-2.0 */
/* system_stated: the small parts of a system profile as JSON, for the export and the summary. */
#ifndef NX_EXPORT_SYSTEM_STATED_H
#define NX_EXPORT_SYSTEM_STATED_H

#include "base/json_writer.h"
#include "model/system.h"

/* Members system_profile_metadata, process_list, device_profile_list of the open object. */
void nx_json_system_stated(struct nx_json_writer *w, const struct nx_system_profile *profile,
			   bool include_private);

/* Each writes one array. */
void nx_json_system_devices(struct nx_json_writer *w, const struct nx_system_profile *profile);

/* A member whose number is text, as ids and process ids are. */
void nx_json_key_digits(struct nx_json_writer *w, const char *key, uint64_t number);

#endif
