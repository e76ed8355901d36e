/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where the status of a failure waits for nx_context when the caller wants no sentence. */
static _Thread_local enum nx_status unseen_status;

/* Appends to text[size], which holds used characters; shows by dots where it had to cut. */
static size_t append(char *text, size_t size, size_t used, const char *fmt, va_list args)
{
	int len = vsnprintf(text + used, size - used, fmt, args);

	if (len < 0)
		return used;
	if ((size_t)len < size - used)
		return used + (size_t)len;
	memcpy(text + size - 4, "...", 4);
	return size - 1;
}

static size_t append_text(char *text, size_t size, size_t used, const char *fmt, ...)
	NX_PRINTF(4, 5);

static size_t append_text(char *text, size_t size, size_t used, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	used = append(text, size, used, fmt, args);
	va_end(args);
	return used;
}

static void set(struct nx_error *err, enum nx_status status, const char *message)
{
	unseen_status = status;
	if (!err)
		return;
	err->status = status;
	memcpy(err->message, message, strlen(message) + 1);
}

enum nx_status nx_fail(struct nx_error *err, enum nx_status status, const char *fmt, ...)
{
	/* Not straight into err: an argument may be its own message. */
	char message[sizeof(err->message)];
	va_list args;

	va_start(args, fmt);
	append(message, sizeof(message), 0, fmt, args);
	va_end(args);
	set(err, status, message);
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
	char message[sizeof(err->message)];
	va_list args;
	size_t used;

	va_start(args, fmt);
	used = append(message, sizeof(message), 0, fmt, args);
	va_end(args);
	append_text(message, sizeof(message), used, ": %s", strerror(errno_value));
	set(err, status, message);
	return status;
}

enum nx_status nx_context(struct nx_error *err, const char *fmt, ...)
{
	char message[sizeof(err->message)];
	va_list args;
	size_t used;

	if (!err)
		return unseen_status;
	assert(err->status != NX_OK);
	va_start(args, fmt);
	used = append(message, sizeof(message), 0, fmt, args);
	va_end(args);
	append_text(message, sizeof(message), used, ": %s", err->message);
	set(err, err->status, message);
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

const char *nx_status_name(enum nx_status status)
{
	switch (status) {
#define NAME_CASE(name, exit_code, text)                                                           \
	case NX_##name:                                                                            \
		return #name;
		NX_STATUS_MAP(NAME_CASE)
#undef NAME_CASE
	}
	return "UNKNOWN";
}

const char *nx_status_text(enum nx_status status)
{
	switch (status) {
#define TEXT_CASE(name, exit_code, text)                                                           \
	case NX_##name:                                                                            \
		return text;
		NX_STATUS_MAP(TEXT_CASE)
#undef TEXT_CASE
	}
	return "an unknown failure";
}
