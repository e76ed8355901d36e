/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_pool: engines for SQL over profiles, few of them for any number of askers.
 *
 *	st = nx_engine_pool_take(pool, &(struct nx_engine_wish){path, id, is_wanted, request}, &db,
 *				 err);
 *	st = nx_duckdb_query(db, sql, &rows, err);
 *	...
 *	nx_engine_pool_return(pool, db, st == NX_OK);
 *
 * An engine answers one question at a time and belongs to one profile. It is opened when it is
 * first wanted and kept for the next question; one that nobody used for a while is closed, and
 * so is one whose place another profile needs. Who finds all of them busy waits in line: first
 * come, first served. Memory is shared out evenly, so that all together keep to the limit.
 *
 * Safe from any thread.
 */
#ifndef NX_QUERY_ENGINE_POOL_H
#define NX_QUERY_ENGINE_POOL_H

#include "base/timer.h"
#include "query/duckdb.h"

struct nx_engine_pool;

/* A zeroed struct asks for the defaults. */
struct nx_engine_pool_options {
	unsigned engine_max;	      /* 4 */
	uint64_t memory_limit_bytes;  /* of all together; half of the machine's */
	size_t statement_limit_bytes; /* 64 KiB */
	uint32_t idle_ms;	      /* a minute */
	uint32_t patience_ms;	      /* how long a wish waits in line: half a minute */
	const char *library_path;     /* borrowed; NULL: looked for where it usually is */
};

struct nx_engine_wish {
	const char *path; /* of the profile's folder */
	const char *id;	  /* tells apart profiles that had the same place one after the other */
	/* Asked now and then while it waits; CANCELLED when it says no. NULL: always. */
	bool (*is_wanted)(void *context);
	void *context;
};

/* The timer closes idle engines; it outlives the pool. */
struct nx_engine_pool *nx_engine_pool_new(struct nx_timer *timer,
					  const struct nx_engine_pool_options *options);
/* No engine is taken and nobody waits any more. */
void nx_engine_pool_free(struct nx_engine_pool *pool);

/* LIMIT when the line does not move for too long; else as nx_duckdb_open. */
NX_MUST_CHECK enum nx_status nx_engine_pool_take(struct nx_engine_pool *pool,
						 const struct nx_engine_wish *wish,
						 struct nx_duckdb **engine, struct nx_error *err);
/* One that is not good is closed. NULL is allowed. */
void nx_engine_pool_return(struct nx_engine_pool *pool, struct nx_duckdb *engine, bool is_good);

/* How many are open, taken or not. */
unsigned nx_engine_pool_open_count(struct nx_engine_pool *pool);

#endif
