/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/repetition.h"
#include "base/path.h"
#include "capture/child_run.h"
#include "capture/runtime_choice.h"
#include "cli/bench_times.h"
#include "cli/limit.h"
#include "cli/options.h"
#include "cli/temporary_folder.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"
#include "export/compare_report.h"
#include "query/measures.h"

#define DEFAULT_RUNS 20u
#define DEFAULT_WARM_UP 2u
#define OUTLIERS_SHOWN 5u

struct bench {
	const char *runtime, *baseline, *model, *data_path, *format, *output_file;
	struct nx_number_value runs, warm_up, processes;
	struct nx_list_value limits;
};

#define FIELD(member) NX_FIELD(struct bench, member)

static const struct nx_option options[] = {
	{"runs", 'n', NX_NUMBER("N"), FIELD(runs),
	 "How many executions of a NEFF to measure (default 20). A command decides itself."},
	{"warm-up", 'w', NX_NUMBER("N"), FIELD(warm_up),
	 "Leave out the first N executions of each model (default 2). The first one is reported "
	 "as cold."},
	{"processes", 'p', NX_NUMBER("N"), FIELD(processes),
	 "Start the program N times (default 1), each with its own warm-up. Shows what differs "
	 "from start to start, and gives more than one cold execution."},
	{"model", 'm', NX_TEXT("NAME"), FIELD(model),
	 "Of several models that a command executes, report this one (default: the one that takes "
	 "the most time)."},
	{"baseline", 'b', NX_TEXT_OR("WHAT", "FILE.json"), FIELD(baseline),
	 "Compare with an earlier result, or with the total time of stored profiles, by name or "
	 "pattern."},
	{"fail-if", 0, NX_LIST("LIMIT"), FIELD(limits),
	 "End with exit code 10 if this holds, such as 'median>+2%' or 'max>60us'. May be "
	 "repeated."},
	{"format", 'f', NX_CHOICE("FORMAT", "text json"), FIELD(format),
	 "Output format: text (default) or json."},
	{"output-file", 'o', NX_FILE("FILE"), FIELD(output_file),
	 "Save the result as JSON, for a later --baseline."},
	NX_ROW_DATA_PATH(struct bench),
	NX_ROW_RUNTIME(struct bench),
	{0},
};

static size_t warm_up_of(const struct bench *o)
{
	return o->warm_up.is_given ? o->warm_up.value : DEFAULT_WARM_UP;
}

/* --- running --------------------------------------------------------------- */

struct words NX_VEC_BODY(char *);

/* 'capture' of this program executes a NEFF, so that files and commands are measured alike. */
static enum nx_status make_command(const struct bench *o, const struct nx_operands *operands,
				   struct nx_arena *arena, struct words *argv, struct nx_error *err)
{
	unsigned runs = o->runs.is_given ? o->runs.value : DEFAULT_RUNS;
	struct nx_file neff = {0};
	char self[PATH_MAX];
	enum nx_status st;

	if (!nx_slice_ends(nx_slice_text(operands->items[0]), ".neff")) {
		for (size_t i = 0; i < operands->count; i++)
			nx_vec_push(argv, operands->items[i]);
		nx_vec_push(argv, NULL);
		return o->runs.is_given
			       ? nx_fail(err, NX_USAGE,
					 "--runs is for a NEFF; a command decides itself how often "
					 "it executes, and --processes how often it starts")
			       : NX_OK;
	}
	st = nx_file_map(&neff, operands->items[0], err); /* else two messages tell of it */
	nx_file_unmap(&neff);
	if (st)
		return st;
	if (!realpath("/proc/self/exe", self))
		return nx_fail_errno(err, errno, "cannot find this program's file");
	nx_vec_push(argv, nx_arena_copy_text(arena, self));
	nx_vec_push(argv, nx_arena_copy_text(arena, "capture"));
	nx_vec_push(argv, nx_arena_copy_text(arena, "--disable-profile"));
	nx_vec_push(argv, nx_arena_printf(arena, "--num-exec=%zu", warm_up_of(o) + runs));
	nx_vec_push(argv, nx_arena_printf(arena, "--neff=%s", operands->items[0]));
	if (o->runtime)
		nx_vec_push(argv, nx_arena_printf(arena, "--runtime=%s", o->runtime));
	nx_vec_push(argv, nx_arena_copy_text(arena, "--"));
	for (size_t i = 1; i < operands->count; i++)
		nx_vec_push(argv, operands->items[i]);
	nx_vec_push(argv, NULL);
	return NX_OK;
}

