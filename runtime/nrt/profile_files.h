/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_files: executions become the bytes of an NTFF, and bytes a file, with no harm to the
 * host when memory or the disk runs out: that is a line in the log and a status.
 */
#ifndef NX_RUNTIME_NRT_PROFILE_FILES_H
#define NX_RUNTIME_NRT_PROFILE_FILES_H

#include "runtime/nrt/device_profile.h"

/* By a temporary name, so that a file is whole or not there. */
NRT_STATUS nx_profile_write(const char *path, struct nx_slice bytes);

/* Replaces what is in out, which is empty after a failure. */
bool nx_profile_encode(const struct nx_device_recording *recording, struct nx_bytes *out);
/* The model's latest execution. */
bool nx_profile_encode_run(const struct nx_model *model, const struct nx_port_run *run,
			   bool has_process, struct nx_bytes *out);

#endif
