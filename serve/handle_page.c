/* SPDX-License-Identifier: Apache-2.0 */
/* The pages and their files, which are packed into the program. */
#include <string.h>

#include "format/gzip_stream.h"
#include "serve/assets.h"
#include "serve/handlers.h"

/* Whether a list such as "gzip;q=0.5, br" has the word, without q=0 after it. */
static bool list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (list && *list) {
		list += strspn(list, " \t,");
		if (!strncmp(list, word, len) && strchr(" \t,;", list[len])) {
			const char *q = list + len + strspn(list + len, " \t;");

			return strncmp(q, "q=0", 3) != 0 ||
			       strspn(q + 3, ".0") < strcspn(q + 3, " \t,");
		}
		list += strcspn(list, ",");
	}
	return false;
}

static void inflate_asset(const struct nx_asset *asset, struct nx_bytes *to)
{
	struct nx_gzip_stream gzip;
	struct nx_slice piece;

	nx_gzip_stream_open(&gzip, nx_slice_of(asset->gzip, asset->gzip_size));
	while (nx_gzip_stream_next(&gzip, &piece))
		nx_bytes_append(to, piece.data, piece.len);
	nx_gzip_stream_close(&gzip);
}

static void send_asset(const struct nx_asset *asset, struct nx_request *request,
		       struct nx_reply *reply)
{
	const char *etag = nx_arena_printf(&request->arena, "\"%s\"", asset->etag);
	const char *known = nx_request_header(request, "If-None-Match");

	reply->type = asset->type;
	nx_reply_add_header(reply, "ETag", etag);
	nx_reply_add_header(reply, "Vary", "Accept-Encoding");
	if (asset->is_hashed)
		nx_reply_add_header(reply, "Cache-Control", "public, max-age=31536000, immutable");
	if (known && (list_has(known, etag) || !strcmp(known, "*"))) {
		reply->http_status = 304;
	} else if (list_has(nx_request_header(request, "Accept-Encoding"), "gzip")) {
		nx_reply_add_header(reply, "Content-Encoding", "gzip");
		reply->borrowed = nx_slice_of(asset->gzip, asset->gzip_size);
	} else {
		inflate_asset(asset, &reply->body);
	}
}

NX_HANDLER(page)
{
	size_t len = strcspn(request->target, "?");
	const char *path = nx_arena_copy(&request->arena, nx_slice_of(request->target, len));
	const struct nx_asset *asset;

	if (server->options->disable_ui)
		return nx_fail(err, NX_NOT_FOUND,
			       "this server has no pages (--disable-ui); its API is at /api/v1");
	asset = nx_asset_find(path);
	if (!asset)
		return nx_fail(err, NX_NOT_FOUND, "there is no such page");
	send_asset(asset, request, reply);
	return NX_OK;
}
