/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_profiles: what nrt_profile_start and nrt_profile_stop do.
 *
 * Each model may have one profile, so the ranks of a job that live in one process are profiled in
 * the same execution. A profile is known by its file, and has the latest execution of its model.
 */
#ifndef NX_RUNTIME_NRT_MODEL_PROFILES_H
#define NX_RUNTIME_NRT_MODEL_PROFILES_H

#include "runtime/nrt/loaded_model.h"

/* After an execution, while its core is still locked. */
void nx_model_profiles_note(struct nx_model *model, const struct nx_port_run *run);
bool nx_model_profiles_are_taken(void);
/* All are given up; nothing is written. */
void nx_model_profiles_end(void);

#endif
