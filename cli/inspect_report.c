/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/inspect_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/executable_kind.h"
#include "cli/suggest.h"
#include "cli/terminal.h"

#define LISTED_FOLDERS 8u

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

/* --- before ------------------------------------------------------------------------- */

void nx_inspect_say_banner(char *const *argv)
{
	fputs("INFO[0000] Running command \"", stderr);
	for (size_t i = 0; argv[i]; i++) {
		fputs(i ? " " : "", stderr);
		fputs(argv[i], stderr);
	}
	fputs("\" with profiling enabled\n", stderr);
}

void nx_inspect_say_runtime(const struct nx_runtime_choice *choice)
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

	/* NEURON_RT_ENABLE_INSPECT: the wrong word order is a large edit distance. */
	if (strncmp(name, known_variables[0], prefix_len) != 0)
		return strstr(name, "ENABLE") ? known_variables[0] : NULL;
	for (size_t i = 0; i < KNOWN_VARIABLES; i++)
		ends[i] = known_variables[i] + prefix_len;
	near = nx_suggest_name(ends, KNOWN_VARIABLES, name + prefix_len);
	return near ? near - prefix_len : NULL;
}

static bool is_known(const char *name)
{
	for (size_t i = 0; i < KNOWN_VARIABLES; i++)
		if (!strcmp(known_variables[i], name))
			return true;
	return false;
}

void nx_inspect_say_misspelt(const struct nx_child_environment *environment)
{
	for (size_t i = 0; i < environment->len; i++) {
		char name[128];
		const char *meant;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(environment->items[i], "="),
			 environment->items[i]);
		if (strncmp(name, "NEURON_", 7) != 0 || !strstr(name, "INSPECT") || is_known(name))
			continue;
		meant = meant_variable(name);
		nx_say_warning("no runtime reads %s%s%s%s", name, meant ? "; did you mean " : "",
			       meant ? meant : "", meant ? "?" : "");
	}
}

/* --- after --------------------------------------------------------------------------- */

static void say_folder(const struct nx_captured_folder *folder)
{
	char events[NX_COUNT_TEXT_MAX], size[NX_COUNT_TEXT_MAX], text[128] = "";

	if (folder->has_events)
		snprintf(text, sizeof(text), "%s event records, ",
			 nx_count_text(folder->event_count, events));
	nx_say("  %s: %s%" PRIu64 " NTFF, %" PRIu64 " NEFF, %s", folder->path, text,
	       folder->ntff_count, folder->neff_count, nx_size_text(folder->size_bytes, size));
}

static void say_unended(const struct nx_capture_found *found)
{
	for (size_t i = 0; i < found->len && i < LISTED_FOLDERS; i++)
		if (found->items[i].has_no_end)
			nx_say_warning("%s has no end: the process was killed or is still running; "
				       "everything up to then can be viewed",
				       found->items[i].path);
}

static bool is_plain(const char *text)
{
	return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_./-+:@%,")];
}

static void say_captured(const struct nx_invocation *call, const struct nx_capture_found *found,
			 const char *output_dir)
{
	const char *quote = is_plain(output_dir) ? "" : "'";
	char size[NX_COUNT_TEXT_MAX];

	nx_say("captured %zu process%s in %s, %s:", found->len, found->len == 1 ? "" : "es",
	       output_dir, nx_size_text(found->total.size_bytes, size));
	for (size_t i = 0; i < found->len && i < LISTED_FOLDERS; i++)
		say_folder(&found->items[i]);
	if (found->len > LISTED_FOLDERS)
		nx_say("  and %zu more", found->len - LISTED_FOLDERS);
	say_unended(found);
	nx_say("to view it: %s view -d %s%s%s", call->program, quote, output_dir, quote);
}

static void say_nothing(const struct nx_inspect_outcome *outcome)
{
	if (nx_executable_kind_of(outcome->command, getenv("PATH")) == NX_EXECUTABLE_STATIC)
		nx_say_warning("nothing was captured: %s is statically linked, so no libnrt.so.1 "
			       "is loaded that could capture it",
			       outcome->command);
	else
		nx_say_warning("nothing was captured in %s: no process of the command called "
			       "nrt_init; NEURON_RT_LOG_LEVEL=INFO shows what the runtime does",
			       outcome->output_dir);
}

void nx_inspect_say_outcome(const struct nx_invocation *call,
			    const struct nx_inspect_outcome *outcome)
{
	struct nx_capture_found found = {0};
	struct nx_arena arena = {0};
	struct nx_error err = {0};

	if (nx_capture_found_scan(&found, outcome->output_path, outcome->since_ns, &arena, &err))
		nx_say_warning("%s", err.message);
	else if (found.len)
		say_captured(call, &found, outcome->output_dir);
	else
		say_nothing(outcome);
	nx_capture_found_release(&found);
	nx_arena_release(&arena);
}
