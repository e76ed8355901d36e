/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/tables/table_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void open_files(struct nx_table_fixture *f, bool with_neff)
{
	struct nx_device_session_options options = {0};

	assert_true(nx_memory_file_open(&f->ntff_file, nx_slice_of(f->ntff.items, f->ntff.len)));
	assert_true(nx_memory_file_open(&f->neff_file, nx_slice_of(f->neff.items, f->neff.len)));
	options.session_path = f->ntff_file.path;
	options.neff_path = with_neff ? f->neff_file.path : NULL;
	assert_int_equal(nx_device_session_open(&f->opened, &options, &f->err), NX_OK);
	f->profile = nx_device_session_borrow(f->opened);
}

void nx_table_fixture_make(struct nx_table_fixture *f, const struct nx_synthetic_options *options,
			   bool with_neff)
{
	struct nx_tables_options tables = {.profile_name = "made", .explorer_version = "0"};
	struct nx_checked_sink checked;

	memset(f, 0, sizeof(*f));
	nx_synthetic_capture(options, &f->neff, &f->ntff, &f->counts);
	open_files(f, with_neff);
	nx_table_memory_init(&f->memory);
	nx_checked_sink_init(&checked, &f->memory.sink);
	if (nx_device_tables_write(f->profile, &tables, &checked.sink, &f->err) ||
	    nx_checked_sink_finish(&checked, &f->err))
		fail_msg("%s", f->err.message);
}

void nx_table_fixture_release(struct nx_table_fixture *f)
{
	nx_table_memory_release(&f->memory);
	nx_device_session_close(f->opened);
	nx_memory_file_close(&f->ntff_file);
	nx_memory_file_close(&f->neff_file);
	nx_vec_release(&f->neff);
	nx_vec_release(&f->ntff);
}
