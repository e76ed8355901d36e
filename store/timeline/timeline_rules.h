/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_rules: which tables become which tracks. The list is in timeline_rules.c; a new kind of
 * track is one more block there.
 *
 * A rule applies to the rows of one table. Rows that agree in the columns of group and track share
 * a place, and a place has a track for each of the rule's series, so one row may be a span, count
 * in a rate and change a level. The columns of a place are the attributes of its tracks (struct
 * nx_track_attribute), for pages that group them differently; some serve only that and are hidden
 * in the label.
 *
 * Tracks are ranked as the rules are, from the top of the screen to its bottom.
 */
#ifndef NX_STORE_TIMELINE_TIMELINE_RULES_H
#define NX_STORE_TIMELINE_TIMELINE_RULES_H

#include "model/table_sink.h"
#include "store/timeline/timeline.h"

#define NX_NO_COLUMN UINT16_MAX
#define NX_MAX_GROUP_PARTS 2
#define NX_MAX_TRACK_PARTS 6
#define NX_MAX_SERIES 2	     /* at most 4: two bits of a rank */
#define NX_MAX_TABLE_RULES 3 /* of one table */

/* A column, and the text before its value. Lists end with a part without prefix. */
struct nx_rule_part {
	const char *prefix;
	uint16_t column;
	bool is_hidden; /* from the label */
};

enum nx_series_kind {
	NX_SERIES_NONE,
	NX_SERIES_SPANS, /* a span for each row, named by a column */
	NX_SERIES_LEVEL, /* a sample for each row */
	/* A row spreads its amount evenly over its duration: the sum over all active rows, per
	   second. */
	NX_SERIES_RATE,
};

struct nx_rule_series {
	enum nx_series_kind kind;
	const char *title; /* of the track, before its parts; may be "" */
	const char *unit;
	uint16_t column;			    /* name of a span, value of a sample */
	double (*amount)(const struct nx_row *row); /* if not NULL, instead of a column's value */
};

struct nx_timeline_rule {
	enum nx_schema_table_id table;
	bool (*takes)(const struct nx_row *row); /* NULL: every row */
	uint16_t start, end, duration;		 /* columns; of end and duration one, or none */
	struct nx_rule_part group[NX_MAX_GROUP_PARTS + 1], track[NX_MAX_TRACK_PARTS + 1];
	/* Rows come process by process, and processes in containers may share a pid: if time steps
	 * back, the next process begins and its rows get a place of their own. */
	bool is_by_process;
	bool is_nested;		 /* its spans are calls (struct nx_track) */
	const char *key, *value; /* one more attribute of its tracks; or NULL */
	const char *label_key;	 /* its text in the event's attributes ends the label; or NULL */
	struct nx_rule_series series[NX_MAX_SERIES];
	/* Columns that add up to the first series, a level: each is a track below it, with a sample
	 * where the value changes, starting with the first that is not 0. None if last is 0. */
	uint16_t first_share, last_share;
};

extern const struct nx_timeline_rule nx_timeline_rules[];
extern const size_t nx_timeline_rule_count;

#define NX_LABEL_MAX ((size_t)512) /* bytes; longer ones are cut */
#define NX_LABEL_PARTS (NX_MAX_GROUP_PARTS + NX_MAX_TRACK_PARTS)

/*
 * The name, attributes and rank of a track, taken from its first row. A label is filled by one of
 * the functions below and then holds the texts of the track it describes; those of the row are
 * borrowed. nx_timeline_writer_add_track copies all of them.
 */
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
