/* SPDX-License-Identifier: Apache-2.0 */
/* The program: finds the command, runs it and ends with its exit code. */
#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/path.h"
#include "cli/help.h"
#include "cli/nccom/nccom_options.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "export/exporters.h"
#include "export/schema_texts.h"
#include "query/sql_child.h"

const struct nx_command *const nx_commands[] = {
#define NX_COMMAND(name) &nx_command_##name,
#include "cli/commands.def"
#undef NX_COMMAND
};
const size_t nx_command_count = sizeof(nx_commands) / sizeof(nx_commands[0]);

const struct nx_alias nx_aliases[] = {
	{"ingest", "view", "--ingest-only"},
	{0},
};

static const struct nx_alias *find_alias(const char *name)
{
	for (const struct nx_alias *a = nx_aliases; a->name; a++)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}

const struct nx_command *nx_command_find(const char *name)
{
	const struct nx_alias *alias = find_alias(name);

	name = alias ? alias->command : name;
	for (size_t i = 0; i < nx_command_count && !nx_commands[i]->is_program; i++)
		if (!strcmp(nx_commands[i]->name, name))
			return nx_commands[i];
	return NULL;
}

const struct nx_command *nx_program_find(const char *name)
{
	for (size_t i = nx_command_count; i > 0 && nx_commands[i - 1]->is_program; i--)
		if (!strcmp(nx_commands[i - 1]->name, name))
			return nx_commands[i - 1];
	return NULL;
}

/* Commands of AWS's tool that are missing here, and what to use instead. */
static const struct {
	const char *name;
	const char *instead;
} later_commands[] = {
	{"analyze", "use 'view --output-format json'"},
};

/* Prints man pages and completions for the tree (see `make generated`); not shown in help. */
static enum nx_status print_generated(const char *option, const char *what, struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	st = !strcmp(option, "--print-man") ? nx_man_print(what, &out, err)
					    : nx_completion_print(what, &out, err);
	return nx_print_end(&out, st, err);
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
		return nx_print_page(nx_schema_write_yaml, err);
	if (!strcmp(word, "--print-schema-docs"))
		return nx_print_page(nx_schema_write_markdown, err);
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
	char hint[NX_HINT_MAX];

	for (size_t i = 0; i < sizeof(later_commands) / sizeof(later_commands[0]); i++)
		if (!strcmp(later_commands[i].name, name))
			return nx_fail(err, NX_UNSUPPORTED, "%s is not in this version yet; %s",
				       name, later_commands[i].instead);
	return nx_fail(err, NX_USAGE, "there is no command '%.100s'%s", name,
		       nx_hint(nx_suggest_command(name), "; --help lists them", hint));
}

static enum nx_status run_command(struct nx_invocation *call, const struct nx_command *command,
				  int argc, char **argv, struct nx_error *err)
{
	void *values = nx_heap_alloc(command->values_bytes + 1);
	struct nx_operands operands;
	bool wants_help = false;
	enum nx_status st;

	assert(command->run && command->operands && (*command->operands || command->operand_hint));
	memset(values, 0, command->values_bytes);
	call->argc = argc;
	call->argv = argv;
	st = nx_options_parse(command, argc, argv, values, &operands, &wants_help, err);
	if (!st && wants_help)
		st = nx_help_show(call, command, err);
	else if (!st && !*command->operands && operands.count)
		st = nx_fail(err, NX_USAGE, "%s takes options only, not '%.100s'; %s",
			     command->name, operands.items[0], command->operand_hint);
	else if (!st)
		st = command->run(call, values, &operands, err);
	nx_heap_free(values);
	return st;
}

/* An alias is a command with an option. */
static enum nx_status run_alias(struct nx_invocation *call, const struct nx_alias *alias, int argc,
				char **argv, struct nx_error *err)
{
	struct nx_arena arena = {0};
	char **words = NX_NEW_ARRAY(&arena, char *, (size_t)argc + 1);
	enum nx_status st;

	words[0] = nx_arena_copy_text(&arena, alias->command);
	words[1] = nx_arena_copy_text(&arena, alias->option);
	for (int i = 2; i <= argc; i++) /* with the NULL at the end */
		words[i] = argv[i];
	st = run_command(call, nx_command_find(alias->command), argc, words, err);
	nx_arena_release(&arena);
	return st;
}

static enum nx_status dispatch(struct nx_invocation *call, int argc, char **argv,
			       struct nx_error *err)
{
	const struct nx_command *command = nx_program_find(call->program);

	if (command == &nx_command_nccom_test) {
		struct nx_arena arena = {0};
		int count = nx_nccom_join_words(argc, argv, &arena, &argv);
		enum nx_status st = run_command(call, command, count, argv, err);

		nx_arena_release(&arena);
		return st;
	}
	if (command)
		return run_command(call, command, argc, argv, err);
	if (argc < 2)
		return nx_fail(err, NX_USAGE, "no command given; '%s --help' lists them",
			       call->program);
	if (argv[1][0] == '-')
		return run_global(call, argv, err);
	if (find_alias(argv[1]))
		return run_alias(call, find_alias(argv[1]), argc, argv, err);
	command = nx_command_find(argv[1]);
	return command ? run_command(call, command, argc - 1, argv + 1, err)
		       : refuse_command(argv[1], err);
}

static int end_run(const struct nx_invocation *call, enum nx_status st, const struct nx_error *err)
{
	struct pollfd output = {.fd = STDOUT_FILENO};

	/* The reader of our standard output has closed it, as head does after ten lines. */
	if (st == NX_IO && poll(&output, 1, 0) == 1 && (output.revents & POLLERR)) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	if (st)
		nx_say_error(call->program, err->message);
	return *call->exit_code ? *call->exit_code : nx_status_exit_code(st);
}

int main(int argc, char **argv)
{
	int exit_code = 0;
	const char *name = argc ? nx_path_name(argv[0]) : "";
	struct nx_invocation call = {.program = NX_PROGRAM, .exit_code = &exit_code};
	struct nx_error err = {0};

	if (nx_program_find(name))
		call.program = nx_program_find(name)->name;
	call.is_legacy = !strcmp(name, NX_LEGACY_PROGRAM);
	if (call.is_legacy)
		call.program = NX_LEGACY_PROGRAM;
	nx_file_guard_install();
	nx_output_guard_install();
	signal(SIGPIPE, SIG_IGN);
	/* a process that the server started for its queries; not for users */
	if (argc >= 2 && !strcmp(argv[1], NX_SQL_CHILD_ARGUMENT))
		return nx_sql_child_serve(argv[2]);
	return end_run(&call, dispatch(&call, argc, argv, &err), &err);
}
