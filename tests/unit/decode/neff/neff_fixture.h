/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff_fixture: a NEFF made member by member, written, read back and decoded.
 * nx_neff_fixture_add_model puts in a small model of two graphs that shows
 * everything the decoder knows; a test replaces the member it is about, because
 * the last member of a name counts.
 */
#ifndef NX_TESTS_NEFF_FIXTURE_H
#define NX_TESTS_NEFF_FIXTURE_H

#include "base/vec.h"
#include "decode/neff/neff_decoder.h"
#include "format/debug_info.h"

struct nx_neff_fixture {
	struct nx_arena arena;
	NX_VEC(struct nx_neff_member) members;
	struct nx_neff_header header;
	struct nx_bytes file;
	struct nx_neff neff;
	struct nx_neff_options options;
	struct nx_binary binary;
	struct nx_error err;
};

/* For cmocka_unit_test_setup_teardown: *state is a fixture with the model in it. */
int nx_neff_fixture_setup(void **state);
int nx_neff_fixture_teardown(void **state);

void nx_neff_fixture_add(struct nx_neff_fixture *f, const char *name, struct nx_slice bytes);
void nx_neff_fixture_add_text(struct nx_neff_fixture *f, const char *name, const char *text);
void nx_neff_fixture_add_debug(struct nx_neff_fixture *f, const char *name,
			       const struct nx_debug_info *info);
/* As if it had never been put in. */
void nx_neff_fixture_drop(struct nx_neff_fixture *f, const char *name);
void nx_neff_fixture_add_model(struct nx_neff_fixture *f);

enum nx_status nx_neff_fixture_decode(struct nx_neff_fixture *f);
/* What is said about a member in missing; NULL when nothing. */
const char *nx_neff_fixture_missing(const struct nx_neff_fixture *f, const char *member);

#endif
