/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/device_profile.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/active_time.h"
#include "analyse/activity.h"
#include "analyse/buffer_usage.h"
#include "analyse/layers.h"
#include "analyse/overwrite.h"
#include "analyse/pending_dma.h"
#include "analyse/static_dma.h"
#include "analyse/summary.h"
#include "analyse/tensor_loads.h"
#include "analyse/throughput.h"
#include "base/file.h"
#include "base/spool.h"
#include "decode/neff/neff_decoder.h"
#include "decode/ntff/ntff_decoder.h"
#include "decode/program/program_decoder.h"
#include "model/transfer.h"
#include "pipeline/data_quality.h"
#include "pipeline/neff_match.h"

/* Sorting in runs of this size keeps any capture within a few hundred megabytes. */
#define INSTRUCTION_SPOOL_BYTES ((size_t)32 << 20)
#define PACKET_SPOOL_BYTES ((size_t)64 << 20)

struct nx_device_profile {
	struct nx_profile profile;
	struct nx_device_profile_options options;
	struct nx_file session, neff;
	struct nx_ntff_decoder decoder;
	struct nx_spool *instructions; /* struct nx_instruction by start */
	struct nx_spool *packets;      /* struct nx_packet by start */
	struct nx_static_dma static_dma;
	struct nx_activity activity;
	struct nx_throttle_sums *throttles;
	struct nx_progress progress;
	uint64_t fault_count;
	enum nx_status status; /* first failure of a row sink */
	struct nx_error error;
};

const struct nx_profile *nx_device_profile_borrow(const struct nx_device_profile *d)
{
	return &d->profile;
}

/* --- opening the files ----------------------------------------------------- */

static const char *base_name(struct nx_arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return nx_arena_copy(arena, nx_slice_of(name, dot && dot != name ? (size_t)(dot - name)
									 : strlen(name)));
}

static enum nx_status open_session(struct nx_device_profile *d, struct nx_error *err)
{
	struct nx_ntff_options options = {.execution = d->options.execution};
	enum nx_status st = nx_file_map(&d->session, d->options.session_path, err);

	if (st)
		return st;
	d->profile.name = base_name(&d->profile.arena, d->options.session_path);
	st = nx_ntff_decoder_open(&d->decoder, d->session.bytes, d->options.session_path, &options,
				  &d->profile.arena, &d->profile.capture, err);
	if (!st && d->options.has_host_offset &&
	    (!d->profile.capture.pid || d->profile.capture.pid == d->options.host_pid))
		d->profile.start_epoch_ns = (uint64_t)(d->profile.capture.window_start_ps / 1000) +
					    (uint64_t)d->options.host_offset_ns;
	return st;
}

static enum nx_status refuse_mismatch(const struct nx_device_profile *d, struct nx_error *err)
{
	const struct nx_profile *p = &d->profile;

	return nx_fail(err, NX_MISMATCH,
		       "%s (model %s) was not captured from %s (model %s): their ids differ; "
		       "give the NEFF that was running, or --force to join them all the same",
		       d->options.session_path, p->capture.model_name, d->options.neff_path,
		       p->binary.network_name);
}

static enum nx_status open_neff(struct nx_device_profile *d, struct nx_error *err)
{
	struct nx_profile *p = &d->profile;
	struct nx_neff_options options = {.skip_debug_info = d->options.skip_hierarchy};
	struct nx_neff *neff = NX_NEW(&p->arena, struct nx_neff);
	enum nx_status st;

	if (!d->options.neff_path)
		return NX_OK;
	st = nx_file_map(&d->neff, d->options.neff_path, err);
	if (!st && nx_neff_read(d->neff.bytes, &p->arena, neff, err))
		st = nx_context(err, "%s", d->options.neff_path);
	if (!st && nx_neff_decode(neff, &options, &p->arena, &p->binary, err))
		st = nx_context(err, "%s", d->options.neff_path);
	if (st)
		return st;
	p->has_binary = true;
	p->binary_path = d->options.neff_path;
	if (neff->is_truncated)
		nx_profile_warn(p, NX_WARN_LOSS, "%s is damaged: %s", d->options.neff_path,
				neff->damage);
	if (nx_neff_matches(&p->capture, &p->binary))
		return NX_OK;
	if (!d->options.force)
		return refuse_mismatch(d, err);
	nx_profile_warn(p, NX_WARN_MISMATCH,
			"%s was not captured from %s; joined because --force was given: names, "
			"layers and source lines may be wrong",
			d->options.session_path, d->options.neff_path);
	return NX_OK;
}

