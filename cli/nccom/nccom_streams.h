/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_streams: collectives that run at the same time, from the file of --streams-json.
 *
 *	{"streams": [
 *		{"operation": "allr", "nworkers": 4, "minbytes": "1kb", "maxbytes": "1mb",
 *		 "stepfactor": 8, "datatype": "bf16", "ops_per_iter": 4},
 *		{"operation": "allg", "nworkers": 2, "minbytes": 4096, "maxbytes": 4096}
 *	]}
 *
 * A stream has its own ranks and cores. Its fields have the names and meanings of the options of
 * nccom-test; a missing field has the value given on the command line. An iteration of a stream is
 * ops_per_iter operations.
 */
#ifndef NX_CLI_NCCOM_NCCOM_STREAMS_H
#define NX_CLI_NCCOM_NCCOM_STREAMS_H

#include "cli/nccom/nccom_table.h"

#define NX_NCCOM_MAX_STREAMS 16u

struct nx_nccom_streams {
	struct nx_nccom_request *items; /* with one operation each */
	size_t count;
	uint32_t core_count; /* of all of them on this machine */
};

/*
 * FORMAT for invalid JSON, USAGE for wrong values, LIMIT for too large ones. ops is the operation
 * of streams that name none; at most one is allowed. The result lives in the arena and borrows
 * words and text.
 */
NX_MUST_CHECK enum nx_status nx_nccom_streams_read(struct nx_slice text,
						   const struct nx_nccom_words *words, char **ops,
						   size_t op_count, struct nx_arena *arena,
						   struct nx_nccom_streams *out,
						   struct nx_error *err);
/* The same from the file that words names. */
NX_MUST_CHECK enum nx_status nx_nccom_streams_open(const struct nx_nccom_words *words, char **ops,
						   size_t op_count, struct nx_arena *arena,
						   struct nx_nccom_streams *out,
						   struct nx_error *err);

/* --- running them: nccom_stream_run.c ------------------------------------------------------- */

/*
 * Runs each stream as a process with its own cores, runtime and ranks. All start when the last one
 * is ready; their tables are printed when the last one has ended. The table is open; runtime is
 * open but not started. Returns the first error of a stream, and shows the others. LIMIT if they do
 * not fit into memory together.
 */
NX_MUST_CHECK enum nx_status nx_nccom_streams_run(const struct nx_nccom_streams *streams,
						  struct nx_nccom_runtime *runtime,
						  struct nx_nccom_table *table,
						  struct nx_error *err);

/*
 * A message from a stream to its parent, through a pipe. Both are the same program, so a message is
 * a struct, followed by the times and the lines of ranks that it counts. If a stream is killed, its
 * last message is cut off.
 */
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
