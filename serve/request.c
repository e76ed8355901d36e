/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/request.h"

#include <assert.h>
#include <string.h>

#include "base/bare/text.h"
#include "base/utf8.h"

static const char *const method_words[NX_METHOD_COUNT] = {"GET", "POST", "PUT", "PATCH", "DELETE"};

bool nx_method_parse(const char *word, enum nx_method *method)
{
	if (!strcmp(word, "HEAD"))
		word = "GET";
	for (unsigned i = 0; i < NX_METHOD_COUNT; i++)
		if (!strcmp(word, method_words[i])) {
			*method = (enum nx_method)i;
			return true;
		}
	return false;
}

const char *nx_method_word(enum nx_method method)
{
	assert(method < NX_METHOD_COUNT);
	return method_words[method];
}

/* --- taking a target apart --------------------------------------------------------- */

/* Whether it can be shown, compared and put into a file's name without surprise. */
static bool is_harmless(const uint8_t *at, const uint8_t *end, bool is_line_allowed)
{
	while (at < end) {
		size_t len = 1;

		if (*at >= 0x80)
			len = nx_utf8_length(at, end);
		else if (*at == 0x7f ||
			 (*at < 0x20 &&
			  !(is_line_allowed && (*at == '\t' || *at == '\n' || *at == '\r'))))
			return false;
		if (!len)
			return false;
		at += len;
	}
	return true;
}

/* Values may have several lines (a text to look for), names of things may not. */
static const char *decode(struct nx_arena *arena, struct nx_slice part, bool is_query)
{
	char *text = nx_arena_alloc(arena, part.len + 1);
	size_t len = 0;

	for (size_t i = 0; i < part.len; i++) {
		uint8_t c = part.data[i];

		if (is_query && c == '+') {
			c = ' ';
		} else if (c == '%') {
			int byte = nx_percent_decode(part, i);

			if (byte < 0)
				return NULL;
			c = (uint8_t)byte;
			i += 2;
		}
		text[len++] = (char)c;
	}
	text[len] = '\0';
	if (!is_harmless((const uint8_t *)text, (const uint8_t *)text + len, is_query))
		return NULL;
	return text;
}

static struct nx_slice take(struct nx_slice *rest, char separator)
{
	const uint8_t *end = rest->len ? memchr(rest->data, separator, rest->len) : NULL;
	struct nx_slice part =
		nx_slice_part(*rest, 0, end ? (size_t)(end - rest->data) : rest->len);

	*rest = nx_slice_part(*rest, part.len + 1, rest->len);
	return part;
}

static enum nx_status split_path(struct nx_request *request, struct nx_slice path,
				 struct nx_error *err)
{
	if (!path.len || path.data[0] != '/')
		return nx_fail(err, NX_USAGE, "the path of a request begins with a slash");
	path = nx_slice_part(path, 1, path.len);
	request->ends_in_slash = path.len && path.data[path.len - 1] == '/';
	if (request->ends_in_slash)
		path.len--;
	else if (!path.len)
		return NX_OK;
	do {
		const char *segment = decode(&request->arena, take(&path, '/'), false);

		if (!segment || !*segment || !strcmp(segment, ".") || !strcmp(segment, ".."))
			return nx_fail(err, NX_USAGE,
				       "the path of the request has a part that "
				       "names nothing, or is not UTF-8");
		if (request->segment_count == NX_REQUEST_SEGMENTS_MAX)
			return nx_fail(err, NX_USAGE, "the path of the request has too many parts");
		request->segments[request->segment_count++] = segment;
	} while (path.len);
	return NX_OK;
}

static enum nx_status split_query(struct nx_request *request, struct nx_slice query,
				  struct nx_error *err)
{
	size_t most = 1;

	for (size_t i = 0; i < query.len; i++)
		most += query.data[i] == '&';
	if (most > NX_REQUEST_PARAMETERS_MAX)
		return nx_fail(err, NX_USAGE, "the request has more than %d parameters",
			       NX_REQUEST_PARAMETERS_MAX);
	request->parameters = NX_NEW_ARRAY(&request->arena, struct nx_parameter, most);
	while (query.len) {
		struct nx_slice value = take(&query, '&');
		struct nx_slice name = take(&value, '=');
		struct nx_parameter *p = &request->parameters[request->parameter_count];

		if (!name.len)
			continue;
		p->name = decode(&request->arena, name, true);
		p->value = decode(&request->arena, value, true);
		if (!p->name || !p->value)
			return nx_fail(err, NX_USAGE,
				       "a parameter of the request is not UTF-8 in "
				       "percent encoding");
		request->parameter_count++;
	}
	return NX_OK;
}

