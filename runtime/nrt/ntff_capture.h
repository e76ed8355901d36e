/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff_capture: device profiles, executions written as NTFF files.
 *
 * nrt_profile_start keeps the latest execution of a model, continuous profiling the
 * latest one on each core, continuous recording a sample of executions, and an inspect session the
 * first execution of each model per core, all of them (session mode), or those that failed.
 */
#ifndef NX_RUNTIME_NRT_NTFF_CAPTURE_H
#define NX_RUNTIME_NRT_NTFF_CAPTURE_H

#include "runtime/nrt/loaded_model.h"

/* Call after an execution, with its core still locked. */
void nx_ntff_capture_add(struct nx_model *model, const struct nx_port_run *run, NRT_STATUS st);
/* Session mode: keeps all executions of all cores. */
void nx_ntff_capture_begin_session(void);
/* Writes what session mode kept of each core: profile_nc_<n>_session_<s>.ntff in folder. */
void nx_ntff_capture_write_session(const char *folder, int session_id, bool is_end);
/*
 * Continuous recording: now and then keeps an execution of each model on each core, together in no
 * more than so many bytes; 0 keeps none and drops what there is.
 */
void nx_ntff_capture_keep(uint64_t bytes);
/* Writes those that were kept since then, with their NEFFs; returns how many. */
uint64_t nx_ntff_capture_write_kept(const char *folder, uint64_t since_ns);
/* Drops everything that is being profiled; writes nothing. */
void nx_ntff_capture_end(void);
/* In the child after a fork: forgets profiles, which are the parent's. */
void nx_ntff_capture_abandon(void);

#endif
