/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duckdb_internal: the part of DuckDB's C API that is used here, declared by hand because the
 * library comes without a header, and resolved at run time because the program has to work without
 * it. The numbers and layouts have been stable since version 1.0.
 */
#ifndef NX_QUERY_DUCKDB_INTERNAL_H
#define NX_QUERY_DUCKDB_INTERNAL_H

#include <assert.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "query/duckdb.h"
#include "query/row_stream.h"

enum duckdb_type {
	DUCKDB_BOOLEAN = 1,
	DUCKDB_TINYINT = 2,
	DUCKDB_SMALLINT = 3,
	DUCKDB_INTEGER = 4,
	DUCKDB_BIGINT = 5,
	DUCKDB_UTINYINT = 6,
	DUCKDB_USMALLINT = 7,
	DUCKDB_UINTEGER = 8,
	DUCKDB_UBIGINT = 9,
	DUCKDB_FLOAT = 10,
	DUCKDB_DOUBLE = 11,
	DUCKDB_TIMESTAMP = 12,
	DUCKDB_DATE = 13,
	DUCKDB_TIME = 14,
	DUCKDB_INTERVAL = 15,
	DUCKDB_HUGEINT = 16,
	DUCKDB_VARCHAR = 17,
	DUCKDB_BLOB = 18,
	DUCKDB_DECIMAL = 19,
	DUCKDB_TIMESTAMP_S = 20,
	DUCKDB_TIMESTAMP_MS = 21,
	DUCKDB_TIMESTAMP_NS = 22,
	DUCKDB_ENUM = 23,
	DUCKDB_LIST = 24,
	DUCKDB_STRUCT = 25,
	DUCKDB_MAP = 26,
	DUCKDB_UUID = 27,
	DUCKDB_TIMESTAMP_TZ = 31,
	DUCKDB_UHUGEINT = 32,
	DUCKDB_ARRAY = 33,
	DUCKDB_SQLNULL = 36,
};

enum duckdb_statement_type { DUCKDB_SELECT = 1, DUCKDB_EXPLAIN = 4, DUCKDB_COPY = 11 };

typedef struct duckdb_database_s *duckdb_database;
typedef struct duckdb_connection_s *duckdb_connection;
typedef struct duckdb_prepared_s *duckdb_prepared;
typedef struct duckdb_extracted_s *duckdb_extracted;
typedef struct duckdb_pending_s *duckdb_pending;
typedef struct duckdb_chunk_s *duckdb_chunk;
typedef struct duckdb_vector_s *duckdb_vector;
typedef struct duckdb_logical_s *duckdb_logical;
typedef struct duckdb_value_s *duckdb_value;

struct duckdb_result { /* theirs to fill; passed by value */
	uint64_t held[3];
	void *pointers[3];
};

/* A string is its length, then its bytes if they fit, else a pointer to them at byte 8. */
#define DUCKDB_TEXT_INSIDE 12u

struct duckdb_span { /* a list in its child vector */
	uint64_t offset, len;
};

struct duckdb_huge {
	uint64_t low, high;
};

struct duckdb_moment { /* dates have 32 bits of it, see the declarations */
	int64_t value;
};

struct duckdb_day {
	int32_t days;
};

struct duckdb_interval {
	int32_t months, days;
	int64_t micros;
};

static_assert(sizeof(struct duckdb_result) == 48 && sizeof(struct duckdb_span) == 16 &&
		      sizeof(struct duckdb_huge) == 16 && sizeof(struct duckdb_interval) == 16,
	      "DuckDB's layouts");