/* --- rows into sorted spools ----------------------------------------------- */

static void keep_row(struct nx_device_profile *d, struct nx_spool *spool, const void *row)
{
	if (!d->status)
		d->status = nx_spool_add(spool, row, &d->error);
}

static void take_instruction(void *context, const void *opaque)
{
	struct nx_device_profile *d = context;
	const struct nx_instruction *row = opaque;
	struct nx_graph_counts *counts = &d->profile.graphs[row->graph];

	counts->instruction_count[row->engine]++;
	if (row->end_ps > counts->last_end_ps)
		counts->last_end_ps = row->end_ps;
	if (row->end_ps > d->profile.last_end_ps)
		d->profile.last_end_ps = row->end_ps;
	keep_row(d, d->instructions, row);
}

static void take_packet(void *context, const void *opaque)
{
	struct nx_device_profile *d = context;
	const struct nx_packet *row = opaque;

	d->profile.graphs[row->graph].packet_count++;
	nx_static_dma_add_packet(&d->static_dma, row);
	keep_row(d, d->packets, row);
}

static enum nx_status sink_status(const struct nx_device_profile *d, struct nx_error *err)
{
	if (d->status && err)
		*err = d->error;
	return d->status;
}

/* Analyses and tables read the rows a dozen times. */
static enum nx_status sort_often_read(struct nx_spool *spool, struct nx_error *err)
{
	enum nx_status st = nx_spool_sort(spool, err);

	return st ? st : nx_spool_merge(spool, err);
}

static enum nx_status sort_instructions(struct nx_device_profile *d, struct nx_error *err)
{
	enum nx_status st;

	d->instructions = nx_spool_new(sizeof(struct nx_instruction), INSTRUCTION_SPOOL_BYTES);
	if (!d->options.skip_instructions)
		nx_ntff_decode_instructions(&d->decoder, take_instruction, d);
	st = sink_status(d, err);
	return st ? st : sort_often_read(d->instructions, err);
}

static enum nx_status sort_packets(struct nx_device_profile *d, struct nx_error *err)
{
	enum nx_status st;

	d->packets = nx_spool_new(sizeof(struct nx_packet), PACKET_SPOOL_BYTES);
	nx_static_dma_prepare(&d->static_dma);
	if (!d->options.skip_dma)
		nx_ntff_decode_packets(&d->decoder, take_packet, d);
	st = sink_status(d, err);
	nx_static_dma_finish(&d->static_dma, &d->profile.transfers);
	for (size_t i = 0; i < d->profile.transfers.len; i++)
		d->profile.graphs[d->profile.transfers.items[i].graph].transfer_count++;
	return st ? st : sort_often_read(d->packets, err);
}

/* --- passes over sorted rows ----------------------------------------------- */

