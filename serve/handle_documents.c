/* SPDX-License-Identifier: Apache-2.0 */
/* What people add: annotations of a profile, layouts of none. */
#include "serve/handlers.h"
#include "store/documents.h"

static struct nx_document_place place_of(struct nx_server *server, const struct nx_request *request,
					 bool is_of_profile)
{
	return (struct nx_document_place){
		.workspace = nx_server_workspace(server),
		.profile = is_of_profile ? nx_request_variable(request, "p") : NULL,
	};
}

static enum nx_status list(struct nx_server *server, struct nx_request *request, bool is_of_profile,
			   struct nx_reply *reply, struct nx_error *err)
{
	struct nx_document_place place = place_of(server, request, is_of_profile);
	struct nx_document_names names = {0};
	struct nx_json_writer w;
	enum nx_status st = nx_documents_list(&place, &request->arena, &names, err);

	if (!st) {
		nx_reply_json(reply, &w);
		nx_json_begin_object(&w);
		nx_json_key(&w, is_of_profile ? "sets" : "layouts");
		nx_json_begin_array(&w);
		for (size_t i = 0; i < names.len; i++)
			nx_json_text(&w, names.items[i]);
		nx_json_end_array(&w);
		nx_json_end_object(&w);
	}
	nx_vec_release(&names);
	return st;
}

static enum nx_status read_one(const struct nx_document_place *place, const char *name,
			       struct nx_reply *reply, struct nx_error *err)
{
	reply->type = NX_TYPE_JSON;
	nx_reply_add_header(reply, "Cache-Control", "no-store");
	return nx_document_read(place, name, &reply->body, err);
}

static enum nx_status write_one(const struct nx_document_place *place, const char *name,
				struct nx_request *request, struct nx_reply *reply,
				struct nx_error *err)
{
	const struct nx_json *object;
	enum nx_status st = nx_request_json(request, &object, err);

	if (!st)
		st = nx_document_write(place, name,
				       nx_slice_of(request->body.items, request->body.len), err);
	reply->http_status = st == NX_LIMIT ? 409 : st ? 0 : 204;
	return st;
}

static enum nx_status remove_one(const struct nx_document_place *place, const char *name,
				 struct nx_reply *reply, struct nx_error *err)
{
	enum nx_status st = nx_document_remove(place, name, err);

	reply->http_status = st ? 0 : 204;
	return st;
}

NX_HANDLER(annotation_sets)
{
	return list(server, request, true, reply, err);
}

NX_HANDLER(annotations)
{
	struct nx_document_place place = place_of(server, request, true);

	return read_one(&place, nx_request_variable(request, "set"), reply, err);
}

NX_HANDLER(annotations_write)
{
	struct nx_document_place place = place_of(server, request, true);

	return write_one(&place, nx_request_variable(request, "set"), request, reply, err);
}

NX_HANDLER(annotations_delete)
{
	struct nx_document_place place = place_of(server, request, true);

	return remove_one(&place, nx_request_variable(request, "set"), reply, err);
}

NX_HANDLER(layouts)
{
	return list(server, request, false, reply, err);
}

NX_HANDLER(layout)
{
	struct nx_document_place place = place_of(server, request, false);

	return read_one(&place, nx_request_variable(request, "name"), reply, err);
}

NX_HANDLER(layout_write)
{
	struct nx_document_place place = place_of(server, request, false);

	return write_one(&place, nx_request_variable(request, "name"), request, reply, err);
}

NX_HANDLER(layout_delete)
{
	struct nx_document_place place = place_of(server, request, false);

	return remove_one(&place, nx_request_variable(request, "name"), reply, err);
}
