/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spool_inside.h"
#include <assert.h>

#define MERGE_BYTES ((size_t)1 << 20)

static enum nx_status copy_sorted(const struct nx_spool *from, struct nx_spool *to,
				  struct nx_error *err)
{
	struct nx_spool_cursor *cursor;
	enum nx_status status = nx_spool_cursor_open(&cursor, from, err), closed;
	const void *record;

	if (status)
		return status;
	while (!status && (record = nx_spool_cursor_next(cursor)))
		status = nx_spool_add(to, record, err);
	closed = nx_spool_cursor_close(cursor, status ? NULL : err);
	return status ? status : closed;
}

enum nx_status nx_spool_merge(struct nx_spool *spool, struct nx_error *err)
{
	struct nx_spool *merged, runs = *spool;
	enum nx_status status;

	assert(spool->sorted);
	if (spool->runs.len < 2)
		return NX_OK;
	merged = nx_spool_new(spool->record_size, MERGE_BYTES);
	status = copy_sorted(spool, merged, err);
	if (!status)
		status = nx_spool_sort(merged, err);
	if (!status) {
		*spool = *merged;
		spool->buffer_bytes = runs.buffer_bytes;
		*merged = runs;
	}
	nx_spool_free(merged);
	return status;
}
