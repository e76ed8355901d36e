/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_news: messages from a stream of nccom-test to its parent, through a pipe.
 *
 * Both are the same program, so a message is a struct, followed by the times and the lines of
 * ranks that it counts. If a stream is killed, its last message is cut off.
 */
#ifndef NX_CLI_NCCOM_NCCOM_NEWS_H
#define NX_CLI_NCCOM_NCCOM_NEWS_H

#include "base/bare/slice.h"
#include "cli/nccom/nccom_run.h"

enum nx_nccom_news_kind {
	NX_NCCOM_NEWS_READY, /* its runtime has started; it waits for the others */
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

/* result may be NULL: nothing was measured. A closed pipe is not an error. */
void nx_nccom_news_send(int to, struct nx_nccom_news *news, const struct nx_nccom_result *result);

/*
 * Reads the message at *at and moves *at after it; false if it is cut off. The caller releases
 * the result, which borrows its algorithm from the news.
 */
bool nx_nccom_news_next(struct nx_slice told, size_t *at, struct nx_nccom_news *news,
			struct nx_nccom_result *result);

#endif