static enum nx_status each_row(const struct nx_spool *spool, nx_row_fn fn, void *context,
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

struct structure_pass {
	struct nx_device_profile *d;
	struct nx_layer_analysis layers;
};

static void add_structure(void *context, const void *opaque)
{
	struct structure_pass *pass = context;
	const struct nx_instruction *row = opaque;
	const struct nx_slot *slot = nx_profile_slot(&pass->d->profile, row);

	nx_static_dma_add_trigger(&pass->d->static_dma, row, slot);
	nx_layers_add(&pass->layers, &pass->d->profile.program, row, slot);
}

static enum nx_status find_structure(struct nx_device_profile *d, struct nx_error *err)
{
	struct structure_pass pass = {.d = d};
	enum nx_status st;

	nx_static_dma_init(&d->static_dma, &d->profile);
	st = each_row(d->instructions, add_structure, &pass, err);
	nx_layers_finish(&pass.layers, d->profile.capture.graph_count, &d->profile.layers);
	return st;
}

/* Instructions and packets merged by start: what "anything was active" needs. */
static enum nx_status sum_activity(struct nx_device_profile *d, struct nx_error *err)
{
	struct nx_spool_cursor *instructions, *packets;
	const struct nx_instruction *i;
	const struct nx_packet *p;
	enum nx_status st = nx_spool_cursor_open(&instructions, d->instructions, err), closed;

	if (st)
		return st;
	st = nx_spool_cursor_open(&packets, d->packets, err);
	if (st) {
		(void)!nx_spool_cursor_close(instructions, NULL);
		return st;
	}
	i = nx_spool_cursor_next(instructions);
	p = nx_spool_cursor_next(packets);
	while (i || p) {
		if (i && (!p || i->start_ps <= p->start_ps)) {
			nx_activity_add_instruction(&d->activity, i,
						    nx_profile_slot(&d->profile, i));
			i = nx_spool_cursor_next(instructions);
		} else {
			nx_activity_add_packet(&d->activity, p);
			p = nx_spool_cursor_next(packets);
		}
	}
	st = nx_spool_cursor_close(instructions, err);
	closed = nx_spool_cursor_close(packets, st ? NULL : err);
	return st ? st : closed;
}

static void count_event(void *context, const void *opaque)
{
	const struct nx_event *row = opaque;

	((struct nx_device_profile *)context)->profile.graphs[row->graph].event_count++;
}

static void count_events(struct nx_device_profile *d)
{
	struct nx_profile *p = &d->profile;

	if (d->options.skip_events)
		return;
	nx_ntff_decode_events(&d->decoder, count_event, d);
	if (p->capture.has_window_end)
		return;
	/* without a window's end every record counts, also those before its start */
	p->early_semaphore_count = d->decoder.early_semaphore_count;
	for (uint32_t g = 0; g < p->capture.graph_count; g++)
		p->graphs[g].event_count = nx_ntff_event_record_count(&d->decoder, g);
}

/* The last throttle state of a graph lasts until its last instruction ends. */
static struct nx_throttle closed_throttle(const struct nx_profile *p, const struct nx_throttle *row)
{
	struct nx_throttle closed = *row;

	if (!closed.end_ps)
		closed.end_ps = p->graphs[row->graph].last_end_ps;
	if (closed.end_ps < closed.start_ps)
		closed.end_ps = closed.start_ps;
	return closed;
}

static void sum_throttle(void *context, const void *opaque)
{
	struct nx_device_profile *d = context;
	struct nx_throttle row = closed_throttle(&d->profile, opaque);

	nx_throttle_sums_add(&d->throttles[row.graph], &row);
}

static void count_fault(void *context, const void *row)
{
	(void)row;
	((struct nx_device_profile *)context)->fault_count++;
}

static enum nx_status process(struct nx_device_profile *d, struct nx_error *err)
{
	struct nx_profile *p = &d->profile;
	enum nx_status st;

	nx_program_decode(&p->capture, p->has_binary ? &p->binary : NULL, &p->arena, &p->program);
	st = sort_instructions(d, err);
	if (!st)
		st = find_structure(d, err);
	if (!st)
		st = sort_packets(d, err);
	if (!st)
		st = sum_activity(d, err);
	if (st)
		return st;
	nx_tensor_loads_sum(p);
	count_events(d);
	d->throttles = NX_NEW_ARRAY(&p->arena, struct nx_throttle_sums, p->capture.graph_count);
	nx_ntff_decode_throttles(&d->decoder, sum_throttle, d);
	nx_ntff_decode_faults(&d->decoder, count_fault, d);
	if (!p->capture.total_time_ps)
		p->capture.total_time_ps = p->last_end_ps;
	p->with_layer_count = d->activity.with_layer_count;
	p->exec_time_ps = d->activity.work_end_ps - d->activity.work_start_ps;
	p->adjusted_flop_count = d->activity.adjusted_flop_count;
	p->adjusted_transpose_flop_count = d->activity.adjusted_transpose_flop_count;
	nx_data_quality_report(p, &d->decoder, &d->activity, d->fault_count);
	nx_summary_build(p, &d->activity, d->throttles);
	return NX_OK;
}

/* --- the row source -------------------------------------------------------- */

struct forward { /* hands rows of an inner stream on, through an analysis */
	const struct nx_device_profile *d;
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
	struct nx_throttle closed = closed_throttle(&f->d->profile, row);

	f->fn(f->context, &closed);
}

static enum nx_status scan_instructions(struct nx_device_profile *d, struct forward *f,
					struct nx_error *err)
{
	struct nx_overwrite overwrite = {
		.fn = f->fn, .context = f->context, .profile = &d->profile};
	enum nx_status st = each_row(d->instructions, to_overwrite, &overwrite, err);

	nx_overwrite_finish(&overwrite);
	return st;
}

static enum nx_status scan_active(struct nx_device_profile *d, struct forward *f,
				  struct nx_error *err)
{
	struct nx_active_analysis analysis = {.fn = f->fn, .context = f->context};
	enum nx_status st;

	f->analysis = &analysis;
	st = each_row(d->instructions, to_active, f, err);
	nx_active_finish(&analysis);
	return st;
}

static enum nx_status scan_pending(struct nx_device_profile *d, struct forward *f,
				   struct nx_error *err)
{
	struct nx_pending_analysis analysis = {.fn = f->fn, .context = f->context};
	enum nx_status st;

	nx_pending_begin(&analysis, &d->profile.transfers);
	f->analysis = &analysis;
	st = each_row(d->instructions, to_pending, f, err);
	nx_pending_finish(&analysis);
	return st;
}

static enum nx_status scan_buffers(struct nx_device_profile *d, struct forward *f,
				   struct nx_error *err)
{
	struct buffer_scan s = {.profile = &d->profile};
	enum nx_status st;

	if (d->options.skip_buffer_usage)
		return NX_OK;
	s.analysis = nx_buffer_new(&d->profile);
	s.transfers = nx_transfers_by_start(&d->profile.transfers);
	st = each_row(d->instructions, to_buffer, &s, err);
	add_transfers_until(&s, UINT64_MAX);
	if (!st)
		st = nx_buffer_finish(s.analysis, f->fn, f->context, err);
	nx_heap_free(s.transfers);
	nx_buffer_free(s.analysis);
	return st;
}

static enum nx_status scan_throughput(struct nx_device_profile *d, struct forward *f,
				      struct nx_error *err)
{
	struct nx_throughput_analysis analysis = {.fn = f->fn, .context = f->context};
	enum nx_status st = each_row(d->packets, to_throughput, &analysis, err);

	nx_throughput_finish(&analysis);
	return st;
}

static enum nx_status scan(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
			   struct nx_error *err)
{
	struct nx_device_profile *d = context;
	struct forward f = {.d = d, .fn = fn, .context = fn_context};

	switch (table) {
	case NX_TABLE_INSTRUCTION:
		return scan_instructions(d, &f, err);
	case NX_TABLE_PACKET:
		return each_row(d->packets, fn, fn_context, err);
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

static uint32_t find_transfer(void *context, const struct nx_packet *packet)
{
	return nx_static_dma_find(&((struct nx_device_profile *)context)->static_dma, packet);
}

/* --- life ------------------------------------------------------------------ */

enum nx_status nx_device_profile_open(struct nx_device_profile **out,
				      const struct nx_device_profile_options *options,
				      struct nx_error *err)
{
	struct nx_device_profile *d = nx_heap_alloc(sizeof(*d));
	enum nx_status st;

	memset(d, 0, sizeof(*d));
	d->options = *options;
	d->profile.source = (struct nx_row_source){scan, find_transfer, d};
	st = open_session(d, err);
	if (!st)
		st = open_neff(d, err);
	if (!st) {
		nx_progress_begin(&d->progress, "reading the capture", d->decoder.ring_bytes,
				  options->show_progress);
		d->decoder.progress = &d->progress;
		st = process(d, err);
		nx_progress_end(&d->progress);
		d->decoder.progress = NULL;
	}
	if (st) {
		nx_device_profile_close(d);
		return st;
	}
	*out = d;
	return NX_OK;
}

void nx_device_profile_close(struct nx_device_profile *d)
{
	if (!d)
		return;
	nx_spool_free(d->instructions);
	nx_spool_free(d->packets);
	nx_static_dma_release(&d->static_dma);
	nx_vec_release(&d->profile.warnings);
	nx_vec_release(&d->profile.metrics);
	nx_vec_release(&d->profile.layers);
	nx_vec_release(&d->profile.transfers);
	nx_arena_release(&d->profile.arena);
	nx_file_unmap(&d->session);
	nx_file_unmap(&d->neff);
	nx_heap_free(d);
}
