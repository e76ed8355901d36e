/* SPDX-License-Identifier: Apache-2.0 */
/* fake_grpc: a gRPC server without a socket, which answers every request as it was told to. */
#ifndef NX_TESTS_FAKE_GRPC_H
#define NX_TESTS_FAKE_GRPC_H

#include <nghttp2/nghttp2.h>

#include "base/vec.h"

struct nx_fake_grpc {
	/* --- how to answer --- */
	const char *http_status;  /* NULL: no answer */
	const char *content_type; /* NULL: none */
	struct nx_slice body;	  /* with its prefix */
	const char *grpc_status;  /* trailer; NULL: none */
	const char *grpc_message;
	uint32_t reset_code; /* not 0: reset the stream instead */
	/* --- what was asked --- */
	size_t request_count, reset_count;
	char path[100], timeout[32], authorization[100];
	struct nx_bytes request; /* with its prefix */
	/* --- inside --- */
	nghttp2_session *session;
};

void nx_fake_grpc_open(struct nx_fake_grpc *fake);
void nx_fake_grpc_close(struct nx_fake_grpc *fake);
void nx_fake_grpc_feed(struct nx_fake_grpc *fake, struct nx_slice bytes);
struct nx_slice nx_fake_grpc_output(struct nx_fake_grpc *fake);

#endif
