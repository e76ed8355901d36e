/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s3: objects of a bucket, on S3 or a server that speaks its protocol.
 *
 * Keys and address come from the usual variables, never from arguments: AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION or AWS_DEFAULT_REGION (us-east-1), and
 * AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL for a server other than AWS's.
 */
#ifndef NX_STORE_S3_H
#define NX_STORE_S3_H

#include "base/error.h"
#include "base/http_client.h"

/* The most that one request can send. */
#define NX_S3_OBJECT_BYTES_MAX (UINT64_C(5) << 30)

struct nx_s3;

/* USAGE if a key is missing; the server is not asked yet. */
NX_MUST_CHECK enum nx_status nx_s3_open(struct nx_s3 **out, const char *bucket,
					struct nx_error *err);
void nx_s3_close(struct nx_s3 *s3);

/* Sends a file; the server checks its digest. PERMISSION, NOT_FOUND (no such bucket) or IO. */
NX_MUST_CHECK enum nx_status nx_s3_put(struct nx_s3 *s3, const char *key, int fd,
				       uint64_t size_bytes, const char *sha256,
				       struct nx_error *err);
/* Receives an object piece by piece. */
NX_MUST_CHECK enum nx_status nx_s3_get(struct nx_s3 *s3, const char *key, nx_http_take_fn take,
				       void *context, struct nx_error *err);

#endif
