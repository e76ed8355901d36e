/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_place: the cells that determine a row's place on a timeline, as a key, and a way to recognise
 * the key of a row without writing it: there are millions of rows for each new key.
 */
#ifndef NX_STORE_TIMELINE_ROW_PLACE_H
#define NX_STORE_TIMELINE_ROW_PLACE_H

#include "base/vec.h"
#include "store/timeline/timeline_rules.h"

/* The rule's number, since rules may share columns, then the cells as they are. */
void nx_row_place_key(const struct nx_timeline_rule *rule, const struct nx_row *row,
		      struct nx_bytes *key);
/* Whether nx_row_place_key would write this key. */
bool nx_row_place_is(const struct nx_timeline_rule *rule, const struct nx_row *row,
		     const struct nx_bytes *key);
/* Equal for rows with the same key and interned texts; the upper bits are well distributed. */
uint64_t nx_row_place_hash(const struct nx_timeline_rule *rule, const struct nx_row *row);

#endif
