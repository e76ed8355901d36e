/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a profile: recorded ones from the sorted spools and the decoder, others derived. */
#include "analyse/analyses.h"
#include "pipeline/device_session_internal.h"

enum nx_status nx_device_each_row(const struct nx_spool *spool, nx_row_fn fn, void *context,
				  struct nx_error *err)
{
	struct nx_spool_cursor *cursor;
	const void *row;
	enum nx_status st = nx_spool_cursor_open(&cursor, spool, err);

	if (st)
		return st;
	while ((row = nx_spool_cursor_next(cursor)))
		fn(context, row);
	return nx_spool_cursor_close(cursor, err);
}

/* The last throttle state of a graph lasts until its last instruction ends. */
struct nx_throttle nx_device_closed_throttle(const struct nx_profile *p,
					     const struct nx_throttle *row)
{
	struct nx_throttle closed = *row;

	if (!closed.end_ps)
		closed.end_ps = p->graphs[row->graph].last_end_ps;
	if (closed.end_ps < closed.start_ps)
		closed.end_ps = closed.start_ps;
	return closed;
}

struct throttle_scan {
	const struct nx_profile *profile;
	nx_row_fn fn;
	void *context;
};

static void close_throttle(void *context, const void *row)
{
	struct throttle_scan *s = context;
	struct nx_throttle closed = nx_device_closed_throttle(s->profile, row);

	s->fn(s->context, &closed);
}

/* Rows as they were recorded. */
static enum nx_status scan_recorded(void *context, enum nx_table table, nx_row_fn fn,
				    void *fn_context, struct nx_error *err)
{
	struct nx_device_session *d = context;

	switch (table) {
	case NX_TABLE_INSTRUCTION:
		return nx_device_each_row(d->instructions, fn, fn_context, err);
	case NX_TABLE_PACKET:
		return nx_device_each_row(d->packets, fn, fn_context, err);
	case NX_TABLE_EVENT:
		if (!d->options.skip_events)
			nx_ntff_decode_events(&d->decoder, fn, fn_context);
		return NX_OK;
	case NX_TABLE_THROTTLE: {
		struct throttle_scan scan = {&d->profile, fn, fn_context};

		nx_ntff_decode_throttles(&d->decoder, close_throttle, &scan);
		return NX_OK;
	}
	case NX_TABLE_FAULT:
		nx_ntff_decode_faults(&d->decoder, fn, fn_context);
		return NX_OK;
	default:
		return nx_fail(err, NX_UNSUPPORTED, "no such table");
	}
}

enum nx_status nx_device_scan(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
			      struct nx_error *err)
{
	struct nx_device_session *d = context;
	struct nx_row_source recorded = {scan_recorded, nx_device_find_transfer, d};
	enum nx_analysis_id id = nx_analysis_of_table(table);

	if (table == NX_TABLE_BUFFER_USAGE && d->options.skip_buffer_usage)
		return NX_OK;
	if (id == NX_ANALYSIS_COUNT)
		return scan_recorded(d, table, fn, fn_context, err);
	return nx_analysis_run(id, &d->profile, &recorded, fn, fn_context, err);
}

uint32_t nx_device_find_transfer(void *context, const struct nx_packet *packet)
{
	return nx_static_dma_find(&((struct nx_device_session *)context)->static_dma, packet);
}
