/* SPDX-License-Identifier: Apache-2.0 */
/* neff_internal: what the readers of a NEFF's parts share. */
#ifndef NX_FORMAT_NEFF_INTERNAL_H
#define NX_FORMAT_NEFF_INTERNAL_H

#include "base/json_reader.h"
#include "base/map.h"
#include "format/neff.h"

/* Fills in what the members declare: target, graphs, tensors and problems. */
void nx_neff_read_graphs(struct nx_neff *neff, struct nx_arena *arena);

/* Number of elements; 0 if it is not an array. */
static inline size_t nx_neff_count(const struct nx_json *array)
{
	return array && array->kind == NX_JSON_ARRAY ? array->count : 0;
}

/* NX_NO_INDEX if it is not a number of 32 bits. */
static inline uint32_t nx_neff_number(const struct nx_json *value)
{
	uint64_t number = nx_json_as_u64(value, NX_NO_INDEX);

	return number < NX_NO_INDEX ? (uint32_t)number : NX_NO_INDEX;
}

static inline const char *nx_neff_text(struct nx_text_pool *pool, const struct nx_json *object,
				       const char *key)
{
	return nx_text_pool_copy(pool, nx_json_as_slice(nx_json_get(object, key)));
}

#endif
