/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"
#include "cli/options.h"
#include "cli/suggest.h"

static enum nx_status run(const struct nx_invocation *call, int argc, char **argv,
			  struct nx_error *err)
{
	struct nx_operands operands;
	const struct nx_command *command;
	const char *near;
	bool wants_help;
	enum nx_status st =
		nx_options_parse(&nx_command_help, argc, argv, NULL, &operands, &wants_help, err);

	if (st)
		return st;
	if (wants_help || !operands.count)
		return nx_help_show(call, wants_help ? &nx_command_help : NULL, err);
	if (operands.count > 1)
		return nx_fail(err, NX_USAGE, "help explains one command at a time");
	command = nx_command_find(operands.items[0]);
	if (command)
		return nx_help_show(call, command, err);
	near = nx_suggest_command(operands.items[0]);
	return nx_fail(err, NX_USAGE, "there is no command '%.100s'%s%s%s", operands.items[0],
		       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static const struct nx_option options[] = {{0}};

static const struct nx_example examples[] = {
	{"What can view do?", "help view"},
	{0},
};

const struct nx_command nx_command_help = {
	"help",	     "explain a command",
	"[COMMAND]", "Explains a command and all its options, or lists the commands.",
	options,     examples,
	run,
};
