/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session.h"

#include <inttypes.h>
#include <string.h>

#include "base/bare/text.h"
#include "decode/neff/neff_decoder.h"
#include "decode/program/program_decoder.h"
#include "pipeline/neff_match.h"

/* --- opening --------------------------------------------------------------- */

static enum nx_status open_neff(struct nx_session *s, const char *path, struct nx_error *err)
{
	struct nx_neff_options options = {.skip_dma_blocks = true};
	struct nx_neff *neff = NX_NEW(&s->arena, struct nx_neff);
	enum nx_status st = nx_file_map(&s->neff_file, path, err);

	if (st)
		return st;
	if (nx_neff_read(s->neff_file.bytes, &s->arena, neff, err) ||
	    nx_neff_decode(neff, &options, &s->arena, &s->binary, err))
		return nx_context(err, "%s", path);
	if (!nx_neff_matches(&s->capture, &s->binary))
		return nx_fail(err, NX_MISMATCH,
			       "%s was not captured from %s: their ids differ; give the NEFF that "
			       "was running or leave -n out",
			       s->capture.path, path);
	s->has_binary = true;
	nx_program_decode(&s->capture, &s->binary, &s->arena, &s->program);
	return NX_OK;
}

static void count_instruction(void *context, const void *opaque)
{
	const struct nx_instruction *row = opaque;
	struct nx_session_counts *c = &((struct nx_session *)context)->counts[row->graph];

	c->instruction_count[row->engine]++;
	if (row->end_ps > c->last_end_ps)
		c->last_end_ps = row->end_ps;
}

static void count_packet(void *context, const void *opaque)
{
	const struct nx_packet *row = opaque;
	struct nx_session_counts *c = &((struct nx_session *)context)->counts[row->graph];

	c->packet_count++;
	c->packet_bytes += row->size_bytes;
}

static void count_event(void *context, const void *opaque)
{
	const struct nx_event *row = opaque;

	((struct nx_session *)context)->counts[row->graph].event_count++;
}

static void count_fault(void *context, const void *opaque)
{
	const struct nx_fault *row = opaque;
	struct nx_session_counts *c = &((struct nx_session *)context)->counts[row->graph];

	switch ((enum nx_fault_kind)row->kind) {
	case NX_FAULT_ERROR:
		c->error_count++;
		break;
	case NX_FAULT_WARNING:
		c->warning_count++;
		break;
	case NX_FAULT_CUSTOM:
		c->custom_count++;
		break;
	}
}

enum nx_status nx_session_open(struct nx_session *s, const char *path, const char *neff_path,
			       struct nx_error *err)
{
	struct nx_ntff_options options = {0};
	struct nx_progress progress;
	enum nx_status st = nx_file_map(&s->file, path, err);

	if (!st)
		st = nx_ntff_decoder_open(&s->decoder, s->file.bytes, path, &options, &s->arena,
					  &s->capture, err);
	if (!st && neff_path)
		st = open_neff(s, neff_path, err);
	if (st)
		return st;
	nx_progress_begin(&progress, "reading the capture", s->decoder.ring_bytes, true);
	s->decoder.progress = &progress;
	nx_ntff_decode_instructions(&s->decoder, count_instruction, s);
	nx_ntff_decode_packets(&s->decoder, count_packet, s);
	nx_ntff_decode_events(&s->decoder, count_event, s);
	nx_ntff_decode_faults(&s->decoder, count_fault, s);
	s->decoder.progress = NULL;
	nx_progress_end(&progress);
	return NX_OK;
}

void nx_session_release(struct nx_session *s)
{
	nx_arena_release(&s->arena);
	nx_file_unmap(&s->file);
	nx_file_unmap(&s->neff_file);
}

/* --- what it says ---------------------------------------------------------- */

const char *nx_session_uuid(struct nx_session *s)
{
	struct nx_slice id = s->capture.uid.len ? s->capture.uid : s->capture.uuid;
	char *text;

	id = nx_slice_part(id, 0, 16);
	text = nx_arena_zalloc(&s->arena, 2 * id.len + 1, 1);
	nx_hex_encode(text, id);
	return text;
}

const char *nx_session_window_source(const struct nx_session *s)
{
	switch (s->capture.window_source) {
	case NX_WINDOW_TIMELINE:
		return "timeline";
	case NX_WINDOW_NOTIFY:
		return "start mark";
	case NX_WINDOW_FIRST_RECORD:
		break;
	}
	return "first record";
}

uint64_t nx_session_duration_ps(const struct nx_session *s, uint32_t graph)
{
	if (s->capture.graphs[graph].exec_duration_ps)
		return s->capture.graphs[graph].exec_duration_ps;
	if (s->capture.total_time_ps)
		return s->capture.total_time_ps;
	return s->counts[graph].last_end_ps;
}

uint64_t nx_session_window_ps(const struct nx_session *s)
{
	uint64_t latest_ps = 0;

	for (uint32_t g = 0; g < s->capture.graph_count; g++)
		if (s->counts[g].last_end_ps > latest_ps)
			latest_ps = s->counts[g].last_end_ps;
	return s->capture.total_time_ps ? s->capture.total_time_ps : latest_ps;
}

const char *nx_ring_name(const struct nx_ring_span *ring)
{
	static const char *const names[] = {"instruction", "event", "error",
					    "explicit",	   "dma",   "throttle"};

	if (ring->block_type == NX_BLOCK_DMA)
		return "dma";
	if (ring->trace_type >= sizeof(names) / sizeof(names[0]))
		return "unknown";
	return names[ring->trace_type];
}
