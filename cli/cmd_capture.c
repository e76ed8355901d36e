/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/progress.h"
#include "capture/capture_run.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "cli/terminal.h"

#define DEFAULT_NEFF "file.neff"
#define MODES "sync async async-wait"
#define TYPES "profile systrace"
#define SOURCES "neff runtime"

struct capture {
	const char *neff, *session, *profile_id, *multi_input, *type, *mode, *io_from, *runtime;
	bool ignores_errors, has_dge, gets_event_types, is_unprofiled, is_single_io, is_strict;
	bool saves_raw, saves_npy, saves_each, checks_determinism;
	struct nx_number_value workers, total_workers, first_rank, executions, profile_nth;
	struct nx_number_value single_io_threshold, save_nth;
	struct nx_list_value event_types;
};

static const struct nx_option options[] = {
	{"neff", 'n', NX_OPTION_FILE, "FILE", NX_FIELD(struct capture, neff),
	 "The compiled model to run (default " DEFAULT_NEFF ").", NULL},
	{"session-file", 's', NX_OPTION_FILE, "FILE", NX_FIELD(struct capture, session),
	 "Where the capture goes (default profile.ntff; systrace.json for a system trace). Ranks "
	 "and executions are added before .ntff: profile_rank_3_exec_2.ntff.",
	 NULL},
	{"ignore-exec-errors", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct capture, ignores_errors),
	 "Go on after executions that fail, and write their profiles.", NULL},
	{"ignore-inference", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct capture, ignores_errors),
	 "The same as --ignore-exec-errors.", NULL},
	{"enable-dge-notifs", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct capture, has_dge),
	 "Trace the descriptors that engines make themselves, so that dynamic DMAs have names and "
	 "sizes. Many of them can overflow a queue of the device and end in a timeout.",
	 NULL},
	{"collectives-workers-per-node", 'r', NX_OPTION_NUMBER, "COUNT",
	 NX_FIELD(struct capture, workers),
	 "Workers on this node, each on a logical core. Without it, as many as the model was "
	 "compiled for.",
	 NULL},
	{"collectives-worker-count", 0, NX_OPTION_NUMBER, "COUNT",
	 NX_FIELD(struct capture, total_workers), "Workers on all nodes.", NULL},
	{"collectives-worker-start-id", 0, NX_OPTION_NUMBER, "RANK",
	 NX_FIELD(struct capture, first_rank), "Rank of the first worker on this node (default 0).",
	 NULL},
	{"collectives-profile-id", 'i', NX_OPTION_TEXT, "RANK",
	 NX_FIELD(struct capture, profile_id), "The rank to profile, or all (the default).", "all"},
	{"multi-input", 'm', NX_OPTION_FILE, "FILE", NX_FIELD(struct capture, multi_input),
	 "Inputs that differ by worker: a file with a line for each, NAME FILE.npy and so on.",
	 NULL},
	{"num-exec", 0, NX_OPTION_NUMBER, "COUNT", NX_FIELD(struct capture, executions),
	 "How often to run the model (default 1).", NULL},
	{"profile-nth-exec", 0, NX_OPTION_NUMBER, "N", NX_FIELD(struct capture, profile_nth),
	 "Profile every Nth execution (default 1; 0: none). 2 leaves out the first, which is often "
	 "slower.",
	 NULL},
	{"capture-type", 't', NX_OPTION_TEXT, "TYPE", NX_FIELD(struct capture, type),
	 "profile: what the device did (the default). systrace: what the runtime did, as JSON.",
	 TYPES},
	{"systrace-get-event-types", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct capture, gets_event_types),
	 "Print the events that the runtime can trace, and end.", NULL},
	{"systrace-event-filter", 0, NX_OPTION_LIST, "EVENT", NX_FIELD(struct capture, event_types),
	 "Trace these events only. May be repeated.", NULL},
	{"exec-mode", 0, NX_OPTION_TEXT, "MODE", NX_FIELD(struct capture, mode),
	 "sync: run and wait (the default). async: queue all, then wait. async-wait: queue one, "
	 "wait, queue the next.",
	 MODES},
	{"disable-profile", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct capture, is_unprofiled),
	 "Run only: for when profiling itself needs too much device memory.", NULL},
	{"single-io", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct capture, is_single_io),
	 "One buffer for all inputs and outputs. Saves device memory and keeps times, but what is "
	 "computed is wrong.",
	 NULL},
	{"single-io-threshold", 0, NX_OPTION_NUMBER, "BYTES",
	 NX_FIELD(struct capture, single_io_threshold),
	 "With --single-io, tensors up to this size keep buffers of their own (default 0).", NULL},
	{"save-output", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct capture, saves_raw),
	 "Write each output of the last execution as plain bytes to a file of its name, here.",
	 NULL},
	{"save-output-npy", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct capture, saves_npy),
	 "The same as NAME.npy. NumPy has no bfloat16 and no 8-bit floats.", NULL},
	{"save-nth-output", 0, NX_OPTION_NUMBER, "N", NX_FIELD(struct capture, save_nth),
	 "Save the outputs of execution N in place of the last.", NULL},
	{"write-tensors-per-exec", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct capture, saves_each),
	 "Save the outputs of every execution: NAME, NAME_exec_2 and so on.", NULL},
	{"check-output-determinism", 0, NX_OPTION_FLAG, NULL,
	 NX_FIELD(struct capture, checks_determinism),
	 "Fail when an execution gives other outputs than the first (by CRC32).", NULL},
	{"io-from", 0, NX_OPTION_TEXT, "SOURCE", NX_FIELD(struct capture, io_from),
	 "Who says which inputs and outputs there are: neff (the default) or runtime.", SOURCES},
	{"runtime", 0, NX_OPTION_FILE, "FILE", NX_FIELD(struct capture, runtime),
	 "The libnrt.so.1 to use, or its folder. Without it: what LD_LIBRARY_PATH finds, the "
	 "system's where there is a Neuron device, else the NeuronCore in software that comes with "
	 "this program.",
	 NULL},
	{"strict-sim", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct capture, is_strict),
	 "On the NeuronCore in software: stop at instructions whose meaning is not known.", NULL},
	{0},
};

