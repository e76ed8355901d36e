/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/suggest.h"

#define OPTION_MAX 64
#define TOKEN_BYTES_MAX 512
#define LEAST_MEMORY_BYTES (UINT64_C(16) << 20)
#define HELP_CODE 0x1000	   /* what getopt returns for --help */
#define FIRST_CODE (HELP_CODE + 1) /* and for the option of row 0 */

struct parser {
	const struct nx_command *command;
	struct option longs[OPTION_MAX + 2];
	char shorts[3 * OPTION_MAX + 5];
};

static int argument_of(const struct nx_option *option)
{
	switch (option->kind) {
	case NX_OPTION_FLAG:
	case NX_OPTION_LATER_FLAG:
		return no_argument;
	case NX_OPTION_FLAG_TEXT:
		return optional_argument;
	default:
		return required_argument;
	}
}

static void build(struct parser *p, const struct nx_command *command)
{
	size_t shorts = 0, longs = 0;

	memset(p, 0, sizeof(*p));
	p->command = command;
	if (command->operands &&
	    !strncmp(command->operands, NX_OPERANDS_COMMAND, strlen(NX_OPERANDS_COMMAND)))
		p->shorts[shorts++] = '+';
	p->shorts[shorts++] = ':'; /* getopt then returns ':' for a missing value */
	p->shorts[shorts++] = 'h';
	p->longs[longs++] = (struct option){"help", no_argument, NULL, HELP_CODE};
	for (int i = 0; command->options[i].name || command->options[i].letter; i++) {
		const struct nx_option *o = &command->options[i];

		assert(i < OPTION_MAX && (o->kind != NX_OPTION_CHOICE || o->choices));
		if (o->name)
			p->longs[longs++] =
				(struct option){o->name, argument_of(o), NULL, FIRST_CODE + i};
		if (!o->letter)
			continue;
		p->shorts[shorts++] = o->letter;
		if (argument_of(o) != no_argument)
			p->shorts[shorts++] = ':';
	}
}

const char *nx_option_spelling(const struct nx_option *o, char *out, size_t cap)
{
	char letter[8] = "", name[64] = "", value[64] = "";

	assert(o->name || o->letter);
	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c", o->letter);
	if (o->name)
		snprintf(name, sizeof(name), "%s--%s", o->letter ? ", " : "", o->name);
	if (o->value)
		snprintf(value, sizeof(value), o->kind == NX_OPTION_FLAG_TEXT ? "[=%s]" : " %s",
			 o->value);
	snprintf(out, cap, "%s%s%s", letter, name, value);
	return out;
}

/* The option as the user would type it. */
static const char *typed(const struct nx_option *o, char *out, size_t cap)
{
	if (o->name)
		snprintf(out, cap, "--%s", o->name);
	else
		snprintf(out, cap, "-%c", o->letter);
	return out;
}

/* Guides write JSON and Json too: the word is accepted in any case and stored as the table has it.
 */
static enum nx_status store_choice(const struct nx_option *o, char *text, const char **to,
				   struct nx_error *err)
{
	char name[64], hint[NX_HINT_MAX];

	for (const char *word = o->choices; *word; word += strspn(word, " ")) {
		size_t len = strcspn(word, " ");

		if (len == strlen(text) && !strncasecmp(word, text, len)) {
			if (memcmp(word, text, len) != 0)
				memcpy(text, word, len);
			*to = text;
			return NX_OK;
		}
		word += len;
	}
	return nx_fail(err, NX_USAGE, "%s is one of %s, not '%.100s'%s",
		       typed(o, name, sizeof(name)), o->choices, text,
		       nx_hint_word(o->choices, text, "", hint));
}

static enum nx_status store_number(const struct nx_option *o, const char *text,
				   struct nx_number_value *to, struct nx_error *err)
{
	unsigned long long number;
	char name[64], *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || end == text || *end || strchr(text, '-') || number > UINT32_MAX)
		return nx_fail(err, NX_USAGE, "%s needs a whole number, not '%.100s'",
			       typed(o, name, sizeof(name)), text);
	*to = (struct nx_number_value){true, (uint32_t)number};
	return NX_OK;
}

static enum nx_status store(const struct nx_option *o, char *value, void *values,
			    struct nx_error *err)
{
	void *at = (char *)values + o->offset;
	struct nx_list_value *list = at; /* of a LIST */
	char name[64];

	switch ((enum nx_option_kind)o->kind) {
	case NX_OPTION_FLAG:
		*(bool *)at = true;
		return NX_OK;
	case NX_OPTION_INPUT:
		if (*(const char **)at)
			return nx_fail(err, NX_USAGE,
				       "%s is given twice, with %.200s and %.200s; "
				       "give one file",
				       typed(o, name, sizeof(name)), *(const char **)at, value);
		*(const char **)at = value;
		return NX_OK;
	case NX_OPTION_TEXT:
	case NX_OPTION_FILE:
	case NX_OPTION_FOLDER:
	case NX_OPTION_FLAG_TEXT:
		*(const char **)at = value ? value : "";
		return NX_OK;
	case NX_OPTION_CHOICE:
		return store_choice(o, value, at, err);
	case NX_OPTION_NUMBER:
		return store_number(o, value, at, err);
	case NX_OPTION_LIST:
		if (list->count == NX_LIST_MAX)
			return nx_fail(err, NX_USAGE, "%s is given more than %d times",
				       typed(o, name, sizeof(name)), NX_LIST_MAX);
		list->items[list->count++] = value;
		return NX_OK;
	case NX_OPTION_LATER_FLAG:
		break;
	}
	return nx_fail(err, NX_UNSUPPORTED, "%s is not in this version yet; %s",
		       typed(o, name, sizeof(name)), o->help);
}

