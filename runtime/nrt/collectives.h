/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collectives: operations over ranks, of which this library knows one.
 *
 * There is no network here. Groups of one rank work, as they need none; larger
 * ones are refused with NRT_NETWORK_PROXY_FAILURE.
 */
#ifndef NX_RUNTIME_NRT_COLLECTIVES_H
#define NX_RUNTIME_NRT_COLLECTIVES_H

#include <nrt/nrt_async.h>

struct nx_collective; /* made by nrta_cc_prepare */

NRT_STATUS nx_collective_run(struct nx_collective *collective);
uint32_t nx_collective_core(const struct nx_collective *collective);

#endif
