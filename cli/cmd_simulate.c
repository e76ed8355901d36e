/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/comparison.h"
#include "base/path.h"
#include "capture/capture_run.h"
#include "capture/runtime_choice.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/temporary_folder.h"
#include "cli/workspace_view.h"
#include "export/compare_report.h"
#include "export/why_report.h"
#include "pipeline/device_session.h"
#include "pipeline/stored_profile.h"
#include "query/measures.h"
#include "query/why_rows.h"

#define ROWS_SHOWN 8u
#define MEASURED 0u
#define PREDICTED 1u

struct simulate {
	const char *session_path, *data_path, *display_name, *format;
	bool is_strict;
};

#define FIELD(member) NX_FIELD(struct simulate, member)

static const struct nx_option options[] = {
	NX_ROW_SESSION(struct simulate, "session-file", 's',
		       " The prediction is compared with it."),
	NX_ROW_DATA_PATH(struct simulate),
	NX_ROW_NAME(struct simulate, "display-name"),
	{"strict-sim", 0, NX_FLAG, FIELD(is_strict),
	 "Stop at instructions that the software NeuronCore does not know."},
	{"format", 'f', NX_CHOICE("FORMAT", "text json"), FIELD(format),
	 "Output format: text (default) or json."},
	{0},
};

/* --- the prediction -------------------------------------------------------- */

static void warn(void *context, const char *sentence)
{
	(void)context;
	nx_say_warning("%s", sentence);
}

static void step(void *context)
{
	(void)context;
}

/* One execution on the software NeuronCore; *session is its capture, in the folder. */
static enum nx_status execute(const struct simulate *o, const struct nx_operands *operands,
			      const char *folder, struct nx_arena *arena, const char **session,
			      struct nx_error *err)
{
	const struct nx_capture_listener listener = {warn, step, NULL};
	struct nx_capture_wishes wishes = {.neff_path = operands->items[0],
					   .profiled_rank = {true, 0},
					   .input_words = operands->items + 1,
					   .input_word_count = operands->count - 1};
	const char *runtime = nx_runtime_own_folder(nx_program_folder(arena), arena);
	struct nx_capture_result result = {0};
	struct nx_runtime_library lib;
	struct nx_capture_model model;
	struct nx_capture_plan plan;
	struct nx_file neff = {0};
	struct nx_capture_job job = {.library = &lib,
				     .plan = &plan,
				     .model = &model,
				     .arena = arena,
				     .is_strict = o->is_strict,
				     .listener = &listener};
	enum nx_status st = nx_file_map(&neff, wishes.neff_path, err);

	if (!st && !runtime)
		st = nx_fail(err, NX_NOT_FOUND,
			     "the software NeuronCore is missing: install libnrt.so.1 of this "
			     "program beside it");
	wishes.session_path = nx_arena_printf(arena, "%s/predicted.ntff", folder);
	job.neff = neff.bytes;
	if (!st && nx_capture_model_read(neff.bytes, arena, &model, err))
		st = nx_context(err, "%s", wishes.neff_path);
	if (!st)
		st = nx_capture_plan_make(&plan, &wishes, &model, arena, err);
	if (!st)
		st = nx_runtime_library_open(&lib, runtime, err);
	if (!st)
		st = nx_capture_run(&job, &result, err);
	if (!st && !result.sessions.len)
		st = nx_fail(err, NX_IO, "%s was executed, but nothing was recorded",
			     wishes.neff_path);
	if (!st)
		*session = nx_arena_copy_text(arena, result.sessions.items[0].path);
	nx_capture_result_release(&result);
	nx_file_unmap(&neff);
	return st;
}

static enum nx_status store(const char *session_path, const char *neff_path,
			    const struct nx_store_target *target, struct nx_stored *stored,
			    struct nx_error *err)
{
	struct nx_device_session_options how = {.session_path = session_path,
						.neff_path = neff_path};
	const char *sources[NX_DEVICE_SOURCES_MAX];
	struct nx_device_session *session;
	enum nx_status st = nx_device_session_open(&session, &how, err);

	if (st)
		return st;
	st = nx_store_device(target, nx_device_session_borrow(session), sources,
			     nx_device_session_sources(&how, sources), stored, err);
	nx_device_session_close(session);
	return st;
}

/* --- against a measurement ------------------------------------------------- */

struct difference {
	const char *name;
	double values[2], weight;
};

struct differences NX_VEC_BODY(struct difference);

static double value_of(const struct nx_compared *row, unsigned side)
{
	return row->samples[side].count ? row->samples[side].mean : 0;
}

static int compare_weights(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;

	return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1) : strcmp(x->name, y->name);
}

static void add(struct differences *list, const char *name, const struct nx_compared *row)
{
	size_t i = 0;

	while (i < list->len && strcmp(list->items[i].name, name) != 0)
		i++;
	if (i == list->len)
		nx_vec_push(list, ((struct difference){.name = name}));
	for (unsigned side = 0; side < 2; side++)
		list->items[i].values[side] += value_of(row, side);
}

