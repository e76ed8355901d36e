/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_pool: a few SQL engines, shared by any number of requests.
 *
 *	st = nx_engine_pool_take(pool, &(struct nx_engine_wish){path, id, is_wanted, request},
 *				 &child, err);
 *	st = nx_sql_child_query(child, sql, &rows, err);
 *	...
 *	nx_engine_pool_return(pool, child, st == NX_OK);
 *
 * An engine is a process (query/sql_child.h) that runs one query at a time and belongs to one
 * profile. It is opened on demand and kept for the next query; as long as queries come, one more
 * process waits with the library loaded, so that the next profile need not wait for that. Idle
 * engines are closed after a while, or earlier if another profile needs
 * the slot. If all are busy, callers wait in the order in which they came. Memory is divided
 * evenly, so that all engines together stay within the limit.
 *
 * Safe from any thread.
 */
#ifndef NX_QUERY_ENGINE_POOL_H
#define NX_QUERY_ENGINE_POOL_H

#include "base/timer.h"
#include "query/sql_child.h"

struct nx_engine_pool;

/* A zeroed struct has the defaults. */
struct nx_engine_pool_options {
	unsigned engine_max;	      /* 4 */
	uint64_t memory_limit_bytes;  /* of all together; half of the machine's */
	size_t statement_limit_bytes; /* 64 KiB */
	uint32_t idle_ms;	      /* a minute */
	uint32_t processor_seconds;   /* for a query, see query/sql_child.h */
	uint32_t patience_ms;	      /* how long a caller waits for an engine: half a minute */
	const char *library_path;     /* borrowed; NULL: looked for where it usually is */
	const char *program;	      /* borrowed; NULL: this executable */
};

struct nx_engine_wish {
	const char *path; /* of the profile's folder */
	const char *id;	  /* distinguishes profiles stored at the same path at different times */
	/* Called now and then while waiting; CANCELLED if it returns false. NULL: always true. */
	bool (*is_wanted)(void *context);
	void *context;
};

/* The timer closes idle engines; it outlives the pool. */
struct nx_engine_pool *nx_engine_pool_new(struct nx_timer *timer,
					  const struct nx_engine_pool_options *options);
/* Requires that no engine is taken and no caller waits. */
void nx_engine_pool_free(struct nx_engine_pool *pool);

/* LIMIT if no engine becomes free in time; otherwise fails as nx_sql_child_open does. */
NX_MUST_CHECK enum nx_status nx_engine_pool_take(struct nx_engine_pool *pool,
						 const struct nx_engine_wish *wish,
						 struct nx_sql_child **engine,
						 struct nx_error *err);
/* Closes an engine that is not good or has ended. engine may be NULL. */
void nx_engine_pool_return(struct nx_engine_pool *pool, struct nx_sql_child *engine, bool is_good);

/* The number of open engines, taken or not. */
unsigned nx_engine_pool_open_count(struct nx_engine_pool *pool);

#endif
