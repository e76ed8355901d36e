/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt_log: the library's own lines on standard error.
 *
 * NEURON_RT_LOG_LEVEL is ERROR, WARN (the default), INFO, DEBUG or OFF; it is
 * read once. A line is one write, so lines of several processes do not mix.
 */
#ifndef NX_RUNTIME_NRT_NRT_LOG_H
#define NX_RUNTIME_NRT_NRT_LOG_H

#include "base/bare/status.h"

enum nx_log_level { NX_LOG_OFF, NX_LOG_ERROR, NX_LOG_WARN, NX_LOG_INFO, NX_LOG_DEBUG };

void nx_log_write(enum nx_log_level level, const char *function, const char *fmt, ...)
	NX_PRINTF(3, 4);
/* The level a text names; WARN for NULL and for what is none. */
enum nx_log_level nx_log_parse(const char *text);
/* Reads the variable again. */
void nx_log_restart(void);

#define nx_log_error(...) nx_log_write(NX_LOG_ERROR, __func__, __VA_ARGS__)
#define nx_log_warn(...) nx_log_write(NX_LOG_WARN, __func__, __VA_ARGS__)
#define nx_log_info(...) nx_log_write(NX_LOG_INFO, __func__, __VA_ARGS__)
#define nx_log_debug(...) nx_log_write(NX_LOG_DEBUG, __func__, __VA_ARGS__)

#endif
