/* SPDX-License-Identifier: Apache-2.0 */
/* The program: which command was meant, and how a run ends. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "export/exporters.h"
#include "export/schema_texts.h"

#define PROGRAM "neuron-explorer"
#define LEGACY_PROGRAM "neuron-profile"

const struct nx_command *const nx_commands[] = {
	&nx_command_inspect, &nx_command_capture, &nx_command_view,   &nx_command_show_session,
	&nx_command_neff,    &nx_command_query,	  &nx_command_export, &nx_command_list,
	&nx_command_rename,  &nx_command_delete,  &nx_command_gc,     &nx_command_upload,
	&nx_command_help,
};
const size_t nx_command_count = sizeof(nx_commands) / sizeof(nx_commands[0]);

const struct nx_command *nx_command_find(const char *name)
{
	for (size_t i = 0; i < nx_command_count; i++)
		if (!strcmp(nx_commands[i]->name, name))
			return nx_commands[i];
	return NULL;
}

/* Commands of AWS's tool that have no counterpart here yet, and what serves instead. */
static const struct {
	const char *name;
	const char *instead;
} later_commands[] = {
	{"ingest", "use 'view --ingest-only' to put a capture into the workspace"},
	{"recommend", "'view --output-format summary-text' shows where the time went"},
	{"analyze", "use 'view --output-format json'"},
};

static enum nx_status show_schema(void (*write)(struct nx_output *out), struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	write(&out);
	return nx_output_commit(&out, err);
}

/* How the man pages and completions in the tree are made; not for users, so not in help. */
static enum nx_status print_generated(const char *option, const char *what, struct nx_error *err)
{
	const struct nx_command *command = what ? nx_command_find(what) : NULL;
	struct nx_output out;
	enum nx_status st;

	if (what && !strcmp(what, nx_command_nccom_test.name))
		command = &nx_command_nccom_test;
	if (!what)
		return nx_fail(err, NX_USAGE, "%s needs a value", option);
	if (!strcmp(option, "--print-man") && !command && strcmp(what, PROGRAM) != 0)
		return nx_fail(err, NX_USAGE, "there is no page for '%.100s'", what);
	st = nx_output_open(&out, "-", err);
	if (st)
		return st;
	if (!strcmp(option, "--print-man"))
		nx_man_print(command, &out);
	else
		st = nx_completion_print(what, &out, err);
	if (st) {
		nx_output_abort(&out);
		return st;
	}
	return nx_output_commit(&out, err);
}

static enum nx_status run_global(const struct nx_invocation *call, char **argv,
				 struct nx_error *err)
{
	const char *word = argv[1], *near;

	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return nx_help_show(call, NULL, err);
	if (!strcmp(word, "--version") || !strcmp(word, "-V") || !strcmp(word, "-v"))
		return nx_help_show_version(call, err);
	if (!strcmp(word, "--print-man") || !strcmp(word, "--print-completion"))
		return print_generated(word, argv[2], err);
	if (!strcmp(word, "--show-profile-schema"))
		return show_schema(nx_schema_write_yaml, err);
	if (!strcmp(word, "--print-schema-docs"))
		return show_schema(nx_schema_write_markdown, err);
	near = word[1] == '-' ? nx_suggest_option(nx_global_options, word + 2, strlen(word + 2))
			      : NULL;
	if (near)
		return nx_fail(err, NX_USAGE, "unknown option %.100s; did you mean --%s?", word,
			       near);
	return nx_fail(err, NX_USAGE,
		       "unknown option %.100s; options of a command come after its name", word);
}

static enum nx_status refuse_command(const char *name, struct nx_error *err)
{
	const char *near = nx_suggest_command(name);

	for (size_t i = 0; i < sizeof(later_commands) / sizeof(later_commands[0]); i++)
		if (!strcmp(later_commands[i].name, name))
			return nx_fail(err, NX_UNSUPPORTED, "%s is not in this version yet; %s",
				       name, later_commands[i].instead);
	return nx_fail(err, NX_USAGE, "there is no command '%.100s'%s%s%s", name,
		       near ? "; did you mean '" : "; --help lists them", near ? near : "",
		       near ? "'?" : "");
}

static enum nx_status dispatch(const struct nx_invocation *call, int argc, char **argv,
			       struct nx_error *err)
{
	const struct nx_command *command;

	if (call->program == nx_command_nccom_test.name)
		return nx_command_nccom_test.run(call, argc, argv, err);
	if (argc < 2)
		return nx_fail(err, NX_USAGE,
			       "give a command; '%s --help' lists them with examples",
			       call->program);
	if (argv[1][0] == '-')
		return run_global(call, argv, err);
	command = nx_command_find(argv[1]);
	if (!command)
		return refuse_command(argv[1], err);
	return command->run(call, argc - 1, argv + 1, err);
}

/* Whoever read our standard output has gone, as head does after ten lines. */
static bool is_reader_gone(void)
{
	struct pollfd standard_output = {.fd = STDOUT_FILENO};

	return poll(&standard_output, 1, 0) == 1 && (standard_output.revents & POLLERR);
}

static int end_run(const struct nx_invocation *call, enum nx_status st, const struct nx_error *err)
{
	if (st == NX_IO && is_reader_gone()) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	if (st)
		nx_say_error(call->program, err->message);
	return *call->exit_code ? *call->exit_code : nx_status_exit_code(st);
}

static struct nx_invocation invocation_of(const char *path, int *exit_code)
{
	const char *name = path ? nx_path_name(path) : NULL;
	bool is_legacy = name && !strcmp(name, LEGACY_PROGRAM);

	if (name && !strcmp(name, nx_command_nccom_test.name))
		return (struct nx_invocation){nx_command_nccom_test.name, false, exit_code};
	return (struct nx_invocation){is_legacy ? LEGACY_PROGRAM : PROGRAM, is_legacy, exit_code};
}

int main(int argc, char **argv)
{
	int exit_code = 0;
	struct nx_invocation call = invocation_of(argc ? argv[0] : NULL, &exit_code);
	struct nx_error err = {0};

	nx_file_guard_install();
	nx_output_guard_install();
	signal(SIGPIPE, SIG_IGN);
	return end_run(&call, dispatch(&call, argc, argv, &err), &err);
}
