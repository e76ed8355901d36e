/* SPDX-License-Identifier: Apache-2.0 */
#include "format/process_folder.h"

static const char mark[] = "_pid_";

bool nx_process_folder_parse(struct nx_slice name, struct nx_slice *instance, uint64_t *pid)
{
	size_t digits = name.len;

	while (digits && name.data[digits - 1] >= '0' && name.data[digits - 1] <= '9')
		digits--;
	*instance = nx_slice_part(name, 0, digits);
	if (!nx_slice_ends(*instance, mark) || instance->len == strlen(mark))
		return false;
	instance->len -= strlen(mark);
	return nx_slice_to_u64(nx_slice_part(name, digits, name.len - digits), pid);
}
