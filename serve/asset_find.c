/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "serve/assets.h"

static const struct nx_asset *named(const char *name)
{
	for (size_t i = 0; i < nx_asset_count; i++)
		if (!strcmp(nx_assets[i].path, name))
			return &nx_assets[i];
	return NULL;
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && (path[len] == '/' || !path[len]);
}

const struct nx_asset *nx_asset_find(const char *url_path)
{
	char page[32] = "index.html";
	const struct nx_asset *asset;
	unsigned depth = 0;

	if (url_path[0] != '/' || is_below(url_path, "/api"))
		return NULL;
	if (is_below(url_path, "/assets"))
		return url_path[7] ? named(url_path + 8) : NULL;
	for (const char *c = url_path + 1; *c; c++)
		depth += *c == '/';
	if (depth)
		snprintf(page, sizeof(page), "index.%u.html", depth);
	asset = named(page);
	/* Built without the pages: one page, which refers to nothing, fits every depth. */
	return asset || nx_asset_count > 1 ? asset : named("index.html");
}
