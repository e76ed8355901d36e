/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_stream_run: the streams of nccom-test, all at the same time.
 *
 * A stream is a process with cores, a runtime and a world of ranks of its own, so that none
 * waits for a core or a message of another. All begin when the last of them is ready. What
 * they measured is shown when the last has ended, a table for each.
 */
#ifndef NX_CLI_NCCOM_NCCOM_STREAM_RUN_H
#define NX_CLI_NCCOM_NCCOM_STREAM_RUN_H

#include "cli/nccom/nccom_runtime.h"
#include "cli/nccom/nccom_streams.h"
#include "cli/nccom/nccom_table.h"

/*
 * Into the table, which is open; runtime is opened and not started. What the first stream
 * fails with; those that did not fail are shown all the same. LIMIT when they do not fit
 * into memory together.
 */
NX_MUST_CHECK enum nx_status nx_nccom_streams_run(const struct nx_nccom_streams *streams,
						  struct nx_nccom_runtime *runtime,
						  struct nx_nccom_table *table,
						  struct nx_error *err);

#endif
