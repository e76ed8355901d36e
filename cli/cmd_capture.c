/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "base/path.h"
#include "base/progress.h"
#include "capture/capture_run.h"
#include "cli/options.h"
#include "cli/service_run.h"
#include "cli/terminal.h"

#define DEFAULT_NEFF "file.neff"

struct capture {
	const char *neff, *session, *profile_id, *multi_input, *type, *mode, *io_from, *runtime;
	const char *rewritten;
	bool ignores_errors, has_dge, gets_event_types, is_unprofiled, is_single_io, is_strict;
	bool saves_raw, saves_npy, checks_determinism;
	struct nx_number_value workers, total_workers, first_rank, executions, profile_nth;
	struct nx_number_value single_io_threshold, save_nth;
	struct nx_list_value event_types;
	const char *addresses;
	struct nx_service_values service;
};

#define FIELD(member) NX_FIELD(struct capture, member)

static const struct nx_option options[] = {
	{"neff", 'n', NX_FILE("FILE"), FIELD(neff),
	 "The compiled model to run (default " DEFAULT_NEFF ")."},
	{"session-file", 's', NX_FILE("FILE"), FIELD(session),
	 "Where to write the capture (default profile.ntff; systrace.json for a system trace). "
	 "Ranks and executions are added before .ntff: profile_rank_3_exec_2.ntff."},
	{"ignore-exec-errors", 0, NX_FLAG, FIELD(ignores_errors),
	 "Continue after failed executions, and write their profiles."},
	{"ignore-inference", 0, NX_FLAG, FIELD(ignores_errors),
	 "The same as --ignore-exec-errors."},
	{"enable-dge-notifs", 0, NX_FLAG, FIELD(has_dge),
	 "Trace the DMA descriptors that engines generate, so that dynamic DMAs have names and "
	 "sizes. Many of them slow the run down, and can overflow a device queue and cause a "
	 "timeout."},
	{"collectives-workers-per-node", 'r', NX_NUMBER("COUNT"), FIELD(workers),
	 "Workers on this node, each on a logical core (default: as many as the model was compiled "
	 "for)."},
	{"collectives-worker-count", 0, NX_NUMBER("COUNT"), FIELD(total_workers),
	 "Workers on all nodes. Collectives over several nodes need NEURON_RT_ROOT_COMM_ID."},
	{"collectives-worker-start-id", 0, NX_NUMBER("RANK"), FIELD(first_rank),
	 "Rank of the first worker on this node (default 0)."},
	{"collectives-profile-id", 'i', NX_TEXT_OR("RANK", "all"), FIELD(profile_id),
	 "The rank to profile, or all (default)."},
	{"multi-input", 'm', NX_FILE("FILE"), FIELD(multi_input),
	 "Inputs that differ by worker: a file with one line per worker, NAME FILE and so on."},
	{"num-exec", 0, NX_NUMBER("COUNT"), FIELD(executions),
	 "How many times to run the model (default 1)."},
	{"profile-nth-exec", 0, NX_NUMBER("N"), FIELD(profile_nth),
	 "Profile every Nth execution (default 1; 0: none). 2 skips the first, which is often "
	 "slower."},
	{"capture-type", 't', NX_CHOICE("TYPE", "profile systrace"), FIELD(type),
	 "profile: what the device did (default). systrace: what the runtime did, as JSON."},
	{"systrace-get-event-types", 0, NX_FLAG, FIELD(gets_event_types),
	 "Print the event types that the runtime can trace, and exit."},
	{"systrace-event-filter", 0, NX_LIST("EVENT"), FIELD(event_types),
	 "Trace only this event type. May be repeated."},
	{"exec-mode", 0, NX_CHOICE("MODE", "sync async async-wait"), FIELD(mode),
	 "sync: run and wait (default). async: queue all, then wait. async-wait: queue one, wait, "
	 "queue the next."},
	{"disable-profile", 0, NX_FLAG, FIELD(is_unprofiled),
	 "Only run the model, for when profiling needs too much device memory."},
	{"single-io", 0, NX_FLAG, FIELD(is_single_io),
	 "Use one buffer for all inputs and outputs. Saves device memory; times are right but "
	 "results are not."},
	{"single-io-threshold", 0, NX_NUMBER("BYTES"), FIELD(single_io_threshold),
	 "With --single-io, tensors up to this size keep their own buffers (default 0)."},
	{"save-output", 0, NX_FLAG, FIELD(saves_raw),
	 "Write each output as raw bytes to a file of its name in the current folder: NAME, "
	 "NAME.2 for the second execution and so on. Several workers have folders: "
	 "output_worker_3/NAME."},
	{"save-output-npy", 0, NX_FLAG, FIELD(saves_npy),
	 "The same as NAME.npy, NAME.2.npy and so on. Types that NumPy does not have (bfloat16, "
	 "8-bit floats) are saved as raw bytes, with type and shape in NAME.json."},
	{"save-nth-output", 0, NX_NUMBER("N"), FIELD(save_nth),
	 "Save the outputs of execution N only."},
	{"write-tensors-per-exec", 0, NX_CHOICE("WHICH", "alias all none"), FIELD(rewritten),
	 "alias or all: write the inputs again before each execution, so that a model that "
	 "overwrites them finds them unchanged. none: only before the first (default)."},
	{"check-output-determinism", 0, NX_FLAG, FIELD(checks_determinism),
	 "Fail if the outputs of an execution differ from the first (by CRC32)."},
	{"io-from", 0, NX_CHOICE("SOURCE", "neff runtime"), FIELD(io_from),
	 "Where to look up inputs and outputs: neff (default) or runtime."},
	NX_ROW_RUNTIME(struct capture),
	{"strict-sim", 0, NX_FLAG, FIELD(is_strict),
	 "On the software NeuronCore: stop at instructions it does not know."},
	{"service-addr", 0, NX_TEXT("HOST:PORT,..."), FIELD(addresses),
	 "Capture running programs instead of a model: the addresses of their profiler services, "
	 "as "
	 "one session."},
	NX_ROWS_SERVICE_TIME(struct capture),
	NX_ROWS_SERVICE_SERIES(struct capture),
	NX_ROWS_SERVICE_SESSION(struct capture),
	NX_ROWS_SERVICE_RECORDING(struct capture),
	{0},
};

