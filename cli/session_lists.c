/* SPDX-License-Identifier: Apache-2.0 */
/* show-session --show-trace, --show-errors and --show-dma: rows, one by one, as lines or as JSON.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/spool.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "decode/ntff/ring_scan.h"
#include "format/collective.h"
#include "format/instruction.h"

#define SPOOL_BYTES ((size_t)32 << 20)
#define CC_CORES_PER_CORE 2u

struct listing {
	struct nx_session *s;
	struct nx_output *out;
	struct nx_json_writer *w;
	struct nx_spool *spool;
	uint32_t graph; /* the only one to list now; NX_NONE: all that are shown */
	uint64_t error_count;
	enum nx_status status;
	struct nx_error error;
};

/* Nanoseconds with three decimals, exact: doubles would round after some days of uptime. */
static const char *time_text(int64_t time_ps, char *out)
{
	uint64_t size = time_ps < 0 ? 0 - (uint64_t)time_ps : (uint64_t)time_ps;

	snprintf(out, NX_COUNT_TEXT_MAX, "%s%" PRIu64 ".%03u", time_ps < 0 ? "-" : "", size / 1000,
		 (unsigned)(size % 1000));
	return out;
}

/* --- instructions ---------------------------------------------------------- */

static void keep_instruction(void *context, const void *opaque)
{
	struct listing *l = context;
	const struct nx_instruction *row = opaque;

	if (l->status || !nx_session_shows(l->s, row->graph) ||
	    (l->graph != NX_NONE && l->graph != row->graph) ||
	    (l->s->engine != NX_ENGINE_COUNT && l->s->engine != row->engine))
		return;
	l->status = nx_spool_add(l->spool, row, &l->error);
}

static const char *layer_of(const struct nx_session *s, const struct nx_instruction *row)
{
	const struct nx_program *p = &s->program;
	const char *layer;

	assert(row->graph < NX_MAX_GRAPHS && row->engine < NX_ENGINE_COUNT);
	if (!s->has_binary)
		return "";
	layer = p->layers[p->slots[row->graph][row->engine][row->slot].layer];
	return strcmp(layer, "Unknown") ? layer : "";
}

static void list_instruction(struct listing *l, const struct nx_instruction *row)
{
	const struct nx_session *s = l->s;
	const struct nx_engine_image *image = &s->capture.graphs[row->graph].engines[row->engine];
	const uint8_t *word = image->code.data + (size_t)row->slot * NX_SLOT_BYTES;
	struct nx_instruction_context context = {s->capture.arch,
						 s->program.semaphore_names[row->graph]};
	char label[8], start[NX_COUNT_TEXT_MAX], duration[NX_COUNT_TEXT_MAX];
	char operands[NX_INSTRUCTION_TEXT_MAX];
	bool is_known;

	nx_instruction_text(word, &context, operands, sizeof(operands), &is_known);
	if (!l->w) {
		nx_print(l->out, "%-7s %6u %-27s START %14s %12s  %s%s%s\n",
			 nx_engines[row->engine].label, row->slot,
			 nx_opcode_label(nx_word_opcode(word), label),
			 time_text((int64_t)row->start_ps, start),
			 time_text((int64_t)(row->end_ps - row->start_ps), duration),
			 operands + strspn(operands, " "), *layer_of(s, row) ? "  # " : "",
			 layer_of(s, row));
		return;
	}
	nx_json_begin_object(l->w);
	nx_json_key_u64(l->w, "StartPs", row->start_ps);
	nx_json_key_u64(l->w, "EndPs", row->end_ps);
	nx_json_key_u64(l->w, "Graph", row->graph);
	nx_json_key_text(l->w, "Engine", nx_engines[row->engine].label);
	nx_json_key_u64(l->w, "Pc", row->slot);
	nx_json_key_text(l->w, "Opcode", nx_opcode_label(nx_word_opcode(word), label));
	nx_json_key_text(l->w, "Operands", operands);
	if (s->has_binary)
		nx_json_key_text(l->w, "Layer", layer_of(s, row));
	nx_json_end_object(l->w);
}

static enum nx_status list_sorted(struct listing *l, struct nx_error *err)
{
	struct nx_spool_cursor *cursor;
	const void *row;
	enum nx_status st;

	if (l->status) {
		*err = l->error;
		return l->status;
	}
	st = nx_spool_sort(l->spool, err);
	if (!st)
		st = nx_spool_cursor_open(&cursor, l->spool, err);
	if (st)
		return st;
	while ((row = nx_spool_cursor_next(cursor)) && !l->out->status)
		list_instruction(l, row);
	return nx_spool_cursor_close(cursor, err);
}

/* --- collectives ------------------------------------------------------------ */

