/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"
#include "cli/suggest.h"

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
