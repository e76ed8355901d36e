/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/reply.h"

#include <assert.h>
#include <unistd.h>

#include "base/number.h"
#include "serve/stream.h"

void nx_reply_json(struct nx_reply *reply, struct nx_json_writer *w)
{
	assert(!reply->body.len && !reply->stream);
	reply->type = NX_TYPE_JSON;
	nx_json_init_bytes(w, &reply->body, false);
	nx_json_begin_object(w);
}

void nx_reply_add_header(struct nx_reply *reply, const char *name, const char *value)
{
	assert(reply->header_count < NX_REPLY_HEADERS_MAX);
	reply->headers[reply->header_count].name = name;
	reply->headers[reply->header_count++].value = value;
}

void nx_reply_clear(struct nx_reply *reply)
{
	nx_vec_release(&reply->body);
	if (reply->has_fd)
		close(reply->fd);
	if (reply->stream)
		nx_stream_release(reply->stream);
	*reply = (struct nx_reply){0};
}

/* The only place that maps failures to HTTP statuses. */
static unsigned http_status_of(enum nx_status status)
{
	switch (status) {
	case NX_OK:
		return 200;
	case NX_USAGE:
		return 400;
	case NX_NOT_FOUND:
		return 404;
	case NX_PERMISSION:
		return 403;
	case NX_FORMAT:
	case NX_LIMIT:
		return 422;
	case NX_VERSION:
	case NX_MISMATCH:
		return 409;
	case NX_NO_SPACE:
		return 507;
	case NX_UNSUPPORTED:
		return 501;
	case NX_CANCELLED:
		return 503;
	case NX_IO:
		break;
	}
	return 500;
}

static const char *title_of(unsigned http_status)
{
	static const struct {
		unsigned http_status;
		const char *title;
	} titles[] = {
		{400, "Bad request"},	 {401, "Token needed"},	      {403, "Not allowed"},
		{404, "Not found"},	 {405, "Method not allowed"}, {409, "Conflict"},
		{413, "Too large"},	 {415, "Wrong content type"}, {421, "Wrong address"},
		{422, "Cannot be read"}, {501, "Not supported"},      {503, "Busy"},
		{507, "Disk full"},
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (titles[i].http_status == http_status)
			return titles[i].title;
	return http_status < 500 ? "Bad request" : "Failed";
}

/* The sentence without "folder/" wherever it occurs. */
static void cut_folder(struct nx_bytes *to, const char *sentence, const char *folder)
{
	size_t len = folder ? strlen(folder) : 0;
	const char *found;

	while (len && (found = strstr(sentence, folder))) {
		nx_bytes_append(to, sentence, (size_t)(found - sentence));
		sentence = found + len;
		if (*sentence == '/')
			sentence++;
		else
			nx_bytes_append(to, "the workspace", sizeof("the workspace") - 1);
	}
	nx_bytes_append(to, sentence, strlen(sentence));
}

void nx_reply_problem(struct nx_reply *reply, const struct nx_error *error, const char *folder)
{
	unsigned http_status =
		reply->http_status ? reply->http_status : http_status_of(error->status);
	const char *members = reply->problem_members;
	struct nx_bytes sentence = {0};
	struct nx_json_writer w;

	nx_reply_clear(reply);
	cut_folder(&sentence, error->message, folder);
	nx_reply_json(reply, &w);
	nx_json_key_text(&w, "type", "about:blank");
	nx_json_key_text(&w, "title", title_of(http_status));
	nx_json_key_u64(&w, "status", http_status);
	nx_json_key(&w, "detail");
	nx_json_slice(&w, nx_slice_of(sentence.items, sentence.len));
	if (members)
		nx_json_raw_members(&w, nx_slice_text(members));
	nx_json_end_object(&w);
	nx_vec_release(&sentence);
	reply->http_status = http_status;
	reply->type = NX_TYPE_PROBLEM;
	if (http_status == 503)
		nx_reply_add_header(reply, "Retry-After", "1");
}

void nx_json_key_u64_text(struct nx_json_writer *w, const char *key, uint64_t value)
{
	char digits[NX_NUMBER_MAX];
	size_t len = nx_format_u64(digits, value);

	nx_json_key(w, key);
	nx_json_slice(w, nx_slice_of(digits, len));
}

void nx_json_key_array(struct nx_json_writer *w, const char *key)
{
	nx_json_key(w, key);
	nx_json_begin_array(w);
}

void nx_json_key_text_or_null(struct nx_json_writer *w, const char *key, const char *text)
{
	nx_json_key(w, key);
	if (text)
		nx_json_text(w, text);
	else
		nx_json_null(w);
}

void nx_json_key_u64_or_null(struct nx_json_writer *w, const char *key, bool has, uint64_t value)
{
	nx_json_key(w, key);
	if (has)
		nx_json_u64(w, value);
	else
		nx_json_null(w);
}

void nx_json_key_f64_or_null(struct nx_json_writer *w, const char *key, bool has, double value)
{
	nx_json_key(w, key);
	if (has)
		nx_json_f64(w, value);
	else
		nx_json_null(w);
}
