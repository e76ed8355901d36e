/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/device_session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/activity.h"
#include "analyse/analyses.h"
#include "analyse/memory_holders.h"
#include "analyse/packet_transfers.h"
#include "analyse/summary.h"
#include "base/file.h"
#include "base/path.h"
#include "base/spool.h"
#include "decode/neff/neff_decoder.h"
#include "decode/program/program_decoder.h"
#include "pipeline/binary_merge.h"
#include "pipeline/data_quality.h"
#include "pipeline/neff_match.h"

/* Sorting in runs of this size keeps any capture within a few hundred megabytes. */
#define INSTRUCTION_SPOOL_BYTES ((size_t)32 << 20)
#define PACKET_SPOOL_BYTES ((size_t)64 << 20)

struct nx_device_session {
	struct nx_profile profile;
	struct nx_device_session_options options;
	struct nx_file session, neffs[NX_MAX_GRAPHS];
	size_t neff_count;
	struct nx_ntff_decoder decoder;
	struct nx_spool *instructions; /* struct nx_instruction by start */
	struct nx_spool *packets;      /* struct nx_packet by start */
	struct nx_packet_transfers packet_transfers;
	struct nx_activity activity;
	struct nx_throttle_sums *throttles;
	struct nx_progress progress;
	uint64_t fault_count;
	enum nx_status status; /* first failure of a row sink */
	struct nx_error error;
};

const struct nx_profile *nx_device_session_borrow(const struct nx_device_session *d)
{
	return &d->profile;
}

/* --- rows: recorded or derived ---------------------------------------------- */

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

struct throttle_scan {
	const struct nx_profile *profile;
	nx_row_fn fn;
	void *context;
};

static void close_throttle(void *context, const void *row)
{
	struct throttle_scan *s = context;
	struct nx_throttle closed = closed_throttle(s->profile, row);

	s->fn(s->context, &closed);
}