struct place {
	struct nx_child_environment environment;
	struct nx_runtime_choice runtime;
	struct nx_arena arena;
};

static enum nx_status prepare(const struct bench *o, struct place *place, struct nx_error *err)
{
	struct nx_runtime_wish wish = {.given = o->runtime,
				       .library_path = getenv("LD_LIBRARY_PATH"),
				       .program_folder = nx_program_folder(&place->arena),
				       .root = ""};
	enum nx_status st = nx_runtime_choose(&wish, &place->arena, &place->runtime, err);

	if (st)
		return st;
	nx_child_environment_copy(&place->environment, environ);
	nx_child_environment_set(&place->environment, "NEURON_RT_INSPECT_ENABLE", "1");
	nx_child_environment_set(&place->environment, "NEURON_RT_INSPECT_SYSTEM_PROFILE", "1");
	nx_child_environment_set(&place->environment, "NEURON_RT_INSPECT_DEVICE_PROFILE", "0");
	nx_runtime_choice_apply(&place->runtime, &place->environment, &place->arena);
	return NX_OK;
}

/* What the command prints goes to standard error: standard output has the result. */
static enum nx_status run_child(const struct nx_child_command *command, struct nx_child_end *end,
				struct nx_error *err)
{
	int kept = dup(STDOUT_FILENO);
	enum nx_status st;

	if (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return nx_fail_errno(err, errno, "cannot redirect standard output");
	st = nx_child_command_run(command, end, err);
	(void)dup2(kept, STDOUT_FILENO);
	close(kept);
	return st;
}

static enum nx_status run_once(const struct nx_invocation *call, const struct bench *o,
			       struct place *place, char *const *argv, struct nx_bench_times *times,
			       struct nx_error *err)
{
	struct nx_child_command command = {argv, NULL};
	struct nx_temporary_folder folder = {0};
	struct nx_child_end end = {0};
	enum nx_status st = nx_temporary_folder_make(&folder, "bench", err);

	if (!st) {
		nx_child_environment_set(&place->environment, "NEURON_RT_INSPECT_OUTPUT_DIR",
					 folder.path);
		command.environment = place->environment.items;
		st = run_child(&command, &end, err);
		*call->exit_code = end.exit_code;
	}
	if (!st && end.exit_code)
		st = nx_fail(err, NX_IO, "nothing was measured: the program ended with %s %d",
			     end.signal ? "signal" : "exit code",
			     end.signal ? end.signal : end.exit_code);
	if (!st)
		st = nx_bench_times_read(times, folder.path, warm_up_of(o), err);
	if (st == NX_NOT_FOUND && !end.exit_code && end.is_started)
		st = nx_fail(err, NX_NOT_FOUND,
			     "nothing was measured: no process of the command called nrt_init");
	nx_temporary_folder_remove(&folder);
	return st;
}

static enum nx_status measure(const struct nx_invocation *call, const struct bench *o,
			      struct place *place, char *const *argv, struct nx_bench_times *times,
			      struct nx_error *err)
{
	unsigned starts = o->processes.is_given ? o->processes.value : 1;
	size_t most = 0;
	enum nx_status st = NX_OK;

	for (unsigned i = 0; !st && i < starts; i++)
		st = run_once(call, o, place, argv, times, err);
	if (st || nx_bench_times_find(times, o->model))
		return st;
	for (size_t i = 0; i < times->models.len; i++)
		if (times->models.items[i].execution_count > most)
			most = times->models.items[i].execution_count;
	if (o->model && nx_bench_times_find(times, NULL))
		return nx_fail(err, NX_NOT_FOUND,
			       "no run of a model '%.200s'; the largest is %.200s", o->model,
			       nx_bench_times_find(times, NULL)->name);
	return nx_fail(err, NX_NOT_FOUND,
		       "nothing was measured: a model was executed %zu times, of which %zu of each "
		       "start are warm-up; execute it in a loop, or choose a smaller --warm-up and "
		       "more --processes",
		       most, warm_up_of(o));
}

/* --- the baseline ---------------------------------------------------------- */

static enum nx_status ask(void *measures, const struct nx_query_engine *engine,
			  struct nx_error *err)
{
	return nx_measures_ask(measures, engine, err);
}

static enum nx_status add_profile(const char *path, struct nx_times *runs, struct nx_error *err)
{
	struct nx_measures measures = {0};
	enum nx_status st = nx_workspace_view_ask(path, ask, &measures, err);
	size_t before = runs->len;

