/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vec: a growing array of any type.
 *
 *	NX_VEC(struct nx_span) spans = {0};
 *	nx_vec_push(&spans, ((struct nx_span){1, 2}));
 *	for (size_t i = 0; i < spans.len; i++) use(spans.items[i]);
 *	nx_vec_release(&spans);
 *
 * A zeroed vec is valid and empty. To pass one between functions, name its type:
 * `struct nx_bytes NX_VEC_BODY(uint8_t);`
 */
#ifndef NX_BASE_VEC_H
#define NX_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/bare/slice.h"
#include "base/bare/status.h"

#define NX_VEC_BODY(type)                                                                          \
	{                                                                                          \
		type *items;                                                                       \
		size_t len;                                                                        \
		size_t cap;                                                                        \
	}
#define NX_VEC(type) struct NX_VEC_BODY(type)

/* Room for at least need items; returns the (moved) items. Use through the macros. */
void *nx_vec_grow(void *items, size_t *cap, size_t need, size_t item_size);

#define nx_vec_reserve(v, need)                                                                    \
	((need) > (v)->cap ? (void)((v)->items = nx_vec_grow((v)->items, &(v)->cap, (need),        \
							     sizeof(*(v)->items)))                 \
			   : (void)0)
#define nx_vec_push(v, item) (nx_vec_reserve((v), (v)->len + 1), (v)->items[(v)->len++] = (item))
#define nx_vec_clear(v) ((void)((v)->len = 0))
void nx_vec_free_items(void *items);
#define nx_vec_release(v)                                                                          \
	(nx_vec_free_items((v)->items), (v)->items = NULL, (v)->len = 0, (void)((v)->cap = 0))

/* A byte buffer, the target of every encoder. */
struct nx_bytes NX_VEC_BODY(uint8_t);

void nx_bytes_append(struct nx_bytes *bytes, const void *data, size_t len);
void nx_bytes_printf(struct nx_bytes *bytes, const char *fmt, ...) NX_PRINTF(2, 3);
void nx_bytes_append_zeros(struct nx_bytes *bytes, size_t len);
/* Appends text for a URL: all bytes but letters, digits and -._~ become %XX. */
void nx_bytes_append_percent(struct nx_bytes *bytes, struct nx_slice text);

#endif
