/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_place: the cells by which a rule tells where a row lies on a timeline, as a key, and what is
 * needed to recognise the key of a row without writing it: millions of rows pass for each new one.
 */
#ifndef NX_STORE_TIMELINE_ROW_PLACE_H
#define NX_STORE_TIMELINE_ROW_PLACE_H

#include "base/vec.h"
#include "store/timeline/timeline_rules.h"

/* Cells as they are; the rule's number goes first, for rules may share their columns. */
void nx_row_place_key(const struct nx_timeline_rule *rule, const struct nx_row *row,
		      struct nx_bytes *key);
/* Whether nx_row_place_key would write this. */
bool nx_row_place_is(const struct nx_timeline_rule *rule, const struct nx_row *row,
		     const struct nx_bytes *key);
/* Equal for rows whose texts are interned and that have one key; spread over the upper bits. */
uint64_t nx_row_place_hash(const struct nx_timeline_rule *rule, const struct nx_row *row);

#endif
