/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/tables/fill_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int nx_fill_fixture_setup(void **state)
{
	struct nx_fill_fixture *f = nx_heap_alloc(sizeof(*f));

	nx_made_profile_init(&f->made);
	nx_table_memory_init(&f->memory);
	*state = f;
	return 0;
}

int nx_fill_fixture_teardown(void **state)
{
	struct nx_fill_fixture *f = *state;

	nx_table_memory_release(&f->memory);
	nx_made_profile_release(&f->made);
	nx_heap_free(f);
	return 0;
}

static enum nx_status fill(struct nx_fill_fixture *f, nx_device_filler filler, struct nx_error *err)
{
	struct nx_tables_options options = {0};
	struct nx_checked_sink checked;
	struct nx_device_fill fill = {
		.profile = &f->made.p, .options = &options, .sink = &checked.sink, .err = err};
	enum nx_status st;

	nx_table_memory_release(&f->memory);
	nx_table_memory_init(&f->memory);
	nx_checked_sink_init(&checked, &f->memory.sink);
	st = filler(&fill);
	return st ? st : nx_checked_sink_finish(&checked, err);
}

void nx_fill_fixture_run(struct nx_fill_fixture *f, nx_device_filler filler)
{
	struct nx_error err = {0};

	if (fill(f, filler, &err))
		fail_msg("%s", err.message);
}

enum nx_status nx_fill_fixture_fail(struct nx_fill_fixture *f, nx_device_filler filler,
				    enum nx_table failing)
{
	struct nx_error err = {0};

	f->made.failing = failing;
	return fill(f, filler, &err);
}

int64_t nx_i64_at(const struct nx_row *row, unsigned column)
{
	assert_int_equal(row->kinds[column], NX_CELL_I64);
	return row->cells[column].i64;
}

double nx_f64_at(const struct nx_row *row, unsigned column)
{
	assert_int_equal(row->kinds[column], NX_CELL_F64);
	return row->cells[column].f64;
}
