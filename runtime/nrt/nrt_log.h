/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt_log: the library's own messages on standard error.
 *
 *	2026-01-31T12:00:00.000000Z 4711:4711 ERROR NRT:nrt_tensor_free: not a valid tensor
 *
 * NEURON_RT_LOG_LEVEL is ERROR, WARN (the default), INFO, DEBUG or OFF. A line is
 * written with a single call, so lines of several processes do not mix.
 */
#ifndef NX_RUNTIME_NRT_NRT_LOG_H
#define NX_RUNTIME_NRT_NRT_LOG_H

#include "base/bare/status.h"

enum nx_log_level { NX_LOG_OFF, NX_LOG_ERROR, NX_LOG_WARN, NX_LOG_INFO, NX_LOG_DEBUG };

void nx_log_write(enum nx_log_level level, const char *call, const char *fmt, ...) NX_PRINTF(3, 4);
/* The level a text names; WARN for NULL and unknown names. */
enum nx_log_level nx_log_parse(const char *text);
/* Reads the variable again; otherwise it is read once. */
void nx_log_restart(void);

/* call is the function of the interface that the message is about; __func__ inside one. */
#define nx_log_error(call, ...) nx_log_write(NX_LOG_ERROR, call, __VA_ARGS__)
#define nx_log_warn(call, ...) nx_log_write(NX_LOG_WARN, call, __VA_ARGS__)
#define nx_log_info(call, ...) nx_log_write(NX_LOG_INFO, call, __VA_ARGS__)

#endif
