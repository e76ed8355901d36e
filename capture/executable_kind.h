/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executable_kind: how a command will be loaded. A statically linked program
 * loads no libnrt.so.1, so it cannot be captured.
 */
#ifndef NX_CAPTURE_EXECUTABLE_KIND_H
#define NX_CAPTURE_EXECUTABLE_KIND_H

#include "base/arena.h"

enum nx_executable_kind {
	NX_EXECUTABLE_OTHER,   /* a script, or nothing we can read */
	NX_EXECUTABLE_DYNAMIC, /* an ELF program with a dynamic loader */
	NX_EXECUTABLE_STATIC,  /* an ELF program without */
};

enum nx_executable_kind nx_executable_kind_of_bytes(struct nx_slice bytes);
/* The file that would run; search_path is the value of PATH. NULL if there is none. */
const char *nx_executable_find(struct nx_arena *arena, const char *command,
			       const char *search_path);
/* Of that file. */
enum nx_executable_kind nx_executable_kind_of(const char *command, const char *search_path);

#endif