/* X(result, name, parameters); calls that return int return 0 on success */
#define NX_DUCKDB_MAP(X)                                                                           \
	X(const char *, duckdb_library_version, (void))                                            \
	X(int, duckdb_open, (const char *path, duckdb_database *))                                 \
	X(void, duckdb_close, (duckdb_database *))                                                 \
	X(int, duckdb_connect, (duckdb_database, duckdb_connection *))                             \
	X(void, duckdb_disconnect, (duckdb_connection *))                                          \
	X(void, duckdb_interrupt, (duckdb_connection))                                             \
	X(void, duckdb_destroy_result, (struct duckdb_result *))                                   \
	X(const char *, duckdb_result_error, (struct duckdb_result *))                             \
	X(uint64_t, duckdb_column_count, (struct duckdb_result *))                                 \
	X(const char *, duckdb_column_name, (struct duckdb_result *, uint64_t))                    \
	X(duckdb_logical, duckdb_column_logical_type, (struct duckdb_result *, uint64_t))          \
	X(duckdb_chunk, duckdb_fetch_chunk, (struct duckdb_result))                                \
	X(uint64_t, duckdb_data_chunk_get_size, (duckdb_chunk))                                    \
	X(duckdb_vector, duckdb_data_chunk_get_vector, (duckdb_chunk, uint64_t))                   \
	X(void, duckdb_destroy_data_chunk, (duckdb_chunk *))                                       \
	X(void *, duckdb_vector_get_data, (duckdb_vector))                                         \
	X(uint64_t *, duckdb_vector_get_validity, (duckdb_vector))                                 \
	X(duckdb_vector, duckdb_list_vector_get_child, (duckdb_vector))                            \
	X(duckdb_vector, duckdb_struct_vector_get_child, (duckdb_vector, uint64_t))                \
	X(duckdb_vector, duckdb_array_vector_get_child, (duckdb_vector))                           \
	X(int, duckdb_get_type_id, (duckdb_logical))                                               \
	X(void, duckdb_destroy_logical_type, (duckdb_logical *))                                   \
	X(uint8_t, duckdb_decimal_scale, (duckdb_logical))                                         \
	X(int, duckdb_decimal_internal_type, (duckdb_logical))                                     \
	X(int, duckdb_enum_internal_type, (duckdb_logical))                                        \
	X(uint32_t, duckdb_enum_dictionary_size, (duckdb_logical))                                 \
	X(char *, duckdb_enum_dictionary_value, (duckdb_logical, uint64_t))                        \
	X(duckdb_logical, duckdb_list_type_child_type, (duckdb_logical))                           \
	X(duckdb_logical, duckdb_array_type_child_type, (duckdb_logical))                          \
	X(uint64_t, duckdb_array_type_array_size, (duckdb_logical))                                \
	X(duckdb_logical, duckdb_map_type_key_type, (duckdb_logical))                              \
	X(duckdb_logical, duckdb_map_type_value_type, (duckdb_logical))                            \
	X(uint64_t, duckdb_struct_type_child_count, (duckdb_logical))                              \
	X(char *, duckdb_struct_type_child_name, (duckdb_logical, uint64_t))                       \
	X(duckdb_logical, duckdb_struct_type_child_type, (duckdb_logical, uint64_t))               \
	X(uint64_t, duckdb_extract_statements,                                                     \
	  (duckdb_connection, const char *, duckdb_extracted *))                                   \
	X(const char *, duckdb_extract_statements_error, (duckdb_extracted))                       \
	X(void, duckdb_destroy_extracted, (duckdb_extracted *))                                    \
	X(int, duckdb_prepare_extracted_statement,                                                 \
	  (duckdb_connection, duckdb_extracted, uint64_t, duckdb_prepared *))                      \
	X(const char *, duckdb_prepare_error, (duckdb_prepared))                                   \
	X(int, duckdb_prepared_statement_type, (duckdb_prepared))                                  \
	X(void, duckdb_destroy_prepare, (duckdb_prepared *))                                       \
	X(int, duckdb_pending_prepared_streaming, (duckdb_prepared, duckdb_pending *))             \
	X(const char *, duckdb_pending_error, (duckdb_pending))                                    \
	X(int, duckdb_execute_pending, (duckdb_pending, struct duckdb_result *))                   \
	X(void, duckdb_destroy_pending, (duckdb_pending *))                                        \
	X(duckdb_value, duckdb_create_date, (struct duckdb_day))                                   \
	X(duckdb_value, duckdb_create_time, (struct duckdb_moment))                                \
	X(duckdb_value, duckdb_create_timestamp, (struct duckdb_moment))                           \
	X(duckdb_value, duckdb_create_timestamp_tz, (struct duckdb_moment))                        \
	X(duckdb_value, duckdb_create_timestamp_s, (struct duckdb_moment))                         \
	X(duckdb_value, duckdb_create_timestamp_ms, (struct duckdb_moment))                        \
	X(duckdb_value, duckdb_create_timestamp_ns, (struct duckdb_moment))                        \
	X(duckdb_value, duckdb_create_interval, (struct duckdb_interval))                          \
	X(duckdb_value, duckdb_create_uuid, (struct duckdb_huge))                                  \
	X(char *, duckdb_get_varchar, (duckdb_value))                                              \
	X(void, duckdb_destroy_value, (duckdb_value *))                                            \
	X(void, duckdb_free, (void *))

