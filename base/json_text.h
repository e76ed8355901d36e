/* SPDX-License-Identifier: Apache-2.0 */
/* json_text: finds the bytes of a JSON string that need attention, eight at a time. */
#ifndef NX_BASE_JSON_TEXT_H
#define NX_BASE_JSON_TEXT_H

#include "base/bare/bits.h"
#include <stdbool.h>
#include <stddef.h>

#define NX_BYTES_OF(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Nonzero when a byte of word is a quote, a backslash or a control character. Only the lowest set
 * bit is exact: a borrow out of a hit reaches the byte above it. */
static inline uint64_t nx_json_special(uint64_t word)
{
	uint64_t quote = word ^ NX_BYTES_OF('"');
	uint64_t backslash = word ^ NX_BYTES_OF('\\');
	uint64_t hit = (word - NX_BYTES_OF(0x20)) & ~word;

	hit |= (quote - NX_BYTES_OF(1)) & ~quote;
	hit |= (backslash - NX_BYTES_OF(1)) & ~backslash;
	return hit & NX_BYTES_OF(0x80);
}

/* The first byte from at on that is special, or when stop_at_high not ASCII; else end. */
static inline const uint8_t *nx_json_plain_end(const uint8_t *at, const uint8_t *end,
					       bool stop_at_high)
{
	uint64_t high = stop_at_high ? NX_BYTES_OF(0x80) : 0;

	for (; end - at >= 8; at += 8) {
		uint64_t word = nx_load64(at);
		uint64_t hit = nx_json_special(word) | (word & high);

		if (hit)
			return at + __builtin_ctzll(hit) / 8;
	}
	while (at < end && *at >= 0x20 && *at != '"' && *at != '\\' &&
	       !(stop_at_high && *at >= 0x80))
		at++;
	return at;
}

/* Copies a short text; false, and out is undefined, if it needs escapes or is not ASCII. */
static inline bool nx_json_copy_plain(uint8_t *out, const uint8_t *text, size_t len)
{
	uint64_t word, found = 0;

	if (len >= 8) {
		for (size_t i = 0; len - i > 8; i += 8) {
			word = nx_load64(text + i);
			found |= word | nx_json_special(word);
			nx_store64(out + i, word);
		}
		word = nx_load64(text + len - 8);
		nx_store64(out + len - 8, word);
	} else if (len >= 4) {
		word = nx_load32(text) | (uint64_t)nx_load32(text + len - 4) << 32;
		nx_store32(out, (uint32_t)word);
		nx_store32(out + len - 4, (uint32_t)(word >> 32));
	} else {
		word = NX_BYTES_OF('0');
		for (size_t i = 0; i < len; i++) {
			word = word << 8 | text[i];
			out[i] = text[i];
		}
	}
	return !((found | word | nx_json_special(word)) & NX_BYTES_OF(0x80));
}

#endif
