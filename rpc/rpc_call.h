/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rpc_call: one call of a unary method, as its handler sees it.
 *
 * The server calls the handler on its own thread once the request is complete. The handler answers
 * at once, or keeps the call and answers later from any thread; it must answer exactly once, also
 * if the caller has gone, because the answer ends the handler's use of the call.
 */
#ifndef NX_RPC_RPC_CALL_H
#define NX_RPC_RPC_CALL_H

#include <stdarg.h>

#include "base/vec.h"
#include "rpc/grpc_message.h"

struct nx_rpc_call;

/* "/package.Service/Method" */
struct nx_slice nx_rpc_call_method(const struct nx_rpc_call *call);
/* The message, without its prefix. */
struct nx_slice nx_rpc_call_request(const struct nx_rpc_call *call);

/*
 * fn is called once if the caller goes away before the answer: it cancelled, its deadline passed,
 * or the connection ended; at once if that happened already. It runs under a lock of the server:
 * it may set a flag and wake a thread, but call nothing of this header. NULL removes it: it
 * is not running and will not be called when this returns.
 */
void nx_rpc_call_on_end(struct nx_rpc_call *call, void (*fn)(void *context), void *context);

/* --- answers ----------------------------------------------------------------- */

/*
 * A message made of parts, in memory or in a file, so that a large answer takes no memory. A zeroed
 * struct with fd -1 is an empty message.
 */
struct nx_rpc_part {
	bool is_file;
	uint64_t offset, len; /* in bytes or in the file */
};

#define NX_RPC_MAX_PARTS 16

struct nx_rpc_answer {
	enum nx_grpc_status status;
	char message[512];     /* of a status other than OK */
	struct nx_bytes bytes; /* for parts in memory */
	int fd;		       /* for parts in a file; closed with the answer; -1: none */
	struct nx_rpc_part parts[NX_RPC_MAX_PARTS];
	size_t part_count;
};

#define NX_RPC_ANSWER                                                                              \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Parts follow each other in the order of these calls. Bytes that are appended in a row are one. */
void nx_rpc_answer_add_bytes(struct nx_rpc_answer *answer, struct nx_slice bytes);
void nx_rpc_answer_add_file(struct nx_rpc_answer *answer, uint64_t offset, uint64_t len);
uint64_t nx_rpc_answer_bytes(const struct nx_rpc_answer *answer);
void nx_rpc_answer_release(struct nx_rpc_answer *answer);
struct nx_rpc_answer nx_rpc_answer_failed(enum nx_grpc_status status, const char *fmt, va_list args)
	NX_PRINTF(2, 0);

/* Takes what the answer holds. A message of more than 4 GiB - 1 is answered with an error. */
void nx_rpc_call_answer(struct nx_rpc_call *call, struct nx_rpc_answer *answer);
void nx_rpc_call_fail(struct nx_rpc_call *call, enum nx_grpc_status status, const char *fmt, ...)
	NX_PRINTF(3, 4);

#endif
