/* SPDX-License-Identifier: Apache-2.0 */
/* aws_signature: signs a request to S3 or a server like it (AWS Signature Version 4). */
#ifndef NX_STORE_AWS_SIGNATURE_H
#define NX_STORE_AWS_SIGNATURE_H

#include "base/arena.h"

struct nx_aws_keys {
	const char *id, *secret;
	const char *token; /* of a session; NULL: none */
};

struct nx_aws_header {
	const char *name, *value; /* the name in lower case */
};

struct nx_aws_request {
	const char *method;
	const char *path; /* percent-encoded, with its leading slash; there is no query */
	const struct nx_aws_header *headers; /* those to sign, sorted by name; "host" among them */
	size_t header_count;
	const char *payload_sha256; /* 64 digits */
	const char *moment;	    /* "20130524T000000Z", also the header x-amz-date */
	const char *region;
};

/* The value of the header Authorization. */
const char *nx_aws_signature(const struct nx_aws_request *request, const struct nx_aws_keys *keys,
			     struct nx_arena *arena);

#endif
