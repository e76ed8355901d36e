/* SPDX-License-Identifier: Apache-2.0 */
/* assets: the files of serve/assets, inside the program. The build writes assets.c. */
#ifndef NX_SERVE_ASSETS_H
#define NX_SERVE_ASSETS_H

#include <stddef.h>

struct nx_asset {
	const unsigned char *bytes;
	size_t size;
};

extern const struct nx_asset nx_asset_icon_svg;
extern const struct nx_asset nx_asset_profile_js;
extern const struct nx_asset nx_asset_style_css;

#endif
