/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "assemble/assembler.h"
#include "base/path.h"
#include "cli/neff_view.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "decode/neff/neff_decoder.h"

struct neff_command {
	bool header, nodes, members, is_json, force;
	const char *folder;
	const char *disassemble; /* NULL: no; "": all engines */
	bool assemble;
	const char *output, *arch;
};

#define ARCHITECTURES "trn1 inf2 trn2 trn3"
#define FIELD(member) NX_FIELD(struct neff_command, member)

static const struct nx_option options[] = {
	{"header", 0, NX_FLAG, FIELD(header), "Show the header only."},
	{"nodes", 0, NX_FLAG, FIELD(nodes), "Show inputs, outputs and weights only."},
	{"members", 0, NX_FLAG, FIELD(members), "List the files inside."},
	NX_ROW_JSON(struct neff_command),
	{"extract", 0, NX_FOLDER("DIR"), FIELD(folder),
	 "Unpack the files inside into this folder."},
	{"force", 0, NX_FLAG, FIELD(force), "With --extract, replace files that exist."},
	{"disassemble", 0, NX_FLAG_TEXT("ENGINE", NX_ENGINE_LABELS), FIELD(disassemble),
	 "List the compiled instructions of all engines or of one: Tensor, Scalar, GpSimd, Vector "
	 "or Sync (also pe, act, pool, dve, sp), with the layer and source line of each."},
	{"assemble", 0, NX_FLAG, FIELD(assemble),
	 "FILE is a text such as --disassemble prints; write the NEFF it describes."},
	{"output", 'o', NX_FILE("FILE"), FIELD(output), "With --assemble, the NEFF to write."},
	{"arch", 0, NX_CHOICE("DEVICE", ARCHITECTURES), FIELD(arch),
	 "With --assemble, the device to build for: trn1, inf2, trn2 or trn3 (default: as the text "
	 "says)."},
	{0},
};

/* "--disassemble pe FILE" and "FILE --disassemble pe" mean "--disassemble=pe FILE". */
static void take_engine(struct neff_command *o, struct nx_operands *operands)
{
	for (size_t i = 0; i < 2 && o->disassemble && !*o->disassemble; i++) {
		if (operands->count != 2 || nx_engine_find(operands->items[i]) == NX_ENGINE_COUNT)
			continue;
		o->disassemble = operands->items[i];
		operands->items += i == 0;
		operands->count = 1;
	}
}

static enum nx_status check(struct neff_command *o, struct nx_operands *operands,
			    enum nx_engine *engine, struct nx_error *err)
{
	bool is_shown = o->header || o->nodes || o->members || o->is_json || o->disassemble;
	const struct nx_rule rules[] = {
		{o->force && !o->folder, "--force is for --extract"},
		{o->is_json && o->disassemble, "--disassemble does not write JSON; leave out -j"},
		{!o->assemble && o->output, "-o is for --assemble"},
		{!o->assemble && o->arch, "--arch is for --assemble"},
		{o->assemble && (is_shown || o->folder),
		 "--assemble writes a NEFF; only -o and --arch go with it"},
		{o->assemble && !o->output,
		 "name the NEFF to write: neff --assemble FILE.nasm -o FILE.neff"},
		{0},
	};
	enum nx_status st;

	take_engine(o, operands);
	*engine = NX_ENGINE_COUNT;
	if (!operands->count)
		return nx_fail(err, NX_USAGE, "give a NEFF: neff MODEL.neff");
	if (operands->count > 1)
		return nx_fail(err, NX_USAGE, "give one file at a time, not also '%.100s'",
			       operands->items[1]);
	st = nx_rules_check(rules, err);
	if (!st && o->disassemble && *o->disassemble)
		st = nx_engine_parse(o->disassemble, engine, err);
	return st;
}

static void print_json(const struct neff_command *o, const struct nx_neff_view *v,
		       struct nx_output *out)
{
	bool is_all = !o->header && !o->nodes && !o->members;
	struct nx_json_writer w;

	nx_json_init_output(&w, out, true);
	nx_json_begin_object(&w);
	if (is_all || o->header)
		nx_neff_write_header(v, &w);
	if (is_all || o->nodes)
		nx_neff_write_nodes(v, &w);
	if (is_all || o->members)
		nx_neff_write_members(v, &w);
	nx_json_end_object(&w);
	nx_print(out, "\n");
}

static void print_text(const struct neff_command *o, struct nx_neff_view *v, enum nx_engine engine,
		       struct nx_output *out)
{
	bool is_default = !o->header && !o->nodes && !o->members && !o->disassemble;
	const char *gap = "";

