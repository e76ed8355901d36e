/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the workspace as server-sent events. */
#include "serve/events.h"
#include "serve/handlers.h"

NX_HANDLER(events)
{
	struct nx_stream *stream = nx_stream_new(server->streams);

	(void)request;
	reply->type = "text/event-stream";
	/* proxies that collect an answer would hold events back for ever */
	nx_reply_add_header(reply, "X-Accel-Buffering", "no");
	reply->stream = nx_stream_hold(stream);
	return nx_events_listen(server->events, stream, err);
}
