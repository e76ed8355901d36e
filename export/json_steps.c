/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and gaps between executions, under the names of the published columns. */
#include "export/json_sections.h"
#include "model/system.h"
#include "tables/step_rows.h"

struct row_export {
	struct nx_json_writer *w;
	const struct nx_system_profile *profile;
	const struct nx_step_table *table;
	struct nx_row row;
	char label[NX_STEP_LABEL_MAX];
};

static void write_cell(struct nx_json_writer *w, const struct nx_row *row, unsigned column)
{
	const struct nx_schema_column *c = &nx_schema_tables[row->table].columns[column];
	const union nx_cell *cell = &row->cells[column];

	switch (row->kinds[column]) {
	case NX_CELL_I64:
		nx_json_key_i64(w, c->name, cell->i64);
		break;
	case NX_CELL_F64:
		nx_json_key_f64(w, c->name, cell->f64);
		break;
	case NX_CELL_BOOL:
		nx_json_key_bool(w, c->name, cell->boolean);
		break;
	case NX_CELL_TEXT:
		nx_json_key(w, c->name);
		nx_json_slice(w, cell->text);
		break;
	default: /* null: left out */
		break;
	}
}

static void write_row(void *context, const void *item)
{
	struct row_export *x = context;

	nx_row_init(&x->row, x->table->published);
	x->table->fill(&x->row, x->profile, item, x->label);
	nx_json_begin_object(x->w);
	for (unsigned i = 0; i < x->row.column_count; i++)
		write_cell(x->w, &x->row, i);
	nx_json_end_object(x->w);
}

enum nx_status nx_json_system_steps(struct nx_json_writer *w,
				    const struct nx_system_profile *profile, bool with_gaps,
				    struct nx_error *err)
{
	static const char *const sections[NX_STEP_TABLES] = {
		"steps", "step_summary", "execution_gaps", "execution_gap_summary"};
	struct row_export x = {.w = w, .profile = profile};
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < NX_STEP_TABLES && !st; i++) {
		x.table = &nx_step_tables[i];
		if (x.table->source == NX_SYSTEM_GAP && !with_gaps)
			continue;
		nx_json_key(w, sections[i]);
		nx_json_begin_array(w);
		st = nx_system_scan(profile, x.table->source, write_row, &x, err);
		nx_json_end_array(w);
	}
	return st;
}
