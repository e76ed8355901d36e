/* SPDX-License-Identifier: Apache-2.0 */
/* naming: numbers of a capture as texts. Each writes into the caller's buffer and returns it. */
#ifndef NX_MODEL_NAMING_H
#define NX_MODEL_NAMING_H

#include "model/profile.h"

#define NX_SEMAPHORE_TEXT_MAX 300
#define NX_DEBUG_ID_TEXT_MAX 24
#define NX_THROTTLE_TYPE_TEXT_MAX 16

/* "S[8] (qSyncIO0)"; the bare number of a semaphore without a name. */
const char *nx_semaphore_text(const struct nx_profile *profile, uint32_t graph, uint32_t semaphore,
			      char out[NX_SEMAPHORE_TEXT_MAX]);

/* "sg0000:17": graph and number of an instruction in the compiler's debug records. */
const char *nx_debug_id_text(uint64_t id, char out[NX_DEBUG_ID_TEXT_MAX]);

/* "activity_0", "unknown": what set an activity limit. */
const char *nx_throttle_type_text(unsigned type, char out[NX_THROTTLE_TYPE_TEXT_MAX]);

#endif
