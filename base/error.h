/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error: one message for the user, made where the failure is detected and given more context on the
 * way up: "cannot read a.neff: header is larger than 1024 bytes". Callers may pass NULL.
 */
#ifndef NX_BASE_ERROR_H
#define NX_BASE_ERROR_H

#include "base/bare/status.h"

struct nx_error {
	enum nx_status status;
	char message[1024];
};

/* Sets the message and returns status, so that failing takes one line. */
enum nx_status nx_fail(struct nx_error *err, enum nx_status status, const char *fmt, ...)
	NX_PRINTF(3, 4);

/* Like nx_fail for a failed system call: maps errno to a status and adds its text. */
enum nx_status nx_fail_errno(struct nx_error *err, int errno_value, const char *fmt, ...)
	NX_PRINTF(3, 4);

/* Puts "context: " before the message; returns the status it already has. */
enum nx_status nx_context(struct nx_error *err, const char *fmt, ...) NX_PRINTF(2, 3);

int nx_status_exit_code(enum nx_status status);

#endif
