/* SPDX-License-Identifier: Apache-2.0 */
/* fill_fixture: a made profile, and what a filler makes of it, each row checked by the schema. */
#ifndef NX_TESTS_FILL_FIXTURE_H
#define NX_TESTS_FILL_FIXTURE_H

#include "tables/fillers.h"
#include "tests/unit/checked_sink.h"
#include "tests/unit/made_profile.h"
#include "tests/unit/table_memory.h"

struct nx_fill_fixture {
	struct nx_made_profile made;
	struct nx_table_memory memory;
};

int nx_fill_fixture_setup(void **state);
int nx_fill_fixture_teardown(void **state);

/* Fills into the memory, which is emptied before. */
void nx_fill_fixture_run(struct nx_fill_fixture *f, nx_device_filler filler);
/* The filler's status when the rows of a table cannot be read. */
enum nx_status nx_fill_fixture_fail(struct nx_fill_fixture *f, nx_device_filler filler,
				    enum nx_table failing);

/* Cells of a row; assert that they are not null. */
int64_t nx_i64_at(const struct nx_row *row, unsigned column);
double nx_f64_at(const struct nx_row *row, unsigned column);

#endif
