/* SPDX-License-Identifier: Apache-2.0 */
/* The server itself: its health, its API, and changes of the workspace. */
#include "serve/handlers.h"
#include "serve/routes.h"

NX_HANDLER(health)
{
	(void)server, (void)request, (void)err;
	reply->type = NX_TYPE_TEXT;
	reply->borrowed = nx_slice_text("healthy");
	return NX_OK;
}

NX_HANDLER(openapi)
{
	struct nx_json_writer w;

	(void)server, (void)request, (void)err;
	reply->type = NX_TYPE_JSON;
	nx_json_init_bytes(&w, &reply->body, false);
	nx_routes_describe(&w);
	return NX_OK;
}

NX_HANDLER(events)
{
	struct nx_stream *stream = nx_stream_new(server->streams);

	(void)request;
	reply->type = "text/event-stream";
	/* keeps proxies from buffering the events */
	nx_reply_add_header(reply, "X-Accel-Buffering", "no");
	reply->stream = nx_stream_hold(stream);
	return nx_events_listen(server->events, stream, err);
}