/* getopt accepts unambiguous prefixes; for an ambiguous one it only returns '?'. */
static enum nx_status refuse_long(const struct parser *p, const char *word, struct nx_error *err)
{
	const char *name = word + 2, *near;
	size_t len = strcspn(name, "="), match_count = 0;
	int shown = (int)(len < 100 ? len : 100);

	for (const struct option *l = p->longs; len && l->name; l++)
		match_count += !strncmp(l->name, name, len);
	if (match_count > 1)
		return nx_fail(err, NX_USAGE, "--%.*s could be several options; write it in full",
			       shown, name);
	if (match_count == 1)
		return nx_fail(err, NX_USAGE, "--%.*s takes no value", shown, name);
	near = nx_suggest_option(p->command->options, name, len);
	return nx_fail(err, NX_USAGE, "unknown option --%.*s%s%s%s", shown, name,
		       near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
}

static enum nx_status refuse(const struct parser *p, int code, char **argv, struct nx_error *err)
{
	const char *word = argv[optind - 1];

	if (code == ':')
		return nx_fail(err, NX_USAGE, "%.100s needs a value", word);
	if (optopt == 0 || optopt >= HELP_CODE)
		return refuse_long(p, word, err);
	return nx_fail(err, NX_USAGE, "unknown option -%c", optopt);
}

enum nx_status nx_rules_check(const struct nx_rule *rules, struct nx_error *err)
{
	for (; rules->message; rules++)
		if (rules->is_broken)
			return nx_fail(err, NX_USAGE, "%s", rules->message);
	return NX_OK;
}

enum nx_engine nx_engine_find(const char *name)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const struct nx_engine_names *n = &nx_engines[e];

		if (!strcasecmp(name, n->label) || !strcasecmp(name, n->neff_key) ||
		    !strcasecmp(name, n->stem))
			return (enum nx_engine)e;
	}
	return NX_ENGINE_COUNT;
}

enum nx_status nx_engine_parse(const char *name, enum nx_engine *engine, struct nx_error *err)
{
	*engine = nx_engine_find(name);
	if (*engine == NX_ENGINE_COUNT)
		return nx_fail(err, NX_USAGE,
			       "there is no engine '%.100s'; there are: %s (or pe act pool dve sp)",
			       name, NX_ENGINE_LABELS);
	return NX_OK;
}

enum nx_status nx_options_parse(const struct nx_command *command, int argc, char **argv,
				void *values, struct nx_operands *operands, bool *wants_help,
				struct nx_error *err)
{
	struct parser p;
	int code;

	assert(argc > 0);
	build(&p, command);
	*wants_help = false;
	opterr = 0;
	optind = 0;
	while ((code = getopt_long(argc, argv, p.shorts, p.longs, NULL)) != -1) {
		const struct nx_option *option;
		enum nx_status st;

		if (code == HELP_CODE || code == 'h') {
			*wants_help = true;
			return NX_OK;
		}
		option = command->options;
		if (code >= FIRST_CODE)
			option += code - FIRST_CODE;
		else
			while (code != option->letter && (option->name || option->letter))
				option++;
		st = code == '?' || code == ':' ? refuse(&p, code, argv, err)
						: store(option, optarg, values, err);
		if (st)
			return nx_fail(err, st, "%s (see '%s --help')", err->message,
				       command->name);
	}
	*operands = (struct nx_operands){argv + optind, (size_t)(argc - optind)};
	return NX_OK;
}

/* --- sizes --------------------------------------------------------------------------------- */

/* "500MB", "1.5 GB", "2GiB" */
enum nx_status nx_size_parse(const char *option, const char *text, uint64_t *size_bytes,
			     struct nx_error *err)
{
	static const struct {
		const char *name;
		double bytes;
	} units[] = {{"KB", 1e3},     {"MB", 1e6},	  {"GB", 1e9},		{"TB", 1e12},
		     {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
	char *unit;
	double number = strtod(text, &unit);

	unit += strspn(unit, " ");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && isdigit((unsigned char)*text);
	     i++) {
		double size = number * units[i].bytes;

		if (strcasecmp(unit, units[i].name) != 0 || !(size < 1e18))
			continue;
		*size_bytes = (uint64_t)size;
		if (*size_bytes < LEAST_MEMORY_BYTES)
			return nx_fail(err, NX_USAGE, "--%s %s is too small; the minimum is 16MiB",
				       option, text);
		return NX_OK;
	}
	return nx_fail(err, NX_USAGE, "--%s needs a size such as 500MB or 4GB, not '%.100s'",
		       option, text);
}

/* --- secrets ------------------------------------------------------------------------------- */

enum nx_status nx_token_find(const char *file, const char **token, struct nx_error *err)
{
	static char line[TOKEN_BYTES_MAX]; /* for the life of the program */
	FILE *stream = file ? fopen(file, "re") : NULL;
	bool has_line;

	if (file && *token)
		return nx_fail(err, NX_USAGE, "give --token or --token-file, not both");
	if (file && !stream)
		return nx_fail_errno(err, errno, "cannot open the token file %s", file);
	if (!file) {
		*token = *token ? *token : getenv("NEURON_EXPLORER_TOKEN");
		return NX_OK;
	}
	has_line = fgets(line, sizeof(line), stream) != NULL;
	fclose(stream);
	line[strcspn(line, "\r\n")] = '\0';
	if (!has_line || !*line)
		return nx_fail(err, NX_USAGE, "%s has no token in its first line", file);
	*token = line;
	return NX_OK;
}
