/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_stream_run: runs the streams of nccom-test at the same time.
 *
 * A stream is a process with its own cores, runtime and ranks, so that no stream waits for
 * another. All start when the last one is ready, and their tables are printed when the last one
 * has ended.
 */
#ifndef NX_CLI_NCCOM_NCCOM_STREAM_RUN_H
#define NX_CLI_NCCOM_NCCOM_STREAM_RUN_H

#include "cli/nccom/nccom_runtime.h"
#include "cli/nccom/nccom_streams.h"
#include "cli/nccom/nccom_table.h"

/*
 * The table is open; runtime is open but not started. Returns the first error of a stream; the
 * others are shown all the same. LIMIT if they do not fit into memory together.
 */
NX_MUST_CHECK enum nx_status nx_nccom_streams_run(const struct nx_nccom_streams *streams,
						  struct nx_nccom_runtime *runtime,
						  struct nx_nccom_table *table,
						  struct nx_error *err);

#endif
