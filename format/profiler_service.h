/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler_service: the messages with which XProf, TensorBoard, JAX and we capture a running
 * program, for both ends. profiler_service.def has the messages, rpc/ carries them.
 */
#ifndef NX_FORMAT_PROFILER_SERVICE_H
#define NX_FORMAT_PROFILER_SERVICE_H

#include "format/wire.h"

#define NX_MESSAGE NX_WIRE_STRUCT
#define NX_MEMBER NX_WIRE_MEMBER
#define NX_MESSAGE_END NX_WIRE_STRUCT_END
#include "format/profiler_service.def"

/* Paths of the methods. Responses that are not in profiler_service.def are empty messages. */
#define NX_SERVICE_PROFILER "/tensorflow.ProfilerService/"
#define NX_SERVICE_PROFILE NX_SERVICE_PROFILER "Profile"
#define NX_SERVICE_TERMINATE NX_SERVICE_PROFILER "Terminate"
#define NX_SERVICE_MONITOR NX_SERVICE_PROFILER "Monitor"
#define NX_SERVICE_START_CONTINUOUS NX_SERVICE_PROFILER "StartContinuousProfiling"
#define NX_SERVICE_STOP_CONTINUOUS NX_SERVICE_PROFILER "StopContinuousProfiling"
#define NX_SERVICE_GET_SNAPSHOT NX_SERVICE_PROFILER "GetSnapshot"
#define NX_SERVICE_ANALYSIS "/tensorflow.ProfileAnalysis/"
#define NX_SERVICE_NEW_SESSION NX_SERVICE_ANALYSIS "NewSession"
#define NX_SERVICE_ENUM_SESSIONS NX_SERVICE_ANALYSIS "EnumSessions"
#define NX_SERVICE_GET_TOOL_DATA NX_SERVICE_ANALYSIS "GetSessionToolData"

/* Names of tools. The first is an XSpace; the second is ours: the files that our runtime writes,
 * as a tar archive, for which a client asks by naming it among the request's tools. */
#define NX_SERVICE_TOOL_XPLANE "xplane.pb"
#define NX_SERVICE_TOOL_SESSION "neuron_session"
#define NX_SERVICE_SESSION_TAR "neuron_session.tar"

/* Advanced options that our programs understand; all others are ignored. */
#define NX_SERVICE_OPTION_DEVICE "neuron_device_profile"      /* bool: profile executions, too */
#define NX_SERVICE_OPTION_CORES "neuron_cores"		      /* text: "0,2-5" */
#define NX_SERVICE_OPTION_BUFFER "neuron_buffer_bytes"	      /* int64: of the session's ring */
#define NX_SERVICE_OPTION_EVENTS "neuron_max_events_per_core" /* int64 */

/* Metadata of a call that proves who calls: "Bearer" and the token. */
#define NX_SERVICE_AUTHORIZATION "authorization"

/* Advanced options of StartContinuousProfiling that our server knows, both integers: the memory
 * for what is kept, and how far back it reaches. */
#define NX_SERVICE_KEY_BUDGET "nx_budget_bytes"
#define NX_SERVICE_KEY_HORIZON "nx_horizon_ms"

enum nx_service_device_type {
	NX_SERVICE_DEVICE_ANY = 0,
	NX_SERVICE_DEVICE_CPU = 1,
	NX_SERVICE_DEVICE_GPU = 2,
	NX_SERVICE_DEVICE_TPU = 3,
	NX_SERVICE_DEVICE_PLUGGABLE = 4,
};

enum nx_service_monitor_type {
	NX_SERVICE_MONITOR_EMPTY = 0,
	NX_SERVICE_MONITOR_UTIL = 1,
	NX_SERVICE_MONITOR_UTIL_IDLE = 2,
	NX_SERVICE_MONITOR_UTIL_IDLE_STEP = 3,
};

/* The options of a client that does not choose: those with which XProf replaces version 0. */
struct nx_service_options nx_service_options_default(void);

/* --- advanced options ---------------------------------------------------------- */

enum nx_service_value_kind { /* the number of its field */
			     NX_SERVICE_VALUE_NONE = 0,
			     NX_SERVICE_VALUE_TEXT = 1,
			     NX_SERVICE_VALUE_BOOL = 2,
			     NX_SERVICE_VALUE_I64 = 3,
};

struct nx_service_value {
	enum nx_service_value_kind kind;
	struct nx_slice text;
	int64_t integer; /* also 0 or 1 of a BOOL */
};

/* False if the message ends inside a field; what came before is kept. */
bool nx_service_value_read(struct nx_slice message, struct nx_service_value *value);
/* Appends the message: the bytes of nx_service_advanced_entry.value. */
void nx_service_value_append(struct nx_bytes *out, const struct nx_service_value *value);
/* The option with this key; NONE if there is none. Of equal keys the last one counts. */
struct nx_service_value nx_service_options_find(const struct nx_service_options *options,
						const char *key);

#endif