	for (size_t i = 0; !st && i < measures.items.len; i++)
		if (measures.items.items[i].section == NX_MEASURE_METRIC &&
		    !strcmp(measures.items.items[i].name, "total_time"))
			nx_vec_push(runs, measures.items.items[i].value * 1e9);
	if (!st && runs->len == before)
		st = nx_fail(err, NX_NOT_FOUND, "--baseline: %.300s is not a device profile", path);
	nx_measures_release(&measures);
	return st;
}

/* The runs to compare with; they stay in baseline. */
static enum nx_status read_baseline(const struct bench *o, const char *model_name,
				    struct nx_bench_times *baseline,
				    const struct nx_bench_model **model, struct nx_error *err)
{
	struct nx_profile_paths paths = {0};
	struct nx_bench_model profiles = {.name = o->baseline};
	enum nx_status st;

	if (nx_slice_ends(nx_slice_text(o->baseline), ".json")) {
		st = nx_bench_times_load(baseline, o->baseline, err);
		*model = nx_bench_times_find(baseline, model_name);
		if (!*model && baseline->models.len == 1)
			*model = nx_bench_times_find(baseline, NULL);
		return st || *model ? st
				    : nx_fail(err, NX_NOT_FOUND, "%.300s has no run of %.200s",
					      o->baseline, model_name);
	}
	st = nx_workspace_view_expand(o->data_path, o->baseline, &baseline->arena, &paths, err);
	for (size_t i = 0; !st && i < paths.len; i++)
		st = add_profile(paths.items[i], &profiles.runs, err);
	nx_vec_push(&baseline->models, profiles);
	*model = &baseline->models.items[baseline->models.len - 1];
	nx_vec_release(&paths);
	return st;
}

/* --- the result ------------------------------------------------------------ */

struct result {
	const struct nx_bench_times *times;
	const struct nx_bench_model *model, *before; /* before: NULL without a baseline */
	struct nx_repetition runs;
	struct nx_comparison comparison; /* names that --fail-if knows */
	bool is_simulated;
};

static double value_of(const struct nx_bench_model *model, size_t row)
{
	struct nx_repetition r = nx_repetition_of(model->runs.items, model->runs.len);
	const double values[] = {r.median, r.mean, r.min, r.max};

	if (row < 4)
		return values[row];
	return model->cold.len ? nx_repetition_of(model->cold.items, model->cold.len).median : 0;
}

static struct nx_change change_of(const struct result *r, const struct nx_compared *row,
				  bool is_median)
{
	double before = row->samples[0].mean, after = row->samples[1].mean;

	if (is_median)
		return nx_repetition_change(r->before->runs.items, r->before->runs.len,
					    r->model->runs.items, r->model->runs.len);
	return (struct nx_change){.is_known = row->samples[0].count && row->samples[1].count,
				  .difference = after - before,
				  .has_share = before != 0,
				  .relative = before != 0 ? (after - before) / before : 0};
}

static void compare(struct result *r, const char *baseline)
{
	static const char *const names[] = {"median", "mean", "min", "max", "cold"};
	const struct nx_bench_model *const sides[] = {r->before ? r->before : r->model, r->model};
	struct nx_comparison *c = &r->comparison;

	c->side_count = r->before ? 2 : 1;
	c->sides = NX_NEW_ARRAY(&c->arena, struct nx_side, 2);
	c->sides[0] = (struct nx_side){r->before ? baseline : r->model->name, 1};
	c->sides[1] = (struct nx_side){r->model->name, 1};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct nx_compared row = {
			.section = NX_MEASURE_METRIC, .name = names[i], .unit = NX_MEASURE_NS};

		row.samples = NX_NEW_ARRAY(&c->arena, struct nx_measure_sample, 2);
		row.changes = NX_NEW_ARRAY(&c->arena, struct nx_change, 2);
		for (size_t side = 0; side < 2; side++) {
			row.samples[side].mean = value_of(sides[side], i);
			row.samples[side].count = i < 4 || sides[side]->cold.len > 0;
		}
		if (r->before)
			row.changes[1] = change_of(r, &row, !i);
		nx_vec_push(&c->rows, row);
	}
}

