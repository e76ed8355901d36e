/* SPDX-License-Identifier: Apache-2.0 */
/* What people add: annotations of a profile, and layouts, which belong to no profile. */
#include <assert.h>

#include "serve/handlers.h"
#include "store/documents.h"

/* Patterns of annotations have one variable more: {p}. */
static struct nx_document_place place_of(struct nx_server *server, const struct nx_request *request,
					 size_t variable_count)
{
	bool is_of_profile = request->variable_count > variable_count;

	return (struct nx_document_place){
		.workspace = server->workspace,
		.profile = is_of_profile ? nx_request_variable(request, "p") : NULL,
	};
}

static const char *name_of(const struct nx_request *request)
{
	assert(request->variable_count);
	return request->variables[request->variable_count - 1].value;
}

NX_HANDLER(documents)
{
	struct nx_document_place place = place_of(server, request, 0);
	struct nx_document_names names = {0};
	struct nx_json_writer w;
	enum nx_status st = nx_documents_list(&place, &request->arena, &names, err);

	if (!st) {
		nx_reply_json(reply, &w);
		nx_json_key_array(&w, place.profile ? "sets" : "layouts");
		for (size_t i = 0; i < names.len; i++)
			nx_json_text(&w, names.items[i]);
		nx_json_end_array(&w);
		nx_json_end_object(&w);
	}
	nx_vec_release(&names);
	return st;
}

NX_HANDLER(document)
{
	struct nx_document_place place = place_of(server, request, 1);

	reply->type = NX_TYPE_JSON;
	nx_reply_add_header(reply, "Cache-Control", "no-store");
	return nx_document_read(&place, name_of(request), &reply->body, err);
}

NX_HANDLER(document_write)
{
	struct nx_document_place place = place_of(server, request, 1);
	const struct nx_json *object;
	enum nx_status st = nx_request_json(request, &object, err);

	if (!st)
		st = nx_document_write(&place, name_of(request),
				       nx_slice_of(request->body.items, request->body.len), err);
	reply->http_status = st == NX_LIMIT ? 409 : st ? 0 : 204;
	return st;
}

NX_HANDLER(document_delete)
{
	struct nx_document_place place = place_of(server, request, 1);
	enum nx_status st = nx_document_remove(&place, name_of(request), err);

	reply->http_status = st ? 0 : 204;
	return st;
}
