/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child_environment: the environment of a child process: a copy of ours with changes.
 *
 *	struct nx_child_environment environment = {0};
 *	nx_child_environment_copy(&environment, environ);
 *	nx_child_environment_set(&environment, "NEURON_RT_INSPECT_ENABLE", "1");
 *	... environment.items goes to nx_child_command_run ...
 *	nx_child_environment_release(&environment);
 *
 * A zeroed struct is valid. It borrows the texts of the copied list.
 */
#ifndef NX_CAPTURE_CHILD_ENVIRONMENT_H
#define NX_CAPTURE_CHILD_ENVIRONMENT_H

#include "base/arena.h"
#include "base/vec.h"

struct nx_child_environment {
	char **items; /* ends with NULL once something was copied or set */
	size_t len, cap;
	struct nx_arena arena;
};

void nx_child_environment_copy(struct nx_child_environment *environment, char *const *from);
/* NULL if there is none. */
const char *nx_child_environment_get(const struct nx_child_environment *environment,
				     const char *name);
/* Replaces all with that name. */
void nx_child_environment_set(struct nx_child_environment *environment, const char *name,
			      const char *value);
void nx_child_environment_release(struct nx_child_environment *environment);

#endif
