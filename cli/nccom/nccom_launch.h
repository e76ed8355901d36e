/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_launch: nccom-test on many machines, as users name them, started by mpirun or srun.
 *
 *	if (nx_nccom_launch_is_wanted(&words))
 *		st = nx_nccom_launch_plan(&launch, &words, &arena, &err);
 *	... read the request, so that its errors are reported once, here ...
 *	st = nx_nccom_launch_run(&launch, argc, argv, &exit_code, &err);
 *	nx_nccom_launch_release(&launch);
 *
 * Each machine gets a copy of this program with the same arguments after "--node-rank auto"
 * and -N. Copies meet at NEURON_RT_ROOT_COMM_ID or, by default, on the first machine at a port
 * that is free on this one. They learn from the environment which machine they are on.
 */
#ifndef NX_CLI_NCCOM_NCCOM_LAUNCH_H
#define NX_CLI_NCCOM_NCCOM_LAUNCH_H

#include "cli/nccom/nccom_options.h"

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

struct nx_nccom_launch {
	const struct nx_nccom_words *words; /* borrowed */
	struct nx_nccom_hosts hosts;	    /* empty with Slurm, which chooses them */
	uint32_t node_count;
	struct nx_arena *arena; /* borrowed; holds the command */
};

/* False in a copy, which has --node-rank. */
bool nx_nccom_launch_is_wanted(const struct nx_nccom_words *words);

/* Sets words->nodes. USAGE, LIMIT, and errors of reading the hosts file. */
NX_MUST_CHECK enum nx_status nx_nccom_launch_plan(struct nx_nccom_launch *launch,
						  struct nx_nccom_words *words,
						  struct nx_arena *arena, struct nx_error *err);

/* The command line of starter, mpirun or srun, that runs program; ends with NULL. */
char **nx_nccom_launch_command(const struct nx_nccom_launch *launch, const char *starter,
			       const char *program, int argc, char **argv);

/*
 * Waits for all copies; *exit_code is that of a copy that failed. Signals are passed to mpirun or
 * srun, which ends the copies. NOT_FOUND if neither is installed.
 */
NX_MUST_CHECK enum nx_status nx_nccom_launch_run(const struct nx_nccom_launch *launch, int argc,
						 char **argv, int *exit_code, struct nx_error *err);
void nx_nccom_launch_release(struct nx_nccom_launch *launch);

#endif
