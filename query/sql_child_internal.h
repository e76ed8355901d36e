/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_child_internal: the messages between parent and child. A message is its type, the length of
 * its contents in 32 bits, and the contents. The parent asks and the child answers each question
 * once, except CLOSE, so neither waits for the other to read.
 */
#ifndef NX_QUERY_SQL_CHILD_INTERNAL_H
#define NX_QUERY_SQL_CHILD_INTERNAL_H

#include "base/bare/slice.h"
#include "base/vec.h"

enum nx_sql_message {
	NX_SQL_OPEN = 'O',  /* struct nx_sql_open_head, the path */
	NX_SQL_QUERY = 'Q', /* the statement; answered by COLUMNS or FAILED */
	NX_SQL_NEXT = 'N',  /* more rows; answered by ROWS, END or FAILED */
	NX_SQL_CLOSE = 'C', /* no more rows are wanted */

	NX_SQL_OPENED = 'o',
	NX_SQL_COLUMNS = 'c', /* nx_row_wire_put_columns */
	NX_SQL_ROWS = 'r',    /* rows, one after the other; at least one */
	NX_SQL_END = 'e',
	NX_SQL_FAILED = 'f', /* the status in one byte, the sentence */
};

struct nx_sql_open_head {
	uint64_t memory_limit_bytes, statement_limit_bytes, row_bytes_max;
	uint32_t thread_count, processor_seconds;
};

#define NX_SQL_MESSAGE_HEAD_BYTES 5u
#define NX_SQL_QUESTION_BYTES_MAX ((size_t)4 << 20)

/* False if the other end is gone. */
bool nx_sql_message_send(int fd, enum nx_sql_message type, struct nx_slice contents);
/* False if the other end is gone or the contents are longer than bytes_max. */
bool nx_sql_message_receive(int fd, size_t bytes_max, enum nx_sql_message *type,
			    struct nx_bytes *contents);

#endif
