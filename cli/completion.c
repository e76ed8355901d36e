/* SPDX-License-Identifier: Apache-2.0 */
/* Shell completions from the command table; cli/completion holds what this prints. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/terminal.h"

typedef void (*option_fn)(struct nx_output *out, const struct nx_command *command,
			  const struct nx_option *option);

static void each_option(struct nx_output *out, const struct nx_command *command, option_fn fn)
{
	assert(command->options);
	for (const struct nx_option *o = command->options; o->name || o->letter; o++)
		if (!nx_option_is_later(o))
			fn(out, command, o);
}

static bool takes_file(const struct nx_option *o)
{
	return o->kind == NX_OPTION_FILE || o->kind == NX_OPTION_INPUT ||
	       o->kind == NX_OPTION_FOLDER;
}

/* --- bash ------------------------------------------------------------------ */

static void bash_word(struct nx_output *out, const struct nx_command *command,
		      const struct nx_option *o)
{
	(void)command;
	if (o->letter)
		nx_print(out, " -%c", o->letter);
	if (o->name)
		nx_print(out, " --%s", o->name);
}

static void bash_value(struct nx_output *out, const struct nx_command *command,
		       const struct nx_option *o)
{
	/* a file may follow an option whose value may be left out */
	if ((!o->choices && !takes_file(o)) || o->kind == NX_OPTION_FLAG_TEXT)
		return;
	nx_print(out, "\t");
	if (o->letter)
		nx_print(out, "%s:-%c%s", command->name, o->letter, o->name ? "|" : "");
	if (o->name)
		nx_print(out, "%s:--%s", command->name, o->name);
	nx_print(out, ")\n\t\tmapfile -t COMPREPLY < <(compgen -");
	if (o->choices)
		nx_print(out, "W '%s'", o->choices);
	else
		nx_print(out, "%s", o->kind == NX_OPTION_FOLDER ? "d" : "f");
	nx_print(out, " -- \"$cur\")\n\t\treturn ;;\n");
}

static void put_names(struct nx_output *out)
{
	for (size_t i = 0; i < nx_command_count && !nx_commands[i]->is_program; i++)
		nx_print(out, "%s%s", i ? " " : "", nx_commands[i]->name);
}

/* "nccom-test neuron-ls" */
static void put_programs(struct nx_output *out)
{
	const char *space = "";

	for (size_t i = 0; i < nx_command_count; i++)
		if (nx_commands[i]->is_program) {
			nx_print(out, "%s%s", space, nx_commands[i]->name);
			space = " ";
		}
}

static void bash_words(struct nx_output *out, const struct nx_command *command)
{
	nx_print(out, "\t%s)\n\t\twords='--help", command->name);
	each_option(out, command, bash_word);
	nx_print(out, "'");
	if (command == &nx_command_help) {
		nx_print(out, "\n\t\toperands='");
		put_names(out);
		nx_print(out, "'");
	} else if (command->operand_choices) {
		nx_print(out, "\n\t\toperands='%s'", command->operand_choices);
	}
	nx_print(out, " ;;\n");
}

