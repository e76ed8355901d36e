/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_news.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"

void nx_nccom_news_send(int to, struct nx_nccom_news *news, const struct nx_nccom_result *result)
{
	assert(news->kind <= NX_NCCOM_NEWS_END);
	news->time_count = result ? result->time_count : 0;
	news->said_len = result ? result->said.len : 0;
	/* A parent that is gone has no use for the rest either. */
	if (!nx_write_all(to, nx_slice_of(news, sizeof(*news))) || !result ||
	    !nx_write_all(to, nx_slice_of(result->times_us, result->time_count * sizeof(double))))
		return;
	(void)nx_write_all(to, nx_slice_of(result->said.items, result->said.len));
}

static struct nx_slice take(struct nx_slice *rest, size_t len)
{
	struct nx_slice part = nx_slice_part(*rest, 0, len);

	*rest = nx_slice_part(*rest, len, SIZE_MAX);
	return part;
}

bool nx_nccom_news_next(struct nx_slice told, size_t *at, struct nx_nccom_news *news,
			struct nx_nccom_result *result)
{
	struct nx_slice rest = nx_slice_part(told, *at, SIZE_MAX), times, said;

	memset(result, 0, sizeof(*result));
	if (rest.len < sizeof(*news))
		return false;
	memcpy(news, take(&rest, sizeof(*news)).data, sizeof(*news));
	if (news->time_count > rest.len / sizeof(double) ||
	    news->said_len > rest.len - news->time_count * sizeof(double))
		return false;
	times = take(&rest, (size_t)news->time_count * sizeof(double));
	said = take(&rest, (size_t)news->said_len);
	result->time_count = (size_t)news->time_count;
	result->times_us = nx_heap_alloc(times.len + sizeof(double));
	if (times.len)
		memcpy(result->times_us, times.data, times.len);
	if (said.len)
		nx_bytes_append(&result->said, said.data, said.len);
	result->algorithm = news->algorithm;
	result->is_wall_time = news->is_wall_time;
	*at = told.len - rest.len;
	return true;
}
