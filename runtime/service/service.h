/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service: how libnxprofiler.so.1 and libnxservice.so.1 in one process know each other.
 *
 * libnxservice.so.1 is loaded when a server is asked for, so that programs without one need libc
 * alone. It exports one function, which returns a table, and calls the profiler only through the
 * table that it is given: the profiler may be a static library, which no name would find.
 */
#ifndef NX_RUNTIME_SERVICE_SERVICE_H
#define NX_RUNTIME_SERVICE_SERVICE_H

#include <nx/profiler.h>

#include "base/error.h"

#define NX_SERVICE_LIBRARY "libnxservice.so.1"
#define NX_SERVICE_FUNCTION "nx_service_interface"
#define NX_SERVICE_VERSION 1u

/* The profiler's public functions. */
struct nx_service_profiler {
	int (*demand)(nx_profiler_request request, const nx_profiler_options *options);
	const char *(*error)(void);
	const char *(*directory)(void);
	int (*continuous_start)(const nx_profiler_continuous_options *options);
	int (*continuous_stop)(void);
	int (*snapshot)(const nx_profiler_snapshot_options *options, char *folder,
			size_t folder_bytes);
};

struct nx_service_settings {
	const char *host;	/* a numeric address */
	uint16_t port;		/* 0: any that is free */
	const char *token;	/* NULL: none */
	const char *output_dir; /* for sessions that stay on this machine */
};

struct nx_service_interface {
	uint32_t version;
	uint32_t size; /* of this struct */
	/* What the pointers of both structs point to must stay. */
	enum nx_status (*start)(const struct nx_service_profiler *profiler,
				const struct nx_service_settings *settings, struct nx_error *err);
	/* Ends captures, then the server. */
	void (*stop)(void);
	uint16_t (*port)(void); /* 0: no server is running */
};

typedef const struct nx_service_interface *(*nx_service_interface_fn)(void);

#endif