static void put_outliers(struct nx_output *out, const struct result *r)
{
	char text[NX_MEASURE_TEXT_MAX];
	size_t count = 0;

	for (size_t i = 0; i < r->model->runs.len; i++) {
		double time = r->model->runs.items[i];

		if (!nx_repetition_is_outlier(&r->runs, time) || count++ >= OUTLIERS_SHOWN)
			continue;
		nx_print(out, "%s run %zu %s (%+.1f %%)", count == 1 ? "  outliers" : ",", i + 1,
			 nx_measure_text(NX_MEASURE_NS, time, text),
			 100 * (time - r->runs.median) / r->runs.median);
	}
	if (count > OUTLIERS_SHOWN)
		nx_print(out, ", %zu more", count - OUTLIERS_SHOWN);
	nx_print(out, count ? "\n" : "  outliers none\n");
}

static void put_cold(struct nx_output *out, const struct result *r)
{
	double cold = value_of(r->model, 4);
	char text[NX_MEASURE_TEXT_MAX];

	if (r->model->cold.len)
		nx_print(out, "  cold     %s (%+.1f %%), the first after loading%s\n",
			 nx_measure_text(NX_MEASURE_NS, cold, text),
			 100 * (cold - r->runs.median) / r->runs.median,
			 r->model->cold.len > 1 ? ", median of all starts" : "");
}

static void put_text(struct nx_output *out, const struct result *r)
{
	const struct nx_compared *median = &r->comparison.rows.items[0];
	char a[NX_MEASURE_TEXT_MAX], b[NX_MEASURE_TEXT_MAX], change[2 * NX_MEASURE_TEXT_MAX];

	nx_print(out, "%s: %zu runs, time on the device%s\n", r->model->name, r->runs.count,
		 r->is_simulated ? ", simulated" : "");
	nx_print(out, "  median   %s", nx_measure_text(NX_MEASURE_NS, r->runs.median, a));
	if (r->runs.has_interval)
		nx_print(out, ", 95 %% interval %s to %s",
			 nx_measure_text(NX_MEASURE_NS, r->runs.low, a),
			 nx_measure_text(NX_MEASURE_NS, r->runs.high, b));
	else
		nx_print(out, "; an interval needs 6 runs");
	nx_print(out, "\n  fastest  %s, slowest %s", nx_measure_text(NX_MEASURE_NS, r->runs.min, a),
		 nx_measure_text(NX_MEASURE_NS, r->runs.max, b));
	nx_print(out, ", mean %s\n", nx_measure_text(NX_MEASURE_NS, r->runs.mean, a));
	put_outliers(out, r);
	put_cold(out, r);
	if (r->before)
		nx_print(out, "  baseline %s (%zu runs of %s): %s\n",
			 nx_measure_text(NX_MEASURE_NS, median->samples[0].mean, a),
			 r->before->runs.len, r->comparison.sides[0].name,
			 nx_change_text(median, 1, change));
	for (size_t i = 0; i < r->times->models.len; i++)
		if (&r->times->models.items[i] != r->model)
			nx_print(out, "  also     %s, %zu executions; --model reports it\n",
				 r->times->models.items[i].name,
				 r->times->models.items[i].execution_count);
}

static void put_json(struct nx_output *out, const struct result *r)
{
	const struct nx_change *change = &r->comparison.rows.items[0].changes[1];
	struct nx_json_writer w;

	nx_json_init_output(&w, out, true);
	nx_json_begin_object(&w);
	nx_bench_times_json(&w, r->times);
	nx_json_key_text(&w, "model", r->model->name);
	nx_json_key(&w, "is_simulated");
	nx_json_bool(&w, r->is_simulated);
	if (r->before) {
		nx_json_key(&w, "change");
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "baseline", r->comparison.sides[0].name);
		nx_json_key_f64(&w, "difference_ns", change->difference);
		nx_json_key_f64(&w, "relative", change->relative);
		if (change->has_interval) {
			nx_json_key_f64(&w, "low_ns", change->low);
			nx_json_key_f64(&w, "high_ns", change->high);
		}
		nx_json_end_object(&w);
	}
	nx_json_end_object(&w);
	nx_output_write(out, "\n", 1);
}

