/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_hosts: the machines of nccom-test, as users, mpirun and srun name them.
 *
 * A copy that mpirun or srun started learns from the environment which machine it is on, and
 * where rank 0 listens.
 */
#ifndef NX_CLI_NCCOM_NCCOM_HOSTS_H
#define NX_CLI_NCCOM_NCCOM_HOSTS_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

#define NX_NCCOM_MAX_HOSTS 1024u
#define NX_NCCOM_ROOT "NEURON_RT_ROOT_COMM_ID" /* host:port where the ranks meet */

struct nx_nccom_hosts NX_VEC_BODY(const char *); /* names live in an arena */

/* list is "a,b" or "a b". USAGE for what cannot be a host name, LIMIT. */
NX_MUST_CHECK enum nx_status nx_nccom_hosts_add(struct nx_nccom_hosts *hosts, const char *list,
						struct nx_arena *arena, struct nx_error *err);
/* One host per line; the rest of a line after a blank or # is ignored. */
NX_MUST_CHECK enum nx_status nx_nccom_hosts_read(struct nx_nccom_hosts *hosts, const char *path,
						 struct nx_arena *arena, struct nx_error *err);
/* Whether the name is a loopback address, which other machines cannot reach. */
bool nx_nccom_host_is_here(const char *host);

/* text is "3", or "auto" for the number that mpirun or srun gave this copy. USAGE. */
NX_MUST_CHECK enum nx_status nx_nccom_node_read(const char *text, uint32_t *node,
						struct nx_error *err);
/* The first machine of Slurm's list: "trn[007-010],x" is trn007. False if it is too long. */
bool nx_nccom_hosts_first(const char *list, char *out, size_t cap);
/* Completes NEURON_RT_ROOT_COMM_ID=:port with the first machine of Slurm's list. USAGE. */
NX_MUST_CHECK enum nx_status nx_nccom_root_complete(struct nx_error *err);

#endif
