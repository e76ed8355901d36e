/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/text_list.h"

#include <string.h>

#include "base/arena.h"

void nx_text_list_free(const char **list, size_t count)
{
	for (size_t i = 0; list && i < count; i++)
		nx_heap_free((void *)(uintptr_t)list[i]);
	nx_heap_free((void *)list);
}

NRT_STATUS nx_text_list_new(const char *const *names, size_t name_count, const char ***out,
			    size_t *out_count)
{
	const char **list;

	if (!out || !out_count)
		return NRT_INVALID;
	list = nx_heap_try_alloc(name_count * sizeof(*list));
	for (size_t i = 0; list && i < name_count; i++) {
		char *copy = nx_heap_try_alloc(strlen(names[i]) + 1);

		if (!copy) {
			nx_text_list_free(list, i);
			return NRT_RESOURCE;
		}
		memcpy(copy, names[i], strlen(names[i]) + 1);
		list[i] = copy;
	}
	if (!list)
		return NRT_RESOURCE;
	*out = list;
	*out_count = name_count;
	return NRT_SUCCESS;
}
