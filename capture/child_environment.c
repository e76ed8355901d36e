/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/child_environment.h"

#include <assert.h>
#include <string.h>

static void push(struct nx_child_environment *environment, char *item)
{
	nx_vec_reserve(environment, environment->len + 2);
	environment->items[environment->len++] = item;
	environment->items[environment->len] = NULL;
}

static bool is_named(const char *item, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(item, name, len) && item[len] == '=';
}

void nx_child_environment_copy(struct nx_child_environment *environment, char *const *from)
{
	for (; *from; from++)
		push(environment, *from);
}

const char *nx_child_environment_get(const struct nx_child_environment *environment,
				     const char *name)
{
	for (size_t i = 0; i < environment->len; i++)
		if (is_named(environment->items[i], name))
			return environment->items[i] + strlen(name) + 1;
	return NULL;
}

void nx_child_environment_set(struct nx_child_environment *environment, const char *name,
			      const char *value)
{
	size_t kept = 0;

	assert(*name && !strchr(name, '='));
	for (size_t i = 0; i < environment->len; i++)
		if (!is_named(environment->items[i], name))
			environment->items[kept++] = environment->items[i];
	environment->len = kept;
	push(environment, nx_arena_printf(&environment->arena, "%s=%s", name, value));
}

void nx_child_environment_release(struct nx_child_environment *environment)
{
	nx_vec_release(environment);
	nx_arena_release(&environment->arena);
}
