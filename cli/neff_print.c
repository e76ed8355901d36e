/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/neff_view.h"

#include <inttypes.h>

#include "cli/table.h"

static const char *kind_name(enum nx_tensor_kind kind)
{
	return kind == NX_TENSOR_INPUT ? "input" : kind == NX_TENSOR_OUTPUT ? "output" : "weight";
}

void nx_neff_print_header(struct nx_neff_view *v, struct nx_output *out)
{
	struct nx_table_view table;

	nx_table_begin(&table, &v->arena, "header|value");
	for (size_t i = 0; i < v->binary.header_count; i++)
		nx_table_row(&table, v->binary.header[i].name, v->binary.header[i].value);
	nx_table_end(&table, out, 0);
}

void nx_neff_print_nodes(struct nx_neff_view *v, struct nx_output *out)
{
	struct nx_table_view table;
	char size[NX_COUNT_TEXT_MAX];

	nx_table_begin(&table, &v->arena, "node|kind|shape|dtype|>bytes");
	for (size_t i = 0; i < v->binary.tensor_count; i++) {
		const struct nx_tensor *t = &v->binary.tensors[i];

		nx_table_row(&table, t->name, kind_name(t->kind), t->shape, t->dtype,
			     nx_count_text(t->size_bytes, size));
	}
	nx_table_end(&table, out, 0);
}

void nx_neff_print_members(struct nx_neff_view *v, struct nx_output *out)
{
	struct nx_table_view table;
	char size[NX_COUNT_TEXT_MAX];

	nx_table_begin(&table, &v->arena, ">bytes|member");
	for (size_t i = 0; i < v->neff.member_count; i++) {
		struct nx_slice name = v->neff.members[i].name;

		nx_table_add(&table, "%s", nx_count_text(v->neff.members[i].bytes.len, size));
		nx_table_add(&table, "%.*s", (int)name.len, (const char *)name.data);
	}
	nx_table_end(&table, out, 0);
}

static void print_streams(struct nx_neff_view *v, struct nx_output *out)
{
	struct nx_table_view table;
	char slots[NX_COUNT_TEXT_MAX], blocks[NX_COUNT_TEXT_MAX];

	nx_table_begin(&table, &v->arena, "graph|engine|stream|>slots|>DMA blocks");
	for (size_t g = 0; g < v->binary.graph_count; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			const struct nx_engine_program *p = &v->binary.graphs[g].engines[e];

			nx_table_row(&table, v->binary.graphs[g].name, nx_engines[e].label,
				     p->stream_name, nx_count_text(p->slot_count, slots),
				     nx_count_text(p->block_count, blocks));
		}
	nx_table_end(&table, out, 0);
}

void nx_neff_print_overview(struct nx_neff_view *v, struct nx_output *out)
{
	const struct nx_binary *b = &v->binary;
	uint64_t unpacked_bytes = 0;
	char size[NX_COUNT_TEXT_MAX];

	for (size_t i = 0; i < v->neff.member_count; i++)
		unpacked_bytes += v->neff.members[i].bytes.len;
	nx_print(out, "target %s, compiler %s, %zu members, %s unpacked\n",
		 *b->target ? b->target : "unknown",
		 *b->compiler_version ? b->compiler_version : "unknown", v->neff.member_count,
		 nx_size_text(unpacked_bytes, size));
	for (size_t g = 0; g < b->graph_count; g++)
		nx_print(out, "graph %s: %zu variables, %zu queues, %zu compiled instructions\n",
			 b->graphs[g].name, b->graphs[g].variable_count, b->graphs[g].queue_count,
			 b->graphs[g].bir_count);
	nx_print(out, "\n");
	print_streams(v, out);
	for (size_t i = 0; i < b->missing_count; i++)
		nx_print(out, "%snot readable: %s: %s\n", i ? "" : "\n", b->missing[i].name,
			 b->missing[i].value);
	if (v->neff.is_truncated)
		nx_print(out, "\ndamaged: %s; copy it again\n", v->neff.damage);
}

/* --- JSON ------------------------------------------------------------------ */

void nx_neff_write_header(const struct nx_neff_view *v, struct nx_json_writer *w)
{
	nx_json_key(w, "header");
	nx_json_begin_object(w);
	for (size_t i = 0; i < v->binary.header_count; i++)
		nx_json_key_text(w, v->binary.header[i].name, v->binary.header[i].value);
	nx_json_key_text(w, "target", v->binary.target);
	nx_json_key_text(w, "compiler_version", v->binary.compiler_version);
	nx_json_end_object(w);
}

void nx_neff_write_nodes(const struct nx_neff_view *v, struct nx_json_writer *w)
{
	nx_json_key(w, "nodes");
	nx_json_begin_array(w);
	for (size_t i = 0; i < v->binary.tensor_count; i++) {
		const struct nx_tensor *t = &v->binary.tensors[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "name", t->name);
		nx_json_key_text(w, "kind", kind_name(t->kind));
		nx_json_key_text(w, "shape", t->shape);
		nx_json_key_text(w, "dtype", t->dtype);
		nx_json_key_text(w, "format", t->format);
		nx_json_key_u64(w, "size_bytes", t->size_bytes);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

void nx_neff_write_members(const struct nx_neff_view *v, struct nx_json_writer *w)
{
	nx_json_key(w, "members");
	nx_json_begin_array(w);
	for (size_t i = 0; i < v->neff.member_count; i++) {
		nx_json_begin_object(w);
		nx_json_key(w, "name");
		nx_json_slice(w, v->neff.members[i].name);
		nx_json_key_u64(w, "size_bytes", v->neff.members[i].bytes.len);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}
