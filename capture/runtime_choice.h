/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_choice: which libnrt.so.1 a command is to be run with.
 *
 * What the user names comes first, then what LD_LIBRARY_PATH already finds, then
 * the system's where there is a device for it. Without a device, or without a
 * runtime of the system, it is ours, which computes on a NeuronCore in software.
 */
#ifndef NX_CAPTURE_RUNTIME_CHOICE_H
#define NX_CAPTURE_RUNTIME_CHOICE_H

#include "base/arena.h"
#include "base/error.h"

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
	const char *program_folder; /* where this program lies; ours is near it */
	const char *root;	    /* before /dev and /opt: "" except in tests */
};

struct nx_runtime_choice {
	enum nx_runtime_origin origin;
	const char *folder; /* that holds libnrt.so.1; NULL for NONE */
	bool has_device, has_system_runtime;
};

/* NOT_FOUND when there is no libnrt.so.1 where the user says; the message names ours. */
NX_MUST_CHECK enum nx_status nx_runtime_choose(const struct nx_runtime_wish *wish,
					       struct nx_arena *arena,
					       struct nx_runtime_choice *choice,
					       struct nx_error *err);
/* The folder of this program's file; NULL when unknown. */
const char *nx_program_folder(struct nx_arena *arena);

#endif