/* --- words to wishes ----------------------------------------------------------------- */

static enum nx_status choose(const char *option, const char *words, const char *word,
			     unsigned *index, struct nx_error *err)
{
	const char *near;
	size_t len;

	*index = 0;
	for (const char *at = words; word && *at; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		if (len == strlen(word) && strncmp(at, word, len) == 0)
			return NX_OK;
		++*index;
	}
	if (!word)
		return NX_OK;
	near = nx_suggest_word(words, word);
	if (!near)
		return nx_fail(err, NX_USAGE, "%s is one of: %s; not '%.100s'", option, words,
			       word);
	return nx_fail(err, NX_USAGE, "%s is one of: %s; not '%.100s'. Did you mean %.*s?", option,
		       words, word, (int)strcspn(near, " "), near);
}

static struct nx_capture_count count_of(struct nx_number_value value)
{
	return (struct nx_capture_count){value.is_given, value.value};
}

static enum nx_status read_profile_id(const char *text, struct nx_capture_count *rank,
				      struct nx_error *err)
{
	uint64_t value;

	if (!text || strcmp(text, "all") == 0)
		return NX_OK;
	if (!nx_slice_to_u64(nx_slice_text(text), &value) || value > UINT32_MAX)
		return nx_fail(err, NX_USAGE,
			       "--collectives-profile-id is a rank or 'all', not '%.100s'", text);
	*rank = (struct nx_capture_count){true, (uint32_t)value};
	return NX_OK;
}

static enum nx_status read_choices(const struct capture *o, struct nx_capture_wishes *w,
				   struct nx_error *err)
{
	unsigned type, mode, source;
	enum nx_status st = choose("--capture-type", TYPES, o->type, &type, err);

