/* SPDX-License-Identifier: Apache-2.0 */
/* listen: opens a port. */
#ifndef NX_SERVE_LISTEN_H
#define NX_SERVE_LISTEN_H

#include <stdint.h>

#include "base/error.h"

/*
 * *port 0 becomes any free one. option is the word that chooses another ("--port"), for the
 * sentence: USAGE when the port is in use, PERMISSION when the system reserves it.
 */
NX_MUST_CHECK enum nx_status nx_listen(const char *host, uint16_t *port, const char *option,
				       int *fd, struct nx_error *err);

#endif
