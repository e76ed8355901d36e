/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collectives: operations over ranks that the host asks for, without a program.
 *
 * A core becomes a rank of a job (rank_world.h) by nrt_build_global_comm or with
 * its first barrier or gathering. Ranks that are threads of one process need
 * nothing else; processes find each other by NEURON_RT_ROOT_COMM_ID.
 */
#ifndef NX_RUNTIME_NRT_COLLECTIVES_H
#define NX_RUNTIME_NRT_COLLECTIVES_H

#include <nrt/nrt_async.h>

struct nx_collective; /* made by nrta_cc_prepare */

/* Waits for the other ranks of its group. */
NRT_STATUS nx_collective_run(struct nx_collective *collective);
uint32_t nx_collective_core(const struct nx_collective *collective);

/* Cores are ranks no more; before the worlds end. */
void nx_collectives_end(void);
void nx_collectives_abandon(void); /* in the child of a fork */

/* Drops all communicators and requests of sendrecv.c. */
void nx_sendrecv_end(void);

#endif
