/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/neff_match.h"

/*
 * Version 6 stores all sixteen bytes. Older runtimes copied the id as a C
 * string, which ends at its first zero byte and carries whatever lay after
 * otherwise, so only the bytes up to there can be compared. An id that starts
 * with zero says nothing and matches anything.
 */
bool nx_neff_matches(const struct nx_capture *capture, const struct nx_binary *binary)
{
	size_t len = sizeof(binary->uuid);
	const uint8_t *zero;

	if (capture->uid.len == len)
		return !memcmp(capture->uid.data, binary->uuid, len);
	zero = memchr(binary->uuid, 0, len);
	if (zero)
		len = (size_t)(zero - binary->uuid);
	return capture->uuid.len >= len && !memcmp(capture->uuid.data, binary->uuid, len);
}
