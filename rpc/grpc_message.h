/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grpc_message: what gRPC adds to HTTP/2, for both ends: the prefix of a message, statuses, and the
 * texts of the headers grpc-timeout and grpc-message. No heap; unknown peers may send anything.
 */
#ifndef NX_RPC_GRPC_MESSAGE_H
#define NX_RPC_GRPC_MESSAGE_H

#include "base/bare/slice.h"

/* --- messages ---------------------------------------------------------------- */

#define NX_GRPC_CONTENT_TYPE "application/grpc"
/* "application/grpc", alone or followed by "+" or ";". */
bool nx_grpc_is_content_type(struct nx_slice text);

/* Before each message: a flag and the length. */
#define NX_GRPC_PREFIX_BYTES 5
/* What peers accept unless they are configured otherwise. */
#define NX_GRPC_DEFAULT_MAX_BYTES ((uint32_t)4 << 20)

void nx_grpc_prefix_write(uint8_t out[NX_GRPC_PREFIX_BYTES], uint32_t len);
/* False if the flag is neither 0 nor 1. */
bool nx_grpc_prefix_read(const uint8_t in[NX_GRPC_PREFIX_BYTES], bool *is_compressed,
			 uint32_t *len);

/* --- statuses ---------------------------------------------------------------- */

/* X(name, number): the numbers on the wire */
#define NX_GRPC_STATUS_MAP(X)                                                                      \
	X(OK, 0)                                                                                   \
	X(CANCELLED, 1)                                                                            \
	X(UNKNOWN, 2)                                                                              \
	X(INVALID_ARGUMENT, 3)                                                                     \
	X(DEADLINE_EXCEEDED, 4)                                                                    \
	X(NOT_FOUND, 5)                                                                            \
	X(ALREADY_EXISTS, 6)                                                                       \
	X(PERMISSION_DENIED, 7)                                                                    \
	X(RESOURCE_EXHAUSTED, 8)                                                                   \
	X(FAILED_PRECONDITION, 9)                                                                  \
	X(ABORTED, 10)                                                                             \
	X(OUT_OF_RANGE, 11)                                                                        \
	X(UNIMPLEMENTED, 12)                                                                       \
	X(INTERNAL, 13)                                                                            \
	X(UNAVAILABLE, 14)                                                                         \
	X(DATA_LOSS, 15)                                                                           \
	X(UNAUTHENTICATED, 16)

enum nx_grpc_status {
#define NX_GRPC_STATUS_ENUM(name, number) NX_GRPC_##name = (number),
	NX_GRPC_STATUS_MAP(NX_GRPC_STATUS_ENUM)
#undef NX_GRPC_STATUS_ENUM
};

const char *nx_grpc_status_name(enum nx_grpc_status status); /* "UNAVAILABLE" */
/* The text of the header grpc-status. Numbers that no version defines are UNKNOWN. */
enum nx_grpc_status nx_grpc_status_parse(struct nx_slice text);
/* For a response without grpc-status, such as one of a proxy. */
enum nx_grpc_status nx_grpc_status_of_http(unsigned http_status);

/* --- deadlines --------------------------------------------------------------- */

#define NX_GRPC_TIMEOUT_BYTES 12 /* of the longest text and its NUL */

/* The finest unit in which at most eight digits suffice, rounded up. Returns the length. */
size_t nx_grpc_timeout_write(char out[NX_GRPC_TIMEOUT_BYTES], uint64_t timeout_ns);
/* False if the text is not a timeout. Times beyond uint64_t become UINT64_MAX. */
bool nx_grpc_timeout_read(struct nx_slice text, uint64_t *timeout_ns);

/* --- grpc-message ------------------------------------------------------------ */

/*
 * Both end out with NUL, cut what does not fit into cap (but no escape), and return the length.
 * What is not a valid escape is taken as it is.
 */
size_t nx_grpc_text_encode(char *out, size_t cap, struct nx_slice text);
size_t nx_grpc_text_decode(char *out, size_t cap, struct nx_slice text);

/* --- our own metadata -------------------------------------------------------- */

/* Trailers in which our server states its clock, in nanoseconds since 1970: when the request was
 * complete, and when the response was ready. With the client's own two times they give the offset
 * between the clocks. */
#define NX_GRPC_RECEIVED_NS "nx-received-ns"
#define NX_GRPC_SENT_NS "nx-sent-ns"

#endif
