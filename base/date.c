/* SPDX-License-Identifier: Apache-2.0 */
#include "base/date.h"

#include <stdio.h>
#include <time.h>

size_t nx_format_date(char out[NX_DATE_MAX], uint64_t epoch_ns)
{
	time_t seconds = (time_t)(epoch_ns / 1000000000);
	struct tm tm;
	char date[24], fraction[12];
	size_t len;

	gmtime_r(&seconds, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	len = (size_t)snprintf(fraction, sizeof(fraction), ".%09u",
			       (unsigned)(epoch_ns % 1000000000));
	while (len > 1 && fraction[len - 1] == '0')
		len--;
	fraction[len == 1 ? 0 : len] = 0;
	return (size_t)snprintf(out, NX_DATE_MAX, "%s%sZ", date, fraction);
}
