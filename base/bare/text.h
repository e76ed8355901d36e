/* SPDX-License-Identifier: Apache-2.0 */
/* text: hexadecimal digits, percent escapes, secrets and the similarity of words. */
#ifndef NX_BASE_BARE_TEXT_H
#define NX_BASE_BARE_TEXT_H

#include "base/bare/slice.h"

/* The value of a hexadecimal digit of either case, or -1. */
static inline int nx_hex_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Writes two lower-case digits per byte, without a NUL. */
static inline void nx_hex_encode(char *out, struct nx_slice bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		*out++ = "0123456789abcdef"[bytes.data[i] >> 4];
		*out++ = "0123456789abcdef"[bytes.data[i] & 15];
	}
}

/* The byte that the escape %XX at this offset stands for, or -1 if there is no valid escape. */
static inline int nx_percent_decode(struct nx_slice text, size_t at)
{
	int high, low;

	if (text.len < 3 || at > text.len - 3 || text.data[at] != '%')
		return -1;
	high = nx_hex_value(text.data[at + 1]);
	low = nx_hex_value(text.data[at + 2]);
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* Whether text is the secret, which is not empty; takes constant time, so that timing reveals
 * nothing about the secret. */
static inline bool nx_is_secret(struct nx_slice secret, struct nx_slice text)
{
	unsigned difference = secret.len != text.len;

	for (size_t i = 0; i < text.len && secret.len; i++)
		difference |= text.data[i] ^ secret.data[i % secret.len];
	return secret.len && !difference;
}

#define NX_EDIT_MAX 48

/*
 * How many letters to insert, drop, replace or swap to turn one word into the other. Only the
 * first NX_EDIT_MAX letters count.
 */
static inline unsigned nx_edit_distance(struct nx_slice a, struct nx_slice b)
{
	unsigned d[NX_EDIT_MAX + 1][NX_EDIT_MAX + 1];
	size_t n = a.len < NX_EDIT_MAX ? a.len : NX_EDIT_MAX;
	size_t m = b.len < NX_EDIT_MAX ? b.len : NX_EDIT_MAX;

	for (size_t i = 0; i <= n; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			unsigned best = d[i - 1][j - 1] + (a.data[i - 1] != b.data[j - 1]);

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
			    a.data[i - 2] == b.data[j - 1] && d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	return d[n][m];
}

#endif