	if (!st)
		st = choose("--exec-mode", MODES, o->mode, &mode, err);
	if (!st)
		st = choose("--io-from", SOURCES, o->io_from, &source, err);
	if (!st)
		st = read_profile_id(o->profile_id, &w->profiled_rank, err);
	if (st)
		return st;
	w->is_systrace = type == 1;
	w->mode = (enum nx_capture_mode)mode;
	w->asks_runtime = source == 1;
	return NX_OK;
}

static enum nx_status make_wishes(const struct capture *o, const struct nx_operands *operands,
				  struct nx_capture_wishes *w, struct nx_error *err)
{
	*w = (struct nx_capture_wishes){
		.neff_path = o->neff ? o->neff : DEFAULT_NEFF,
		.session_path = o->session,
		.workers = count_of(o->workers),
		.total_workers = count_of(o->total_workers),
		.first_rank = count_of(o->first_rank),
		.executions = count_of(o->executions),
		.profile_nth = count_of(o->profile_nth),
		.event_types = o->event_types.items,
		.event_type_count = o->event_types.count,
		.is_unprofiled = o->is_unprofiled,
		.ignores_errors = o->ignores_errors,
		.is_single_io = o->is_single_io,
		.single_io_threshold = count_of(o->single_io_threshold),
		.saves_raw = o->saves_raw,
		.saves_npy = o->saves_npy,
		.save_nth = count_of(o->save_nth),
		.saves_each = o->saves_each,
		.checks_determinism = o->checks_determinism,
		.input_words = operands->items,
		.input_word_count = operands->count,
		.multi_input_path = o->multi_input,
	};
	return read_choices(o, w, err);
}

/* --- listening ----------------------------------------------------------------------- */

/* A bar on the line would be written over. */
static void say(void *context, const char *sentence)
{
	nx_progress_end(context);
	nx_say("%s", sentence);
}

static void warn(void *context, const char *sentence)
{
	nx_progress_end(context);
	nx_say_warning("%s", sentence);
}

static void step(void *context)
{
	nx_progress_add(context, 1);
}

/* Several ranks are looked at together, in their folder. */
static void say_view(const struct nx_invocation *call, const struct nx_capture_plan *plan,
		     const struct nx_capture_result *result)
{
	const char *path = result->sessions.items[0].path, *slash = strrchr(path, '/');
	bool is_folder = plan->is_collective && result->sessions.len > 1;
	int len = (int)(slash ? slash - path : 1);

	if (is_folder)
		nx_say("look at it: %s view -n %s -d %.*s", call->program, plan->wishes.neff_path,
		       len ? len : 1, slash ? path : ".");
	else
		nx_say("look at it: %s view -n %s -s %s", call->program, plan->wishes.neff_path,
		       path);
}

static void say_end(const struct nx_invocation *call, const struct nx_capture_plan *plan,
		    const struct nx_capture_result *result)
{
	char size[NX_COUNT_TEXT_MAX], count[NX_COUNT_TEXT_MAX];

	for (size_t i = 0; i < result->sessions.len; i++)
		nx_say("wrote %s (%s)", result->sessions.items[i].path,
		       nx_size_text(result->sessions.items[i].size_bytes, size));
	if (plan->wishes.checks_determinism)
		nx_say("outputs are the same after each of %u executions", plan->execution_count);
	if (plan->wishes.is_systrace)
		nx_say("it has %s events", nx_count_text(result->event_count, count));
	else if (result->sessions.len)
		say_view(call, plan, result);
	else if (plan->wishes.is_unprofiled)
		nx_say("ran %u times, without a profile", plan->execution_count);
	else
		nx_say("the rank to profile does not run on this node: nothing was written here");
}

/* --- running
 * -------------------------------------------------------------------------------------- */

static void print_type(void *context, const char *name)
{
	nx_print(context, "%s\n", name);
}

static enum nx_status print_event_types(const struct nx_runtime_library *lib, struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	st = nx_capture_event_types(lib, print_type, &out, err);
	if (!st)
		return nx_output_commit(&out, err);
	nx_output_abort(&out);
	return st;
}

static enum nx_status run_job(const struct nx_invocation *call, struct nx_capture_job job,
			      struct nx_error *err)
{
	struct nx_progress progress;
	struct nx_capture_listener listener = {say, warn, step, &progress};
	struct nx_capture_result result = {0};
	uint64_t total = (uint64_t)job.plan->worker_count * job.plan->execution_count;
	enum nx_status st;

