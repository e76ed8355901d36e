/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "export/exporters.h"

const struct nx_exit_code nx_exit_codes[] = {
#define EXIT_ROW(name, exit_code, text) {exit_code, text},
	NX_STATUS_MAP(EXIT_ROW)
#undef EXIT_ROW
};
const size_t nx_exit_code_count = sizeof(nx_exit_codes) / sizeof(nx_exit_codes[0]);

const struct nx_option nx_global_options[] = {
	{"help", 'h', NX_FLAG, 0, "Show this help, or the help of a command."},
	{"version", 'V', NX_FLAG, 0, "Show the version."},
	{"show-profile-schema", 0, NX_FLAG, 0,
	 "Print the tables of a profile and what their fields mean, as OpenAPI 3.0 in YAML: one "
	 "document per table, separated by ---."},
	/* last, because completions offer names only */
	{NULL, 'v', NX_FLAG, 0, "The same as --version, as AWS's guides write it."},
	{0},
};

static void print_options(const struct nx_option *options, struct nx_output *out)
{
	unsigned columns = nx_terminal_columns(), indent = 6;
	char spelling[160];

	nx_print(out, "\nOptions:\n");
	for (const struct nx_option *o = options; o->name || o->letter; o++) {
		if (nx_option_is_later(o))
			continue;
		nx_print(out, "  %s\n%*s", nx_option_spelling(o, spelling, sizeof(spelling)),
			 (int)indent, "");
		nx_print_wrapped(out, o->help, indent, indent, columns);
	}
}

static void print_exit_codes(struct nx_output *out)
{
	nx_print(out, "\nExit codes:\n");
	for (size_t i = 0; i < nx_exit_code_count; i++)
		nx_print(out, "  %2d  %s\n", nx_exit_codes[i].code, nx_exit_codes[i].meaning);
}

static void print_overview(const struct nx_invocation *call, struct nx_output *out)
{
	nx_print(out, "Usage: %s COMMAND [OPTIONS]\n\n", call->program);
	nx_print_wrapped(out,
			 "Reads profiles captured on AWS Trainium and Inferentia: a session file "
			 "(NTFF) and the compiled model that was running (NEFF).",
			 0, 0, nx_terminal_columns());
	nx_print(out, "\nCommands:\n");
	for (size_t i = 0; i < nx_command_count && !nx_commands[i]->is_program; i++)
		nx_print(out, "  %-14s %s\n", nx_commands[i]->name, nx_commands[i]->summary);
	nx_print(out, "\nOther names:\n");
	for (const struct nx_alias *a = nx_aliases; a->name; a++)
		nx_print(out, "  %-14s the same as %s %s\n", a->name, a->command, a->option);
	print_options(nx_global_options, out);
	nx_print(out, "\nExamples:\n");
	for (size_t i = 0; i < nx_command_count && !nx_commands[i]->is_program; i++)
		nx_print(out, "  %s\n      %s %s\n", nx_commands[i]->examples->what, call->program,
			 nx_commands[i]->examples->line);
	print_exit_codes(out);
	nx_print(out, "\n'%s help COMMAND' explains a command and its options.\n", call->program);
}

static void print_command(const struct nx_invocation *call, const struct nx_command *command,
			  struct nx_output *out)
{
	nx_print(out, "Usage: %s%s%s%s%s%s\n\n", call->program, command->is_program ? "" : " ",
		 command->is_program ? "" : command->name,
		 command->options->name ? " [OPTIONS]" : "", *command->operands ? " " : "",
		 command->operands);
	assert(command->description && command->examples->what);
	nx_print_wrapped(out, command->description, 0, 0, nx_terminal_columns());
	if (command->options->name)
		print_options(command->options, out);
	nx_print(out, "\nExamples:\n");
	for (const struct nx_example *e = command->examples; e->what; e++)
		nx_print(out, "  %s\n      %s %s\n", e->what, call->program, e->line);
	print_exit_codes(out);
}

enum nx_status nx_help_show(const struct nx_invocation *call, const struct nx_command *command,
			    struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	if (command)
		print_command(call, command, &out);
	else
		print_overview(call, &out);
	return nx_output_commit(&out, err);
}

enum nx_status nx_help_show_version(const struct nx_invocation *call, struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	nx_print(&out, "%s (%s)\n", call->program, NX_PRODUCT_VERSION);
	return nx_output_commit(&out, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct nx_command *command;
	char hint[NX_HINT_MAX];

	(void)values;
	if (!operands->count)
		return nx_help_show(call, NULL, err);
	if (operands->count > 1)
		return nx_fail(err, NX_USAGE, "help explains one command at a time");
	command = nx_command_find(operands->items[0]);
	if (command)
		return nx_help_show(call, command, err);
	return nx_fail(err, NX_USAGE, "there is no command '%.100s'%s", operands->items[0],
		       nx_hint(nx_suggest_command(operands->items[0]), "", hint));
}

const struct nx_command nx_command_help = {
	.name = "help",
	.summary = "explain a command",
	.operands = "[COMMAND]",
	.description = "Explains a command and all its options, or lists the commands.",
	.options = (const struct nx_option[]){{0}},
	.examples = (const struct nx_example[]){{"What can view do?", "help view"}, {0}},
	.run = run,
};
