/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/engine_name.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/terminal.h"

struct show_session {
	const char *session_path, *neff_path, *engine;
	bool is_json, show_trace, show_dma;
	struct nx_number_value graph;
};

#define FIELD(member) NX_FIELD(struct show_session, member)

static const struct nx_option options[] = {
	NX_ROW_SESSION(struct show_session, "session-file", 's'),
	NX_ROW_NEFF(struct show_session, "neff-path", 'n',
		    " Adds semaphore names and layers to --show-trace."),
	NX_ROW_JSON(struct show_session),
	{"show-trace", 0, NX_FLAG, FIELD(show_trace),
	 "List the executed instructions by time, instead of the tables."},
	{"show-dma", 0, NX_FLAG, FIELD(show_dma),
	 "List the DMA records (M2S_SOP, S2M_EOP, S2M_COMPLETION) in file order, instead of the "
	 "tables."},
	{"engine", 'e', NX_TEXT_OR("NAME", NX_ENGINE_LABELS), FIELD(engine),
	 "With --show-trace, only this engine: Tensor, Scalar, GpSimd, Vector or Sync."},
	{"index", 'i', NX_NUMBER("N"), FIELD(graph), "Only this graph, counted from 0."},
	{0},
};

static enum nx_status check(const struct show_session *o, struct nx_session *s,
			    struct nx_error *err)
{
	if (!o->session_path)
		return nx_fail(err, NX_USAGE,
			       "nothing to show: give a session file with -s SESSION.ntff");
	if (o->engine && !o->show_trace)
		return nx_fail(err, NX_USAGE, "-e selects instructions: add --show-trace");
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
	} else if (!o->show_trace && !o->show_dma) {
		nx_session_print(s, out);
	}
	if (o->show_trace)
		st = nx_session_list_trace(s, out, w, err);
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
	enum nx_status st = nx_session_open(s, o->session_path, o->neff_path, err);

	if (!st && s->graph != NX_NONE && s->graph >= s->capture.graph_count)
		st = nx_fail(err, NX_NOT_FOUND,
			     "%s has %u graphs, counted from 0; there is no graph %u",
			     s->capture.path, s->capture.graph_count, s->graph);
	if (!st)
		st = nx_output_open(&out, "-", err);
	if (st)
		return st;
	st = show(o, s, &out, err);
	if (st) {
		nx_output_abort(&out);
		return st;
	}
	return nx_output_commit(&out, err);
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
	nx_session_release(s);
	nx_heap_free(s);
	return st;
}

static const struct nx_example examples[] = {
	{"What does a session file contain?", "show-session -s profile.ntff"},
	{"List what the Tensor engine executed:",
	 "show-session -s profile.ntff --show-trace -e Tensor"},
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
