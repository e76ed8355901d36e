/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/row_place.h"

#include <string.h>

#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

static void add_cells(struct nx_bytes *key, const struct nx_row *row,
		      const struct nx_rule_part *parts)
{
	for (; parts->prefix; parts++) {
		const union nx_cell *cell = &row->cells[parts->column];
		uint64_t head[2] = {row->kinds[parts->column], 0};

		if (head[0] == NX_CELL_I64)
			head[1] = (uint64_t)cell->i64;
		else if (head[0] == NX_CELL_TEXT)
			head[1] = cell->text.len;
		nx_bytes_append(key, head, sizeof(head));
		if (head[0] == NX_CELL_TEXT)
			nx_bytes_append(key, cell->text.data, cell->text.len);
	}
}

void nx_row_place_key(const struct nx_timeline_rule *rule, const struct nx_row *row,
		      struct nx_bytes *key)
{
	const uint64_t rule_idx = (uint64_t)(rule - nx_timeline_rules);

	key->len = 0;
	nx_bytes_append(key, &rule_idx, sizeof(rule_idx));
	add_cells(key, row, rule->group);
	add_cells(key, row, rule->track);
}

/* Whether add_cells would write what is known from at on; moves at past it. */
static bool are_cells(const struct nx_bytes *known, size_t *at, const struct nx_row *row,
		      const struct nx_rule_part *parts)
{
	for (; parts->prefix; parts++) {
		const union nx_cell *cell = &row->cells[parts->column];
		uint64_t head[2];

		if (known->len - *at < sizeof(head))
			return false;
		memcpy(head, known->items + *at, sizeof(head));
		*at += sizeof(head);
		if (head[0] != row->kinds[parts->column])
			return false;
		if (head[0] == NX_CELL_I64 && head[1] != (uint64_t)cell->i64)
			return false;
		if (head[0] != NX_CELL_TEXT)
			continue;
		if (head[1] != cell->text.len || known->len - *at < cell->text.len ||
		    (cell->text.len &&
		     memcmp(known->items + *at, cell->text.data, cell->text.len) != 0))
			return false;
		*at += cell->text.len;
	}
	return true;
}

bool nx_row_place_is(const struct nx_timeline_rule *rule, const struct nx_row *row,
		     const struct nx_bytes *key)
{
	const uint64_t rule_idx = (uint64_t)(rule - nx_timeline_rules);
	size_t at = sizeof(rule_idx);

	return key->len >= at && !memcmp(key->items, &rule_idx, sizeof(rule_idx)) &&
	       are_cells(key, &at, row, rule->group) && are_cells(key, &at, row, rule->track);
}

/* Texts count by their address: most are interned, and the others only miss. */
static uint64_t add_parts(uint64_t hash, const struct nx_row *row, const struct nx_rule_part *parts)
{
	for (; parts->prefix; parts++) {
		const union nx_cell *cell = &row->cells[parts->column];
		unsigned kind = row->kinds[parts->column];

		hash *= FACTOR;
		if (kind == NX_CELL_I64)
			hash += (uint64_t)cell->i64;
		else if (kind == NX_CELL_TEXT)
			hash += (uint64_t)(uintptr_t)cell->text.data;
	}
	return hash * FACTOR;
}

uint64_t nx_row_place_hash(const struct nx_timeline_rule *rule, const struct nx_row *row)
{
	uint64_t hash = (uint64_t)(rule - nx_timeline_rules) + 1;

	return add_parts(add_parts(hash, row, rule->group), row, rule->track);
}
