/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: what a sub-command is. commands.def lists them; parsing, --help, man pages and shell
 * completions all come from their tables, so they cannot disagree.
 *
 * A command has a plain struct for its options; a row of the option table names an option and the
 * member that its value goes into:
 *
 *	{"output-file", 'o', NX_FILE("FILE"), NX_FIELD(struct view, output_file), "..."},
 */
#ifndef NX_CLI_COMMAND_H
#define NX_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum nx_option_kind {
	NX_OPTION_FLAG,	      /* bool */
	NX_OPTION_TEXT,	      /* const char * */
	NX_OPTION_CHOICE,     /* const char *, one of the choices */
	NX_OPTION_FILE,	      /* const char *; completes to files */
	NX_OPTION_INPUT,      /* const char *; completes to files; may be given once */
	NX_OPTION_FOLDER,     /* const char *; completes to folders */
	NX_OPTION_NUMBER,     /* struct nx_number_value */
	NX_OPTION_LIST,	      /* struct nx_list_value; may be repeated */
	NX_OPTION_FLAG_TEXT,  /* const char *: "" when given without =VALUE */
	NX_OPTION_LATER_FLAG, /* AWS's tool has it and we do not: help says what to do instead */
};

struct nx_number_value {
	bool is_given;
	uint32_t value;
};

#define NX_LIST_MAX 16
struct nx_list_value {
	const char *items[NX_LIST_MAX];
	size_t count;
};

struct nx_option {
	const char *name;    /* NULL: the letter alone */
	char letter;	     /* 0: the name alone */
	uint8_t kind;	     /* enum nx_option_kind */
	const char *value;   /* name of the value in help: "FILE"; NULL for flags */
	const char *choices; /* values to offer or, for CHOICE, to accept; separated by spaces */
	uint16_t offset;     /* NX_FIELD in the command's struct */
	const char *help;    /* a sentence; for a LATER option, what to do instead */
};

/* The kind, value and choices of a row. */
#define NX_FLAG NX_OPTION_FLAG, NULL, NULL
#define NX_TEXT(value) NX_OPTION_TEXT, value, NULL
#define NX_TEXT_OR(value, choices) NX_OPTION_TEXT, value, choices
#define NX_CHOICE(value, choices) NX_OPTION_CHOICE, value, choices
#define NX_FILE(value) NX_OPTION_FILE, value, NULL
#define NX_INPUT(value) NX_OPTION_INPUT, value, NULL
#define NX_FOLDER(value) NX_OPTION_FOLDER, value, NULL
#define NX_NUMBER(value) NX_OPTION_NUMBER, value, NULL
#define NX_LIST(value) NX_OPTION_LIST, value, NULL
#define NX_FLAG_TEXT(value, choices) NX_OPTION_FLAG_TEXT, value, choices
#define NX_LATER_FLAG NX_OPTION_LATER_FLAG, NULL, NULL
#define NX_FIELD(type, member) (uint16_t) offsetof(type, member)

struct nx_operands { /* words that are not options, in order; borrowed from argv */
	char **items;
	size_t count;
};

struct nx_example {
	const char *what;
	const char *line; /* without the program's name */
};

struct nx_invocation {
	const char *program; /* as called: neuron-explorer, neuron-profile, nccom-test, ... */
	bool is_legacy;	     /* called as neuron-profile */
	int argc;	     /* of the command, whose name is argv[0] */
	char **argv;
	int *exit_code; /* set by a command that runs another program; else 0 */
};

/* Operands that begin like this are a command line: our options end at its first word. */
#define NX_OPERANDS_COMMAND "[--] COMMAND"

struct nx_command {
	const char *name;
	const char *summary;
	const char *operands;		   /* "FILE"; "" for none; or NX_OPERANDS_COMMAND */
	const char *operand_choices;	   /* operands that shells offer; NULL: files */
	const char *operand_hint;	   /* if operands is "": what to do instead of giving one */
	const char *description;	   /* paragraphs, separated by empty lines */
	const struct nx_option *options;   /* ends with a zeroed row */
	const struct nx_example *examples; /* ends with a zeroed row */
	bool is_program;		   /* a name of the program itself, not a sub-command */
	const char *tmpdir;  /* what it keeps in $TMPDIR, for its man page; "": nothing */
	size_t values_bytes; /* the struct that options fill; values points to it */
	enum nx_status (*run)(const struct nx_invocation *call, void *values,
			      struct nx_operands *operands, struct nx_error *err);
};

extern const struct nx_command *const nx_commands[]; /* programs come last */
extern const size_t nx_command_count;
/* NULL: there is none of that name. An alias stands for its command. */
const struct nx_command *nx_command_find(const char *name);
const struct nx_command *nx_program_find(const char *name);

struct nx_alias { /* another name for a command with an option, as AWS's tool has it */
	const char *name, *command, *option;
};
extern const struct nx_alias nx_aliases[]; /* ends with a zeroed row */

#define NX_COMMAND(name) extern const struct nx_command nx_command_##name;
#include "cli/commands.def"
#undef NX_COMMAND

#endif
