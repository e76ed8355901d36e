/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/file.h"
#include "capture/capture_found.h"
#include "capture/child_environment.h"
#include "capture/child_run.h"
#include "capture/executable_kind.h"
#include "capture/runtime_choice.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "runtime/trace/trace_filter.h"

#define SMALL_BYTES 65536 /* no capture is smaller by much */
#define LISTED_FOLDERS 8u
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

#define FIELD(member) NX_FIELD(struct inspect, member)

static const struct nx_option options[] = {
	{"output-dir", 'o', NX_FOLDER("FOLDER"), FIELD(output_dir),
	 "Where to write the capture, with a folder for each process. Several commands may share "
	 "it, also from several machines. Default: the current folder, or ./output when called as "
	 "neuron-profile."},
	{"num-trace-events", 'n', NX_NUMBER("N"), FIELD(max_events),
	 "How many events per NeuronCore to buffer in memory (default 1,000,000). If events arrive "
	 "faster than they can be written, the oldest are dropped and counted."},
	{"device-profile", 0, NX_CHOICE("MODE", DEVICE_MODES), FIELD(device_mode),
	 "Which executions get a device profile (NTFF): 'model', the first of each model on each "
	 "core (default); 'session', all; 'off', none."},
	{"capture-system-profiles", 0, NX_FLAG, FIELD(skips_system),
	 "Do NOT capture system profiles: the name comes from AWS's tool, where the option "
	 "disables them too."},
	{"capture-device-profiles", 0, NX_FLAG, FIELD(skips_device),
	 "Do NOT capture device profiles; the same as --device-profile off."},
	{"filter-nc", 0, NX_TEXT("CORES"), FIELD(cores),
	 "Capture events of these NeuronCores only: 0 or 0,2,4 or 0-3. What is not captured cannot "
	 "be shown later; 'view' can filter too."},
	{"filter-event-type", 0, NX_TEXT("TYPES"), FIELD(types),
	 "Capture events of these types only, separated by commas: names, hardware, software, or "
	 "^name for all but that one."},
	NX_ROW_RUNTIME(struct inspect),
	NX_ROW_VERSION(struct inspect, 'v'),
	{0},
};

/* --- options ------------------------------------------------------------------------- */

static enum nx_status check(const struct inspect *o, const struct nx_operands *operands,
			    struct nx_error *err)
{
	bool is_off = o->device_mode && !strcmp(o->device_mode, "off");
	const struct nx_rule rules[] = {
		{!operands->count || !operands->items[0][0],
		 "give the command to run after the options, as in 'inspect -o output nccom-test "
		 "allr -r 4'"},
		{o->max_events.is_given && !o->max_events.value,
		 "--num-trace-events must be at least 1"},
		{o->skips_system && (o->skips_device || is_off),
		 "nothing would be captured: --capture-system-profiles and "
		 "--capture-device-profiles each disable what they name; leave both out to "
		 "capture both"},
		{0},
	};
	struct nx_trace_filter filter = {0};

	if (o->skips_device && o->device_mode && !is_off)
		return nx_fail(err, NX_USAGE,
			       "--capture-device-profiles disables device profiles, but "
			       "--device-profile %s enables them; leave one out",
			       o->device_mode);
	if (o->cores && nx_trace_filter_parse_cores(&filter, o->cores, err))
		return nx_context(err, "--filter-nc");
	if (o->types && nx_trace_filter_parse_types(&filter, o->types, err))
		return nx_context(err, "--filter-event-type");
	return nx_rules_check(rules, err);
}

/* Absolute, because the command may change its folder before it captures. */
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

