/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insights: what a profile suggests to look at first. Rules over numbers, nothing else.
 *
 *	nx_insights_conclude(&insights, &facts, &rows);
 *	show(nx_insights_detail(&rows, &insights.bands.items[0], arena));
 *	nx_vec_release(&insights.bands);
 *
 * The rules with their limits, and the kinds of bands, are lists in insights.c; docs/api.md
 * describes them to users. query/insight_facts.h asks a stored profile for the facts and rows.
 */
#ifndef NX_ANALYSE_INSIGHTS_H
#define NX_ANALYSE_INSIGHTS_H

#include "base/arena.h"
#include "model/insight.h"

struct nx_insights {
	struct nx_bands bands; /* joined where they are near, at most 200 of a kind */
	struct nx_finding findings[NX_FINDINGS_MAX];
	size_t finding_count;
};

/* How the kinds of bands are named to programs and to people. */
struct nx_band_text {
	const char *name, *title;
	bool is_joined; /* near bands of one subject become one */
};
extern const struct nx_band_text nx_band_texts[NX_BAND_KIND_COUNT];

/* The caller releases the bands. Findings borrow from the facts. */
void nx_insights_conclude(struct nx_insights *insights, const struct nx_insight_facts *facts,
			  const struct nx_insight_rows *rows);
/* A sentence about a band of those rows. */
const char *nx_insights_detail(const struct nx_insight_rows *rows, const struct nx_band *band,
			       struct nx_arena *arena);

/* --- the steps of a conclusion -------------------------------------------------------- */

/*
 * Errors, then the largest gain first; of equals in the order of the rules. A finding whose gain is
 * known by a replay and below one percent is left out. Returns how many; they borrow from facts.
 */
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
