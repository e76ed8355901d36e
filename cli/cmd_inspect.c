/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/child_run.h"
#include "cli/help.h"
#include "cli/inspect_report.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "runtime/trace/trace_filter.h"

#define DEVICE_MODES "off model session"

struct inspect {
	const char *output_dir;
	struct nx_number_value max_events;
	bool skips_system, skips_device;
	const char *device_mode;
	const char *cores, *types;
	const char *runtime;
	bool wants_version;
};

static const struct nx_option options[] = {
	{"output-dir", 'o', NX_OPTION_FOLDER, "FOLDER", NX_FIELD(struct inspect, output_dir),
	 "Where the capture goes; a folder per process is made in it. Several commands, also on "
	 "several machines, may share it. Default: the current folder, and ./output when called as "
	 "neuron-profile.",
	 NULL},
	{"num-trace-events", 'n', NX_OPTION_NUMBER, "N", NX_FIELD(struct inspect, max_events),
	 "Events of a NeuronCore that are held in memory until they are written (default "
	 "1,000,000). When events come faster than they are written, old ones are dropped and "
	 "counted.",
	 NULL},
	{"device-profile", 0, NX_OPTION_TEXT, "MODE", NX_FIELD(struct inspect, device_mode),
	 "Device profiles (NTFF): 'model' (the default) captures the first execution of each model "
	 "on each core, 'session' all executions, 'off' none.",
	 DEVICE_MODES},
	{"capture-system-profiles", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct inspect, skips_system),
	 "Do NOT capture system profiles: the option has its name from AWS's tool, where it "
	 "disables as well.",
	 NULL},
	{"capture-device-profiles", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct inspect, skips_device),
	 "Do NOT capture device profiles, as above; the same as --device-profile off.", NULL},
	{"filter-nc", 0, NX_OPTION_TEXT, "CORES", NX_FIELD(struct inspect, cores),
	 "Events of these NeuronCores only: 0 or 0,2,4 or 0-3. What is not captured cannot be "
	 "shown later; 'view' can filter as well.",
	 NULL},
	{"filter-event-type", 0, NX_OPTION_TEXT, "TYPES", NX_FIELD(struct inspect, types),
	 "Events of these types only, separated by commas: names, hardware, software, ^name for "
	 "all but that one.",
	 NULL},
	{"runtime", 0, NX_OPTION_FILE, "PATH", NX_FIELD(struct inspect, runtime),
	 "The libnrt.so.1 to run with, or its folder. Default: what LD_LIBRARY_PATH has, then the "
	 "system's where there is a Neuron device, else the one that comes with this program and "
	 "computes in software.",
	 NULL},
	{"version", 'v', NX_OPTION_FLAG, NULL, NX_FIELD(struct inspect, wants_version),
	 "Show the version.", NULL},
	{0},
};

/* --- options ------------------------------------------------------------------------- */

static bool is_listed(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *w = words; *w; w += strspn(w, " ")) {
		size_t here = strcspn(w, " ");

		if (here == len && !memcmp(w, word, len))
			return true;
		w += here;
	}
	return false;
}

static enum nx_status check_device(const struct inspect *o, struct nx_error *err)
{
	const char *near;

	if (o->device_mode && !is_listed(DEVICE_MODES, o->device_mode)) {
		near = nx_suggest_word(DEVICE_MODES, o->device_mode);
		return nx_fail(err, NX_USAGE,
			       "--device-profile is off, model or session, not '%.100s'%s%.*s%s",
			       o->device_mode, near ? "; did you mean '" : "",
			       near ? (int)strcspn(near, " ") : 0, near ? near : "",
			       near ? "'?" : "");
	}
	if (o->skips_device && o->device_mode && strcmp(o->device_mode, "off") != 0)
		return nx_fail(err, NX_USAGE,
			       "--capture-device-profiles disables device profiles, "
			       "--device-profile %s asks for them; leave one out",
			       o->device_mode);
	if (o->skips_system && (o->skips_device || (o->device_mode && *o->device_mode == 'o')))
		return nx_fail(err, NX_USAGE,
			       "nothing would be captured: --capture-system-profiles and "
			       "--capture-device-profiles each disable what they name; leave both "
			       "out to capture both");
	return NX_OK;
}

