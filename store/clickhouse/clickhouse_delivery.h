/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_delivery: brings one batch of rows to one server exactly once.
 *
 * A batch is one insert and one block, which a MergeTree takes whole or not at all. Its rows carry
 * the batch's number and digest, so after a lost connection, a killed server or a killed client the
 * table itself tells whether the batch arrived: nothing beside it can be out of step with it. Only
 * a batch that is not there is sent again.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_DELIVERY_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_DELIVERY_H

#include "base/map.h"
#include "store/clickhouse/clickhouse_server.h"

struct nx_clickhouse_batch {
	const char *table;	/* where rows lie, with the database */
	const char *insert_sql; /* INSERT INTO ... FORMAT RowBinary */
	const char *query_id;	/* the same for the same batch, always */
	struct nx_slice profile;
	uint32_t number;
	uint64_t row_count;
	int64_t digest;
	struct nx_slice rows;
};

/*
 * Sends the batch and, as long as failures may pass, asks and sends again for patience_ms. With
 * is_doubtful it asks before it sends. MISMATCH when other rows are there under this batch's
 * number.
 */
NX_MUST_CHECK enum nx_status nx_clickhouse_deliver(struct nx_clickhouse_server *server,
						   const struct nx_clickhouse_batch *batch,
						   bool is_doubtful, uint64_t patience_ms,
						   struct nx_error *err);

/* Runs a statement that may run twice, with the same patience. */
NX_MUST_CHECK enum nx_status nx_clickhouse_insist(struct nx_clickhouse_server *server,
						  const char *sql, uint64_t patience_ms,
						  struct nx_error *err);

/* Puts what the server has of a profile's table into the map: the key is key_base plus a batch's
 * number, the value nx_clickhouse_evidence of it. */
NX_MUST_CHECK enum nx_status nx_clickhouse_list_arrived(struct nx_clickhouse_server *server,
							const char *table, struct nx_slice profile,
							uint64_t key_base, struct nx_map *arrived,
							struct nx_error *err);
uint64_t nx_clickhouse_evidence(uint64_t row_count, int64_t least_digest, int64_t greatest_digest);

#endif
