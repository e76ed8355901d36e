/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/neff_match.h"

/* Version 6 stores all sixteen bytes. Older runtimes copied the id as a C string, so only the bytes
 * before its first zero can be compared; an id that starts with zero matches anything. */
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