/* "Vector: useful" is work of Vector; what it waits for is not. */
static const char *working_engine(const struct nx_compared *row, struct nx_arena *arena)
{
	static const char *const work[] = {"useful", "transpose", "throttled", "control",
					   "DMA issue"};
	const char *cause = strstr(row->name, ": ");

	for (size_t i = 0; cause && i < sizeof(work) / sizeof(work[0]); i++)
		if (!strcmp(cause + 2, work[i]))
			return nx_arena_copy(arena,
					     nx_slice_of(row->name, (size_t)(cause - row->name)));
	return NULL;
}

/* Their duration is how long they wait: an effect of other differences. */
static bool is_wait(const char *opcode)
{
	struct nx_slice name = nx_slice_text(opcode);

	return nx_slice_ends(name, " EVENT_SEMAPHORE") || nx_slice_ends(name, " DRAIN");
}

/* The rows of a section, the largest difference first; of the engines, the sum of their work. */
static struct differences differences_of(const struct nx_comparison *c,
					 enum nx_measure_section section, struct nx_arena *arena)
{
	struct differences list = {0};

	for (size_t i = 0; i < c->rows.len; i++) {
		const struct nx_compared *row = &c->rows.items[i];
		const char *name = row->name;

		if (row->section != section || (section == NX_MEASURE_OPCODE && is_wait(name)))
			continue;
		if (section == NX_MEASURE_ENGINE)
			name = working_engine(row, arena);
		if (name)
			add(&list, name, row);
	}
	for (size_t i = 0; i < list.len; i++)
		list.items[i].weight =
			fabs(list.items[i].values[PREDICTED] - list.items[i].values[MEASURED]);
	if (list.len)
		qsort(list.items, list.len, sizeof(*list.items), compare_weights);
	return list;
}

static void put_section(struct nx_output *out, const char *title, struct differences list,
			struct nx_arena *arena)
{
	char text[2][NX_MEASURE_TEXT_MAX], by[NX_MEASURE_TEXT_MAX], share[32];
	struct nx_table_view table;

	nx_print(out, "\n%s, largest difference first:\n", title);
	nx_table_begin(&table, arena, ">measured|>predicted|>difference|>share|name");
	for (size_t i = 0; i < list.len && i < ROWS_SHOWN; i++) {
		const struct difference *d = &list.items[i];
		double difference = d->values[PREDICTED] - d->values[MEASURED];

		for (unsigned side = 0; side < 2; side++)
			nx_measure_text(NX_MEASURE_NS, d->values[side], text[side]);
		share[0] = '\0';
		if (d->values[MEASURED] > 0)
			snprintf(share, sizeof(share), "%+.1f %%",
				 100 * difference / d->values[MEASURED]);
		nx_table_row(&table, text[MEASURED], text[PREDICTED],
			     nx_measure_text(NX_MEASURE_NS, difference, by), share, d->name);
	}
	nx_table_end(&table, out, 2);
	if (list.len > ROWS_SHOWN)
		nx_print(out, "  and %zu more (--format json lists all)\n", list.len - ROWS_SHOWN);
	nx_vec_release(&list);
}

static const struct nx_compared *total_time(const struct nx_comparison *c)
{
	for (size_t i = 0; i < c->rows.len; i++)
		if (c->rows.items[i].section == NX_MEASURE_METRIC &&
		    !strcmp(c->rows.items[i].name, "total_time"))
			return &c->rows.items[i];
	return NULL;
}

static void put_comparison(struct nx_output *out, const char *name, const struct nx_comparison *c,
			   struct nx_arena *arena)
{
	const struct nx_compared *total = total_time(c);
	char text[2 * NX_MEASURE_TEXT_MAX];

	if (total && total->changes[PREDICTED].is_known) {
		nx_print(out, "%s: predicted %s, ", name,
			 nx_measure_text(total->unit, value_of(total, PREDICTED), text));
		nx_print(out, "measured %s: ",
			 nx_measure_text(total->unit, value_of(total, MEASURED), text));
		nx_print(out, "%s\n", nx_change_text(total, PREDICTED, text));
	}
	put_section(out, "Engines, time they worked", differences_of(c, NX_MEASURE_ENGINE, arena),
		    arena);
	put_section(out, "Opcodes that work, busy time",
		    differences_of(c, NX_MEASURE_OPCODE, arena), arena);
	put_section(out, "Causes on the critical path", differences_of(c, NX_MEASURE_PATH, arena),
		    arena);
}

static enum nx_status measure(void *measures, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	return nx_measures_ask(measures, engine, err);
}

/* --- the answer ------------------------------------------------------------ */

struct answer {
	const struct simulate *o;
	const char *name;      /* of the stored profile */
	const char *predicted; /* folders with tables */
	const char *measured;  /* NULL: none */
};

static enum nx_status put_against(struct nx_output *out, const struct answer *a,
				  struct nx_arena *arena, struct nx_error *err)
{
	struct nx_measures measures[2] = {0};
	struct nx_captures sides[] = {{"measured", &measures[MEASURED], 1},
				      {"predicted", &measures[PREDICTED], 1}};
	struct nx_comparison comparison = {0};
	struct nx_json_writer w;
	enum nx_status st = nx_workspace_view_ask(a->measured, measure, &measures[MEASURED], err);

