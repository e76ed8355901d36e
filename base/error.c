/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The status of the last failure, for nx_context of a caller that passes NULL. */
static _Thread_local enum nx_status unseen_status;

/* Composes "<fmt>: <rest>", or only fmt, on the side: an argument may be err's own message. */
static enum nx_status fail(struct nx_error *err, enum nx_status status, const char *rest,
			   const char *fmt, va_list args)
{
	char message[sizeof(err->message)];
	int len = vsnprintf(message, sizeof(message), fmt, args);
	size_t used = len < 0 ? 0 : (size_t)len;

	if (rest && used < sizeof(message)) {
		len = snprintf(message + used, sizeof(message) - used, ": %s", rest);
		used += len < 0 ? 0 : (size_t)len;
	}
	if (used >= sizeof(message)) /* it was cut */
		memcpy(message + sizeof(message) - 4, "...", 4);
	unseen_status = status;
	if (!err)
		return status;
	err->status = status;
	memcpy(err->message, message, strlen(message) + 1);
	return status;
}

enum nx_status nx_fail(struct nx_error *err, enum nx_status status, const char *fmt, ...)
{
	va_list args;

	assert(status != NX_OK);
	va_start(args, fmt);
	fail(err, status, NULL, fmt, args);
	va_end(args);
	return status;
}

static enum nx_status status_of_errno(int errno_value)
{
	switch (errno_value) {
	case ENOENT:
		return NX_NOT_FOUND;
	case EACCES:
	case EPERM:
		return NX_PERMISSION;
	case ENOSPC:
	case EDQUOT:
		return NX_NO_SPACE;
	default:
		return NX_IO;
	}
}

enum nx_status nx_fail_errno(struct nx_error *err, int errno_value, const char *fmt, ...)
{
	enum nx_status status = status_of_errno(errno_value);
	va_list args;

	va_start(args, fmt);
	fail(err, status, strerror(errno_value), fmt, args);
	va_end(args);
	return status;
}

enum nx_status nx_context(struct nx_error *err, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return unseen_status;
	assert(err->status != NX_OK);
	va_start(args, fmt);
	fail(err, err->status, err->message, fmt, args);
	va_end(args);
	return err->status;
}

int nx_status_exit_code(enum nx_status status)
{
	switch (status) {
#define EXIT_CODE_CASE(name, exit_code, text)                                                      \
	case NX_##name:                                                                            \
		return exit_code;
		NX_STATUS_MAP(EXIT_CODE_CASE)
#undef EXIT_CODE_CASE
	}
	return 1;
}
