/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "cli/options.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "decode/neff/neff_decoder.h"
#include "decode/program/program_decoder.h"
#include "pipeline/neff_match.h"

struct show_session {
	const char *session_path, *neff_path, *engine;
	bool is_json, show_trace, show_dma, show_errors;
	struct nx_number_value graph;
};

#define FIELD(member) NX_FIELD(struct show_session, member)

static const struct nx_option options[] = {
	NX_ROW_SESSION(struct show_session, "session-file", 's', ""),
	NX_ROW_NEFF(struct show_session, "neff-path", 'n',
		    " Adds semaphore names and layers to --show-trace."),
	NX_ROW_JSON(struct show_session),
	{"show-trace", 0, NX_FLAG, FIELD(show_trace),
	 "List the executed instructions of each core by time, and its collectives, instead of the "
	 "tables."},
	{"show-dma", 0, NX_FLAG, FIELD(show_dma),
	 "List the DMA records (M2S_SOP, S2M_EOP, S2M_COMPLETION) in file order, instead of the "
	 "tables."},
	{"show-errors", 'e', NX_FLAG, FIELD(show_errors),
	 "List the errors and warnings of the hardware, instead of the tables. With -j, adds the "
	 "list Errors."},
	{"engine", 0, NX_TEXT_OR("NAME", NX_ENGINE_LABELS), FIELD(engine),
	 "With --show-trace, only this engine: Tensor, Scalar, GpSimd, Vector or Sync."},
	{"index", 'i', NX_NUMBER("N"), FIELD(graph), "Only this graph, counted from 0."},
	{0},
};

/* --- reading ----------------------------------------------------------------- */

static bool is_session(struct nx_slice bytes, struct nx_arena *arena)
{
	struct nx_ntff ntff;
	struct nx_error ignored;

	return nx_ntff_read(bytes, arena, &ntff, &ignored) == NX_OK;
}

static bool is_neff(struct nx_slice bytes, struct nx_arena *arena)
{
	struct nx_neff neff;
	struct nx_error ignored;

	return nx_neff_read(bytes, arena, &neff, &ignored) == NX_OK;
}

static enum nx_status open_neff(struct nx_session *s, const char *path, struct nx_error *err)
{
	struct nx_neff_options how = {.skip_dma_blocks = true};
	struct nx_neff *neff = NX_NEW(&s->arena, struct nx_neff);
	enum nx_status st = nx_file_map(&s->neff_file, path, err);

	if (st)
		return st;
	if (nx_neff_read(s->neff_file.bytes, &s->arena, neff, err) ||
	    nx_neff_decode(neff, &how, &s->arena, &s->binary, err))
		return is_session(s->neff_file.bytes, &s->arena)
			       ? nx_fail(err, NX_FORMAT,
					 "%s is a session file (NTFF), not a NEFF; give the NEFF "
					 "with -n",
					 path)
			       : nx_context(err, "%s", path);
	if (!nx_neff_join(&s->capture, &s->binary, 1))
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

	assert(row->graph < NX_MAX_GRAPHS && row->engine < NX_ENGINE_COUNT);
	c->instruction_count[row->engine]++;
	if (row->end_ps > c->last_end_ps)
		c->last_end_ps = row->end_ps;
}

static void count_packet(void *context, const void *opaque)
{
	const struct nx_packet *row = opaque;
	struct nx_session_counts *c = &((struct nx_session *)context)->counts[row->graph];

	assert(row->graph < NX_MAX_GRAPHS);
	c->packet_count++;
	c->packet_bytes += row->size_bytes;
}

