/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SMALLEST_GROWTH_BYTES ((size_t)64)

void *nx_vec_grow(void *items, size_t *cap, size_t need, size_t item_size)
{
	size_t smallest = (SMALLEST_GROWTH_BYTES + item_size - 1) / item_size;
	size_t wanted = *cap <= SIZE_MAX / 2 ? *cap * 2 : SIZE_MAX;
	size_t bytes;

	assert(item_size && need > *cap);
	if (wanted < need)
		wanted = need;
	if (wanted < smallest)
		wanted = smallest;
	/* More than the address space: let the heap say so. */
	if (__builtin_mul_overflow(wanted, item_size, &bytes))
		bytes = SIZE_MAX;
	items = nx_heap_realloc(items, bytes);
	*cap = wanted;
	return items;
}

void nx_vec_free_items(void *items)
{
	nx_heap_free(items);
}

static uint8_t *extend(struct nx_bytes *bytes, size_t len)
{
	size_t need;
	uint8_t *start;

	if (__builtin_add_overflow(bytes->len, len, &need))
		need = SIZE_MAX;
	nx_vec_reserve(bytes, need);
	start = bytes->items + bytes->len;
	bytes->len = need;
	return start;
}

void nx_bytes_append(struct nx_bytes *bytes, const void *data, size_t len)
{
	if (len)
		memcpy(extend(bytes, len), data, len);
}

void nx_bytes_printf(struct nx_bytes *bytes, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	assert(len >= 0);
	nx_vec_reserve(bytes, bytes->len + (size_t)len + 1); /* with a NUL, which is not kept */
	va_start(args, fmt);
	vsnprintf((char *)bytes->items + bytes->len, (size_t)len + 1, fmt, args);
	va_end(args);
	bytes->len += (size_t)len;
}

void nx_bytes_append_zeros(struct nx_bytes *bytes, size_t len)
{
	if (len)
		memset(extend(bytes, len), 0, len);
}

void nx_bytes_append_percent(struct nx_bytes *bytes, struct nx_slice text)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i];
		char escaped[3] = {'%', digits[c >> 4], digits[c & 15]};

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c && strchr("-._~", c)))
			nx_vec_push(bytes, c);
		else
			nx_bytes_append(bytes, escaped, sizeof(escaped));
	}
}
