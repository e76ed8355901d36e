/* SPDX-License-Identifier: Apache-2.0 */
/* table_fixture: a made device capture, read by the pipeline and written as tables into memory. */
#ifndef NX_TESTS_TABLE_FIXTURE_H
#define NX_TESTS_TABLE_FIXTURE_H

#include "pipeline/device_session.h"
#include "tables/fillers.h"
#include "tests/data/memory_file.h"
#include "tests/data/synthetic.h"
#include "tests/unit/checked_sink.h"
#include "tests/unit/table_memory.h"

struct nx_table_fixture {
	struct nx_bytes neff, ntff;
	struct nx_synthetic_counts counts;
	struct nx_memory_file neff_file, ntff_file;
	struct nx_device_session *opened;
	const struct nx_profile *profile;
	struct nx_table_memory memory;
	struct nx_error err;
};

/* Asserts that every row passes nx_row_check. */
void nx_table_fixture_make(struct nx_table_fixture *f, const struct nx_synthetic_options *options,
			   bool with_neff);
void nx_table_fixture_release(struct nx_table_fixture *f);

#endif
