/* SPDX-License-Identifier: Apache-2.0 */
#include "store/s3.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/aws_signature.h"

#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct nx_s3 {
	struct nx_arena arena;
	struct nx_http_client *http;
	struct nx_aws_keys keys;
	const char *bucket, *region;
	const char *root; /* of URLs, without a slash at the end */
	const char *host; /* in it */
	const char *base; /* of paths: "/<bucket>" or "" */
};

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* --- opening -------------------------------------------------------------------- */

static enum nx_status choose_server(struct nx_s3 *s3, struct nx_error *err)
{
	const char *endpoint = variable("AWS_ENDPOINT_URL_S3");
	const char *start;
	size_t len;

	if (!endpoint)
		endpoint = variable("AWS_ENDPOINT_URL");
	if (!endpoint) {
		s3->host = nx_arena_printf(&s3->arena, "%s.s3.%s.amazonaws.com", s3->bucket,
					   s3->region);
		s3->root = nx_arena_printf(&s3->arena, "https://%s", s3->host);
		s3->base = "";
		return NX_OK;
	}
	start = strstr(endpoint, "://");
	len = strlen(endpoint);
	while (len && endpoint[len - 1] == '/')
		len--;
	if (!start ||
	    (strncmp(endpoint, "http://", 7) != 0 && strncmp(endpoint, "https://", 8) != 0) ||
	    memchr(start + 3, '/', len - (size_t)(start + 3 - endpoint)))
		return nx_fail(err, NX_USAGE,
			       "AWS_ENDPOINT_URL is '%.200s'; it should be like "
			       "https://host:port",
			       endpoint);
	s3->root = nx_arena_printf(&s3->arena, "%.*s", (int)len, endpoint);
	s3->host = s3->root + (start + 3 - endpoint);
	/* other servers know the bucket by the path, AWS's by the host's name */
	s3->base = nx_arena_printf(&s3->arena, "/%s", s3->bucket);
	return NX_OK;
}

enum nx_status nx_s3_open(struct nx_s3 **out, const char *bucket, struct nx_error *err)
{
	struct nx_s3 *s3 = nx_heap_alloc(sizeof(*s3));
	enum nx_status st = NX_OK;

