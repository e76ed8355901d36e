/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/synthetic_parquet.h"

#include <stdio.h>

#include "format/parquet/parquet.h"

static const struct nx_parquet_field fields[] = {
	{.name = "start_ts", .type = NX_PARQUET_I64},
	{.name = "opcode", .type = NX_PARQUET_TEXT},
	{.name = "operands", .type = NX_PARQUET_TEXT, .is_optional = true},
	{.name = "rate", .type = NX_PARQUET_F64, .is_optional = true},
	{.name = "is_fault", .type = NX_PARQUET_BOOL, .is_optional = true},
	{.name = "ids", .type = NX_PARQUET_I64, .is_list = true},
	{.name = "layers", .type = NX_PARQUET_TEXT, .is_list = true, .is_optional = true},
	{.name = "queue", .type = NX_PARQUET_I32},
	{.name = "offset", .type = NX_PARQUET_I32, .is_optional = true},
	{.name = "share", .type = NX_PARQUET_F32, .is_optional = true},
};

static enum nx_status take(void *context, const void *data, size_t len, struct nx_error *err)
{
	(void)err;
	nx_bytes_append(context, data, len);
	return NX_OK;
}

static enum nx_status put_row(struct nx_parquet_writer *w, unsigned i, unsigned distinct)
{
	const struct nx_slice layers[] = {nx_slice_text("attention"), nx_slice_text("mlp")};
	const int64_t ids[] = {(int64_t)i, (int64_t)(i * 2654435761u), -1};
	char text[48];

	nx_parquet_put_i64(w, 0, 1700000000000000000 + (int64_t)(i % distinct) * 1000);
	snprintf(text, sizeof(text), "OPCODE_%u", i % distinct);
	nx_parquet_put_text(w, 1, text);
	snprintf(text, sizeof(text), "operand %u of some length", i * 2654435761u);
	if (i % 3)
		nx_parquet_put_text(w, 2, text);
	if (i % 4)
		nx_parquet_put_f64(w, 3, (double)(i % distinct) / 3);
	if (i % 5)
		nx_parquet_put_bool(w, 4, i % 2);
	nx_parquet_put_list_i64(w, 5, ids, i % 4);
	if (i % 7)
		nx_parquet_put_list_text(w, 6, layers, i % 3);
	nx_parquet_put_i32(w, 7, (int32_t)(i % distinct));
	if (i % 2)
		nx_parquet_put_i32(w, 8, (int32_t)(i % distinct * 2654435761u));
	if (i % 6)
		nx_parquet_put_f32(w, 9, (float)(i % distinct) / 3);
	return nx_parquet_end_row(w, NULL);
}

/* Rows with that many distinct values; few make dictionaries and runs, many plain values. */
static bool add_table(nx_synthetic_seed_fn fn, void *context, const char *name, unsigned rows,
		      unsigned distinct)
{
	const struct nx_parquet_options options = {
		.group_rows = rows / 2 + 1, .page_rows = rows / 3 + 1, .threads = 1};
	struct nx_bytes bytes = {0};
	struct nx_parquet_writer *w;
	bool is_taken;

	if (nx_parquet_open(&w, (struct nx_parquet_sink){take, &bytes}, fields,
			    sizeof(fields) / sizeof(fields[0]), &options, NULL))
		return false;
	nx_parquet_add_metadata(w, "table", name);
	for (unsigned i = 0; i < rows; i++)
		if (put_row(w, i, distinct))
			break;
	is_taken = !nx_parquet_close(w, NULL) && fn(context, "fuzz_parquet", name, &bytes);
	nx_vec_release(&bytes);
	return is_taken;
}

bool nx_synthetic_parquet_corpus(nx_synthetic_seed_fn fn, void *context)
{
	return add_table(fn, context, "empty.parquet", 0, 1) &&
	       add_table(fn, context, "small.parquet", 4, 4) &&
	       add_table(fn, context, "repeated.parquet", 200, 3) &&
	       add_table(fn, context, "distinct.parquet", 60, 60);
}