	if (o->header || is_default) {
		nx_neff_print_header(v, out);
		gap = "\n";
	}
	if (o->nodes || is_default) {
		nx_print(out, "%s", gap);
		nx_neff_print_nodes(v, out);
		gap = "\n";
	}
	if (o->members) {
		nx_print(out, "%s", gap);
		nx_neff_print_members(v, out);
		gap = "\n";
	}
	if (is_default || o->disassemble)
		nx_print(out, "%s", gap);
	if (is_default)
		nx_neff_print_overview(v, out);
	if (o->disassemble)
		nx_neff_disassemble(v, engine, out);
}

static enum nx_status open_neff(const struct neff_command *o, struct nx_neff_view *v,
				struct nx_error *err)
{
	bool is_archive_only = o->folder || (o->members && !o->header && !o->nodes);
	struct nx_neff_options how = {.skip_dma_blocks = o->disassemble || o->is_json};
	enum nx_status st = nx_file_map(&v->file, v->path, err);

	if (st)
		return st;
	if (nx_neff_read(v->file.bytes, &v->arena, &v->neff, err))
		return nx_context(err, "%s", v->path);
	/* The files inside can be listed and unpacked even if no graph can be read. */
	if (is_archive_only && !o->disassemble)
		return NX_OK;
	if (nx_neff_decode(&v->neff, &how, &v->arena, &v->binary, err))
		return nx_context(err, "%s", v->path);
	return NX_OK;
}

static enum nx_status extract(const struct neff_command *o, const struct nx_neff_view *v,
			      struct nx_error *err)
{
	char count[NX_COUNT_TEXT_MAX];
	enum nx_status st = nx_neff_extract(&v->neff, o->folder, o->force, err);

	if (st)
		return nx_context(err, "%s", v->path);
	if (v->neff.is_truncated)
		nx_say_warning("%s is damaged: %s; copy it again", v->path, v->neff.damage);
	nx_say("wrote %s files to %s", nx_count_text(v->neff.member_count, count), o->folder);
	return NX_OK;
}

static enum nx_status assemble(const struct neff_command *o, struct nx_neff_view *v,
			       struct nx_error *err)
{
	struct nx_assembly_options how = {
		.path = v->path,
		.folder = nx_arena_copy(&v->arena, nx_path_folder(v->path)),
		.target = o->arch ? nx_assembly_target(nx_slice_text(o->arch)) : NULL,
	};
	struct nx_bytes neff = {0};
	struct nx_output out = {0};
	enum nx_status st = nx_file_map(&v->file, v->path, err);

	if (!st)
		st = nx_assemble(v->file.bytes, &how, &neff, err);
	if (!st)
		st = nx_output_open(&out, o->output, err);
	if (!st) {
		nx_output_write(&out, neff.items, neff.len);
		st = nx_output_commit(&out, err);
	}
	nx_vec_release(&neff);
	return st;
}

static enum nx_status print(const struct neff_command *o, struct nx_neff_view *v,
			    enum nx_engine engine, struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	if (o->is_json)
		print_json(o, v, &out);
	else
		print_text(o, v, engine, &out);
	return nx_output_commit(&out, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	struct neff_command *o = values;
	struct nx_neff_view v = {0};
	enum nx_engine engine;
	enum nx_status st = check(o, operands, &engine, err);

	(void)call;
	if (st)
		return st;
	v.path = operands->items[0];
	st = o->assemble ? assemble(o, &v, err) : open_neff(o, &v, err);
	if (!st && !o->assemble)
		st = o->folder ? extract(o, &v, err) : print(o, &v, engine, err);
	nx_arena_release(&v.arena);
	nx_file_unmap(&v.file);
	return st;
}

static const struct nx_example examples[] = {
	{"What is in a NEFF?", "neff model.neff"},
	{"List what the Tensor engine was compiled to do:", "neff --disassemble=Tensor model.neff"},
	{"Unpack it:", "neff --extract folder model.neff"},
	{"Write one by hand:", "neff --assemble model.nasm -o model.neff"},
	{0},
};

const struct nx_command nx_command_neff = {
	.name = "neff",
	.summary = "look inside a compiled model",
	.operands = "FILE",
	.description =
		"Shows what a NEFF declares: its header, its inputs, outputs and weights, and the "
		"instruction streams of each graph. It can list and unpack the files inside, and "
		"print the compiled instructions. --assemble does the reverse: it builds a NEFF "
		"from a text with instructions, variables and transfers (docs/assembler.md).",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct neff_command),
	.run = run,
};
