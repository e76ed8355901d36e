/* SPDX-License-Identifier: Apache-2.0 */
#include "base/http_client.h"

#include <assert.h>
#include <ctype.h>
#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>

#include "base/arena.h"

#define CONNECT_SECONDS 10L
#define STALL_SECONDS 300
#define GIVE_BUFFER_BYTES (512L << 10)

struct nx_http_client {
	CURL *curl;
	char reason[CURL_ERROR_SIZE];
};

/* One call under way. */
struct call {
	CURL *curl;
	const struct nx_http_request *request;
	struct nx_http_answer *answer;
	struct nx_error *err;
	enum nx_status taken; /* what the taker said */
};

static pthread_once_t is_started = PTHREAD_ONCE_INIT;

static void start_library(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

struct nx_http_client *nx_http_client_new(void)
{
	struct nx_http_client *client = nx_heap_alloc(sizeof(*client));

	pthread_once(&is_started, start_library);
	memset(client, 0, sizeof(*client));
	client->curl = curl_easy_init();
	return client;
}

void nx_http_client_free(struct nx_http_client *client)
{
	if (!client)
		return;
	curl_easy_cleanup(client->curl);
	nx_heap_free(client);
}

void nx_http_answer_release(struct nx_http_answer *answer)
{
	nx_vec_release(&answer->body);
	answer->code = 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *opaque)
{
	struct call *call = opaque;
	size_t len = size * count;
	long code = 0;

	curl_easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &code);
	if (!call->request->take || code != 200) {
		size_t room = NX_HTTP_KEPT_BYTES - call->answer->body.len;

		call->answer->is_cut |= len > room;
		nx_bytes_append(&call->answer->body, bytes, len < room ? len : room);
		return len;
	}
	call->taken =
		call->request->take(call->request->context, nx_slice_of(bytes, len), call->err);
	return call->taken ? 0 : len;
}

static void set_limits(CURL *curl, const struct nx_http_request *request)
{
	long stall = request->stall_seconds ? (long)request->stall_seconds : STALL_SECONDS;

	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, stall);
}

static size_t on_give(char *to, size_t size, size_t count, void *opaque)
{
	const struct nx_http_request *request = opaque;

	return request->give(request->give_context, to, size * count);
}

static void set_request(CURL *curl, const struct nx_http_request *request)
{
	curl_easy_setopt(curl, CURLOPT_URL, request->url);
	if (request->user) {
		curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		curl_easy_setopt(curl, CURLOPT_USERNAME, request->user);
		curl_easy_setopt(curl, CURLOPT_PASSWORD,
				 request->password ? request->password : "");
	}
	if (request->give) {
		curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(curl, CURLOPT_READFUNCTION, on_give);
		curl_easy_setopt(curl, CURLOPT_READDATA, request);
		curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, GIVE_BUFFER_BYTES);
		curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->give_bytes);
	}
	if (request->method)
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
	if (!request->body.data || request->give)
		return;
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, (const char *)request->body.data);
}

/* Waiting for "100 Continue" costs a second with servers that never say it. */
static struct curl_slist *header_list(const struct nx_http_request *request)
{
	struct curl_slist *list = curl_slist_append(NULL, "Expect:");
	char type[128];

	snprintf(type, sizeof(type), "Content-Type: %s",
		 request->content_type ? request->content_type : "application/octet-stream");
	list = curl_slist_append(list, type);
	if (request->header)
		list = curl_slist_append(list, request->header);
	for (size_t i = 0; request->headers && request->headers[i]; i++)
		list = curl_slist_append(list, request->headers[i]);
	return list;
}

static enum nx_status judge(struct nx_http_client *client, const struct call *call, CURLcode result)
{
	call->answer->is_refused = call->taken != NX_OK;
	if (call->taken)
		return call->taken;
	if (result == CURLE_OK)
		return NX_OK;
	return nx_fail(call->err, NX_IO, "%s",
		       client->reason[0] ? client->reason : curl_easy_strerror(result));
}

enum nx_status nx_http_client_ask(struct nx_http_client *client,
				  const struct nx_http_request *request,
				  struct nx_http_answer *answer, struct nx_error *err)
{
	struct call call = {client->curl, request, answer, err, NX_OK};
	struct curl_slist *headers = header_list(request);
	long code = 0;
	CURLcode result;

	assert(request->url);
	nx_vec_clear(&answer->body);
	answer->code = 0;
	answer->is_cut = false;
	client->reason[0] = '\0';
	curl_easy_reset(client->curl); /* keeps the connection */
	set_limits(client->curl, request);
	set_request(client->curl, request);
	curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(client->curl, CURLOPT_ERRORBUFFER, client->reason);
	curl_easy_setopt(client->curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(client->curl, CURLOPT_WRITEDATA, &call);
	result = curl_easy_perform(client->curl);
	curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &code);
	answer->code = (unsigned)code;
	curl_slist_free_all(headers);
	return judge(client, &call, result);
}
