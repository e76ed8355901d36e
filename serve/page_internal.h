/* SPDX-License-Identifier: Apache-2.0 */
/* page_internal: the sections of the profile's page, one file per kind. */
#ifndef NX_SERVE_PAGE_INTERNAL_H
#define NX_SERVE_PAGE_INTERNAL_H

#include "serve/page.h"

/* NULL when the profile does not have it. */
const struct nx_metric *nx_page_metric(const struct nx_profile *profile, const char *name);
/* The order in which engines are shown: the one that limits most programs first. */
extern const unsigned nx_page_lane_order[NX_LANE_BUSY_COUNT];
const char *nx_page_lane_label(unsigned lane); /* "Tensor", "DMA" */
const char *nx_page_lane_word(unsigned lane);  /* "tensor", "dma": of metrics and colours */

void nx_page_timeline(struct nx_bytes *page, const struct nx_profile *profile,
		      const struct nx_overview *overview);
void nx_page_layers(struct nx_bytes *page, const struct nx_profile *profile);
void nx_page_metrics(struct nx_bytes *page, const struct nx_profile *profile);

#endif