/* Rows as they were recorded. */
static enum nx_status scan_recorded(void *context, enum nx_table table, nx_row_fn fn,
				    void *fn_context, struct nx_error *err)
{
	struct nx_device_session *d = context;

	switch (table) {
	case NX_TABLE_INSTRUCTION:
		return nx_spool_each(d->instructions, 0, fn, fn_context, err);
	case NX_TABLE_PACKET:
		return nx_spool_each(d->packets, 0, fn, fn_context, err);
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

static uint32_t find_transfer(void *context, const struct nx_packet *packet)
{
	return nx_packet_transfers_find(&((struct nx_device_session *)context)->packet_transfers,
					packet);
}

static enum nx_status scan_table(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
				 struct nx_error *err)
{
	struct nx_device_session *d = context;
	struct nx_row_source recorded = {scan_recorded, find_transfer, d};
	enum nx_analysis_id id = nx_analysis_of_table(table);

	if (table == NX_TABLE_BUFFER_USAGE && d->options.skip_buffer_usage)
		return NX_OK;
	if (table == NX_TABLE_MEMORY_USE && !d->profile.memory)
		return NX_OK;
	if (id == NX_ANALYSIS_COUNT)
		return scan_recorded(d, table, fn, fn_context, err);
	return nx_analysis_run(id, &d->profile, &recorded, fn, fn_context, err);
}

/* --- opening the files ----------------------------------------------------- */

static enum nx_status open_session(struct nx_device_session *d, struct nx_error *err)
{
	struct nx_ntff_options options = {.is_chosen = d->options.is_execution_chosen,
					  .execution = d->options.execution};
	enum nx_status st = nx_file_map(&d->session, d->options.session_path, err);

	if (st)
		return st;
	d->profile.name = nx_arena_copy(&d->profile.arena, nx_path_stem(d->options.session_path));
	st = nx_ntff_decoder_open(&d->decoder, d->session.bytes, d->options.session_path, &options,
				  &d->profile.arena, &d->profile.capture, err);
	if (!st && d->options.has_host_offset &&
	    (!d->profile.capture.pid || d->profile.capture.pid == d->options.host_pid))
		d->profile.start_epoch_ns = (uint64_t)(d->profile.capture.window_start_ps / 1000) +
					    (uint64_t)d->options.host_offset_ns;
	return st;
}

size_t nx_device_session_sources(const struct nx_device_session_options *options,
				 const char *sources[NX_DEVICE_SOURCES_MAX])
{
	const char *const *other = options->other_neffs;
	size_t count = 0;

	sources[count++] = options->session_path;
	if (options->neff_path)
		sources[count++] = options->neff_path;
	while (other && *other && count < NX_DEVICE_SOURCES_MAX)
		sources[count++] = *other++;
	return count;
}

static enum nx_status read_neff(struct nx_device_session *d, const char *path,
				struct nx_binary *binary, struct nx_error *err)
{
	struct nx_profile *p = &d->profile;
	struct nx_neff_options options = {.skip_debug_info = d->options.skip_hierarchy};
	struct nx_neff *neff = NX_NEW(&p->arena, struct nx_neff);
	struct nx_file *file = &d->neffs[d->neff_count++];
	enum nx_status st = nx_file_map(file, path, err);

	if (!st && (nx_neff_read(file->bytes, &p->arena, neff, err) ||
		    nx_neff_decode(neff, &options, &p->arena, binary, err)))
		st = nx_context(err, "%s", path);
	if (!st && neff->is_truncated)
		nx_data_quality_report_damage(p, path, neff->damage);
	return st;
}

/* Of several NEFFs one that cannot be read does not matter to the models of the others. */
static enum nx_status read_neffs(struct nx_device_session *d, struct nx_binary *binaries,
				 size_t *read_count, struct nx_error *err)
{
	const char *sources[NX_DEVICE_SOURCES_MAX];
	size_t count = nx_device_session_sources(&d->options, sources);
	struct nx_error reason = {0};

	*read_count = 0;
	for (size_t i = 1; i < count; i++) {
		enum nx_status st = read_neff(d, sources[i], &binaries[*read_count], &reason);

		if (!st)
			++*read_count;
		else if (count > 2)
			nx_profile_warn(&d->profile, NX_WARN_LOSS, "%s", reason.message);
		else
			return nx_fail(err, st, "%s", reason.message);
	}
	return NX_OK;
}

static enum nx_status open_neffs(struct nx_device_session *d, struct nx_error *err)
{
	struct nx_profile *p = &d->profile;
	struct nx_binary *binaries = NX_NEW_ARRAY(&p->arena, struct nx_binary, NX_MAX_GRAPHS);
	size_t count, kept;
	enum nx_status st = read_neffs(d, binaries, &count, err);

	if (st || !count)
		return st;
	p->binary_path = d->options.neff_path;
	kept = nx_neff_join(&p->capture, binaries, count);
	if (!kept && !d->options.force)
		return nx_fail(
			err, NX_MISMATCH,
			"%s (model %s) was not captured from %s (model %s): their ids differ; "
			"give the NEFF that was running, or --force to join them all the same",
			d->options.session_path, p->capture.model_name, d->options.neff_path,
			binaries[0].network_name);
	p->has_binary = true;
	if (kept && p->capture.model_count > 1)
		nx_binary_merge(&p->binary, binaries, kept, &p->capture, &p->arena);
	else
		p->binary = binaries[0];
	if (!kept)
		nx_data_quality_report_mismatch(p);
	return NX_OK;
}

/* --- rows into sorted spools ----------------------------------------------- */

static void keep_row(struct nx_device_session *d, struct nx_spool *spool, const void *row)
{
	if (!d->status)
		d->status = nx_spool_add(spool, row, &d->error);
}

static void take_instruction(void *context, const void *opaque)
{
	struct nx_device_session *d = context;
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
	struct nx_device_session *d = context;
	const struct nx_packet *row = opaque;

	d->profile.graphs[row->graph].packet_count++;
	nx_packet_transfers_add_packet(&d->packet_transfers, row);
	keep_row(d, d->packets, row);
}

/* Merges too: analyses and tables read the rows a dozen times. */
static enum nx_status sort_rows(const struct nx_device_session *d, struct nx_spool *spool,
				struct nx_error *err)
{
	enum nx_status st;

	if (d->status && err)
		*err = d->error;
	if (d->status)
		return d->status;
	st = nx_spool_sort(spool, err);
	return st ? st : nx_spool_merge(spool, err);
}

static enum nx_status sort_instructions(struct nx_device_session *d, struct nx_error *err)
{
	d->instructions = nx_spool_new(sizeof(struct nx_instruction), INSTRUCTION_SPOOL_BYTES);
	if (!d->options.skip_instructions)
		nx_ntff_decode_instructions(&d->decoder, take_instruction, d);
	return sort_rows(d, d->instructions, err);
}

static void give_packet_again(void *context, const void *opaque)
{
	nx_packet_transfers_add_packet(&((struct nx_device_session *)context)->packet_transfers,
				       opaque);
}

static enum nx_status sort_packets(struct nx_device_session *d, struct nx_error *err)
{
	enum nx_status st;

	d->packets = nx_spool_new(sizeof(struct nx_packet), PACKET_SPOOL_BYTES);
	nx_packet_transfers_prepare(&d->packet_transfers);
	if (!d->options.skip_dma)
		nx_ntff_decode_packets(&d->decoder, take_packet, d);
	st = sort_rows(d, d->packets, err);
	if (!st && nx_packet_transfers_recut(&d->packet_transfers))
		st = nx_profile_scan(&d->profile, NX_TABLE_PACKET, give_packet_again, d, err);
	if (st)
		return st;
	nx_packet_transfers_finish(&d->packet_transfers, d->decoder.ntff.is_truncated,
				   &d->profile.transfers);
	for (size_t i = 0; i < d->profile.transfers.len; i++)
		d->profile.graphs[d->profile.transfers.items[i].graph].transfer_count++;
	return NX_OK;
}

/* --- passes over sorted rows ----------------------------------------------- */

struct structure_pass {
	struct nx_device_session *d;
	struct nx_layer_analysis layers;
};

static void add_structure(void *context, const void *opaque)
{
	struct structure_pass *pass = context;
	const struct nx_instruction *row = opaque;
	const struct nx_slot *slot = nx_profile_slot(&pass->d->profile, row);

	nx_packet_transfers_add_trigger(&pass->d->packet_transfers, row, slot);
	nx_layers_add(&pass->layers, &pass->d->profile.program, row, slot);
}

static void take_generated(void *context, const void *row)
{
	nx_packet_transfers_add_generated(&((struct nx_device_session *)context)->packet_transfers,
					  row);
}

static bool has_dynamic_queue(const struct nx_capture *c)
{
	for (uint32_t g = 0; g < c->graph_count; g++)
		for (size_t q = 0; q < c->graphs[g].queue_count; q++)
			if (nx_queue_is_dynamic(c->graphs[g].queues[q].queue_class))
				return true;
	return false;
}

static enum nx_status find_structure(struct nx_device_session *d, struct nx_error *err)
{
	struct structure_pass pass = {.d = d};
	enum nx_status st;

	nx_packet_transfers_init(&d->packet_transfers, &d->profile);
	if (has_dynamic_queue(&d->profile.capture))
		nx_ntff_decode_generated(&d->decoder, take_generated, d);
	st = nx_spool_each(d->instructions, 0, add_structure, &pass, err);
	nx_layers_finish(&pass.layers, d->profile.capture.graph_count, &d->profile.layers);
	return st;
}

/* Merges instructions and packets by start, to find when anything was active. */
static enum nx_status sum_activity(struct nx_device_session *d, struct nx_error *err)
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

	((struct nx_device_session *)context)->profile.graphs[row->graph].event_count++;
}

static void count_events(struct nx_device_session *d)
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

static void sum_throttle(void *context, const void *opaque)
{
	struct nx_device_session *d = context;
	struct nx_throttle row = closed_throttle(&d->profile, opaque);

	nx_throttle_sums_add(&d->throttles[row.graph], &row);
}

static void count_fault(void *context, const void *row)
{
	(void)row;
	((struct nx_device_session *)context)->fault_count++;
}

static enum nx_status process(struct nx_device_session *d, struct nx_error *err)
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
	nx_data_quality_report(p, &d->decoder, &d->packet_transfers, &d->activity, d->fault_count);
	nx_summary_build(p, &d->activity, d->throttles);
	if (!d->options.track_memory)
		return NX_OK;
	nx_memory_holders_find(p);
	st = nx_memory_peaks_find(p, err);
	if (!st)
		nx_data_quality_report_memory(p);
	return st;
}