static void set_environment(struct nx_child_environment *environment, const struct inspect *o,
			    const char *output_path)
{
	static const char device[] = "NEURON_RT_INSPECT_DEVICE_PROFILE";
	const char *present = nx_child_environment_get(environment, device);
	char number[16];

	nx_child_environment_set(environment, "NEURON_RT_INSPECT_ENABLE", "1");
	nx_child_environment_set(environment, "NEURON_RT_INSPECT_OUTPUT_DIR", output_path);
	if (o->skips_system)
		nx_child_environment_set(environment, "NEURON_RT_INSPECT_SYSTEM_PROFILE", "0");
	if (o->skips_device || (o->device_mode && !strcmp(o->device_mode, "off")))
		nx_child_environment_set(environment, device, "0");
	else if (o->device_mode && strcmp(o->device_mode, "model") != 0)
		nx_child_environment_set(environment, device, o->device_mode);
	else if (o->device_mode || !present || !*present)
		nx_child_environment_set(environment, device, "1");
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

/* --- messages before the command --------------------------------------------------------- */

static const char *const known_variables[] = {
	"NEURON_RT_INSPECT_ENABLE",
	"NEURON_RT_INSPECT_OUTPUT_DIR",
	"NEURON_RT_INSPECT_SYSTEM_PROFILE",
	"NEURON_RT_INSPECT_DEVICE_PROFILE",
	"NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC",
	"NEURON_RT_INSPECT_EVENT_FILTER_NC",
	"NEURON_RT_INSPECT_EVENT_FILTER_TYPE",
	"NEURON_RT_INSPECT_CPU_UTIL",
	"NEURON_RT_INSPECT_HOST_MEMORY",
	"NEURON_RT_INSPECT_PRECACHE_ENABLE",
	"NEURON_RT_INSPECT_ON_FAIL",
};

#define KNOWN_VARIABLES (sizeof(known_variables) / sizeof(known_variables[0]))

static void say_runtime(const struct nx_runtime_choice *choice)
{
	switch (choice->origin) {
	case NX_RUNTIME_GIVEN:
		nx_say("runtime: %s/libnrt.so.1, given by --runtime", choice->folder);
		break;
	case NX_RUNTIME_LIBRARY_PATH:
		nx_say("runtime: %s/libnrt.so.1, found in LD_LIBRARY_PATH", choice->folder);
		break;
	case NX_RUNTIME_SYSTEM:
		nx_say("runtime: %s/libnrt.so.1, the system's%s", choice->folder,
		       choice->has_device ? "" : ", although there is no Neuron device");
		break;
	case NX_RUNTIME_OWN:
		nx_say("runtime: %s/libnrt.so.1, a NeuronCore in software: this machine has no %s",
		       choice->folder, choice->has_device ? "other libnrt.so.1" : "Neuron device");
		break;
	case NX_RUNTIME_NONE:
		nx_say_warning("this machine has no libnrt.so.1; name the folder of one with "
			       "--runtime, else only programs that bring their own are captured");
		break;
	}
}

/* Compares without the common prefix, which would make any two of them look alike. */
static const char *meant_variable(const char *name)
{
	static const size_t prefix_len = sizeof("NEURON_RT_INSPECT_") - 1;
	const char *ends[KNOWN_VARIABLES], *near;

	assert(strstr(name, "INSPECT"));
	/* NEURON_RT_ENABLE_INSPECT: the wrong word order is a large edit distance. */
	if (strncmp(name, known_variables[0], prefix_len) != 0)
		return strstr(name, "ENABLE") ? known_variables[0] : NULL;
	for (size_t i = 0; i < KNOWN_VARIABLES; i++)
		ends[i] = known_variables[i] + prefix_len;
	near = nx_suggest_name(ends, KNOWN_VARIABLES, sizeof(*ends), 0, name + prefix_len);
	return near ? near - prefix_len : NULL;
}

/* Warns of NEURON_*INSPECT* variables that no runtime reads. */
static void say_misspelt(const struct nx_child_environment *environment)
{
	for (size_t i = 0; i < environment->len; i++) {
		char name[128];
		const char *meant;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(environment->items[i], "="),
			 environment->items[i]);
		if (strncmp(name, "NEURON_", 7) != 0 || !strstr(name, "INSPECT"))
			continue;
		meant = meant_variable(name);
		if (meant && !strcmp(meant, name))
			continue;
		nx_say_warning("no runtime reads %s%s%s%s", name, meant ? "; did you mean " : "",
			       meant ? meant : "", meant ? "?" : "");
	}
}

/* --- messages after it ------------------------------------------------------------------- */

static void say_folder(const struct nx_captured_folder *folder)
{
	char events[NX_COUNT_TEXT_MAX], size[NX_COUNT_TEXT_MAX], text[128] = "";

	if (folder->has_events)
		snprintf(text, sizeof(text), "%s event records, ",
			 nx_count_text(folder->event_count, events));
	nx_say("  %s: %s%" PRIu64 " NTFF, %" PRIu64 " NEFF, %s", folder->path, text,
	       folder->ntff_count, folder->neff_count, nx_size_text(folder->size_bytes, size));
}

static void say_captured(const struct nx_invocation *call, const struct nx_capture_found *found,
			 const char *output_dir)
{
	size_t plain_len = strspn(output_dir, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					      "0123456789_./-+:@%,");
	const char *quote = plain_len && !output_dir[plain_len] ? "" : "'";
	char size[NX_COUNT_TEXT_MAX];

	nx_say("captured %zu process%s in %s, %s:", found->len, found->len == 1 ? "" : "es",
	       output_dir, nx_size_text(found->total.size_bytes, size));
	for (size_t i = 0; i < found->len && i < LISTED_FOLDERS; i++)
		say_folder(&found->items[i]);
	if (found->len > LISTED_FOLDERS)
		nx_say("  and %zu more", found->len - LISTED_FOLDERS);
	for (size_t i = 0; i < found->len && i < LISTED_FOLDERS; i++)
		if (found->items[i].has_no_end && !found->items[i].was_disk_full)
			nx_say_warning("%s has no end: the process was killed or is still running; "
				       "everything up to then can be viewed",
				       found->items[i].path);
	nx_say("to view it: %s view -d %s%s%s", call->program, quote, output_dir, quote);
}