static void count_event(void *context, const void *opaque)
{
	const struct nx_event *row = opaque;

	assert(row->graph < NX_MAX_GRAPHS);
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

static enum nx_status open_session(struct nx_session *s, const char *path, const char *neff_path,
				   struct nx_error *err)
{
	struct nx_ntff_options how = {0};
	struct nx_progress progress;
	enum nx_status st = nx_file_map(&s->file, path, err);

	if (!st)
		st = nx_ntff_decoder_open(&s->decoder, s->file.bytes, path, &how, &s->arena,
					  &s->capture, err);
	if ((st == NX_VERSION || st == NX_FORMAT) && is_neff(s->file.bytes, &s->arena))
		st = nx_fail(err, NX_FORMAT,
			     "%s is a NEFF, not a session file; give the NTFF with -s%s", path,
			     neff_path ? " and the NEFF with -n: they are swapped" : "");
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

/* --- the command ------------------------------------------------------------- */

static enum nx_status check(const struct show_session *o, struct nx_session *s,
			    struct nx_error *err)
{
	if (!o->session_path)
		return nx_fail(err, NX_USAGE,
			       "nothing to show: give a session file with -s SESSION.ntff");
	if (o->engine && !o->show_trace)
		return nx_fail(err, NX_USAGE, "--engine selects instructions: add --show-trace");
	s->graph = o->graph.is_given ? o->graph.value : NX_NONE;
	s->engine = NX_ENGINE_COUNT;
	return o->engine ? nx_engine_parse(o->engine, &s->engine, err) : NX_OK;
}

static enum nx_status show(const struct show_session *o, struct nx_session *s,
			   struct nx_output *out, struct nx_error *err)
{
	enum nx_status st = NX_OK;
	struct nx_json_writer writer, *w = NULL;

	if (o->is_json) {
		w = &writer;
		nx_json_init_output(w, out, true);
		nx_json_begin_object(w);
		nx_session_write_json(s, w);
	} else if (!o->show_trace && !o->show_dma && !o->show_errors) {
		nx_session_print(s, out);
	}
	if (o->show_trace)
		st = nx_session_list_trace(s, out, w, err);
	if (!st && o->show_errors)
		nx_session_list_errors(s, out, w);
	if (!st && o->show_dma)
		nx_session_list_dma(s, out, w);
	if (!st && w) {
		nx_json_end_object(w);
		nx_print(out, "\n");
	}
	return st;
}

static enum nx_status open_and_show(const struct show_session *o, struct nx_session *s,
				    struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = open_session(s, o->session_path, o->neff_path, err);

	if (!st && s->graph != NX_NONE && s->graph >= s->capture.graph_count)
		st = nx_fail(err, NX_NOT_FOUND,
			     "%s has %u graphs, counted from 0; there is no graph %u",
			     s->capture.path, s->capture.graph_count, s->graph);
	if (!st)
		st = nx_output_open(&out, "-", err);
	if (st)
		return st;
	return nx_print_end(&out, show(o, s, &out, err), err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct show_session *o = values;
	struct nx_session *s = nx_heap_alloc(sizeof(*s));
	enum nx_status st;

	(void)call, (void)operands;
	memset(s, 0, sizeof(*s));
	st = check(o, s, err);
	if (!st)
		st = open_and_show(o, s, err);
	nx_arena_release(&s->arena);
	nx_file_unmap(&s->file);
	nx_file_unmap(&s->neff_file);
	nx_heap_free(s);
	return st;
}

static const struct nx_example examples[] = {
	{"What does a session file contain?", "show-session -s profile.ntff"},
	{"List what the Tensor engine executed:",
	 "show-session -s profile.ntff --show-trace --engine Tensor"},
	{"How many cycles did the first graph take?",
	 "show-session -s profile.ntff -j | jq '.NeffNodes[0].NodeInfo.Graphs[0].CycleCount'"},
	{0},
};

const struct nx_command nx_command_show_session = {
	.name = "show-session",
	.summary = "show what a session file contains, at a glance",
	.operands = "",
	.operand_hint = "give the session file with -s",
	.description = "Shows what a session file (NTFF) says without processing all of it: the "
		       "model, the machine, the duration, and for each graph its engines, trace "
		       "rings, queues, memory and errors. Needs no NEFF.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct show_session),
	.run = run,
};