static void list_phase(struct listing *l, const char *name, uint64_t at_ps, const char *phase,
		       const char *more)
{
	int64_t since_ps = (int64_t)(at_ps - (uint64_t)l->s->capture.window_start_ps);
	char time[NX_COUNT_TEXT_MAX];

	nx_print(l->out, "%-14s %14s %-5s  %s\n", name, time_text(since_ps, time), phase, more);
}

static void list_runs(struct listing *l, const struct nx_graph *graph)
{
	nx_print(l->out, "%-14s %14s\n", "event", "time (ns)");
	for (size_t i = 0; i < graph->collective_run_count && !l->out->status; i++) {
		const struct nx_collective_run *run = &graph->collective_runs[i];
		const char *kind = nx_collective_kind_name(graph->collective_ops[run->op_idx].type);
		const char *engine =
			run->engine < NX_ENGINE_COUNT ? nx_engines[run->engine].label : "";

		list_phase(l, "TPB_TRIGGER", run->trigger_ps, "START", engine);
		list_phase(l, "TPB_TRIGGER", run->start_ps, "END", engine);
		list_phase(l, "COLLECTIVE", run->start_ps, "START", kind ? kind : "unknown");
		list_phase(l, "COLLECTIVE", run->end_ps, "END", kind ? kind : "unknown");
	}
}

/* Under the first CC-core of the first stream: a collective listed twice would look like two. */
static void list_collectives(struct listing *l, const struct nx_graph *graph)
{
	const struct nx_collective_stream *streams = graph->collective_streams;
	bool is_listed = false;

	for (size_t i = 0; i < graph->collective_stream_count; i++)
		for (size_t k = 0; k < streams[i].cc_core_count && !l->out->status; k++) {
			nx_print(l->out, "\nCollectives trace for CC-core %" PRIu64 "\n",
				 streams[i].cc_cores[k]);
			if (!is_listed)
				list_runs(l, graph);
			is_listed = true;
		}
	if (is_listed || !graph->collective_run_count)
		return;
	/* A capture of our own runtime declares no streams. */
	nx_print(l->out, "\nCollectives trace for CC-core %u\n", graph->nc_idx * CC_CORES_PER_CORE);
	list_runs(l, graph);
}

/* --- the trace -------------------------------------------------------------- */

static enum nx_status list_instructions(struct listing *l, struct nx_error *err)
{
	enum nx_status st;

	l->spool = nx_spool_new(sizeof(struct nx_instruction), SPOOL_BYTES);
	nx_ntff_decode_instructions(&l->s->decoder, keep_instruction, l);
	st = list_sorted(l, err);
	nx_spool_free(l->spool);
	return st;
}

/* Scripts look for these headings, for START, and for the time in the fifth column. */
static enum nx_status list_graph(struct listing *l, uint32_t g, struct nx_error *err)
{
	const struct nx_graph *graph = &l->s->capture.graphs[g];
	enum nx_status st;

	l->graph = g;
	nx_print(l->out, "%sInstruction trace for ND %u NC %u\n", g ? "\n" : "", graph->nd_idx,
		 graph->nc_idx);
	nx_print(l->out, "%-7s %6s %-27s %-5s %14s %12s  %s\n", "engine", "pc", "opcode", "",
		 "start (ns)", "time (ns)", "operands");
	st = list_instructions(l, err);
	if (!st && l->s->engine == NX_ENGINE_COUNT)
		list_collectives(l, graph);
	return st;
}

enum nx_status nx_session_list_trace(struct nx_session *s, struct nx_output *out,
				     struct nx_json_writer *w, struct nx_error *err)
{
	struct listing l = {.s = s, .out = out, .w = w, .graph = NX_NONE};
	enum nx_status st = NX_OK;

	for (uint32_t g = 0; !w && g < s->capture.graph_count && !st; g++)
		if (nx_session_shows(s, g))
			st = list_graph(&l, g, err);
	if (!w)
		return st;
	nx_json_key(w, "Trace");
	nx_json_begin_array(w);
	st = list_instructions(&l, err);
	nx_json_end_array(w);
	return st;
}

/* --- errors ----------------------------------------------------------------- */