static void say_nothing(const char *command, const char *output_dir)
{
	if (nx_executable_kind_of(command, getenv("PATH")) == NX_EXECUTABLE_STATIC)
		nx_say_warning("nothing was captured: %s is statically linked, so no libnrt.so.1 "
			       "is loaded that could capture it",
			       command);
	else
		nx_say_warning("nothing was captured in %s: no process of the command called "
			       "nrt_init; NEURON_RT_LOG_LEVEL=INFO shows what the runtime does",
			       output_dir);
}

struct plan {
	struct nx_child_environment environment;
	struct nx_runtime_choice runtime;
	const char *output_dir; /* as the user gave it */
	char output_path[PATH_MAX];
	struct nx_arena arena;
};

/* A process that was killed, and other runtimes, leave no mark; then a lack of space counts. */
static bool is_disk_full(const struct nx_capture_found *found, const char *folder)
{
	return found->total.was_disk_full ||
	       (found->total.has_no_end && nx_disk_lacks(folder, SMALL_BYTES));
}

/* What was captured and how to view it, or why nothing was captured. */
static enum nx_status say_outcome(const struct nx_invocation *call, const struct plan *plan,
				  const char *command, uint64_t since_ns, struct nx_error *err)
{
	struct nx_capture_found found = {0};
	struct nx_arena arena = {0};
	struct nx_error unread = {0};
	enum nx_status st = NX_OK;

	if (nx_capture_found_scan(&found, plan->output_path, since_ns, &arena, &unread))
		nx_say_warning("%s", unread.message);
	else if (found.len)
		say_captured(call, &found, plan->output_dir);
	else if (nx_disk_lacks(plan->output_path, SMALL_BYTES))
		st = nx_disk_fail_full(err, plan->output_path, "nothing was captured",
				       "choose another place with -o");
	else
		say_nothing(command, plan->output_dir);
	if (is_disk_full(&found, plan->output_path))
		st = nx_disk_fail_full(err, plan->output_path,
				       "part of the capture is missing, the rest can be viewed",
				       "choose another place with -o");
	nx_capture_found_release(&found);
	nx_arena_release(&arena);
	return st;
}

/* --- run --------------------------------------------------------------------------------- */

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
	plan->output_dir = o->output_dir ? o->output_dir : call->is_legacy ? "./output" : ".";
	st = make_output(plan->output_dir, plan->output_path, err);
	if (st)
		return st;
	nx_child_environment_copy(&plan->environment, environ);
	say_misspelt(&plan->environment);
	set_environment(&plan->environment, o, plan->output_path);
	nx_runtime_choice_apply(&plan->runtime, &plan->environment, &plan->arena);
	return NX_OK;
}

static enum nx_status run_command(const struct nx_invocation *call, char **argv, struct plan *plan,
				  struct nx_error *err)
{
	struct nx_child_command command = {argv, plan->environment.items};
	uint64_t since_ns = nx_capture_now_ns();
	struct nx_child_end end;
	enum nx_status st;

	/* The first line is as AWS's tool prints it. */
	fputs("INFO[0000] Running command \"", stderr);
	for (size_t i = 0; argv[i]; i++)
		fprintf(stderr, "%s%s", i ? " " : "", argv[i]);
	fputs("\" with profiling enabled\n", stderr);
	say_runtime(&plan->runtime);
	st = nx_child_command_run(&command, &end, err);
	*call->exit_code = end.exit_code;
	if (st)
		return st;
	if (end.signal)
		nx_say_warning("the command was ended by signal %d (%s)", end.signal,
			       strsignal(end.signal));
	return say_outcome(call, plan, argv[0], since_ns, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct inspect *o = values;
	struct plan plan = {0};
	enum nx_status st;

	if (o->wants_version)
		return nx_help_show_version(call, err);
	st = check(o, operands, err);
	if (!st)
		st = prepare(call, o, &plan, err);
	if (!st)
		st = run_command(call, operands->items, &plan, err);
	nx_child_environment_release(&plan.environment);
	nx_arena_release(&plan.arena);
	return st;
}

static const struct nx_example examples[] = {
	{"Capture a collective over four ranks, into a folder:",
	 "inspect -o output nccom-test allr -r 4"},
	{"Capture only hardware events on two cores of your own program:",
	 "inspect -o output --filter-nc 0,1 --filter-event-type hardware -- ./serve --port 8000"},
	{"View it:", "view -d output"},
	{0},
};

const struct nx_command nx_command_inspect = {
	.name = "inspect",
	.summary = "run a command and capture what it does",
	.operands = NX_OPERANDS_COMMAND " [ARGS...]",
	.description =
		"Runs a command with NEURON_RT_INSPECT_ENABLE=1 and the variables that the options "
		"stand for, and reports at the end what was captured. Options are checked before "
		"the command starts. Every process that calls nrt_init is captured, children too. "
		"Environment variables that no option sets are left as they are.\n\n"
		"The command inherits standard input, output and the terminal; our messages go to "
		"standard error. Signals are passed on. The exit code is the command's: 128 plus "
		"the signal number if a signal ended it, 127 if it was not found, 126 if it cannot "
		"be run; 9 if it succeeded but the disk was full.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct inspect),
	.run = run,
};
