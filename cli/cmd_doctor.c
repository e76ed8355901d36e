/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_writer.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"
#include "query/diagnosis.h"

struct doctor {
	const char *profile, *data_path;
	bool is_json;
};

static const struct nx_option options[] = {
	NX_ROW_PROFILE(struct doctor),
	NX_ROW_DATA_PATH(struct doctor),
	NX_ROW_JSON(struct doctor),
	{0},
};

#define COLUMNS 100u
#define INDENT 4u

static enum nx_status examine(void *diagnosis, const struct nx_query_engine *engine,
			      struct nx_error *err)
{
	return nx_diagnosis_ask(diagnosis, engine, err);
}

static void print_text(struct nx_output *out, const struct nx_diagnosis *diagnosis)
{
	if (!diagnosis->symptoms.len)
		nx_print(out, "Nothing that is checked is missing or lost.\n");
	for (size_t i = 0; i < diagnosis->symptoms.len; i++) {
		const struct nx_symptom *s = &diagnosis->symptoms.items[i];

		nx_print(out, "%s%s\n%*s", i ? "\n" : "", s->category, (int)INDENT, "");
		nx_print_wrapped(out, s->message, INDENT, INDENT, COLUMNS);
	}
}

static void print_json(struct nx_output *out, const struct nx_diagnosis *diagnosis)
{
	struct nx_bytes text = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &text, true);
	nx_json_begin_array(&w);
	for (size_t i = 0; i < diagnosis->symptoms.len; i++) {
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "category", diagnosis->symptoms.items[i].category);
		nx_json_key_text(&w, "message", diagnosis->symptoms.items[i].message);
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	nx_vec_push(&text, '\n');
	nx_output_write(out, text.items, text.len);
	nx_vec_release(&text);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct doctor *o = values;
	struct nx_diagnosis diagnosis = {0};
	struct nx_arena arena = {0};
	struct nx_output out;
	const char *path;
	enum nx_status st = nx_workspace_view_resolve(o->data_path, o->profile ? o->profile : ".",
						      &arena, &path, err);

	(void)call, (void)operands;
	if (!st)
		st = nx_workspace_view_ask(path, examine, &diagnosis, err);
	if (!st)
		st = nx_output_open(&out, "-", err);
	if (!st) {
		(o->is_json ? print_json : print_text)(&out, &diagnosis);
		st = nx_output_commit(&out, err);
	}
	nx_diagnosis_release(&diagnosis);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"Can I trust the numbers of a profile?", "doctor -d profile"},
	{0},
};

const struct nx_command nx_command_doctor = {
	.name = "doctor",
	.summary = "say what a profile lacks, and which numbers that puts in doubt",
	.operands = "",
	.operand_hint = "name a profile with -d",
	.description =
		"Lists what a capture lacks or lost: dropped records, a missing NEFF, HLO "
		"statistics "
		"or DGE notifications, device profiles that were not recorded, steps without an "
		"end, causes that are not known; which numbers that puts in doubt, and how to "
		"capture it next time if that is possible.\n"
		"\n"
		"Also says when times are simulated, and how much of a short run is the runtime's "
		"own start-up and epilogue. Needs DuckDB, like 'query'.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct doctor),
	.run = run,
};