static void list_error(void *context, const void *opaque)
{
	struct listing *l = context;
	const struct nx_fault *row = opaque;
	const struct nx_graph *graph = &l->s->capture.graphs[row->graph];
	const char *kind = row->kind == NX_FAULT_ERROR ? "error" : "warning";
	const char *engine = row->engine < NX_ENGINE_COUNT ? nx_engines[row->engine].label : "";
	char time[NX_COUNT_TEXT_MAX], pc[NX_COUNT_TEXT_MAX] = "";

	/* The marks that a program writes itself are not errors. */
	if (row->kind == NX_FAULT_CUSTOM || !nx_session_shows(l->s, row->graph))
		return;
	if (row->slot != NX_NONE)
		snprintf(pc, sizeof(pc), "%u", row->slot);
	if (!l->w) {
		if (!l->error_count++)
			nx_print(l->out, "%14s %3s %3s %-7s %6s %-8s %s\n", "time (ns)", "ND", "NC",
				 "engine", "pc", "kind", "what");
		nx_print(l->out, "%14s %3u %3u %-7s %6s %-8s %s (id %u)\n",
			 time_text((int64_t)row->time_ps, time), graph->nd_idx, graph->nc_idx,
			 engine, pc, kind, nx_fault_name(row), row->id);
		return;
	}
	nx_json_begin_object(l->w);
	nx_json_key_u64(l->w, "TimePs", row->time_ps);
	nx_json_key_u64(l->w, "Graph", row->graph);
	nx_json_key_u64(l->w, "ND", graph->nd_idx);
	nx_json_key_u64(l->w, "NC", graph->nc_idx);
	nx_json_key_text(l->w, "Kind", kind);
	nx_json_key_u64(l->w, "Id", row->id);
	nx_json_key_text(l->w, "Name", nx_fault_name(row));
	if (*engine)
		nx_json_key_text(l->w, "Engine", engine);
	if (row->slot != NX_NONE)
		nx_json_key_u64(l->w, "Pc", row->slot);
	nx_json_end_object(l->w);
}

void nx_session_list_errors(struct nx_session *s, struct nx_output *out, struct nx_json_writer *w)
{
	struct listing l = {.s = s, .out = out, .w = w};

	if (w) {
		nx_json_key(w, "Errors");
		nx_json_begin_array(w);
	}
	nx_ntff_decode_faults(&s->decoder, list_error, &l);
	if (w)
		nx_json_end_array(w);
	else if (!l.error_count)
		nx_print(out, "no errors\n");
}

/* --- DMA records ----------------------------------------------------------- */

static const char *step_name(uint32_t step, char *out)
{
	switch (step) {
	case NX_DMA_START:
		return "M2S_SOP";
	case NX_DMA_END:
		return "S2M_EOP";
	case NX_DMA_COMPLETION:
		return "S2M_COMPLETION";
	default:
		snprintf(out, NX_COUNT_TEXT_MAX, "STEP_%u", step);
		return out;
	}
}

static void list_record(struct listing *l, uint32_t g, struct nx_notification n)
{
	const struct nx_graph_rings *rings = &l->s->decoder.graphs[g];
	uint32_t step = nx_bits32(n.w1, 3, 0), queue = nx_bits32(n.w1, 7, 4);
	uint32_t engine = rings->dma_engine_base + nx_notification_type(n);
	const struct nx_queue *declared = nx_graph_queue(&l->s->capture.graphs[g], engine, queue);
	const char *name = declared ? declared->display_name : "";
	uint64_t at =
		(uint64_t)nx_clock_ps(&rings->dma_clocks[engine % NX_DMA_CLOCKS], n.timestamp);
	int64_t time_ps = (int64_t)(at - (uint64_t)l->s->capture.window_start_ps);
	char time[NX_COUNT_TEXT_MAX], other[NX_COUNT_TEXT_MAX];

	if (!l->w) {
		nx_print(l->out, "%14s %5u %-14s E%-3u Q%-2u %10u  %s\n", time_text(time_ps, time),
			 g, step_name(step, other), engine, queue, nx_bits32(n.w0, 23, 0), name);
		return;
	}
	nx_json_begin_object(l->w);
	nx_json_key_i64(l->w, "TimePs", time_ps);
	nx_json_key_u64(l->w, "Graph", g);
	nx_json_key_text(l->w, "Step", step_name(step, other));
	nx_json_key_u64(l->w, "DmaEngine", engine);
	nx_json_key_u64(l->w, "Queue", queue);
	nx_json_key_u64(l->w, "SizeBytes", nx_bits32(n.w0, 23, 0));
	nx_json_key_text(l->w, "QueueName", name);
	nx_json_end_object(l->w);
}

void nx_session_list_dma(struct nx_session *s, struct nx_output *out, struct nx_json_writer *w)
{
	struct listing l = {.s = s, .out = out, .w = w};

	if (w) {
		nx_json_key(w, "Dma");
		nx_json_begin_array(w);
	} else {
		nx_print(out, "%14s %5s %-14s %-4s %-3s %10s  %s\n", "time (ns)", "graph", "step",
			 "dma", "", "bytes", "queue");
	}
	for (uint32_t g = 0; g < s->capture.graph_count; g++) {
		struct nx_ring_scan scan = nx_ring_scan_dma(&s->decoder.graphs[g], NULL);
		struct nx_notification n;

		while (nx_session_shows(s, g) && !out->status && nx_ring_scan_next(&scan, &n))
			list_record(&l, g, n);
	}
	if (w)
		nx_json_end_array(w);
}
