/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page: the HTML that visitors see. No scripts or styles are inline and sizes
 * are SVG attributes, so the pages live with a strict content security policy.
 */
#ifndef NX_SERVE_PAGE_H
#define NX_SERVE_PAGE_H

#include "base/vec.h"
#include "model/profile.h"
#include "serve/overview.h"

void nx_page_list(struct nx_bytes *page, const struct nx_profile *profile);
void nx_page_profile(struct nx_bytes *page, const struct nx_profile *profile,
		     const struct nx_overview *overview);
/* A page with one sentence, for requests that lead nowhere. */
void nx_page_message(struct nx_bytes *page, const char *title, const char *sentence);

#endif