enum nx_status nx_request_parse(struct nx_request *request, enum nx_method method,
				const char *target, struct nx_error *err)
{
	struct nx_slice query, path;
	enum nx_status st;

	*request = (struct nx_request){.method = method};
	request->target = nx_arena_copy_text(&request->arena, target);
	query = nx_slice_text(request->target);
	path = take(&query, '?');
	st = split_path(request, path, err);
	return st ? st : split_query(request, query, err);
}

void nx_request_release(struct nx_request *request)
{
	nx_vec_release(&request->body);
	nx_arena_release(&request->arena);
}

/* --- asking for parts --------------------------------------------------------------- */

const char *nx_request_variable(const struct nx_request *request, const char *name)
{
	for (size_t i = 0; i < request->variable_count; i++)
		if (!strcmp(request->variables[i].name, name))
			return request->variables[i].value;
	assert(false); /* the pattern of the route has it */
	return "";
}

enum nx_status nx_request_variable_u64(const struct nx_request *request, const char *name,
				       uint64_t *value, struct nx_error *err)
{
	const char *text = nx_request_variable(request, name);

	if (nx_slice_to_u64(nx_slice_text(text), value))
		return NX_OK;
	return nx_fail(err, NX_NOT_FOUND, "'%.100s' in the path should be a whole number", text);
}

const char *nx_request_next(const struct nx_request *request, const char *name, size_t *at)
{
	while (*at < request->parameter_count) {
		const struct nx_parameter *p = &request->parameters[(*at)++];

		if (!strcmp(p->name, name))
			return p->value;
	}
	return NULL;
}

const char *nx_request_find(const struct nx_request *request, const char *name)
{
	size_t at = 0;

	return nx_request_next(request, name, &at);
}

enum nx_status nx_request_need(const struct nx_request *request, const char *name,
			       const char **value, struct nx_error *err)
{
	*value = nx_request_find(request, name);
	if (*value && **value)
		return NX_OK;
	return nx_fail(err, NX_USAGE, "the request needs the parameter '%s'", name);
}

enum nx_status nx_request_u64(const struct nx_request *request, const char *name, uint64_t fallback,
			      uint64_t most, uint64_t *value, struct nx_error *err)
{
	const char *text = nx_request_find(request, name);

	*value = fallback;
	if (!text || !*text)
		return NX_OK;
	if (!nx_slice_to_u64(nx_slice_text(text), value))
		return nx_fail(err, NX_USAGE, "'%s' should be a whole number, not '%.100s'", name,
			       text);
	if (*value > most)
		return nx_fail(err, NX_USAGE, "'%s' is at most %llu, not %llu", name,
			       (unsigned long long)most, (unsigned long long)*value);
	return NX_OK;
}

enum nx_status nx_request_need_u64(const struct nx_request *request, const char *name,
				   uint64_t most, uint64_t *value, struct nx_error *err)
{
	const char *text;
	enum nx_status st = nx_request_need(request, name, &text, err);

	return st ? st : nx_request_u64(request, name, 0, most, value, err);
}

enum nx_status nx_request_list(struct nx_request *request, const char *name, size_t most,
			       const char ***parts, size_t *count, struct nx_error *err)
{
	const char *text = nx_request_find(request, name);
	struct nx_slice rest = nx_slice_text(text ? text : "");
	size_t room = 1;

	assert(most);
	*count = 0;
	*parts = NULL;
	for (size_t i = 0; i < rest.len; i++)
		room += rest.data[i] == ',';
	if (room > most)
		return nx_fail(err, NX_USAGE, "'%s' names %zu things, which is more than %zu", name,
			       room, most);
	*parts = NX_NEW_ARRAY(&request->arena, const char *, room);
	while (rest.len) {
		struct nx_slice part = take(&rest, ',');

		if (!part.len)
			return nx_fail(err, NX_USAGE, "'%s' has an empty part between commas",
				       name);
		(*parts)[(*count)++] = nx_arena_copy(&request->arena, part);
	}
	return NX_OK;
}

enum nx_status nx_request_json(struct nx_request *request, const struct nx_json **object,
			       struct nx_error *err)
{
	struct nx_json *root;
	enum nx_status st = nx_json_parse(nx_slice_of(request->body.items, request->body.len),
					  &request->arena, &root, err);

	if (st) {
		nx_context(err, "the body of the request is no JSON");
		return nx_fail(err, NX_USAGE, "%s",
			       nx_arena_copy_text(&request->arena, err->message));
	}
	if (root->kind != NX_JSON_OBJECT)
		return nx_fail(err, NX_USAGE, "the body of the request should be a JSON object");
	*object = root;
	return NX_OK;
}
