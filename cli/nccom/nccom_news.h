/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_news: what a stream of nccom-test tells its parent through a pipe.
 *
 * Both are the same program, so that it is structs: one, the times and the lines of ranks
 * that it announces, and the next one. A stream that is killed leaves the last of them cut.
 */
#ifndef NX_CLI_NCCOM_NCCOM_NEWS_H
#define NX_CLI_NCCOM_NCCOM_NEWS_H

#include "base/bare/slice.h"
#include "cli/nccom/nccom_run.h"

enum nx_nccom_news_kind {
	NX_NCCOM_NEWS_READY, /* its runtime has started, and it waits for the others */
	NX_NCCOM_NEWS_SIZE,  /* measured */
	NX_NCCOM_NEWS_FAILURE,
	NX_NCCOM_NEWS_END,
};

struct nx_nccom_news {
	uint32_t kind; /* enum nx_nccom_news_kind */
	bool is_wall_time;
	char algorithm[32];
	uint64_t time_count, said_len; /* set by sending */
	struct nx_error err;	       /* of a failure */
};

/* result may be NULL: nothing was measured. Nobody who hears it is no fault. */
void nx_nccom_news_send(int to, struct nx_nccom_news *news, const struct nx_nccom_result *result);

/*
 * What stands at *at, which moves behind it; false when it was cut off. The result is to be
 * released; it borrows its algorithm from the news.
 */
bool nx_nccom_news_next(struct nx_slice told, size_t *at, struct nx_nccom_news *news,
			struct nx_nccom_result *result);

#endif
