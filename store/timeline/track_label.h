/* SPDX-License-Identifier: Apache-2.0 */
/*
 * track_label: the names, attributes and ranks of the tracks of a rule
 * (store/timeline/timeline_rules.h), taken from their first row.
 *
 * A label is filled by one of the functions below and then holds the texts of the track it
 * describes; those of the row are borrowed. nx_timeline_writer_add_track copies all of them.
 */
#ifndef NX_STORE_TIMELINE_TRACK_LABEL_H
#define NX_STORE_TIMELINE_TRACK_LABEL_H

#include "store/timeline/timeline.h"
#include "store/timeline/timeline_rules.h"

#define NX_LABEL_MAX ((size_t)512) /* bytes; longer ones are cut */
#define NX_LABEL_PARTS (NX_MAX_GROUP_PARTS + NX_MAX_TRACK_PARTS)

struct nx_track_label {
	char text[NX_LABEL_MAX];
	size_t len;
	char digits[NX_LABEL_PARTS][24];
	struct nx_track_attribute attributes[NX_LABEL_PARTS + 2];
	uint32_t attribute_count;
};

/* Fill kind, name, unit, rank, attributes and keys; the parent is left to the caller. */
void nx_track_label_group(struct nx_track_label *label, const struct nx_timeline_rule *rule,
			  const struct nx_row *row, struct nx_track *track);
/* sequence counts the places of all rules, in the order in which they came. */
void nx_track_label_series(struct nx_track_label *label, const struct nx_timeline_rule *rule,
			   const struct nx_row *row, unsigned series, uint64_t sequence,
			   struct nx_track *track);
/* For one of the columns that add up to the first series. */
void nx_track_label_share(struct nx_track_label *label, const struct nx_timeline_rule *rule,
			  const struct nx_row *row, unsigned column, struct nx_track *track);

#endif