static enum nx_status check(const struct inspect *o, const struct nx_operands *operands,
			    struct nx_error *err)
{
	struct nx_trace_filter filter = {0};

	if (!operands->count || !operands->items[0][0])
		return nx_fail(err, NX_USAGE,
			       "give the command to run behind the options, as in 'inspect -o out "
			       "python app.py'");
	if (o->max_events.is_given && !o->max_events.value)
		return nx_fail(err, NX_USAGE, "--num-trace-events is at least 1");
	if (o->cores && nx_trace_filter_parse_cores(&filter, o->cores, err))
		return nx_context(err, "--filter-nc");
	if (o->types && nx_trace_filter_parse_types(&filter, o->types, err))
		return nx_context(err, "--filter-event-type");
	return check_device(o, err);
}

/* Absolute, because the command may go elsewhere before it captures. */
static enum nx_status make_output(const char *folder, char *path, struct nx_error *err)
{
	enum nx_status st = nx_make_directories(folder, err);

	if (st)
		return nx_context(err, "--output-dir");
	if (access(folder, W_OK | X_OK) || !realpath(folder, path))
		return nx_fail_errno(err, errno, "--output-dir: cannot write into %.300s", folder);
	return NX_OK;
}

/* --- environment ----------------------------------------------------------------------- */

static void set_default(struct nx_child_environment *environment, const char *name,
			const char *value)
{
	const char *present = nx_child_environment_get(environment, name);

	if (!present || !*present)
		nx_child_environment_set(environment, name, value);
}

static void set_kinds(struct nx_child_environment *environment, const struct inspect *o)
{
	if (o->skips_system)
		nx_child_environment_set(environment, "NEURON_RT_INSPECT_SYSTEM_PROFILE", "0");
	if (o->skips_device || (o->device_mode && !strcmp(o->device_mode, "off")))
		nx_child_environment_set(environment, "NEURON_RT_INSPECT_DEVICE_PROFILE", "0");
	else if (o->device_mode)
		nx_child_environment_set(environment, "NEURON_RT_INSPECT_DEVICE_PROFILE",
					 !strcmp(o->device_mode, "model") ? "1" : o->device_mode);
	else
		set_default(environment, "NEURON_RT_INSPECT_DEVICE_PROFILE", "1");
}

static void set_environment(struct nx_child_environment *environment, const struct inspect *o,
			    const char *output_path)
{
	char number[16];

	nx_child_environment_set(environment, "NEURON_RT_INSPECT_ENABLE", "1");
	nx_child_environment_set(environment, "NEURON_RT_INSPECT_OUTPUT_DIR", output_path);
	set_kinds(environment, o);
	if (o->max_events.is_given) {
		snprintf(number, sizeof(number), "%u", o->max_events.value);
		nx_child_environment_set(environment,
					 "NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", number);
	}
	if (o->cores)
		nx_child_environment_set(environment, "NEURON_RT_INSPECT_EVENT_FILTER_NC",
					 o->cores);
	if (o->types)
		nx_child_environment_set(environment, "NEURON_RT_INSPECT_EVENT_FILTER_TYPE",
					 o->types);
}

static void set_runtime(struct nx_child_environment *environment,
			const struct nx_runtime_choice *choice, struct nx_arena *arena)
{
	const char *old = nx_child_environment_get(environment, "LD_LIBRARY_PATH");

	if (choice->origin != NX_RUNTIME_GIVEN && choice->origin != NX_RUNTIME_OWN)
		return;
	nx_child_environment_set(environment, "LD_LIBRARY_PATH",
				 nx_arena_printf(arena, "%s%s%s", choice->folder,
						 old && *old ? ":" : "", old ? old : ""));
}

