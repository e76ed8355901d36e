/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt_profile: capture what runs.
 *
 * There are three ways: profile one model between start and stop (an NTFF);
 * continuous profiling (the latest execution on a core, written on request); and
 * inspect (a folder per process with a system trace, device profiles, CPU and
 * memory samples). Starting one gives NRT_INVALID while another needs the same
 * buffers.
 */
#ifndef NRT_PROFILE_H
#define NRT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- one model ------------------------------------------------------------------ */

/* Each model and each file can have one profile at a time. */
NRT_STATUS nrt_profile_start(nrt_model_t *model, const char *filename);
/* Writes the latest execution to filename, which must be that passed to nrt_profile_start. */
NRT_STATUS nrt_profile_stop(const char *filename);

/* --- continuous ------------------------------------------------------------------ */

typedef struct nrt_profile_continuous_options nrt_profile_continuous_options_t;

NRT_STATUS nrt_profile_continuous_options_allocate(nrt_profile_continuous_options_t **options);
NRT_STATUS nrt_profile_continuous_options_free(nrt_profile_continuous_options_t *options);
/* The default is ./output; the text is copied. */
NRT_STATUS
nrt_profile_continuous_options_set_output_dir(nrt_profile_continuous_options_t *options,
					      const char *output_dir);
/* NRT_INVALID while an inspect session captures device profiles. */
NRT_STATUS nrt_profile_continuous_start(nrt_profile_continuous_options_t *options);
/* Writes the latest execution on vnc to a new file; profiling continues. */
NRT_STATUS nrt_profile_continuous_save(uint32_t vnc, nrt_profile_continuous_options_t *options);
NRT_STATUS nrt_profile_continuous_stop(void);

/* --- sessions of a core ----------------------------------------------------------- */

/* Everything that runs on vnc from start to stop. The profile stays in memory until it is written
 * or dropped. NRT_INVALID if the core has a session already, or none to stop. */
NRT_STATUS nrt_profile_session_start(int32_t vnc);
NRT_STATUS nrt_profile_session_stop(int32_t vnc, uint64_t *session_id);
/* Writes an NTFF and forgets the session. If that fails, the session stays: name another file, or
 * drop it. */
NRT_STATUS nrt_profile_session_serialize(uint64_t session_id, const char *filename);
NRT_STATUS nrt_profile_session_drop(uint64_t session_id);
NRT_STATUS nrt_profile_session_drop_all(int32_t vnc);

/* --- inspect --------------------------------------------------------------------- */

typedef struct nrt_inspect_config nrt_inspect_config_t;

typedef enum {
	NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED = 0,
	NRT_INSPECT_DEVICE_PROFILE_MODE_MODEL = 1,   /* the first execution of each model */
	NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION = 2, /* all executions, one NTFF per core */
} nrt_inspect_device_profile_mode_t;

/*
 * Begins a session as the NEURON_RT_INSPECT_* variables say at this moment, unless
 * NEURON_RT_INSPECT_ENABLE is 0. A session that nrt_init began is completed first.
 */
NRT_STATUS nrt_inspect_begin(void);
/* Completes the files. */
NRT_STATUS nrt_inspect_stop(void);

NRT_STATUS nrt_inspect_config_allocate(nrt_inspect_config_t **options);
/* Session 1, ./output, all activities, cores and events; inspect and on-fail are off. */
NRT_STATUS nrt_inspect_config_set_defaults(nrt_inspect_config_t *options);
NRT_STATUS nrt_inspect_config_free(nrt_inspect_config_t *options);
NRT_STATUS nrt_inspect_config_set_session_id(nrt_inspect_config_t *options, int session_id);
NRT_STATUS nrt_inspect_config_set_output_dir(nrt_inspect_config_t *options, const char *output_dir);
NRT_STATUS
nrt_inspect_config_set_sys_trace_max_events_per_nc(nrt_inspect_config_t *options,
						   uint64_t sys_trace_max_events_per_nc);
NRT_STATUS nrt_inspect_config_set_capture_enabled_for_nc(nrt_inspect_config_t *options,
							 uint32_t nc_idx, bool enabled);
NRT_STATUS
nrt_inspect_config_set_capture_enabled_for_event_type_string(nrt_inspect_config_t *options,
							     const char *event_type, bool enabled);
NRT_STATUS nrt_inspect_config_set_enable_inspect(nrt_inspect_config_t *options,
						 bool enable_inspect);
NRT_STATUS nrt_inspect_config_set_enable_inspect_on_fail(nrt_inspect_config_t *options,
							 bool enable_inspect_on_fail);
/* Has no effect without the activity device_profile. */
NRT_STATUS
nrt_inspect_config_set_inspect_device_profile_mode(nrt_inspect_config_t *options,
						   nrt_inspect_device_profile_mode_t mode);
/* Skips the first executions of each model in MODEL mode. */
NRT_STATUS nrt_inspect_config_set_device_profile_num_warmup(nrt_inspect_config_t *options,
							    uint64_t num_warmup);
/* options NULL: the defaults. Does not read the variables. Writes to a folder named after the start
 * time, below that of the process. */
NRT_STATUS nrt_inspect_begin_with_options(nrt_inspect_config_t *options);

/* Activities: system_profile, device_profile, host_memory, cpu_util, all. */
NRT_STATUS nrt_inspect_config_get_all_activity_types(const char ***activity_types, size_t *count);
NRT_STATUS nrt_inspect_config_get_enabled_activity_types(nrt_inspect_config_t *options,
							 const char ***activity_types,
							 size_t *count);
void nrt_inspect_config_free_activity_types(const char **activity_types, size_t count);
NRT_STATUS nrt_inspect_config_set_activity(nrt_inspect_config_t *options, const char *activity_type,
					   bool enabled);

/* The folder of this process below output_dir. NRT_INVALID if the buffer is too small. */
NRT_STATUS nrt_inspect_get_instance_output_dir(const char *output_dir, char *instance_dir_buf,
					       size_t buf_size);
/* Writes what the session holds of these kinds now: 1 system, 2 device, 4 host memory, 8 CPU. */
NRT_STATUS nrt_inspect_export(uint32_t kinds);

#ifdef __cplusplus
}
#endif

#endif
