/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_delivery: inserts one batch of rows on one server exactly once.
 *
 * A batch is one insert of one block, which a MergeTree stores entirely or not at all. Its rows
 * carry the batch's number and digest, so after a lost connection, a killed server or a killed
 * client the table itself shows whether the batch arrived. Only a missing batch is sent again.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_DELIVERY_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_DELIVERY_H

#include "base/map.h"
#include "store/clickhouse/clickhouse_server.h"

struct nx_clickhouse_batch {
	const char *table;	/* qualified with the database */
	const char *insert_sql; /* INSERT INTO ... FORMAT RowBinary */
	const char *query_id;	/* always the same for the same batch */
	struct nx_slice profile;
	uint32_t number;
	uint64_t row_count;
	int64_t digest;
	struct nx_slice rows;
};

/*
 * Sends the batch; while failures are transient, checks and retries for patience_ms. With
 * is_doubtful it checks before it sends. MISMATCH if other rows have this batch's number.
 */
NX_MUST_CHECK enum nx_status nx_clickhouse_deliver(struct nx_clickhouse_server *server,
						   const struct nx_clickhouse_batch *batch,
						   bool is_doubtful, uint64_t patience_ms,
						   struct nx_error *err);

/* Runs an idempotent statement with the same retries. */
NX_MUST_CHECK enum nx_status nx_clickhouse_insist(struct nx_clickhouse_server *server,
						  const char *sql, uint64_t patience_ms,
						  struct nx_error *err);

/* Lists the batches of a profile's table on the server: the key is key_base plus the batch's
 * number, the value its nx_clickhouse_evidence. */
NX_MUST_CHECK enum nx_status nx_clickhouse_list_arrived(struct nx_clickhouse_server *server,
							const char *table, struct nx_slice profile,
							uint64_t key_base, struct nx_map *arrived,
							struct nx_error *err);
uint64_t nx_clickhouse_evidence(uint64_t row_count, int64_t least_digest, int64_t greatest_digest);

#endif
