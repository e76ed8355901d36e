/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insights: what a profile suggests to look at first. Rules over numbers, nothing else.
 *
 *	count = nx_insights_judge(&facts, findings);
 *	nx_insights_join(&bands, 0, gap_ns);
 *	nx_insights_small_dma(parts, part_count, from_ns, to_ns, &bands);
 *
 * The rules, with their limits, are one list in insights.c; docs/api.md describes them to users.
 */
#ifndef NX_ANALYSE_INSIGHTS_H
#define NX_ANALYSE_INSIGHTS_H

#include "model/insight.h"

/* The worst first, of equals in the order of the rules; returns how many. */
size_t nx_insights_judge(const struct nx_insight_facts *facts,
			 struct nx_finding findings[NX_FINDINGS_MAX]);

/*
 * Joins bands from index first on that have the same kind and subject and lie at most gap_ns
 * apart; counts and weights add up. They come in any order and are sorted by time then.
 */
void nx_insights_join(struct nx_bands *bands, size_t first, uint64_t gap_ns);

/* Transfers below this are small: they cost as much as larger ones. */
#define NX_SMALL_DMA_BYTES 512
/* Parts of [from_ns, to_ns) in which at least 32 transfers begin and most of them are small. */
void nx_insights_small_dma(const struct nx_dma_part *parts, size_t part_count, uint64_t from_ns,
			   uint64_t to_ns, struct nx_bands *bands);

#endif
