/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html: markup with holes. Every $ of the template takes the next text, always
 * escaped: there is no way to put a text of a file onto a page unescaped.
 *
 *	nx_html_write(page, "<td>$</td><td>$</td>", layer->name, duration);
 */
#ifndef NX_SERVE_HTML_H
#define NX_SERVE_HTML_H

#include "base/vec.h"

#define nx_html_write(page, template, ...)                                                         \
	nx_html_fill((page), (template), (const char *const[]){"", ##__VA_ARGS__, NULL} + 1)

/* texts ends with NULL; holes without a text stay empty. Use through the macro. */
void nx_html_fill(struct nx_bytes *page, const char *template, const char *const *texts);

#endif
