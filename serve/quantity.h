/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantity: numbers as people like to read them: 17.32 ms, 1.5 MiB, 57.6 %.
 * Texts are returned by value, so several fit into one call.
 */
#ifndef NX_SERVE_QUANTITY_H
#define NX_SERVE_QUANTITY_H

#include "model/profile.h"

struct nx_quantity {
	char text[48];
};

struct nx_quantity nx_quantity_ps(uint64_t ps);
struct nx_quantity nx_quantity_count(uint64_t count); /* 1,234,567 */
struct nx_quantity nx_quantity_percent(double frac);  /* 0.576 -> "57.6 %" */
/* In a unit of model/metrics.h ("s", "bytes", "fraction", …); not for text metrics. */
struct nx_quantity nx_quantity_metric(const struct nx_metric *metric, const char *unit);

#endif
