/* SPDX-License-Identifier: Apache-2.0 */
/* date: an instant as text, for people and databases. */
#ifndef NX_BASE_DATE_H
#define NX_BASE_DATE_H

#include <stddef.h>
#include <stdint.h>

#define NX_DATE_MAX 40 /* bytes, enough for any date and its NUL */

/* RFC 3339 in UTC, from nanoseconds since 1970: 1970-01-01T00:00:00.0000365Z. Trailing zeros and
 * a zero fraction are left out. NUL-terminated; returns the length. */
size_t nx_format_date(char out[NX_DATE_MAX], uint64_t epoch_ns);

#endif
