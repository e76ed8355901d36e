/* SPDX-License-Identifier: Apache-2.0 */
#include "query/bandwidth_sql.h"

#include <stddef.h>

/* Sums of doubles leave crumbs, so that nothing moves is known by counting. */
#define QUESTION(keys)                                                                             \
	"WITH copies AS (SELECT instance_id, " keys                                                \
	", CASE WHEN name IN ('dmem_buf_copyin', 'dmem_buf_batch_copyin') THEN 'host_to_device' "  \
	"ELSE 'device_to_host' END AS direction, start_ts AS s, end_ts AS e, "                     \
	"TRY_CAST(extra_attributes_json->>'size' AS DOUBLE) * 1e9 / (end_ts - start_ts) AS rate "  \
	"FROM SystemProfileEvents WHERE name IN ('dmem_buf_copyin', 'dmem_buf_batch_copyin', "     \
	"'dmem_buf_copyout', 'dmem_buf_batch_copyout') AND end_ts > start_ts), "                   \
	"edges AS (SELECT instance_id, worker, core, direction, s AS t, rate, 1 AS n FROM copies " \
	"WHERE rate > 0 UNION ALL SELECT instance_id, worker, core, direction, e, -rate, -1 FROM " \
	"copies WHERE rate > 0), "                                                                 \
	"steps AS (SELECT instance_id, worker, core, direction, t, sum(rate) AS rate, sum(n) AS "  \
	"n FROM edges GROUP BY ALL) "                                                              \
	"SELECT instance_id, worker, core, direction, t, CASE WHEN sum(n) OVER so_far = 0 THEN "   \
	"0.0 ELSE greatest(sum(rate) OVER so_far, 0.0) END FROM steps WINDOW so_far AS "           \
	"(PARTITION BY instance_id, worker, core, direction ORDER BY t) ORDER BY instance_id, "    \
	"worker, core, direction, t"

const char *nx_bandwidth_sql(bool is_by_core)
{
	return is_by_core ? QUESTION("worker_gid AS worker, nc_idx AS core")
			  : QUESTION("NULL::BIGINT AS worker, NULL::BIGINT AS core");
}
