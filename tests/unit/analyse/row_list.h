/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_list: keeps the rows an analysis hands out. row_size must be set before the first.
 *
 * Fixtures whose first member is a row_list are made by row_list_fixture_new in cmocka's setup;
 * row_list_fixture_end is their teardown.
 */
#ifndef NX_TESTS_ROW_LIST_H
#define NX_TESTS_ROW_LIST_H

#include "base/vec.h"

struct row_list {
	struct nx_bytes bytes;
	size_t row_size;
};

static inline void row_list_add(void *context, const void *row)
{
	struct row_list *list = context;

	nx_bytes_append(&list->bytes, row, list->row_size);
}

static inline size_t row_list_count(const struct row_list *list)
{
	return list->bytes.len / list->row_size;
}

static inline const void *row_list_at(const struct row_list *list, size_t index)
{
	return list->bytes.items + index * list->row_size;
}

/* A zeroed fixture of that size. */
static inline void *row_list_fixture_new(size_t fixture_size, size_t row_size)
{
	struct row_list *fixture = nx_heap_alloc(fixture_size);

	memset(fixture, 0, fixture_size);
	fixture->row_size = row_size;
	return fixture;
}

static inline int row_list_fixture_end(void **state)
{
	struct row_list *fixture = *state;

	nx_vec_release(&fixture->bytes);
	nx_heap_free(fixture);
	return 0;
}

#endif
