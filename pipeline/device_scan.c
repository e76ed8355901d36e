/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/active_time.h"
#include "analyse/buffer_usage.h"
#include "analyse/overwrite.h"
#include "analyse/pending_dma.h"
#include "analyse/throughput.h"
#include "model/transfer.h"
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

struct forward { /* hands rows of an inner stream on, through an analysis */
	const struct nx_device_session *d;
	nx_row_fn fn;
	void *context;
	void *analysis;
};

static void to_overwrite(void *context, const void *row)
{
	nx_overwrite_add(context, row);
}

static void to_active(void *context, const void *row)
{
	struct forward *f = context;

	nx_active_add(f->analysis, row, nx_profile_slot(&f->d->profile, row));
}

static void to_pending(void *context, const void *row)
{
	struct forward *f = context;

	nx_pending_add(f->analysis, row, nx_profile_slot(&f->d->profile, row));
}

struct buffer_scan {
	const struct nx_profile *profile;
	struct nx_buffer_analysis *analysis;
	uint32_t *transfers; /* by start */
	size_t next;
};

static void add_transfers_until(struct buffer_scan *s, uint64_t start_ps)
{
	const struct nx_transfers *all = &s->profile->transfers;

	for (; s->next < all->len; s->next++) {
		const struct nx_transfer *t = &all->items[s->transfers[s->next]];

		if (t->start_ps > start_ps)
			break;
		nx_buffer_add_transfer(s->analysis, t,
				       &s->profile->program.slots[t->graph][t->engine][t->slot]);
	}
}

static void to_buffer(void *context, const void *opaque)
{
	struct buffer_scan *s = context;
	const struct nx_instruction *row = opaque;

	add_transfers_until(s, row->start_ps);
	nx_buffer_add(s->analysis, row, nx_profile_slot(s->profile, row));
}

static void to_throughput(void *context, const void *row)
{
	nx_throughput_add(context, row);
}

static void to_throttle(void *context, const void *row)
{
	struct forward *f = context;
	struct nx_throttle closed = nx_device_closed_throttle(&f->d->profile, row);

	f->fn(f->context, &closed);
}

static enum nx_status scan_instructions(struct nx_device_session *d, struct forward *f,
					struct nx_error *err)
{
	struct nx_overwrite overwrite = {
		.fn = f->fn, .context = f->context, .profile = &d->profile};
	enum nx_status st = nx_device_each_row(d->instructions, to_overwrite, &overwrite, err);

	nx_overwrite_finish(&overwrite);
	return st;
}

static enum nx_status scan_active(struct nx_device_session *d, struct forward *f,
				  struct nx_error *err)
{
	struct nx_active_analysis analysis = {.fn = f->fn, .context = f->context};
	struct forward through = {.d = d, .analysis = &analysis};
	enum nx_status st = nx_device_each_row(d->instructions, to_active, &through, err);

	nx_active_finish(&analysis);
	return st;
}

static enum nx_status scan_pending(struct nx_device_session *d, struct forward *f,
				   struct nx_error *err)
{
	struct nx_pending_analysis analysis = {.fn = f->fn, .context = f->context};
	struct forward through = {.d = d, .analysis = &analysis};
	enum nx_status st;

	nx_pending_begin(&analysis, &d->profile.transfers);
	st = nx_device_each_row(d->instructions, to_pending, &through, err);
	nx_pending_finish(&analysis);
	return st;
}

static enum nx_status scan_buffers(struct nx_device_session *d, struct forward *f,
				   struct nx_error *err)
{
	struct buffer_scan s = {.profile = &d->profile};
	enum nx_status st;

	if (d->options.skip_buffer_usage)
		return NX_OK;
	s.analysis = nx_buffer_new(&d->profile);
	s.transfers = nx_transfers_by_start(&d->profile.transfers);
	st = nx_device_each_row(d->instructions, to_buffer, &s, err);
	add_transfers_until(&s, UINT64_MAX);
	if (!st)
		st = nx_buffer_finish(s.analysis, f->fn, f->context, err);
	nx_heap_free(s.transfers);
	nx_buffer_free(s.analysis);
	return st;
}

static enum nx_status scan_throughput(struct nx_device_session *d, struct forward *f,
				      struct nx_error *err)
{
	struct nx_throughput_analysis analysis = {.fn = f->fn, .context = f->context};
	enum nx_status st = nx_device_each_row(d->packets, to_throughput, &analysis, err);

	nx_throughput_finish(&analysis);
	return st;
}

enum nx_status nx_device_scan(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
			      struct nx_error *err)
{
	struct nx_device_session *d = context;
	struct forward f = {.d = d, .fn = fn, .context = fn_context};

	switch (table) {
	case NX_TABLE_INSTRUCTION:
		return scan_instructions(d, &f, err);
	case NX_TABLE_PACKET:
		return nx_device_each_row(d->packets, fn, fn_context, err);
	case NX_TABLE_EVENT:
		if (!d->options.skip_events)
			nx_ntff_decode_events(&d->decoder, fn, fn_context);
		return NX_OK;
	case NX_TABLE_PENDING:
		return scan_pending(d, &f, err);
	case NX_TABLE_THROUGHPUT:
		return scan_throughput(d, &f, err);
	case NX_TABLE_THROTTLE:
		nx_ntff_decode_throttles(&d->decoder, to_throttle, &f);
		return NX_OK;
	case NX_TABLE_ACTIVE:
		return scan_active(d, &f, err);
	case NX_TABLE_BUFFER_USAGE:
		return scan_buffers(d, &f, err);
	case NX_TABLE_FAULT:
		nx_ntff_decode_faults(&d->decoder, fn, fn_context);
		return NX_OK;
	case NX_TABLE_COUNT:
		break;
	}
	return nx_fail(err, NX_UNSUPPORTED, "no such table");
}

uint32_t nx_device_find_transfer(void *context, const struct nx_packet *packet)
{
	return nx_static_dma_find(&((struct nx_device_session *)context)->static_dma, packet);
}