static void print_bash(struct nx_output *out)
{
	nx_print(out, "# SPDX-License-Identifier: Apache-2.0\n"
		      "# bash completion for neuron-explorer and its other names\n\n"
		      "_neuron_explorer()\n{\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
		      "\tlocal command=${COMP_WORDS[1]} words='' operands=''\n"
		      "\tlocal program=${COMP_WORDS[0]##*/}\n\n"
		      "\tif [[ \" ");
	put_programs(out);
	nx_print(out, " \" == *\" $program \"* ]]; then\n"
		      "\t\tcommand=$program\n"
		      "\telif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	put_names(out);
	for (const struct nx_option *o = nx_global_options; o->name; o++)
		nx_print(out, " --%s", o->name);
	nx_print(out, "' -- \"$cur\")\n\t\treturn\n\tfi\n"
		      "\tcase \"$command:$prev\" in\n");
	for (size_t i = 0; i < nx_command_count; i++)
		each_option(out, nx_commands[i], bash_value);
	nx_print(out, "\tesac\n\tcase \"$command\" in\n");
	for (size_t i = 0; i < nx_command_count; i++)
		bash_words(out, nx_commands[i]);
	nx_print(out, "\tesac\n"
		      "\tcase \"$cur\" in\n"
		      "\t-*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
		      "\t*) if [ -n \"$operands\" ]; then\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$operands\" -- \"$cur\")\n"
		      "\telse\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
		      "\tfi ;;\n"
		      "\tesac\n}\n\n"
		      "complete -o filenames -F _neuron_explorer neuron-explorer neuron-profile ");
	put_programs(out);
	nx_print(out, "\n");
}

/* --- zsh ------------------------------------------------------------------- */

/* Inside '...' of a zsh or fish script; zsh's _arguments also reads ':' and brackets. */
static void put_quoted(struct nx_output *out, const char *text, bool is_zsh)
{
	for (; *text; text++) {
		if (*text == '\'')
			nx_print(out, "'\\''");
		else if (is_zsh && strchr(":[]", *text))
			nx_print(out, "\\%c", *text);
		else
			nx_print(out, "%c", *text);
	}
}

static void zsh_spec(struct nx_output *out, const struct nx_option *o, const char *spelling)
{
	const char *mark = o->kind == NX_OPTION_FLAG_TEXT && spelling[1] == '-' ? "=-" : "";

	nx_print(out, "\t\t\t'%s%s%s[", o->kind == NX_OPTION_LIST ? "*" : "", spelling, mark);
	put_quoted(out, o->help, true);
	nx_print(out, "]");
	if (o->value) {
		nx_print(out, "%s", o->kind == NX_OPTION_FLAG_TEXT ? "::" : ":");
		put_quoted(out, o->value, true);
		nx_print(out, ":");
		if (o->choices)
			nx_print(out, "(%s)", o->choices);
		else if (takes_file(o))
			nx_print(out, "%s", o->kind == NX_OPTION_FOLDER ? "_files -/" : "_files");
	}
	nx_print(out, "' \\\n");
}

static void zsh_option(struct nx_output *out, const struct nx_command *command,
		       const struct nx_option *o)
{
	const char letter[] = {'-', o->letter, '\0'};
	char name[80];

	(void)command;
	if (o->letter)
		zsh_spec(out, o, letter);
	snprintf(name, sizeof(name), "--%s", o->name ? o->name : "");
	if (o->name)
		zsh_spec(out, o, name);
}

static void zsh_command(struct nx_output *out, const struct nx_command *command)
{
	nx_print(out, "\t%s)\n\t\t_arguments \\\n", command->name);
	each_option(out, command, zsh_option);
	nx_print(out, "\t\t\t'--help[show the help of this command]' \\\n");
	if (command == &nx_command_help) {
		nx_print(out, "\t\t\t'*:command:(");
		put_names(out);
		nx_print(out, ")' ;;\n");
	} else if (command->operand_choices) {
		nx_print(out, "\t\t\t'*:operand:(%s)' ;;\n", command->operand_choices);
	} else {
		nx_print(out, "\t\t\t'*:file:_files' ;;\n");
	}
}

static void print_zsh(struct nx_output *out)
{
	nx_print(out, "#compdef neuron-explorer neuron-profile ");
	put_programs(out);
	nx_print(out, "\n"
		      "# SPDX-License-Identifier: Apache-2.0\n\n"
		      "_neuron_explorer() {\n"
		      "\tlocal -a commands\n"
		      "\tcommands=(\n");
	for (size_t i = 0; i < nx_command_count && !nx_commands[i]->is_program; i++) {
		nx_print(out, "\t\t'%s:", nx_commands[i]->name);
		put_quoted(out, nx_commands[i]->summary, true);
		nx_print(out, "'\n");
	}
	nx_print(out, "\t)\n"
		      "\tlocal command=$words[2]\n"
		      "\tif [[ \" ");
	put_programs(out);
	nx_print(out, " \" == *\" $service \"* ]]; then\n"
		      "\t\tcommand=$service\n"
		      "\telif (( CURRENT == 2 )); then\n"
		      "\t\t_describe command commands\n"
		      "\t\treturn\n"
		      "\telse\n"
		      "\t\twords=(\"${(@)words[2,-1]}\")\n"
		      "\t\t(( CURRENT-- ))\n"
		      "\tfi\n"
		      "\tcase $command in\n");
	for (size_t i = 0; i < nx_command_count; i++)
		zsh_command(out, nx_commands[i]);
	nx_print(out, "\tesac\n}\n\n_neuron_explorer \"$@\"\n");
}

/* --- fish ------------------------------------------------------------------ */

static void fish_option(struct nx_output *out, const struct nx_command *command,
			const struct nx_option *o)
{
	if (command->is_program)
		nx_print(out, "complete -c %s", command->name);
	else
		nx_print(out, "\tcomplete -c $program -n '__fish_seen_subcommand_from %s'",
			 command->name);
	if (o->letter)
		nx_print(out, " -s %c", o->letter);
	if (o->name)
		nx_print(out, " -l %s", o->name);
	if (o->choices && o->kind != NX_OPTION_FLAG_TEXT)
		nx_print(out, " -x -a '%s'", o->choices);
	else if (takes_file(o))
		nx_print(out, " -r -F");
	else if (o->value && o->kind != NX_OPTION_FLAG_TEXT)
		nx_print(out, " -x");
	nx_print(out, " -d '");
	put_quoted(out, o->help, false);
	nx_print(out, "'\n");
}

static void print_fish(struct nx_output *out)
{
	nx_print(out, "# SPDX-License-Identifier: Apache-2.0\n"
		      "# fish completion for neuron-explorer and its other names\n\n"
		      "for program in neuron-explorer neuron-profile\n");
	for (const struct nx_option *o = nx_global_options; o->name; o++) {
		nx_print(out, "\tcomplete -c $program -n __fish_use_subcommand -f -l %s -d '",
			 o->name);
		put_quoted(out, o->help, false);
		nx_print(out, "'\n");
	}
	for (size_t i = 0; i < nx_command_count && !nx_commands[i]->is_program; i++) {
		nx_print(out, "\tcomplete -c $program -n __fish_use_subcommand -f -a %s -d '",
			 nx_commands[i]->name);
		put_quoted(out, nx_commands[i]->summary, false);
		nx_print(out, "'\n");
		each_option(out, nx_commands[i], fish_option);
	}
	nx_print(out, "\tcomplete -c $program -n '__fish_seen_subcommand_from help' -f -a '");
	put_names(out);
	nx_print(out, "'\nend\n");
	for (size_t i = 0; i < nx_command_count; i++) {
		if (!nx_commands[i]->is_program)
			continue;
		nx_print(out, "complete -c %s -f", nx_commands[i]->name);
		if (nx_commands[i]->operand_choices)
			nx_print(out, " -a '%s'", nx_commands[i]->operand_choices);
		nx_print(out, "\n");
		each_option(out, nx_commands[i], fish_option);
	}
}

enum nx_status nx_completion_print(const char *shell, struct nx_output *out, struct nx_error *err)
{
	if (!shell)
		return nx_fail(err, NX_USAGE, "--print-completion needs a shell: bash zsh fish");
	if (!strcmp(shell, "bash"))
		print_bash(out);
	else if (!strcmp(shell, "zsh"))
		print_zsh(out);
	else if (!strcmp(shell, "fish"))
		print_fish(out);
	else
		return nx_fail(err, NX_NOT_FOUND,
			       "no completion for '%.100s'; there are: bash zsh fish", shell);
	return NX_OK;
}