/* --- life ------------------------------------------------------------------ */

enum nx_status nx_device_session_open(struct nx_device_session **out,
				      const struct nx_device_session_options *options,
				      struct nx_error *err)
{
	struct nx_device_session *d = nx_heap_alloc(sizeof(*d));
	enum nx_status st;

	assert(options->session_path);
	memset(d, 0, sizeof(*d));
	d->options = *options;
	d->profile.source = (struct nx_row_source){scan_table, find_transfer, d};
	st = open_session(d, err);
	if (!st)
		st = open_neffs(d, err);
	if (!st) {
		nx_progress_begin(&d->progress, "reading the capture", d->decoder.ring_bytes,
				  options->show_progress);
		d->decoder.progress = &d->progress;
		st = process(d, err);
		nx_progress_end(&d->progress);
		d->decoder.progress = NULL;
	}
	if (st) {
		nx_device_session_close(d);
		return st;
	}
	*out = d;
	return NX_OK;
}

void nx_device_session_close(struct nx_device_session *d)
{
	if (!d)
		return;
	nx_spool_free(d->instructions);
	nx_spool_free(d->packets);
	nx_packet_transfers_release(&d->packet_transfers);
	nx_vec_release(&d->profile.warnings);
	nx_vec_release(&d->profile.metrics);
	nx_vec_release(&d->profile.layers);
	nx_vec_release(&d->profile.transfers);
	nx_arena_release(&d->profile.arena);
	nx_file_unmap(&d->session);
	for (size_t i = 0; i < d->neff_count; i++)
		nx_file_unmap(&d->neffs[i]);
	nx_heap_free(d);
}