static enum nx_status write_result(const struct result *r, const char *path, bool is_json,
				   struct nx_error *err)
{
	struct nx_output out = {0};
	enum nx_status st = nx_output_open(&out, path, err);

	if (!st)
		(is_json ? put_json : put_text)(&out, r);
	return nx_print_end(&out, st, err);
}

static enum nx_status report(const struct bench *o, struct result *r, struct nx_error *err)
{
	struct nx_bench_times baseline = {0};
	struct nx_limits limits = {0};
	enum nx_status st = NX_OK;

	r->model = nx_bench_times_find(r->times, o->model);
	r->runs = nx_repetition_of(r->model->runs.items, r->model->runs.len);
	if (o->baseline)
		st = read_baseline(o, r->model->name, &baseline, &r->before, err);
	if (!st) {
		compare(r, o->baseline);
		st = nx_limits_parse(&limits, &o->limits, &r->comparison, err);
	}
	if (!st)
		st = write_result(r, "-", o->format && !strcmp(o->format, "json"), err);
	if (!st && o->output_file)
		st = write_result(r, o->output_file, true, err);
	if (!st)
		st = nx_limits_check(&limits, &r->comparison, err);
	nx_comparison_release(&r->comparison);
	nx_bench_times_release(&baseline);
	return st;
}

static enum nx_status check(const struct bench *o, const struct nx_operands *operands,
			    struct nx_error *err)
{
	const struct nx_rule rules[] = {
		{!operands->count || !*operands->items[0],
		 "name a NEFF, or a command after --: bench model.neff, bench -- python kernel.py"},
		{o->runs.is_given && !o->runs.value, "--runs must be at least 1"},
		{o->processes.is_given && !o->processes.value, "--processes must be at least 1"},
		{0},
	};

	return nx_rules_check(rules, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct bench *o = values;
	struct nx_bench_times times = {0};
	struct result result = {.times = &times};
	struct place place = {0};
	struct words argv = {0};
	enum nx_status st = check(o, operands, err);

	if (!st)
		st = make_command(o, operands, &place.arena, &argv, err);
	if (!st)
		st = prepare(o, &place, err);
	if (!st)
		st = measure(call, o, &place, argv.items, &times, err);
	result.is_simulated = place.runtime.origin == NX_RUNTIME_OWN;
	if (!st)
		st = report(o, &result, err);
	nx_bench_times_release(&times);
	nx_child_environment_release(&place.environment);
	nx_vec_release(&argv);
	nx_arena_release(&place.arena);
	return st;
}

static const struct nx_example examples[] = {
	{"How long does a kernel take on the device?", "bench kernel.neff x x.npy"},
	{"Time what a program executes, such as an NKI kernel in a loop:",
	 "bench -- python kernel_test.py"},
	{"Keep a result, and fail a build that got slower by more than 2 %:",
	 "bench kernel.neff -o before.json\nbench kernel.neff --baseline before.json --fail-if "
	 "'median>+2%'"},
	{0},
};

const struct nx_command nx_command_bench = {
	.name = "bench",
	.summary = "time a model or the models of a command, on the device",
	.operands = "FILE.neff [NAME FILE]... | -- COMMAND [ARGS...]",
	.description =
		"Executes a NEFF several times, or runs a command that does, and reports how long "
		"the device took: median with its 95 % interval, fastest, slowest, outliers, and "
		"the first, cold execution. Times are those of the device's own clock "
		"(nc_exec_running of the system trace), without the host's part and without the "
		"cost of a device profile. Works with any libnrt.so.1; on the software NeuronCore "
		"times are simulated.\n"
		"\n"
		"An execution on several physical cores lasts from the first start to the last "
		"end; of several ranks the slowest counts. Inputs of a NEFF are given as for "
		"'capture'. An outlier is beyond the median by more than 3.5 scaled median "
		"absolute deviations and 1 %.\n"
		"\n"
		"With --baseline, the change of the median has a 95 % interval if both sides have "
		"several runs. --fail-if takes median, mean, min, max or cold, and a limit as "
		"'compare' does: a change of the median counts only if its interval does not hold "
		"0. What the command prints goes to standard error, and if it fails, its exit code "
		"is ours.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct bench),
	.run = run,
	.tmpdir = "The system trace of the executions, which is removed at the end.",
};
