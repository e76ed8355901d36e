/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collectives: operations over ranks that the host calls, without a program.
 *
 * A core becomes a rank of a job (rank_world.h) with nrt_build_global_comm, or its
 * first barrier or all-gather. Ranks in one process need nothing else; processes
 * find each other through NEURON_RT_ROOT_COMM_ID.
 */
#ifndef NX_RUNTIME_NRT_COLLECTIVES_H
#define NX_RUNTIME_NRT_COLLECTIVES_H

#include <nrt/nrt_async.h>

struct nx_collective; /* made by nrta_cc_prepare */

/* Runs it; waits for the other ranks of its group. */
NRT_STATUS nx_collective_run(struct nx_collective *collective);
uint32_t nx_collective_core(const struct nx_collective *collective);

/* All cores leave their jobs. Call it before nx_rank_worlds_end. */
void nx_collectives_end(void);
void nx_collectives_abandon(void); /* in the child after a fork */

/* Drops all communicators and requests of sendrecv.c. */
void nx_sendrecv_end(void);
void nx_sendrecv_abandon(void); /* in the child after a fork */

#endif
