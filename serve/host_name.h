/* SPDX-License-Identifier: Apache-2.0 */
/* host_name: whether a request was meant for us. */
#ifndef NX_SERVE_HOST_NAME_H
#define NX_SERVE_HOST_NAME_H

#include <stdbool.h>

/* host: the Host header, NULL when there is none; listening_on: as the options say. */
bool nx_host_name_is_ours(const char *host, const char *listening_on);

#endif
