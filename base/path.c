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

static bool part_is_inside(const uint8_t *part, size_t len)
{
	if (!len || len > 255 || (len == 1 && part[0] == '.') ||
	    (len == 2 && part[0] == '.' && part[1] == '.'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (part[i] < 0x20 || part[i] == 0x7f)
			return false;
	return true;
}

bool nx_path_is_inside(struct nx_slice name)
{
	size_t at = 0;

	while (at <= name.len) {
		const uint8_t *slash =
			at < name.len ? memchr(name.data + at, '/', name.len - at) : NULL;
		size_t end = slash ? (size_t)(slash - name.data) : name.len;

		if (!part_is_inside(name.data + at, end - at))
			return false;
		at = end + 1;
	}
	return true;
}
