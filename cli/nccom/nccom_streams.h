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
 * nccom-test; for a missing field, the command line counts. An iteration of a stream is
 * ops_per_iter operations.
 */
#ifndef NX_CLI_NCCOM_NCCOM_STREAMS_H
#define NX_CLI_NCCOM_NCCOM_STREAMS_H

#include "base/bare/slice.h"
#include "cli/nccom/nccom_options.h"

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

#endif
