/* SPDX-License-Identifier: Apache-2.0 */
/* What the server says of itself. */
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
