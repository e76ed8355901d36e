/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_run: captures running programs for the commands capture, attach and snapshot: options,
 * progress on a terminal, ctrl-c, and what is said at the end.
 */
#ifndef NX_CLI_SERVICE_RUN_H
#define NX_CLI_SERVICE_RUN_H

#include "capture/service_capture.h"
#include "cli/command.h"

struct nx_service_values {
	const char *logdir, *session, *token_file, *device_type;
	struct nx_number_value duration, delay, repeat, interval, attempts, progress_fd;
	struct nx_number_value host_level, device_level, python_level, filter_mask;
	struct nx_list_value advanced;
	bool has_no_dataset_ops, has_no_programs;
};

#define NX_SERVICE_ROW(type, member) NX_FIELD(type, service.member)

/* Rows of a command whose struct has a member service: where to save, and how to ask. */
#define NX_ROWS_SERVICE_SESSION(type)                                                              \
	{"logdir", 0, NX_FOLDER("DIR"), NX_SERVICE_ROW(type, logdir),                              \
	 "Where to save the session: DIR/plugins/profile/SESSION, as XProf and TensorBoard "       \
	 "expect "                                                                                 \
	 "it (default: the current folder)."},                                                     \
		{"session-id", 0, NX_TEXT("NAME"), NX_SERVICE_ROW(type, session),                  \
		 "The session's name (default: date and time). A number is added to a name that "  \
		 "exists."},                                                                       \
		{"attempts", 0, NX_NUMBER("COUNT"), NX_SERVICE_ROW(type, attempts),                \
		 "How often to ask a host that is unavailable or records nothing (default 3)."},   \
		{"progress-fd", 0, NX_NUMBER("N"), NX_SERVICE_ROW(type, progress_fd),              \
		 "Report progress to this open descriptor: lines such as \"0 2 records\", with "   \
		 "the "                                                                            \
		 "host's place in the list; \"1 = FOLDER\" and \"1 ! SENTENCE\" end it. The "      \
		 "capture stops when the reader closes it."},                                      \
	{                                                                                          \
		"token-file", 0, NX_FILE("FILE"), NX_SERVICE_ROW(type, token_file),                \
			"Read the token of the services from the first line of this file "         \
			"(default: the file in NEURON_PROFILER_TOKEN_FILE, if set)."               \
	}

/* Rows of what to record: the fields of ProfileOptions. */
#define NX_ROWS_SERVICE_RECORDING(type)                                                            \
	{"host-tracer-level", 0, NX_NUMBER("LEVEL"), NX_SERVICE_ROW(type, host_level),             \
	 "Host events: 0 none, 1 those of the program, 2 also expensive operations (default), 3 "  \
	 "all."},                                                                                  \
		{"device-tracer-level", 0, NX_NUMBER("LEVEL"), NX_SERVICE_ROW(type, device_level), \
		 "Device events: 0 none, 1 all (default)."},                                       \
		{"python-tracer-level", 0, NX_NUMBER("LEVEL"), NX_SERVICE_ROW(type, python_level), \
		 "Python calls: 0 none (default), 1 all, which slows the program down."},          \
		{"advanced-option", 0, NX_LIST("KEY=VALUE"), NX_SERVICE_ROW(type, advanced),       \
		 "An option that only some servers know. May be repeated."},                       \
		{"device-type", 0, NX_CHOICE("TYPE", "any cpu gpu tpu pluggable"),                 \
		 NX_SERVICE_ROW(type, device_type), "Which devices to record (default any)."},     \
		{"traceme-filter-mask", 0, NX_NUMBER("MASK"), NX_SERVICE_ROW(type, filter_mask),   \
		 "Host events of these categories only, as a decimal number of 32 bits."},         \
		{"no-dataset-ops", 0, NX_FLAG, NX_SERVICE_ROW(type, has_no_dataset_ops),           \
		 "Leave out the operations of input pipelines."},                                  \
	{                                                                                          \
		"no-hlo-proto", 0, NX_FLAG, NX_SERVICE_ROW(type, has_no_programs),                 \
			"Leave out the compiled programs, which can be large."                     \
	}

/* Rows of when to record. */
#define NX_ROWS_SERVICE_TIME(type)                                                                 \
	{"duration-ms", 0, NX_NUMBER("MS"), NX_SERVICE_ROW(type, duration),                        \
	 "How long to record a running program (default 1000). ctrl-c ends it earlier and saves "  \
	 "what there is."},                                                                        \
	{                                                                                          \
		"delay-ms", 0, NX_NUMBER("MS"), NX_SERVICE_ROW(type, delay),                       \
			"Start that much later (default 0; at least 500 with several hosts, so "   \
			"that they "                                                               \
			"start together)."                                                         \
	}

/* Rows of a series of sessions. */
#define NX_ROWS_SERVICE_SERIES(type)                                                               \
	{"repeat", 0, NX_NUMBER("COUNT"), NX_SERVICE_ROW(type, repeat),                            \
	 "Save so many sessions, one after the other (default 1)."},                               \
	{                                                                                          \
		"interval-ms", 0, NX_NUMBER("MS"), NX_SERVICE_ROW(type, interval),                 \
			"With --repeat: the time between the starts of sessions (default 0: at "   \
			"once)."                                                                   \
	}

struct nx_service_job {
	const char *addresses; /* "host:port,host:port" */
	enum nx_session_kind kind;
	const char *reason;
};

/* Fills the wishes; texts lie in the arena. */
NX_MUST_CHECK enum nx_status nx_service_values_read(const struct nx_service_values *values,
						    const struct nx_service_job *job,
						    struct nx_arena *arena,
						    struct nx_service_wishes *wishes,
						    struct nx_error *err);

/* Starts or stops continuous recording on all hosts. */
NX_MUST_CHECK enum nx_status nx_service_switch(const struct nx_service_values *values,
					       const struct nx_service_job *job, bool is_start,
					       struct nx_error *err);

/* IO if some hosts failed; the session then has the others. */
NX_MUST_CHECK enum nx_status nx_service_run(const struct nx_invocation *call,
					    const struct nx_service_values *values,
					    const struct nx_service_job *job, struct nx_error *err);

#endif
