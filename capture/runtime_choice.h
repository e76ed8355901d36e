/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_choice: the libnrt.so.1 that a command runs with.
 *
 * The user's choice comes first, then LD_LIBRARY_PATH, then the system's if there is a
 * device, and else our own, which simulates a NeuronCore.
 */
#ifndef NX_CAPTURE_RUNTIME_CHOICE_H
#define NX_CAPTURE_RUNTIME_CHOICE_H

#include "base/arena.h"
#include "base/error.h"
#include "capture/child_environment.h"

enum nx_runtime_origin {
	NX_RUNTIME_NONE, /* not found */
	NX_RUNTIME_GIVEN,
	NX_RUNTIME_LIBRARY_PATH,
	NX_RUNTIME_SYSTEM,
	NX_RUNTIME_OWN,
};

struct nx_runtime_wish {
	const char *given;	    /* a folder or a file; NULL: choose */
	const char *library_path;   /* value of LD_LIBRARY_PATH; may be NULL */
	const char *program_folder; /* of this program; our own runtime is near it */
	const char *root;	    /* prefix of /dev and /opt: "" except in tests */
};

struct nx_runtime_choice {
	enum nx_runtime_origin origin;
	const char *folder; /* that holds libnrt.so.1; NULL for NONE */
	bool has_device, has_system_runtime;
};

/* NOT_FOUND if there is no libnrt.so.1 at the given place; the message names ours. */
NX_MUST_CHECK enum nx_status nx_runtime_choose(const struct nx_runtime_wish *wish,
					       struct nx_arena *arena,
					       struct nx_runtime_choice *choice,
					       struct nx_error *err);
/* Puts the folder in front of LD_LIBRARY_PATH, unless the command finds the library without. */
void nx_runtime_choice_apply(const struct nx_runtime_choice *choice,
			     struct nx_child_environment *environment, struct nx_arena *arena);
/* Of the software NeuronCore that comes with this program; NULL if it is not there. */
const char *nx_runtime_own_folder(const char *program_folder, struct nx_arena *arena);
/* The folder of this program's file; NULL when unknown. */
const char *nx_program_folder(struct nx_arena *arena);

#endif
