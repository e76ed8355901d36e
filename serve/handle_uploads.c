/* SPDX-License-Identifier: Apache-2.0 */
/* Begins and finishes uploads; serve/upload_receive.c takes the bytes in between. */
#include <assert.h>

#include "serve/handlers.h"
#include "store/upload.h"

static void put_files(struct nx_json_writer *w, const struct nx_upload *u)
{
	nx_json_key_array(w, "files");
	for (size_t i = 0; i < u->files.len; i++) {
		nx_json_begin_object(w);
		nx_json_key_u64(w, "index", i);
		nx_json_key_text(w, "path", u->files.items[i].path);
		nx_json_key_u64_text(w, "size_bytes", u->files.items[i].size_bytes);
		nx_json_key_u64_text(w, "received", u->files.items[i].received_bytes);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void put_upload(const struct nx_upload *u, struct nx_reply *reply)
{
	static const char *const states[] = {"receiving", "processing", "failed"};
	struct nx_json_writer w;

	assert((size_t)u->state < sizeof(states) / sizeof(states[0]));
	nx_reply_json(reply, &w);
	nx_json_key_text(&w, "id", u->id);
	nx_json_key_text(&w, "name", u->name);
	nx_json_key_text(&w, "state", states[u->state]);
	nx_json_key_text(&w, "reason", u->reason);
	put_files(&w, u);
	nx_json_end_object(&w);
}

NX_HANDLER(upload_begin)
{
	struct nx_upload u;
	enum nx_status st = nx_upload_read(nx_slice_of(request->body.items, request->body.len),
					   &request->arena, &u, err);

	if (!st)
		st = nx_upload_begin(server->workspace, &u, &request->arena, err);
	if (!st) {
		put_upload(&u, reply);
		reply->http_status = 201;
		nx_events_look(server->events);
	} else if (st == NX_LIMIT) {
		reply->http_status = 413;
	}
	nx_upload_release(&u);
	return st;
}

NX_HANDLER(upload)
{
	struct nx_upload u;
	enum nx_status st = nx_upload_load(server->workspace, nx_request_variable(request, "id"),
					   &request->arena, &u, err);

	if (!st)
		put_upload(&u, reply);
	nx_upload_release(&u);
	return st;
}

/* --- the end ---------------------------------------------------------------------------------- */

static enum nx_status check_complete(const struct nx_upload *u, struct nx_error *err)
{
	for (size_t i = 0; i < u->files.len; i++) {
		const struct nx_upload_file *f = &u->files.items[i];

		/* archives are gone once they were unpacked */
		if (f->received_bytes != f->size_bytes && u->state == NX_UPLOAD_RECEIVING)
			return nx_fail(err, NX_MISMATCH,
				       "%llu of %llu bytes of '%s' have arrived; send the rest",
				       (unsigned long long)f->received_bytes,
				       (unsigned long long)f->size_bytes, f->path);
	}
	return NX_OK;
}

static enum nx_status finish(struct nx_server *server, struct nx_upload *u, struct nx_error *err)
{
	struct nx_workspace *workspace = server->workspace;
	enum nx_status st = check_complete(u, err);

	if (st)
		return st;
	u->state = NX_UPLOAD_COMPLETE;
	u->reason = "";
	st = nx_upload_save(workspace, u, err);
	if (!st)
		st = nx_processing_add(server->processing, u->id, u->name, err);
	return st;
}

/* A client that lost the first answer may repeat the request. A failed upload is retried. */
NX_HANDLER(upload_finish)
{
	const char *id = nx_request_variable(request, "id");
	struct nx_workspace *workspace = server->workspace;
	struct nx_json_writer w;
	struct nx_upload u;
	enum nx_status st = nx_upload_load(workspace, id, &request->arena, &u, err);

	if (!st && !(u.state == NX_UPLOAD_COMPLETE && nx_upload_is_busy(workspace, id)))
		st = finish(server, &u, err);
	if (!st) {
		nx_reply_json(reply, &w);
		nx_json_key_text(&w, "name", u.name);
		nx_json_end_object(&w);
		reply->http_status = 202;
		nx_events_look(server->events);
	}
	nx_upload_release(&u);
	return st;
}

NX_HANDLER(upload_delete)
{
	const char *id = nx_request_variable(request, "id");
	struct nx_workspace *workspace = server->workspace;
	struct nx_upload u;
	enum nx_status st = nx_upload_load(workspace, id, &request->arena, &u, err);
	bool was_processed = nx_processing_cancel(server->processing, id, NULL);

	nx_upload_release(&u);
	if (st == NX_NOT_FOUND && !was_processed)
		return st;
	st = nx_upload_remove(workspace, id, err);
	reply->http_status = st ? 0 : 204;
	nx_events_look(server->events);
	return st;
}