/* --- run --------------------------------------------------------------------------------- */

struct plan {
	struct nx_child_environment environment;
	struct nx_runtime_choice runtime;
	struct nx_inspect_outcome outcome;
	char output_path[PATH_MAX];
	struct nx_arena arena;
};

static enum nx_status prepare(const struct nx_invocation *call, const struct inspect *o,
			      struct plan *plan, struct nx_error *err)
{
	struct nx_runtime_wish wish = {.given = o->runtime,
				       .library_path = getenv("LD_LIBRARY_PATH"),
				       .program_folder = nx_program_folder(&plan->arena),
				       .root = ""};
	enum nx_status st = nx_runtime_choose(&wish, &plan->arena, &plan->runtime, err);

	if (st)
		return st;
	plan->outcome.output_dir = o->output_dir     ? o->output_dir
				   : call->is_legacy ? "./output"
						     : ".";
	st = make_output(plan->outcome.output_dir, plan->output_path, err);
	if (st)
		return st;
	plan->outcome.output_path = plan->output_path;
	nx_child_environment_copy(&plan->environment, environ);
	nx_inspect_say_misspelt(&plan->environment);
	set_environment(&plan->environment, o, plan->output_path);
	set_runtime(&plan->environment, &plan->runtime, &plan->arena);
	return NX_OK;
}

static enum nx_status run_command(const struct nx_invocation *call, char **argv, struct plan *plan,
				  struct nx_error *err)
{
	struct nx_child_command command = {argv, plan->environment.items};
	struct nx_child_end end;
	enum nx_status st;

	nx_inspect_say_banner(argv);
	nx_inspect_say_runtime(&plan->runtime);
	plan->outcome.command = argv[0];
	plan->outcome.since_ns = nx_capture_now_ns();
	st = nx_child_command_run(&command, &end, err);
	*call->exit_code = end.exit_code;
	if (st)
		return st;
	if (end.signal)
		nx_say_warning("the command was ended by signal %d (%s)", end.signal,
			       strsignal(end.signal));
	nx_inspect_say_outcome(call, &plan->outcome);
	return NX_OK;
}

static enum nx_status run(const struct nx_invocation *call, int argc, char **argv,
			  struct nx_error *err)
{
	struct inspect o = {0};
	struct plan plan = {0};
	struct nx_operands operands;
	bool wants_help;
	enum nx_status st =
		nx_options_parse(&nx_command_inspect, argc, argv, &o, &operands, &wants_help, err);

	if (st)
		return st;
	if (wants_help)
		return nx_help_show(call, &nx_command_inspect, err);
	if (o.wants_version)
		return nx_help_show_version(call, err);
	st = check(&o, &operands, err);
	if (!st)
		st = prepare(call, &o, &plan, err);
	if (!st)
		st = run_command(call, operands.items, &plan, err);
	nx_child_environment_release(&plan.environment);
	nx_arena_release(&plan.arena);
	return st;
}

static const struct nx_example examples[] = {
	{"Capture what a script does, into a folder:", "inspect -o output python app.py"},
	{"Only what the hardware did on two cores:",
	 "inspect -o output --filter-nc 0,1 --filter-event-type hardware -- ./serve --port 8000"},
	{"Look at it:", "view -d output"},
	{0},
};

const struct nx_command nx_command_inspect = {
	"inspect",
	"run a command and capture what it does",
	NX_OPERANDS_COMMAND " [ARGS...]",
	"Runs a command with NEURON_RT_INSPECT_ENABLE=1 and the variables that the options stand "
	"for, checked before anything starts, and says at the end what was captured. Every process "
	"that calls nrt_init is captured, children as well. Variables of the environment that no "
	"option names stay as they are.\n\n"
	"The command has our input, outputs and terminal; what we say goes to standard error. "
	"Signals are passed on. The exit code is the command's: 128 and the signal's number when a "
	"signal ended it, 127 when there is no such command, 126 when it cannot be run.",
	options,
	examples,
	run,
};