	job.listener = &listener;
	nx_progress_begin(&progress, "running the model", total, true);
	st = nx_capture_run(&job, &result, err);
	nx_progress_end(&progress);
	if (!st)
		say_end(call, job.plan, &result);
	nx_capture_result_release(&result);
	return st;
}

static enum nx_status capture_file(const struct nx_invocation *call, const struct capture *o,
				   const struct nx_capture_wishes *wishes, struct nx_file *neff,
				   struct nx_arena *arena, struct nx_error *err)
{
	struct nx_runtime_library lib;
	struct nx_capture_model model;
	struct nx_capture_plan plan;
	struct nx_capture_job job = {.library = &lib,
				     .plan = &plan,
				     .model = &model,
				     .arena = arena,
				     .neff = neff->bytes,
				     .has_dge_notifications = o->has_dge,
				     .is_strict = o->is_strict};
	char text[PATH_MAX + 128];
	enum nx_status st = nx_capture_model_read(neff->bytes, arena, &model, err);

	if (st)
		return nx_context(err, "%s", wishes->neff_path);
	st = nx_capture_plan_make(&plan, wishes, &model, arena, err);
	if (!st)
		st = nx_runtime_library_open(&lib, o->runtime, err);
	if (st)
		return st;
	nx_say("runtime: %s", nx_runtime_library_text(&lib, text, sizeof(text)));
	return run_job(call, job, err);
}

static enum nx_status capture(const struct nx_invocation *call, const struct capture *o,
			      const struct nx_operands *operands, struct nx_error *err)
{
	struct nx_capture_wishes wishes;
	struct nx_runtime_library lib;
	struct nx_arena arena = {0};
	struct nx_file neff = {0};
	enum nx_status st = make_wishes(o, operands, &wishes, err);

	if (st)
		return st;
	if (o->gets_event_types) {
		st = nx_runtime_library_open(&lib, o->runtime, err);
		return st ? st : print_event_types(&lib, err);
	}
	st = nx_file_map(&neff, wishes.neff_path, err);
	if (!st)
		st = capture_file(call, o, &wishes, &neff, &arena, err);
	nx_file_unmap(&neff);
	nx_arena_release(&arena);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, int argc, char **argv,
			  struct nx_error *err)
{
	struct nx_operands operands;
	struct capture o = {0};
	bool wants_help;
	enum nx_status st =
		nx_options_parse(&nx_command_capture, argc, argv, &o, &operands, &wants_help, err);

	if (st)
		return st;
	return wants_help ? nx_help_show(call, &nx_command_capture, err)
			  : capture(call, &o, &operands, err);
}

static const struct nx_example examples[] = {
	{"Run a model once and profile it:", "capture -n file.neff -s profile.ntff"},
	{"With inputs, and the second execution, when everything is warm:",
	 "capture -n file.neff --profile-nth-exec 2 x x.npy y y.npy"},
	{"Twelve workers, a profile each:",
	 "capture -n file.neff -s output/profile.ntff --collectives-workers-per-node 12"},
	{"What does it compute, and always the same?",
	 "capture -n file.neff --num-exec 5 --check-output-determinism --save-output-npy x x.npy"},
	{"What the runtime does meanwhile:",
	 "capture -n file.neff -t systrace --systrace-event-filter nrt_execute"},
	{0},
};

const struct nx_command nx_command_capture = {
	"capture",
	"run a compiled model and profile it",
	"[NAME FILE.npy]...",
	"Loads a NEFF, gives it inputs, runs it, and writes what the device did to an NTFF for "
	"'view'. Inputs are pairs of a name and a .npy file; those not given are zero. Where there "
	"is no Neuron device the model runs on a NeuronCore in software.\n\n"
	"With several workers each has a logical core of this machine and writes a file of its "
	"rank. A job over several nodes is started on each of them, with its own "
	"--collectives-worker-start-id.",
	options,
	examples,
	run,
};
