/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_registry: programs that could be captured: those of jobs.json in the workspace, and those
 * with a profiler service on this machine.
 *
 *	{"jobs": [{"name": "train", "addresses": ["trn2-0:9012", "trn2-1:9012"]},
 *		  {"name": "eval", "port": 9012,
 *		   "hosts_command": ["scontrol", "show", "hostnames", "trn2-[0-3]"]}]}
 *
 * The command prints host names or addresses, separated by blanks or lines; port is added to those
 * without one. It runs without a shell, and only commands of this file are run: whoever can write
 * the workspace could run them anyway.
 */
#ifndef NX_SERVE_JOB_REGISTRY_H
#define NX_SERVE_JOB_REGISTRY_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "store/workspace.h"

#define NX_JOBS_FILE "jobs.json"
#define NX_JOBS_MAX 64u

/* "host:port" or "[address]:port", without anything that a list of addresses could split. */
bool nx_job_address_is_valid(const char *address);

/* Members jobs and local of the object, as docs/api.md describes them. A file that is not valid
 * and a command that fails become a sentence in their place. May take seconds. */
void nx_job_registry_put(struct nx_json_writer *w, const struct nx_workspace *ws,
			 struct nx_arena *arena);

#endif
