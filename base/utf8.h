/* SPDX-License-Identifier: Apache-2.0 */
/* utf8: writes, recognizes and repairs UTF-8; texts in captures may hold any bytes. */
#ifndef NX_BASE_UTF8_H
#define NX_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool nx_utf8_is_tail(uint8_t byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Writes the character, up to four bytes; returns how many. */
static inline size_t nx_utf8_put(uint8_t *out, uint32_t c)
{
	static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = len; i-- > 1; c >>= 6)
		out[i] = (uint8_t)(0x80 | (c & 0x3f));
	out[0] = (uint8_t)(lead[len] | c);
	return len;
}

/* Length of the well-formed sequence beyond ASCII at at (Unicode table 3-7), 0 for none. */
static inline size_t nx_utf8_length(const uint8_t *at, const uint8_t *end)
{
	size_t left = (size_t)(end - at);
	uint8_t lead = at[0];

	if (lead >= 0xc2 && lead <= 0xdf)
		return left >= 2 && nx_utf8_is_tail(at[1]) ? 2 : 0;
	if (lead >= 0xe0 && lead <= 0xef) {
		if (left < 3 || !nx_utf8_is_tail(at[1]) || !nx_utf8_is_tail(at[2]))
			return 0;
		return (lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] > 0x9f) ? 0 : 3;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		if (left < 4 || !nx_utf8_is_tail(at[1]) || !nx_utf8_is_tail(at[2]) ||
		    !nx_utf8_is_tail(at[3]))
			return 0;
		return (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] > 0x8f) ? 0 : 4;
	}
	return 0;
}

/* Replaces bytes that are not part of a well-formed sequence with '?', in place. */
static inline void nx_utf8_repair(uint8_t *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t step = text[i] < 0x80 ? 1 : nx_utf8_length(text + i, text + len);

		if (!step)
			text[i] = '?';
		i += step ? step : 1;
	}
}

#endif
