/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/engine_name.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/terminal.h"

struct show_session {
	const char *session_path, *neff_path, *engine;
	bool is_json, show_trace, show_dma;
	struct nx_number_value graph;
};

static const struct nx_option options[] = {
	{"session-file", 's', NX_OPTION_FILE, "FILE", NX_FIELD(struct show_session, session_path),
	 "The session file (NTFF) to look at.", NULL},
	{"neff-path", 'n', NX_OPTION_FILE, "FILE", NX_FIELD(struct show_session, neff_path),
	 "The NEFF that was running: adds semaphore names and layers to --show-trace.", NULL},
	{"json", 'j', NX_OPTION_FLAG, NULL, NX_FIELD(struct show_session, is_json),
	 "Write JSON instead of tables.", NULL},
	{"show-trace", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct show_session, show_trace),
	 "List the executed instructions by time, instead of the tables.", NULL},
	{"show-dma", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct show_session, show_dma),
	 "List the DMA records (M2S_SOP, S2M_EOP, S2M_COMPLETION) as they lie in the file, instead "
	 "of the tables.",
	 NULL},
	{"engine", 'e', NX_OPTION_TEXT, "NAME", NX_FIELD(struct show_session, engine),
	 "With --show-trace, only this engine: Tensor, Scalar, GpSimd, Vector or Sync.",
	 NX_ENGINE_LABELS},
	{"index", 'i', NX_OPTION_NUMBER, "N", NX_FIELD(struct show_session, graph),
	 "Only this graph, counted from 0.", NULL},
	{0},
};

static enum nx_status check(const struct show_session *o, const struct nx_operands *operands,
			    struct nx_session *s, struct nx_error *err)
{
	if (operands->count)
		return nx_fail(err, NX_USAGE,
			       "give the session file with -s: show-session -s %.300s",
			       operands->items[0]);
	if (!o->session_path)
		return nx_fail(err, NX_USAGE,
			       "nothing to show: give a session file with -s SESSION.ntff");
	if (o->engine && !o->show_trace)
		return nx_fail(err, NX_USAGE, "-e chooses instructions: add --show-trace");
	s->graph = o->graph.is_given ? o->graph.value : NX_NONE;
	s->engine = NX_ENGINE_COUNT;
	return o->engine ? nx_engine_parse(o->engine, &s->engine, err) : NX_OK;
}

static enum nx_status check_graph(const struct nx_session *s, struct nx_error *err)
{
	if (s->graph == NX_NONE || s->graph < s->capture.graph_count)
		return NX_OK;
	return nx_fail(err, NX_NOT_FOUND, "%s has %u graphs, counted from 0; there is no graph %u",
		       s->capture.path, s->capture.graph_count, s->graph);
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

	if (!st)
		st = check_graph(s, err);
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

static enum nx_status run(const struct nx_invocation *call, int argc, char **argv,
			  struct nx_error *err)
{
	struct show_session o = {0};
	struct nx_operands operands;
	struct nx_session *s;
	bool wants_help;
	enum nx_status st = nx_options_parse(&nx_command_show_session, argc, argv, &o, &operands,
					     &wants_help, err);

	if (st)
		return st;
	if (wants_help)
		return nx_help_show(call, &nx_command_show_session, err);
	s = nx_heap_alloc(sizeof(*s));
	memset(s, 0, sizeof(*s));
	st = check(&o, &operands, s, err);
	if (!st)
		st = open_and_show(&o, s, err);
	nx_session_release(s);
	nx_heap_free(s);
	return st;
}

static const struct nx_example examples[] = {
	{"What does a session file hold?", "show-session -s profile.ntff"},
	{"List what the Tensor engine executed:",
	 "show-session -s profile.ntff --show-trace -e Tensor"},
	{"How many cycles did the first graph take?",
	 "show-session -s profile.ntff -j | jq '.NeffNodes[0].NodeInfo.Graphs[0].CycleCount'"},
	{0},
};

const struct nx_command nx_command_show_session = {
	"show-session",
	"show what a session file holds, at a glance",
	"",
	"Shows what a session file (NTFF) says without processing it as a whole: the model, the "
	"machine, how long it ran, and for each graph its engines, trace rings, queues, memory and "
	"errors. It needs no NEFF.",
	options,
	examples,
	run,
};
