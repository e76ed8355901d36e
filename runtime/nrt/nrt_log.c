/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/nrt_log.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define UNKNOWN_LEVEL (-1)

static _Atomic int chosen_level = UNKNOWN_LEVEL;

static const char *const level_names[] = {"OFF", "ERROR", "WARN", "INFO", "DEBUG"};
static_assert(sizeof(level_names) / sizeof(level_names[0]) == NX_LOG_DEBUG + 1,
	      "every level has a name");

enum nx_log_level nx_log_parse(const char *text)
{
	if (!text)
		return NX_LOG_WARN;
	for (int i = NX_LOG_OFF; i <= NX_LOG_DEBUG; i++)
		if (strcasecmp(text, level_names[i]) == 0)
			return (enum nx_log_level)i;
	if (strcasecmp(text, "TRACE") == 0)
		return NX_LOG_DEBUG;
	return NX_LOG_WARN;
}

void nx_log_restart(void)
{
	atomic_store(&chosen_level, (int)nx_log_parse(getenv("NEURON_RT_LOG_LEVEL")));
}

static size_t put_head(char *line, size_t cap, enum nx_log_level level, const char *call)
{
	struct timespec now;
	struct tm date;
	char stamp[32];
	int len;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &date);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &date);
	len = snprintf(line, cap, "%s.%06ldZ %d:%ld %-5s NRT:%s: ", stamp, now.tv_nsec / 1000,
		       (int)getpid(), syscall(SYS_gettid), level_names[level], call);
	return len > 0 && (size_t)len < cap ? (size_t)len : 0;
}

void nx_log_write(enum nx_log_level level, const char *call, const char *fmt, ...)
{
	int saved_errno = errno;
	char line[1400];
	va_list args;
	size_t used;
	int len;

	assert(level > NX_LOG_OFF && level <= NX_LOG_DEBUG && call);
	if (atomic_load(&chosen_level) == UNKNOWN_LEVEL)
		nx_log_restart();
	if ((int)level > atomic_load(&chosen_level))
		return;
	used = put_head(line, sizeof(line), level, call);
	va_start(args, fmt);
	len = vsnprintf(line + used, sizeof(line) - used - 1, fmt, args);
	va_end(args);
	if (len > 0)
		used += (size_t)len < sizeof(line) - used - 1 ? (size_t)len
							      : sizeof(line) - used - 2;
	line[used++] = '\n';
	/* If standard error is closed, the message is lost. */
	(void)!write(STDERR_FILENO, line, used);
	errno = saved_errno;
}
