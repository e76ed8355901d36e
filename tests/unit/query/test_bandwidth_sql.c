/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/bandwidth_sql.h"
#include "tests/unit/query/duckdb_fixture.h"

static void copies_under_way_add_up(void **state)
{
	struct duckdb_fixture *f = *state;

	/* 10 bytes in 10 ns are 1e9 bytes/s; the second is twice as fast and begins in the middle
	 */
	fixture_make(f, "SystemProfileEvents.parquet",
		     "SELECT * FROM (VALUES "
		     "('dmem_buf_copyin', 0::BIGINT, 10::BIGINT, '{\"size\":\"10\"}', 0::BIGINT), "
		     "('dmem_buf_copyin', 5, 10, '{\"size\":\"10\"}', 1), "
		     "('dmem_buf_copyout', 7, 9, '{\"size\":\"2\"}', 0), "
		     "('dmem_buf_copyin', 3, 3, '{\"size\":\"10\"}', 0), "
		     "('dmem_buf_copyin', 3, 4, '{}', 0), ('other', 0, 9, '{\"size\":\"1\"}', 0)) "
		     "t(name, start_ts, end_ts, extra_attributes_json, nc_idx), (SELECT 'i-1' AS "
		     "instance_id, 7::BIGINT AS worker_gid)");
	fixture_open(f, NULL);
	assert_answer(f, nx_bandwidth_sql(false),
		      "i-1|NULL|NULL|device_to_host|7|1000000000\n"
		      "i-1|NULL|NULL|device_to_host|9|0\n"
		      "i-1|NULL|NULL|host_to_device|0|1000000000\n"
		      "i-1|NULL|NULL|host_to_device|5|3000000000\n"
		      "i-1|NULL|NULL|host_to_device|10|0");
	assert_answer(f, nx_bandwidth_sql(true),
		      "i-1|7|0|device_to_host|7|1000000000\n"
		      "i-1|7|0|device_to_host|9|0\n"
		      "i-1|7|0|host_to_device|0|1000000000\n"
		      "i-1|7|0|host_to_device|10|0\n"
		      "i-1|7|1|host_to_device|5|2000000000\n"
		      "i-1|7|1|host_to_device|10|0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(copies_under_way_add_up, fixture_begin,
						fixture_end),
	};

	if (fixture_is_impossible())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
