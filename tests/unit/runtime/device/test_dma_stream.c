/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "runtime/device/dma_stream.h"

static uint8_t memory[64];
static struct nx_dma_stream stream;

static const char *begin(uint64_t offset, unsigned dims, const uint64_t *sizes,
			 const int64_t *steps)
{
	struct nx_dma_region region = {memory, sizeof(memory), false, false};
	struct nx_dma_walk walk = {offset, UINT64_MAX, dims, sizes, steps};

	for (unsigned i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)i;
	return nx_dma_stream_begin(&stream, &region, 192u << 10, &walk);
}

static void test_walks_in_three_dimensions(void **state)
{
	const uint64_t sizes[3] = {2, 2, 2};
	const int64_t steps[3] = {1, 8, -4};
	const uint8_t expected[8] = {20, 21, 28, 29, 16, 17, 24, 25};
	uint8_t out[8];

	(void)state;
	assert_null(begin(20, 3, sizes, steps));
	assert_int_equal(stream.total_bytes, 8);
	/* in pieces that do not match the runs */
	nx_dma_stream_read(&stream, out, 3);
	nx_dma_stream_read(&stream, out + 3, 4);
	nx_dma_stream_read(&stream, out + 7, 1);
	assert_memory_equal(out, expected, sizeof(out));
}

static void test_joins_contiguous_runs(void **state)
{
	const uint64_t sizes[3] = {4, 4, 2};
	const int64_t steps[3] = {1, 4, 16};

	(void)state;
	assert_null(begin(0, 3, sizes, steps));
	assert_int_equal(stream.dims, 0);
	assert_int_equal(stream.run_bytes, 32);
}

static void test_first_step_that_is_not_one(void **state)
{
	const uint64_t sizes[1] = {3};
	const int64_t steps[1] = {5};
	uint8_t out[3];

	(void)state;
	assert_null(begin(1, 1, sizes, steps));
	nx_dma_stream_read(&stream, out, 3);
	assert_int_equal(out[0], 1);
	assert_int_equal(out[1], 6);
	assert_int_equal(out[2], 11);
}

static void test_writes_where_it_would_read(void **state)
{
	const uint64_t sizes[2] = {1, 3};
	const int64_t steps[2] = {1, 16};

	(void)state;
	assert_null(begin(8, 2, sizes, steps));
	nx_dma_stream_write(&stream, (const uint8_t *)"abc", 3);
	assert_int_equal(memory[8], 'a');
	assert_int_equal(memory[24], 'b');
	assert_int_equal(memory[40], 'c');
	assert_int_equal(memory[9], 9);
}

static void test_bounds(void **state)
{
	const uint64_t row[2] = {16, 4}, huge[2] = {UINT64_MAX, 2}, none[2] = {0, 4};
	const uint64_t many[2] = {1, (uint64_t)1 << 62};
	const int64_t up[2] = {1, 16}, down[2] = {1, -16}, far_off[2] = {1, INT64_MAX};
	const int64_t least[2] = {1, INT64_MIN};

	(void)state;
	assert_null(begin(0, 2, row, up));
	assert_non_null(begin(1, 2, row, up));
	assert_null(begin(48, 2, row, down));
	assert_non_null(begin(47, 2, row, down));
	assert_non_null(begin(UINT64_MAX, 2, row, up));
	assert_non_null(begin(0, 2, huge, up));
	assert_non_null(begin(0, 2, none, up));
	assert_non_null(begin(0, 2, many, up));
	assert_non_null(begin(0, 2, row, far_off));
	assert_non_null(begin(0, 2, row, least));
	assert_non_null(begin(0, 0, row, up));
	assert_non_null(begin(0, NX_DMA_MAX_DIMS + 1, row, up));
}

static void test_partitions_end(void **state)
{
	struct nx_dma_region chip = {memory, NX_ON_CHIP_BYTES, true, false};
	const uint64_t sizes[2] = {4096, 128};
	const int64_t partitions[2] = {1, NX_PARTITION_STRIDE}, rows[2] = {1, 4096};
	struct nx_dma_walk walk = {(192u << 10) - 4096, UINT64_MAX, 2, sizes, partitions};

	(void)state;
	assert_null(nx_dma_stream_begin(&stream, &chip, 192u << 10, &walk));
	walk.offset++;
	assert_non_null(nx_dma_stream_begin(&stream, &chip, 192u << 10, &walk));
	walk.offset = NX_PSUM_BASE + (16u << 10) - 4096;
	assert_null(nx_dma_stream_begin(&stream, &chip, 192u << 10, &walk));
	walk.offset += 64;
	assert_non_null(nx_dma_stream_begin(&stream, &chip, 192u << 10, &walk));
	walk = (struct nx_dma_walk){0, UINT64_MAX, 2, sizes, rows};
	assert_non_null(nx_dma_stream_begin(&stream, &chip, 192u << 10, &walk));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks_in_three_dimensions),
		cmocka_unit_test(test_joins_contiguous_runs),
		cmocka_unit_test(test_first_step_that_is_not_one),
		cmocka_unit_test(test_writes_where_it_would_read),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_partitions_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
