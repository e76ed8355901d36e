/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include <string.h>

const char *nx_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

struct nx_slice nx_path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return nx_slice_text(".");
	return nx_slice_of(path, slash == path ? 1 : (size_t)(slash - path));
}

struct nx_slice nx_path_last(const char *path)
{
	size_t len = strlen(path);
	const char *slash;

	while (len > 1 && path[len - 1] == '/')
		len--;
	slash = memrchr(path, '/', len);
	if (!slash || slash + 1 == path + len)
		return nx_slice_of(path, len);
	return nx_slice_of(slash + 1, (size_t)(path + len - slash - 1));
}

struct nx_slice nx_path_stem(const char *path)
{
	struct nx_slice name = nx_path_last(path);
	const uint8_t *dot = name.len ? memrchr(name.data, '.', name.len) : NULL;

	return dot && dot > name.data ? nx_slice_of(name.data, (size_t)(dot - name.data)) : name;
}