	if (!st)
		st = nx_workspace_view_ask(a->predicted, measure, &measures[PREDICTED], err);
	if (!st)
		nx_compare(&comparison, sides, 2);
	if (!st && a->o->format && !strcmp(a->o->format, "json")) {
		nx_json_init_output(&w, out, true);
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "profile", a->name);
		nx_comparison_json(&w, &comparison);
		nx_json_end_object(&w);
		nx_output_write(out, "\n", 1);
	} else if (!st) {
		put_comparison(out, a->name, &comparison, arena);
	}
	nx_comparison_release(&comparison);
	nx_measures_release(&measures[MEASURED]);
	nx_measures_release(&measures[PREDICTED]);
	return st;
}

static enum nx_status explain(void *answer, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	return nx_why_answer_ask(answer, engine, NULL, err);
}

static enum nx_status put_alone(struct nx_output *out, const struct answer *a, struct nx_error *err)
{
	struct nx_why_answer why = {0};
	struct nx_bytes text = {0};
	struct nx_json_writer w;
	enum nx_status st = nx_workspace_view_ask(a->predicted, explain, &why, err);

	if (!st && a->o->format && !strcmp(a->o->format, "json")) {
		nx_json_init_bytes(&w, &text, true);
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "profile", a->name);
		nx_why_report_json(&w, &why);
		nx_json_end_object(&w);
		nx_vec_push(&text, '\n');
	} else if (!st) {
		nx_why_report_text(&text, &why, a->name);
	}
	nx_output_write(out, text.items, text.len);
	nx_vec_release(&text);
	nx_why_answer_release(&why);
	return st;
}

static enum nx_status put_answer(const struct answer *a, struct nx_arena *arena,
				 struct nx_error *err)
{
	struct nx_output out = {0};
	enum nx_status st = nx_output_open(&out, "-", err);

	if (!st)
		st = a->measured ? put_against(&out, a, arena, err) : put_alone(&out, a, err);
	return nx_print_end(&out, st, err);
}

/* --- the command ----------------------------------------------------------- */

static enum nx_status simulate(const struct simulate *o, const struct nx_operands *operands,
			       const char *folder, struct nx_arena *arena, struct nx_error *err)
{
	const char *neff = operands->items[0], *session = NULL;
	struct nx_slice stem = nx_path_stem(neff);
	struct nx_store_target workspace = {
		.data_path = o->data_path, .name = o->display_name, .force = true};
	struct nx_store_target beside = {.folder = nx_arena_printf(arena, "%s/measured", folder)};
	struct nx_stored predicted = {0}, measured = {0};
	struct answer a = {.o = o};
	enum nx_status st = execute(o, operands, folder, arena, &session, err);

	if (!workspace.name)
		workspace.name = nx_arena_printf(arena, "%.*s-simulated", (int)stem.len,
						 (const char *)stem.data);
	if (!st && o->session_path) /* before anything is stored: it may not fit the NEFF */
		st = store(o->session_path, neff, &beside, &measured, err);
	if (!st)
		st = store(session, neff, &workspace, &predicted, err);
	if (st)
		return st;
	a.name = predicted.name;
	a.predicted = predicted.place;
	a.measured = o->session_path ? beside.folder : NULL;
	st = put_answer(&a, arena, err);
	if (!st)
		nx_say("stored as %s; 'neuron-explorer view' shows it", predicted.name);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct simulate *o = values;
	struct nx_temporary_folder folder = {0};
	struct nx_arena arena = {0};
	enum nx_status st = operands->count ? nx_temporary_folder_make(&folder, "simulate", err)
					    : nx_fail(err, NX_USAGE,
						      "name a compiled model: simulate model.neff");

	(void)call;
	if (!st)
		st = simulate(o, operands, folder.path, &arena, err);
	nx_temporary_folder_remove(&folder);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"How long would a kernel take, and what would bind it?", "simulate kernel.neff"},
	{"Where does the prediction differ from a capture?",
	 "simulate kernel.neff -s profile.ntff"},
	{0},
};

const struct nx_command nx_command_simulate = {
	.name = "simulate",
	.summary = "predict a profile on the software NeuronCore, and compare it with a capture",
	.operands = "FILE.neff [NAME FILE]...",
	.description =
		"Executes a NEFF once on the software NeuronCore, whatever devices there are, "
		"stores the predicted profile in the workspace as NAME-simulated, and says what "
		"would bind the run, as 'why' does. Inputs are given as for 'capture'; times "
		"depend on them only where the program branches on data.\n"
		"\n"
		"With -s, a capture of the same NEFF on a device, the prediction is compared with "
		"the measurement: in total, engine by engine, opcode by opcode and by causes on "
		"the critical path, the largest differences first. docs/design/simulator.md says "
		"how far predictions can be trusted. Needs DuckDB, like 'query'.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct simulate),
	.run = run,
	.tmpdir = "The capture of the execution, which is removed at the end.",
};
