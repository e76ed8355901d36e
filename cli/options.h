/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: parses a command line by a command's option table. The rows below are those that
 * several commands have; type is the command's struct, which has a member of the given name.
 */
#ifndef NX_CLI_OPTIONS_H
#define NX_CLI_OPTIONS_H

#include "cli/command.h"
#include "machine/hardware.h"

#define NX_ROW_DATA_PATH(type)                                                                     \
	{                                                                                          \
		"data-path", 0, NX_FOLDER("DIR"), NX_FIELD(type, data_path),                       \
			"The workspace, the folder that holds all profiles (default "              \
			"$XDG_DATA_HOME/neuron-explorer or ~/.local/share/neuron-explorer)."       \
	}
#define NX_ROW_PROFILE(type)                                                                       \
	{                                                                                          \
		"profile", 'd', NX_FOLDER("PROFILE"), NX_FIELD(type, profile),                     \
			"The profile: its name in the workspace, or a folder with its Parquet "    \
			"files (default: the current folder)."                                     \
	}
#define NX_ROW_TOKEN_FILE(type)                                                                    \
	{                                                                                          \
		"token-file", 0, NX_FILE("FILE"), NX_FIELD(type, token_file),                      \
			"Read the access token from the first line of this file."                  \
	}
#define NX_ROW_TOKEN(type, what)                                                                   \
	{                                                                                          \
		"token", 0, NX_TEXT("TEXT"), NX_FIELD(type, token),                                \
			what " Setting NEURON_EXPLORER_TOKEN instead hides it from other users "   \
			     "of the machine."                                                     \
	}
#define NX_ROW_NEFF(type, name, letter, more)                                                      \
	{                                                                                          \
		name, letter, NX_INPUT("FILE"), NX_FIELD(type, neff_path),                         \
			"The compiled model that was running (NEFF)." more                         \
	}
#define NX_ROW_SESSION(type, name, letter, more)                                                   \
	{                                                                                          \
		name, letter, NX_INPUT("FILE"), NX_FIELD(type, session_path),                      \
			"The captured session file (NTFF)." more                                   \
	}
#define NX_ROW_DIRECTORY(type, name, letter, more)                                                 \
	{                                                                                          \
		name, letter, NX_FOLDER("DIR"), NX_FIELD(type, directory),                         \
			"A directory written by a capture: the system profile of all processes, "  \
			"and every session file with its NEFF." more                               \
	}
#define NX_ROW_NAME(type, name)                                                                    \
	{                                                                                          \
		name, 0, NX_TEXT("NAME"), NX_FIELD(type, display_name),                            \
			"The profile's name in the workspace (default: the name of its file or "   \
			"folder)."                                                                 \
	}
#define NX_ROW_ROWS_FORMAT(type, choices, first, last)                                             \
	{                                                                                          \
		"format", 'f', NX_CHOICE("FORMAT", choices), NX_FIELD(type, format),               \
			"Output format: " first "csv, json (an array of objects), jsonl (one "     \
			"object per line) or parquet" last                                         \
	}
#define NX_ROW_ROWS_FILE(type, more)                                                               \
	{                                                                                          \
		"output-file", 'o', NX_FILE("FILE"), NX_FIELD(type, output_file),                  \
			"Where to write the rows (default: standard output)." more                 \
	}
#define NX_ROW_JSON(type)                                                                          \
	{                                                                                          \
		"json", 'j', NX_FLAG, NX_FIELD(type, is_json), "Write JSON instead of text."       \
	}
#define NX_ROW_RUNTIME(type)                                                                       \
	{                                                                                          \
		"runtime", 0, NX_FILE("PATH"), NX_FIELD(type, runtime),                            \
			"The libnrt.so.1 to use, or its folder. Default: the first found of "      \
			"LD_LIBRARY_PATH, the system's if there is a Neuron device, and the "      \
			"software NeuronCore that comes with this program."                        \
	}
#define NX_ROW_VERSION(type, letter)                                                               \
	{                                                                                          \
		"version", letter, NX_FLAG, NX_FIELD(type, wants_version), "Show the version."     \
	}

/*
 * Fills the command's struct. USAGE if a word is wrong, with the nearest valid one as a hint;
 * UNSUPPORTED for an option that this version does not have yet. *wants_help becomes true on
 * --help; the rest is then ignored.
 */
NX_MUST_CHECK enum nx_status nx_options_parse(const struct nx_command *command, int argc,
					      char **argv, void *values,
					      struct nx_operands *operands, bool *wants_help,
					      struct nx_error *err);

/* USAGE with the message of the first rule that is broken; the list ends with a zeroed row. */
struct nx_rule {
	bool is_broken;
	const char *message;
};
NX_MUST_CHECK enum nx_status nx_rules_check(const struct nx_rule *rules, struct nx_error *err);

static inline bool nx_option_is_later(const struct nx_option *option)
{
	return option->kind == NX_OPTION_LATER_FLAG;
}

#define NX_ENGINE_LABELS "Tensor Scalar GpSimd Vector Sync"

/* Engines as people type them: Tensor, tensor, PE, act, ...; NX_ENGINE_COUNT if there is none. */
enum nx_engine nx_engine_find(const char *name);
NX_MUST_CHECK enum nx_status nx_engine_parse(const char *name, enum nx_engine *engine,
					     struct nx_error *err);

/* Sets *token to the first line of the file of --token-file, if given, else to --token, else to
 * NEURON_EXPLORER_TOKEN; NULL if there is none. */
NX_MUST_CHECK enum nx_status nx_token_find(const char *file, const char **token,
					   struct nx_error *err);

/* "500MB", "1.5 GB", "2GiB": the value of an option; at least 16 MiB. */
NX_MUST_CHECK enum nx_status nx_size_parse(const char *option, const char *text,
					   uint64_t *size_bytes, struct nx_error *err);

/* "-o, --output-file FILE", as help and man pages show it; returns out. */
const char *nx_option_spelling(const struct nx_option *option, char *out, size_t cap);

#endif
