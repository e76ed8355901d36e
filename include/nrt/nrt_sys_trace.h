/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt_sys_trace: trace the runtime's own events.
 *
 * Each enabled NeuronCore has a ring buffer in host memory; when it is full, the
 * oldest events are overwritten. Fetching removes events from the rings as JSON:
 * {"events":[{"event_type":..,"phase":"start",..}],"data_version":2}.
 */
#ifndef NRT_SYS_TRACE_H
#define NRT_SYS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nrt_sys_trace_config nrt_sys_trace_config_t;

NRT_STATUS nrt_sys_trace_config_allocate(nrt_sys_trace_config_t **options);
/* All cores, all event types, 1,000,000 events per core. */
void nrt_sys_trace_config_set_defaults(nrt_sys_trace_config_t *options);
void nrt_sys_trace_config_free(nrt_sys_trace_config_t *options);
void nrt_sys_trace_config_set_max_events_per_nc(nrt_sys_trace_config_t *options,
						uint64_t max_events_per_nc);
/* A disabled core has no ring. */
void nrt_sys_trace_config_set_capture_enabled_for_nc(nrt_sys_trace_config_t *options,
						     uint32_t nc_idx, bool enabled);
/* NRT_INVALID for an unknown name. */
NRT_STATUS nrt_sys_trace_config_set_capture_enabled_for_event_type(nrt_sys_trace_config_t *options,
								   const char *event_type,
								   bool enabled);

/* The caller frees each name and the list with free, or all with free_event_types. */
NRT_STATUS nrt_sys_trace_get_event_types(const char ***event_types, size_t *count);
void nrt_sys_trace_free_event_types(const char **event_types, size_t count);
NRT_STATUS nrt_sys_trace_config_get_enabled_event_types(nrt_sys_trace_config_t *options,
							const char ***event_types, size_t *count);

/* options NULL: the defaults. NRT_INVALID while a trace is running. */
NRT_STATUS nrt_sys_trace_start(nrt_sys_trace_config_t *options);
NRT_STATUS nrt_sys_trace_stop(void);

typedef struct nrt_sys_trace_fetch_options nrt_sys_trace_fetch_options_t;

NRT_STATUS nrt_sys_trace_fetch_options_allocate(nrt_sys_trace_fetch_options_t **options);
void nrt_sys_trace_fetch_options_set_defaults(nrt_sys_trace_fetch_options_t *options);
void nrt_sys_trace_fetch_options_free(nrt_sys_trace_fetch_options_t *options);
void nrt_sys_trace_fetch_options_set_max_events_per_nc(nrt_sys_trace_fetch_options_t *options,
						       uint64_t max_events_per_nc);
void nrt_sys_trace_fetch_options_set_nc_idx(nrt_sys_trace_fetch_options_t *options,
					    uint64_t nc_idx);

/*
 * Allocates a text of written_size bytes and a terminating NUL. Also works after stop.
 * options NULL: all events of all cores.
 */
NRT_STATUS nrt_sys_trace_fetch_events(char **buffer, size_t *written_size,
				      const nrt_sys_trace_fetch_options_t *options);
void nrt_sys_trace_buffer_free(char *buffer);

#ifdef __cplusplus
}
#endif

#endif
