/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages in roff's man macros. docs/man holds what this prints; a test compares them. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/terminal.h"

#define PAGE_DATE "2026-11-15"
#define LINE_COLUMNS 64 /* of text; escapes may add to it */

/* '-' and '\\' mean something else to roff. */
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

/* A paragraph in short lines; a line that starts with . or ' would be a request. */
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

static void put_example(struct nx_output *out, const struct nx_command *command,
			const struct nx_example *example)
{
	nx_print(out, ".TP\n");
	put_line(out, example->what);
	put_line(out, command->is_program ? command->name : NX_PROGRAM);
	put_line(out, example->line);
}

/* The sections at the end of all pages; command NULL: the page of the program. */
static void put_end(struct nx_output *out, const struct nx_command *command)
{
	const char *tmpdir = command && command->tmpdir
				     ? command->tmpdir
				     : "The folder for temporary files; /var/tmp if unset.";

	nx_print(out, ".SH ENVIRONMENT\n"
		      ".TP\n\\fBNO_COLOR\\fR\n"
		      "If set and not empty, messages are not coloured.\n");
	if (*tmpdir)
		nx_print(out, ".TP\n\\fBTMPDIR\\fR\n%s\n", tmpdir);
	nx_print(out, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < nx_exit_code_count; i++) {
		nx_print(out, ".TP\n\\fB%d\\fR\n", nx_exit_codes[i].code);
		put_line(out, nx_exit_codes[i].meaning);
	}
	nx_print(out, ".SH SEE ALSO\n.BR neuron\\-%s (1)", command ? "explorer" : "profile");
	for (size_t i = 0; i < nx_command_count; i++) {
		if (nx_commands[i] == command || nx_commands[i] == &nx_command_help)
			continue;
		nx_print(out, ",\n.BR %s",
			 nx_commands[i]->is_program ? "" : "neuron\\-explorer\\-");
		put_text(out, nx_commands[i]->name);
		nx_print(out, " (1)");
	}
	nx_print(out, "\n");
}

static void put_program(struct nx_output *out)
{
	nx_print(out, ".TH NEURON\\-EXPLORER 1 %s \"Open Neuron Explorer\"\n.nh\n", PAGE_DATE);
	nx_print(out, ".SH NAME\nneuron\\-explorer \\-\n"
		      "read profiles of AWS Trainium and Inferentia\n");
	nx_print(out, ".SH SYNOPSIS\n.B neuron\\-explorer\n.I COMMAND\n[\\fIOPTIONS\\fR]\n");
	nx_print(out,
		 ".SH DESCRIPTION\n"
		 "Reads what was captured on a device: a session file (NTFF) and the compiled\n"
		 "model that was running (NEFF). Needs no device and no driver.\n");
	nx_print(out, ".SH COMMANDS\n");
	for (size_t i = 0; i < nx_command_count && !nx_commands[i]->is_program; i++) {
		nx_print(out, ".TP\n\\fB");
		put_text(out, nx_commands[i]->name);
		nx_print(out, "\\fR\n");
		put_line(out, nx_commands[i]->summary);
	}
	put_options(out, nx_global_options);
	nx_print(out, ".SH EXAMPLES\n");
	for (size_t i = 0; i < nx_command_count && !nx_commands[i]->is_program; i++)
		put_example(out, nx_commands[i], nx_commands[i]->examples);
}

static void put_legacy(struct nx_output *out)
{
	nx_print(out, ".TH NEURON\\-PROFILE 1 %s \"Open Neuron Explorer\"\n.nh\n", PAGE_DATE);
	nx_print(out, ".SH NAME\nneuron\\-profile \\- the older name of neuron\\-explorer\n"
		      ".SH SYNOPSIS\n.B neuron\\-profile\n.I COMMAND\n[\\fIOPTIONS\\fR]\n"
		      ".SH DESCRIPTION\n"
		      "The same program as\n.BR neuron\\-explorer (1),\n"
		      "with the same commands and options. Called by this name:\n"
		      ".IP \\(bu 2\n"
		      ".B inspect\nwrites to ./output by default, not to the current folder;\n"
		      ".IP \\(bu 2\n"
		      ".B view\nalso sends the rows of a profile that it shows in the browser to\n"
		      "the InfluxDB at http://localhost:8086, if there is one.\n"
		      ".SH SEE ALSO\n.BR neuron\\-explorer (1)\n");
}

static void put_command(const struct nx_command *command, struct nx_output *out)
{
	nx_print(out, ".TH %s", command->is_program ? "" : "NEURON\\-EXPLORER\\-");
	for (const char *c = command->name; *c; c++)
		nx_print(out, "%s%c", *c == '-' ? "\\" : "", toupper(*c));
	nx_print(out, " 1 %s \"Open Neuron Explorer\"\n.nh\n", PAGE_DATE);
	nx_print(out, ".SH NAME\n%s", command->is_program ? "" : "neuron\\-explorer\\-");
	put_text(out, command->name);
	nx_print(out, " \\- ");
	put_line(out, command->summary);
	nx_print(out, ".SH SYNOPSIS\n.B %s", command->is_program ? "" : "neuron\\-explorer ");
	put_line(out, command->name);
	nx_print(out, "[\\fIOPTIONS\\fR]\n");
	if (*command->operands)
		nx_print(out, ".I %s\n", command->operands);
	nx_print(out, ".SH DESCRIPTION\n");
	put_line(out, command->description);
	put_options(out, command->options);
	nx_print(out, ".SH EXAMPLES\n");
	for (const struct nx_example *e = command->examples; e->what; e++)
		put_example(out, command, e);
}

enum nx_status nx_man_print(const char *page, struct nx_output *out, struct nx_error *err)
{
	const struct nx_command *command = NULL;

	if (page && !strcmp(page, NX_LEGACY_PROGRAM)) {
		put_legacy(out);
		return NX_OK;
	}
	if (!page)
		nx_print(out, NX_PROGRAM "\n" NX_LEGACY_PROGRAM "\n");
	for (size_t i = 0; i < nx_command_count; i++) {
		char name[64]; /* "neuron-explorer-view", "nccom-test" */

		assert(strlen(nx_commands[i]->name) < 32);
		snprintf(name, sizeof(name), "%s%s",
			 nx_commands[i]->is_program ? "" : NX_PROGRAM "-", nx_commands[i]->name);
		if (nx_commands[i] == &nx_command_help)
			continue;
		if (!page)
			nx_print(out, "%s\n", name);
		else if (!strcmp(page, name))
			command = nx_commands[i];
	}
	if (!page)
		return NX_OK;
	if (command)
		put_command(command, out);
	else if (!strcmp(page, NX_PROGRAM))
		put_program(out);
	else
		return nx_fail(err, NX_NOT_FOUND, "there is no man page '%.100s'", page);
	put_end(out, command);
	return NX_OK;
}
