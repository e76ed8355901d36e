/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assets: the web pages, inside the program.
 *
 *	const struct nx_asset *asset = nx_asset_find(url);	"/profile/x" -> index.1.html
 *
 * ui/build_assets.py writes the table. Every file is gzip-compressed; all browsers accept
 * that. Files whose name holds a hash of their content (is_hashed) never change,
 * so browsers may cache them for ever; the others are revalidated with their etag.
 */
#ifndef NX_SERVE_ASSETS_H
#define NX_SERVE_ASSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nx_asset {
	const char *path; /* "main-0A1B2C3D.js", below assets/ */
	const char *type;
	const char *etag; /* without its quotes */
	const uint8_t *gzip;
	size_t gzip_size;
	size_t plain_size;
	bool is_hashed;
};

extern const struct nx_asset nx_assets[];
extern const size_t nx_asset_count;

/*
 * The file for the path of a URL: /assets/NAME is that file or NULL; every other path is a page of
 * the application, whose script shows an error if there is no such page. Pages refer to their
 * files relatively, so there is one page per depth of path. NULL for /api and for paths too deep.
 */
const struct nx_asset *nx_asset_find(const char *url_path);

#endif