/* --- options ----------------------------------------------------------------- */

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

static enum nx_status make_wishes(const struct capture *o, const struct nx_operands *operands,
				  struct nx_capture_wishes *w, struct nx_error *err)
{
	bool is_async = o->mode && strcmp(o->mode, "sync") != 0;

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
		.rewrites_inputs = o->rewritten && strcmp(o->rewritten, "none") != 0,
		.checks_determinism = o->checks_determinism,
		.input_words = operands->items,
		.input_word_count = operands->count,
		.multi_input_path = o->multi_input,
		.is_systrace = o->type && !strcmp(o->type, "systrace"),
		.mode = !is_async		   ? NX_CAPTURE_SYNC
			: strcmp(o->mode, "async") ? NX_CAPTURE_ASYNC_WAIT
						   : NX_CAPTURE_ASYNC,
		.asks_runtime = o->io_from && !strcmp(o->io_from, "runtime"),
	};
	return read_profile_id(o->profile_id, &w->profiled_rank, err);
}

/* --- messages ----------------------------------------------------------------------- */

/* Clears the progress bar first. */
static void warn(void *context, const char *sentence)
{
	nx_progress_end(context);
	nx_say_warning("%s", sentence);
}

static void step(void *context)
{
	nx_progress_add(context, 1);
}

/* Several ranks are viewed together, by their folder. */
static void say_view(const struct nx_invocation *call, const struct nx_capture_plan *plan,
		     const struct nx_capture_result *result)
{
	const char *path = result->sessions.items[0].path;
	struct nx_slice folder = nx_path_folder(path);

	assert(result->sessions.len);
	if (plan->is_collective && result->sessions.len > 1)
		nx_say("view it: %s view -n %s -d %.*s", call->program, plan->wishes.neff_path,
		       (int)folder.len, (const char *)folder.data);
	else
		nx_say("view it: %s view -n %s -s %s", call->program, plan->wishes.neff_path, path);
}

static void say_sessions(const struct nx_capture_result *result)
{
	char size[NX_COUNT_TEXT_MAX];

	for (size_t i = 0; i < result->sessions.len; i++)
		nx_say("wrote %s (%s)", result->sessions.items[i].path,
		       nx_size_text(result->sessions.items[i].size_bytes, size));
}

/* On standard output, because test harnesses find the files by these lines. */
static enum nx_status print_outputs(const struct nx_capture_result *result, struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = result->outputs.len ? nx_output_open(&out, "-", err) : NX_OK;

	if (st || !result->outputs.len)
		return st;
	for (size_t i = 0; i < result->outputs.len; i++)
		nx_print(&out, "saved output \"%s\" as \"%s\"\n", result->outputs.items[i].tensor,
			 result->outputs.items[i].path);
	return nx_print_end(&out, NX_OK, err);
}

