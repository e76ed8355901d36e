/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/nccom/nccom_run.h"

#define COUNT 96
#define RANKS 3
#define UINT8 3

static const struct nx_nccom_groups no_groups;
static const struct nx_nccom_options options = {.check = NX_NCCOM_RANDOM, .seed = 5};

static struct nx_nccom_case make_case(const char *op)
{
	struct nx_nccom_case c = {
		.op = nx_nccom_op_find(op),
		.dtype = UINT8,
		.dtype_name = "uint8",
		.size_bytes = COUNT,
		.rank_count = RANKS,
		.group_size = RANKS,
		.groups = &no_groups,
		.op_count = 1,
	};
	struct nx_error err;

	assert_int_equal(nx_nccom_case_measure(&c, &err), NX_OK);
	return c;
}

static void test_pieces_are_the_whole(void **state)
{
	struct nx_nccom_case c = make_case("allr");
	uint8_t whole[COUNT], pieces[COUNT];

	(void)state;
	nx_nccom_fill(&c, &options, 1, 0, COUNT, whole);
	nx_nccom_fill(&c, &options, 1, 0, 41, pieces);
	nx_nccom_fill(&c, &options, 1, 41, COUNT - 41, pieces + 41);
	assert_memory_equal(whole, pieces, COUNT);
}

/* A wrong element is found in whichever piece it is, and named by its place in the whole. */
static void test_wrong_element(void **state)
{
	struct nx_nccom_case c = make_case("allr");
	uint8_t in[COUNT], sum[COUNT] = {0};
	struct nx_error err = {0};

	(void)state;
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		nx_nccom_fill(&c, &options, rank, 0, COUNT, in);
		for (size_t i = 0; i < COUNT; i++)
			sum[i] = (uint8_t)(sum[i] + in[i]);
	}
	assert_int_equal(nx_nccom_verify(&c, &options, 2, 0, COUNT, sum, &err), NX_OK);
	assert_int_equal(nx_nccom_verify(&c, &options, 2, 60, COUNT - 60, sum + 60, &err), NX_OK);
	sum[70] ^= 0x40;
	assert_int_equal(nx_nccom_verify(&c, &options, 2, 0, 60, sum, &err), NX_OK);
	assert_int_equal(nx_nccom_verify(&c, &options, 2, 60, COUNT - 60, sum + 60, &err),
			 NX_MISMATCH);
	assert_non_null(strstr(err.message, "element 70 of rank 2"));
}

static void test_gathered(void **state)
{
	struct nx_nccom_case c = make_case("allg");
	struct nx_error err = {0};
	uint8_t out[COUNT];

	(void)state;
	for (uint32_t rank = 0; rank < RANKS; rank++)
		nx_nccom_fill(&c, &options, rank, 0, COUNT / RANKS, out + rank * COUNT / RANKS);
	assert_int_equal(nx_nccom_verify(&c, &options, 0, 0, COUNT, out, &err), NX_OK);
	assert_int_equal(nx_nccom_verify(&c, &options, 0, 50, 10, out + 50, &err), NX_OK);
	assert_int_equal(nx_nccom_verify(&c, &options, 0, 0, COUNT / RANKS, out + COUNT / RANKS,
					 &err),
			 NX_MISMATCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_are_the_whole),
		cmocka_unit_test(test_wrong_element),
		cmocka_unit_test(test_gathered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