struct nx_duckdb_api {
#define NX_DUCKDB_MEMBER(result, name, parameters) result(*name) parameters;
	NX_DUCKDB_MAP(NX_DUCKDB_MEMBER)
#undef NX_DUCKDB_MEMBER
};

struct nx_duckdb {
	const struct nx_duckdb_api *api;
	duckdb_database database;
	duckdb_connection connection;
	uint64_t memory_limit_bytes;
	size_t statement_limit_bytes;
	_Atomic bool is_stopped; /* asked to end the query that runs */
	const struct nx_profile_folder *profile;
};

/*
 * The library, loaded once and never unloaded: its threads and exit handlers
 * would outlive it. UNSUPPORTED, with a hint, if it cannot be found.
 */
NX_MUST_CHECK enum nx_status nx_duckdb_load(const struct nx_duckdb_api **api,
					    const char *library_path, struct nx_error *err);

/*
 * Turns DuckDB's message (JSON, because errors_as_json is set, or plain) into one sentence with the
 * position in the user's SQL, which began at byte sql_at of the statement.
 */
enum nx_status nx_duckdb_fail(const struct nx_duckdb *db, const char *words, struct nx_slice sql,
			      size_t sql_at, struct nx_error *err);

/* Reads the values of a column, or of the lists and structs in it. */
struct nx_duckdb_reader {
	enum duckdb_type type, stored; /* stored: what a decimal or an enum is kept as */
	enum nx_value_kind kind;
	uint8_t scale;		/* of a decimal */
	uint64_t width;		/* of an array */
	struct nx_slice *names; /* of a struct's members or an enum's values */
	size_t name_count, child_count;
	struct nx_duckdb_reader *children;
	/* of the chunk at hand */
	const uint8_t *values;
	const uint64_t *validity;
};

/* The reader for a type. UNSUPPORTED when its values have no text here. */
NX_MUST_CHECK enum nx_status nx_duckdb_reader_init(struct nx_duckdb_reader *reader,
						   const struct nx_duckdb_api *api,
						   duckdb_logical type, struct nx_arena *arena,
						   struct nx_error *err);
/* Points the reader at a vector of the next chunk. */
void nx_duckdb_reader_turn(struct nx_duckdb_reader *reader, const struct nx_duckdb_api *api,
			   duckdb_vector vector);
/* The value at index; what it needs besides the chunk goes to the arena. */
void nx_duckdb_reader_get(const struct nx_duckdb_reader *reader, const struct nx_duckdb_api *api,
			  uint64_t index, struct nx_arena *arena, struct nx_value *value);

/* What to run, and which part of it the user wrote. */
struct nx_duckdb_task {
	const char *sql;
	struct nx_slice user_sql; /* the part the user wrote, for places in messages */
	size_t user_at;		  /* where it begins in sql */
	int type;		  /* enum duckdb_statement_type it must have; 0: any */
};

/* Parses exactly one statement with DuckDB's parser. Destroy it after a failure too. */
NX_MUST_CHECK enum nx_status nx_duckdb_parse(struct nx_duckdb *db,
					     const struct nx_duckdb_task *task,
					     duckdb_extracted *statement, struct nx_error *err);

/* Runs one statement, trusted or checked before, and streams its rows. */
NX_MUST_CHECK enum nx_status nx_duckdb_start(struct nx_duckdb *db,
					     const struct nx_duckdb_task *task,
					     struct nx_row_stream **out, struct nx_error *err);

/* The same for a statement of our own whose rows do not matter. */
NX_MUST_CHECK enum nx_status nx_duckdb_run(struct nx_duckdb *db, const char *sql,
					   struct nx_error *err);

/* PERMISSION for a statement that untrusted users may not run. */
NX_MUST_CHECK enum nx_status nx_duckdb_check(struct nx_duckdb *db, struct nx_slice statement,
					     struct nx_error *err);

#endif