static void say_end(const struct nx_invocation *call, const struct nx_capture_plan *plan,
		    const struct nx_capture_result *result)
{
	char count[NX_COUNT_TEXT_MAX];

	if (plan->wishes.checks_determinism)
		nx_say("all %u executions gave the same outputs", plan->execution_count);
	if (plan->wishes.is_systrace)
		nx_say("captured %s events", nx_count_text(result->event_count, count));
	else if (result->sessions.len)
		say_view(call, plan, result);
	else if (plan->wishes.is_unprofiled)
		nx_say("ran %u times, without a profile", plan->execution_count);
	else
		nx_say("the rank to profile is not on this node: nothing was written");
}

/* --- running -------------------------------------------------------------------------- */

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
	return nx_print_end(&out, nx_capture_event_types(lib, print_type, &out, err), err);
}

static enum nx_status run_job(const struct nx_invocation *call, struct nx_capture_job job,
			      struct nx_error *err)
{
	struct nx_progress progress;
	struct nx_capture_listener listener = {warn, step, &progress};
	struct nx_capture_result result = {0};
	uint64_t total = (uint64_t)job.plan->worker_count * job.plan->execution_count;
	struct nx_error ignored;
	enum nx_status st, printed;

	job.listener = &listener;
	nx_progress_begin(&progress, "running the model", total, true);
	st = nx_capture_run(&job, &result, err);
	nx_progress_end(&progress);
	printed = print_outputs(&result, st ? &ignored : err);
	say_sessions(&result);
	if (!st)
		say_end(call, job.plan, &result);
	nx_capture_result_release(&result);
	return st ? st : printed;
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

static enum nx_status capture_services(const struct nx_invocation *call, const struct capture *o,
				       const struct nx_operands *operands, struct nx_error *err)
{
	struct nx_service_job job = {o->addresses, NX_SESSION_ON_DEMAND, "capture --service-addr"};
	const struct nx_rule rules[] = {
		{o->neff || o->session || operands->count,
		 "--service-addr captures running programs: it takes no model, no session file and "
		 "no inputs"},
		{0},
	};
	enum nx_status st = nx_rules_check(rules, err);

	return st ? st : nx_service_run(call, &o->service, &job, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct capture *o = values;
	struct nx_capture_wishes wishes;
	struct nx_runtime_library lib;
	struct nx_arena arena = {0};
	struct nx_file neff = {0};
	enum nx_status st;

	if (o->addresses)
		return capture_services(call, o, operands, err);
	if (o->service.logdir)
		return nx_fail(err, NX_USAGE, "--logdir needs --service-addr");
	st = make_wishes(o, operands, &wishes, err);
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

static const struct nx_example examples[] = {
	{"Run a model once and profile it:", "capture -n file.neff -s profile.ntff"},
	{"Give inputs, and profile the second execution, when caches are warm:",
	 "capture -n file.neff --profile-nth-exec 2 x x.npy y y.npy"},
	{"Run twelve workers, with a profile of each:",
	 "capture -n file.neff -s output/profile.ntff --collectives-workers-per-node 12"},
	{"Save the outputs, and check that every execution gives the same:",
	 "capture -n file.neff --num-exec 5 --check-output-determinism --save-output-npy x x.npy"},
	{"Trace what the runtime does:",
	 "capture -n file.neff -t systrace --systrace-event-filter nrt_execute"},
	{"Record a running job for two seconds, both hosts as one session:",
	 "capture --service-addr trn2-0:9012,trn2-1:9012 --duration-ms 2000 --logdir runs"},
	{0},
};

const struct nx_command nx_command_capture = {
	.name = "capture",
	.summary = "run a compiled model and profile it, or capture running programs",
	.operands = "[NAME FILE]...",
	.description =
		"Loads a NEFF, sets its inputs, runs it, and writes what the device did to an NTFF "
		"for 'view'. Inputs are pairs of a name and a file, either a .npy or "
		"the raw bytes of the array; those not given are zero. "
		"Without a Neuron device, the model runs on a software NeuronCore.\n\n"
		"With several workers, each has a logical core of this machine and writes its own "
		"file. Start a job over several nodes on each of them, with its own "
		"--collectives-worker-start-id, and if the model has collectives with the same "
		"NEURON_RT_ROOT_COMM_ID=HOST:PORT: the address of the node of rank 0, with a free "
		"port.\n\n"
		"With --service-addr, nothing is run: programs that run already, under our runtime "
		"with NEURON_PROFILER_PORT or under JAX with start_server, record for "
		"--duration-ms and send what they recorded. All hosts start together and become "
		"one session of --logdir. Hosts that fail are named and left out; the exit code is "
		"then 8. See docs/capture.md.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct capture),
	.run = run,
};
