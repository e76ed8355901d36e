/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: what a sub-command is. One table of these in main.c; parsing, --help,
 * man pages and shell completions all come from it, so they cannot disagree.
 *
 * A command has a plain struct for its options; the option table says where in
 * that struct each value goes:
 *
 *	{"output-file", 0, NX_OPTION_TEXT, "FILE", NX_FIELD(struct view, output_file), "..."},
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
	NX_OPTION_FILE,	      /* const char *; completes to files */
	NX_OPTION_FOLDER,     /* const char *; completes to folders */
	NX_OPTION_NUMBER,     /* struct nx_number_value */
	NX_OPTION_LIST,	      /* struct nx_list_value; may be repeated */
	NX_OPTION_FLAG_TEXT,  /* const char *: "" when given without =VALUE */
	NX_OPTION_LATER_FLAG, /* known to users of AWS's tool, not here yet: help says what instead
			       */
	NX_OPTION_LATER_TEXT, /* the same, takes a value */
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

#define NX_FIELD(type, member) (uint16_t) offsetof(type, member)

struct nx_option {
	const char *name;    /* NULL: the letter alone */
	char letter;	     /* 0: the name alone */
	uint8_t kind;	     /* enum nx_option_kind */
	const char *value;   /* what the value is called in help: "FILE"; NULL for flags */
	uint16_t offset;     /* NX_FIELD in the command's struct */
	const char *help;    /* a sentence; of a LATER option, what to do instead */
	const char *choices; /* values a shell may offer, separated by spaces; NULL: any */
};

struct nx_example {
	const char *what;
	const char *line; /* without the program's name */
};

struct nx_invocation {
	const char *program; /* as called: neuron-explorer or neuron-profile */
	bool is_legacy;	     /* called as neuron-profile */
	int *exit_code;	     /* set by a command that ends as another does; else 0 */
};

/* Operands that begin so are a command line of their own: our options end at its first word. */
#define NX_OPERANDS_COMMAND "[--] COMMAND"

struct nx_command {
	const char *name;
	const char *summary;
	const char *operands;		   /* "FILE"; "" for none; or NX_OPERANDS_COMMAND */
	const char *description;	   /* paragraphs, separated by empty lines */
	const struct nx_option *options;   /* ends with a zeroed row */
	const struct nx_example *examples; /* ends with a zeroed row */
	enum nx_status (*run)(const struct nx_invocation *call, int argc, char **argv,
			      struct nx_error *err);
};

extern const struct nx_command *const nx_commands[];
extern const size_t nx_command_count;
const struct nx_command *nx_command_find(const char *name);

extern const struct nx_command nx_command_view;
extern const struct nx_command nx_command_inspect;
extern const struct nx_command nx_command_capture;
extern const struct nx_command nx_command_show_session;
extern const struct nx_command nx_command_neff;
extern const struct nx_command nx_command_list;
extern const struct nx_command nx_command_rename;
extern const struct nx_command nx_command_delete;
extern const struct nx_command nx_command_gc;
extern const struct nx_command nx_command_query;
extern const struct nx_command nx_command_export;
extern const struct nx_command nx_command_upload;
extern const struct nx_command nx_command_help;
extern const struct nx_command nx_command_nccom_test; /* a program of its own name */

#endif
