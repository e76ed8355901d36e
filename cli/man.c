/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Man pages in roff's man macros. docs/man holds what this prints; a test fails
 * when the two differ, so the pages cannot fall behind the option tables.
 */
#include <ctype.h>
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/terminal.h"

#define PAGE_DATE "2026-11-15"
#define LINE_COLUMNS 64 /* of text; escapes may add to it */

/* '-' and '\\' would be typeset otherwise. */
static void put_word(struct nx_output *out, const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (word[i] == '-' || word[i] == '\\')
			nx_print(out, "%s", word[i] == '-' ? "\\-" : "\\e");
		else
			nx_print(out, "%c", word[i]);
	}
}

static void put_text(struct nx_output *out, const char *text)
{
	put_word(out, text, strlen(text));
}

/* A paragraph in lines of handy length; a line that starts with . or ' would be a request. */
static void put_line(struct nx_output *out, const char *text)
{
	size_t at = 0;

	while (*text) {
		size_t len = strcspn(text, " \n");

		if (at && at + 1 + len > LINE_COLUMNS) {
			nx_print(out, "\n");
			at = 0;
		}
		nx_print(out, "%s", at ? " " : *text == '.' || *text == '\'' ? "\\&" : "");
		put_word(out, text, len);
		at += len + 1;
		text += len;
		if (text[0] == '\n' && text[1] == '\n') {
			nx_print(out, "\n.PP\n");
			at = 0;
		}
		text += strspn(text, " \n");
	}
	nx_print(out, "\n");
}

static void put_options(struct nx_output *out, const struct nx_option *options)
{
	char spelling[160];

	nx_print(out, ".SH OPTIONS\n");
	for (const struct nx_option *o = options; o->name || o->letter; o++) {
		if (nx_option_is_later(o))
			continue;
		nx_print(out, ".TP\n\\fB");
		put_text(out, nx_option_spelling(o, spelling, sizeof(spelling)));
		nx_print(out, "\\fR\n");
		put_line(out, o->help);
	}
}

/* A program of its own name is no command of ours. */
static bool is_program(const struct nx_command *command)
{
	return command == &nx_command_nccom_test;
}

static void put_example(struct nx_output *out, const struct nx_command *command,
			const struct nx_example *example)
{
	nx_print(out, ".TP\n");
	put_line(out, example->what);
	put_line(out, is_program(command) ? command->name : "neuron-explorer");
	put_line(out, example->line);
}

static void put_environment(struct nx_output *out, const struct nx_command *command)
{
	nx_print(out,
		 ".SH ENVIRONMENT\n"
		 ".TP\n\\fBNO_COLOR\\fR\n"
		 "If set and not empty, messages have no colour.\n"
		 ".TP\n\\fBTMPDIR\\fR\n%s",
		 command && is_program(command)
			 ? "Where its log and its profiles go; /tmp if unset.\n"
			 : "Where captures too large for memory are sorted; /var/tmp if unset.\n");
}

static void put_exit_codes(struct nx_output *out)
{
	nx_print(out, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < nx_exit_code_count; i++) {
		nx_print(out, ".TP\n\\fB%d\\fR\n", nx_exit_codes[i].code);
		put_line(out, nx_exit_codes[i].meaning);
	}
}

static void put_see_also(struct nx_output *out, const struct nx_command *except)
{
	const char *separator = "";

	nx_print(out, ".SH SEE ALSO\n");
	if (except) {
		nx_print(out, ".BR neuron\\-explorer (1)");
		separator = ",\n";
	}
	for (size_t i = 0; i < nx_command_count; i++) {
		if (nx_commands[i] == except || nx_commands[i] == &nx_command_help)
			continue;
		nx_print(out, "%s.BR neuron\\-explorer\\-", separator);
		put_text(out, nx_commands[i]->name);
		nx_print(out, " (1)");
		separator = ",\n";
	}
	nx_print(out, "\n");
}

static void put_program(struct nx_output *out)
{
	nx_print(out, ".TH NEURON\\-EXPLORER 1 %s \"Open Neuron Explorer\"\n.nh\n", PAGE_DATE);
	nx_print(out, ".SH NAME\nneuron\\-explorer, neuron\\-profile \\-\n"
		      "read profiles of AWS Trainium and Inferentia\n");
	nx_print(out, ".SH SYNOPSIS\n.B neuron\\-explorer\n.I COMMAND\n[\\fIOPTIONS\\fR]\n");
	nx_print(out,
		 ".SH DESCRIPTION\n"
		 "Reads what was captured on a device: a session file (NTFF) and the compiled\n"
		 "model that was running (NEFF). Needs no device and no driver.\n"
		 ".PP\n"
		 "Called as neuron\\-profile it is the same program under the older name.\n");
	nx_print(out, ".SH COMMANDS\n");
	for (size_t i = 0; i < nx_command_count; i++) {
		nx_print(out, ".TP\n\\fB");
		put_text(out, nx_commands[i]->name);
		nx_print(out, "\\fR\n");
		put_line(out, nx_commands[i]->summary);
	}
	put_options(out, nx_global_options);
	nx_print(out, ".SH EXAMPLES\n");
	for (size_t i = 0; i < nx_command_count; i++)
		if (nx_commands[i]->examples->what)
			put_example(out, nx_commands[i], nx_commands[i]->examples);
}

static void put_command(const struct nx_command *command, struct nx_output *out)
{
	bool is_alone = is_program(command);

	nx_print(out, ".TH %s", is_alone ? "" : "NEURON\\-EXPLORER\\-");
	for (const char *c = command->name; *c; c++)
		nx_print(out, "%s%c", *c == '-' ? "\\" : "", toupper(*c));
	nx_print(out, " 1 %s \"Open Neuron Explorer\"\n.nh\n", PAGE_DATE);
	nx_print(out, ".SH NAME\n%s", is_alone ? "" : "neuron\\-explorer\\-");
	put_text(out, command->name);
	nx_print(out, " \\- ");
	put_line(out, command->summary);
	nx_print(out, ".SH SYNOPSIS\n.B %s", is_alone ? "" : "neuron\\-explorer ");
	put_line(out, command->name);
	nx_print(out, "[\\fIOPTIONS\\fR]\n");
	if (*command->operands)
		nx_print(out, ".I %s\n", command->operands);
	nx_print(out, ".SH DESCRIPTION\n");
	put_line(out, command->description);
	if (command->options->name || command->options->letter)
		put_options(out, command->options);
	nx_print(out, ".SH EXAMPLES\n");
	for (const struct nx_example *e = command->examples; e->what; e++)
		put_example(out, command, e);
}

void nx_man_print(const struct nx_command *command, struct nx_output *out)
{
	if (command)
		put_command(command, out);
	else
		put_program(out);
	put_environment(out, command);
	put_exit_codes(out);
	put_see_also(out, command);
}