	memset(s3, 0, sizeof(*s3));
	s3->bucket = nx_arena_copy_text(&s3->arena, bucket);
	s3->keys = (struct nx_aws_keys){variable("AWS_ACCESS_KEY_ID"),
					variable("AWS_SECRET_ACCESS_KEY"),
					variable("AWS_SESSION_TOKEN")};
	s3->region = variable("AWS_REGION");
	if (!s3->region)
		s3->region = variable("AWS_DEFAULT_REGION");
	if (!s3->region)
		s3->region = "us-east-1";
	if (!*bucket || strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789.-") != strlen(bucket))
		st = nx_fail(err, NX_USAGE, "'%.100s' is not the name of a bucket", bucket);
	else if (!s3->keys.id || !s3->keys.secret)
		st = nx_fail(err, NX_USAGE,
			     "s3://%s needs keys; set AWS_ACCESS_KEY_ID and "
			     "AWS_SECRET_ACCESS_KEY",
			     bucket);
	if (!st)
		st = choose_server(s3, err);
	s3->http = nx_http_client_new();
	if (st) {
		nx_s3_close(s3);
		return st;
	}
	*out = s3;
	return NX_OK;
}

void nx_s3_close(struct nx_s3 *s3)
{
	if (!s3)
		return;
	nx_http_client_free(s3->http);
	nx_arena_release(&s3->arena);
	nx_heap_free(s3);
}

/* --- requests --------------------------------------------------------------------- */

/* Parts between slashes are encoded, the slashes stay. */
static const char *encoded_path(const struct nx_s3 *s3, const char *key, struct nx_arena *arena)
{
	struct nx_bytes path = {0};
	const char *copy;

	nx_bytes_append(&path, s3->base, strlen(s3->base));
	for (const char *at = key; *at;) {
		size_t len = strcspn(at, "/");

		nx_bytes_append(&path, "/", 1);
		nx_bytes_append_percent(&path, nx_slice_of(at, len));
		at += len + (at[len] == '/');
	}
	copy = nx_arena_copy(arena, nx_slice_of(path.items, path.len));
	nx_vec_release(&path);
	return copy;
}

/* "AccessDenied" of "<Error><Code>AccessDenied</Code>...": a word, or "". */
static const char *code_of(const struct nx_http_answer *answer, struct nx_arena *arena)
{
	struct nx_slice body = nx_slice_of(answer->body.items, answer->body.len);
	const char *at = body.len ? memmem(body.data, body.len, "<Code>", 6) : NULL;
	size_t left, len = 0;

	if (!at)
		return "";
	at += 6;
	left = body.len - (size_t)(at - (const char *)body.data);
	while (len < left && len < 60 && ((at[len] | 32) >= 'a' && (at[len] | 32) <= 'z'))
		len++;
	return nx_arena_printf(arena, " (%.*s)", (int)len, at);
}

static enum nx_status judge(const struct nx_s3 *s3, const char *key,
			    const struct nx_http_answer *answer, struct nx_error *err)
{
	struct nx_arena arena = {0};
	const char *code = code_of(answer, &arena);
	enum nx_status st = NX_OK;

	if (answer->code == 403 || answer->code == 401)
		st = nx_fail(err, NX_PERMISSION,
			     "s3://%s/%s: refused%s; check the keys in AWS_ACCESS_KEY_ID and "
			     "AWS_SECRET_ACCESS_KEY, the region, and the rights of the bucket",
			     s3->bucket, key, code);
	else if (answer->code == 404)
		st = nx_fail(err, NX_NOT_FOUND, "s3://%s/%s: there is no such object or bucket%s",
			     s3->bucket, key, code);
	else if (answer->code != 200)
		st = nx_fail(err, NX_IO, "s3://%s/%s: the server answers %u%s; try again later",
			     s3->bucket, key, answer->code, code);
	nx_arena_release(&arena);
	return st;
}

static enum nx_status send(struct nx_s3 *s3, struct nx_http_request *request, const char *key,
			   const char *sha256, struct nx_error *err)
{
	struct nx_http_answer answer = {0};
	struct nx_arena arena = {0};
	const char *lines[5] = {NULL};
	char moment[32];
	time_t now = time(NULL);
	struct tm utc;
	struct nx_aws_header headers[] = {{"host", s3->host},
					  {"x-amz-content-sha256", sha256},
					  {"x-amz-date", moment},
					  {"x-amz-security-token", s3->keys.token}};
	struct nx_aws_request sign = {.method = request->method,
				      .path = encoded_path(s3, key, &arena),
				      .headers = headers,
				      .header_count = s3->keys.token ? 4 : 3,
				      .payload_sha256 = sha256,
				      .moment = moment,
				      .region = s3->region};
	enum nx_status st;

	gmtime_r(&now, &utc);
	strftime(moment, sizeof(moment), "%Y%m%dT%H%M%SZ", &utc);
	lines[0] = nx_arena_printf(&arena, "Authorization: %s",
				   nx_aws_signature(&sign, &s3->keys, &arena));
	for (size_t i = 1; i < sign.header_count; i++)
		lines[i] = nx_arena_printf(&arena, "%s: %s", headers[i].name, headers[i].value);
	request->headers = lines;
	request->url = nx_arena_printf(&arena, "%s%s", s3->root, sign.path);
	st = nx_http_client_ask(s3->http, request, &answer, err);
	if (st && !answer.is_refused)
		nx_context(err, "s3://%s/%s", s3->bucket, key);
	if (!st)
		st = judge(s3, key, &answer, err);
	nx_http_answer_release(&answer);
	nx_arena_release(&arena);
	return st;
}

static size_t give_file(void *context, void *to, size_t room)
{
	ssize_t got = read(*(const int *)context, to, room);

	return got > 0 ? (size_t)got : 0;
}

enum nx_status nx_s3_put(struct nx_s3 *s3, const char *key, int fd, uint64_t size_bytes,
			 const char *sha256, struct nx_error *err)
{
	struct nx_http_request request = {
		.method = "PUT", .give = give_file, .give_bytes = size_bytes, .give_context = &fd};

	assert(fd >= 0);
	if (size_bytes > NX_S3_OBJECT_BYTES_MAX)
		return nx_fail(err, NX_LIMIT,
			       "%s has %.1f GiB, and one request can send 5; archive this profile "
			       "to a folder",
			       key, (double)size_bytes / (1 << 30));
	return send(s3, &request, key, sha256, err);
}

enum nx_status nx_s3_get(struct nx_s3 *s3, const char *key, nx_http_take_fn take, void *context,
			 struct nx_error *err)
{
	struct nx_http_request request = {.method = "GET", .take = take, .context = context};

	return send(s3, &request, key, EMPTY_SHA256, err);
}
