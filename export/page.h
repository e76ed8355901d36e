/* SPDX-License-Identifier: Apache-2.0 */
/* page: the frame of HTML pages that stand alone: style for both themes and for print, no script,
 * no reference to other files. */
#ifndef NX_EXPORT_PAGE_H
#define NX_EXPORT_PAGE_H

#include "base/vec.h"

void nx_page_begin(struct nx_bytes *out, const char *title);
void nx_page_end(struct nx_bytes *out);
/* Escaped, so that no name of a capture is markup. */
void nx_page_text(struct nx_bytes *out, const char *text);

#endif
