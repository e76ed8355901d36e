/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file, from the connection to the disk; memory holds one piece. */
#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "serve/handlers.h"
#include "store/upload.h"

#define SPACE_CHECK_BYTES (UINT64_C(64) << 20)

struct receiver {
	int fd;
	struct nx_upload upload;
	const struct nx_upload_file *file;
	uint64_t received_bytes;
	uint64_t checked_bytes; /* up to there the disk was seen to have room */
	struct nx_workspace *workspace;
	uint64_t begun_bytes; /* what had arrived before this request */
};

static void say_received(struct nx_request *request, const struct receiver *r)
{
	request->problem_members = nx_arena_printf(&request->arena, "\"received\":\"%llu\"",
						   (unsigned long long)r->received_bytes);
}

static enum nx_status check_offset(struct nx_request *request, const struct receiver *r,
				   struct nx_error *err)
{
	uint64_t offset = 0;
	enum nx_status st = nx_request_need_u64(request, "offset", UINT64_MAX, &offset, err);

	if (st || offset == r->received_bytes)
		return st;
	say_received(request, r);
	return nx_fail(err, NX_MISMATCH, "%llu bytes have arrived; continue from there",
		       (unsigned long long)r->received_bytes);
}

static enum nx_status find_file(struct nx_request *request, struct receiver *r, size_t *index,
				struct nx_error *err)
{
	uint64_t value = 0;
	enum nx_status st = nx_request_variable_u64(request, "index", &value, err);

	if (!st && value >= r->upload.files.len)
		st = nx_fail(err, NX_NOT_FOUND, "this upload has %zu files", r->upload.files.len);
	if (!st && r->upload.state != NX_UPLOAD_RECEIVING)
		st = nx_fail(err, NX_MISMATCH, "this upload is finished; it takes no more bytes");
	if (st)
		return st;
	*index = (size_t)value;
	r->file = &r->upload.files.items[value];
	return NX_OK;
}

static enum nx_status begin(struct nx_server *server, struct nx_request *request,
			    struct nx_error *err)
{
	struct nx_workspace *workspace = server->workspace;
	struct receiver *r = NX_NEW(&request->arena, struct receiver);
	size_t index = 0;
	enum nx_status st;

	r->fd = -1;
	r->workspace = workspace;
	request->state = r;
	st = nx_upload_load_record(workspace, nx_request_variable(request, "id"), &request->arena,
				   &r->upload, err);
	if (!st)
		st = find_file(request, r, &index, err);
	if (!st)
		st = nx_upload_open_file(workspace, &r->upload, index, &r->fd, &r->received_bytes,
					 err);
	if (!st)
		st = check_offset(request, r, err);
	r->checked_bytes = r->begun_bytes = r->received_bytes;
	return st;
}

/* Other programs write to the same disk, so check it again from time to time. */
static enum nx_status check_space(struct nx_server *server, struct receiver *r, size_t more,
				  struct nx_error *err)
{
	enum nx_status st;

	if (r->received_bytes + more <= r->checked_bytes)
		return NX_OK;
	st = nx_upload_check_space(server->workspace, more, err);
	r->checked_bytes = r->received_bytes + SPACE_CHECK_BYTES;
	return st;
}

static enum nx_status take(struct nx_server *server, struct nx_request *request,
			   struct nx_slice piece, struct nx_error *err)
{
	struct receiver *r = request->state;
	enum nx_status st;

	assert(r->received_bytes <= r->file->size_bytes);
	if (piece.len > r->file->size_bytes - r->received_bytes) {
		request->problem_status = 413;
		say_received(request, r);
		return nx_fail(err, NX_LIMIT,
			       "'%s' was announced with %llu bytes, but more were sent",
			       r->file->path, (unsigned long long)r->file->size_bytes);
	}
	st = check_space(server, r, piece.len, err);
	if (!st && !nx_write_all(r->fd, piece))
		st = nx_fail_errno(err, errno, "cannot store '%s'", r->file->path);
	if (!st)
		r->received_bytes += piece.len;
	return st;
}

/* Closes the file, so that the next request can open it. */
static void let_go(struct receiver *r)
{
	if (r->fd < 0)
		return;
	close(r->fd);
	r->fd = -1;
	if (r->received_bytes > r->begun_bytes)
		nx_upload_count(r->workspace, r->upload.id, r->received_bytes - r->begun_bytes);
}

enum nx_status nx_receive_upload_file(struct nx_server *server, struct nx_request *request,
				      struct nx_slice piece, struct nx_error *err)
{
	enum nx_status st =
		request->state ? take(server, request, piece, err) : begin(server, request, err);

	if (st)
		let_go(request->state);
	return st;
}

void nx_forget_upload_file(struct nx_request *request)
{
	struct receiver *r = request->state;

	if (!r)
		return;
	let_go(r);
	nx_upload_release(&r->upload);
	request->state = NULL;
}

NX_HANDLER(upload_file)
{
	struct receiver *r = request->state;
	struct nx_json_writer w;

	(void)server, (void)err;
	/* once it has the answer, the client may send the next piece over another connection */
	let_go(r);
	nx_reply_json(reply, &w);
	nx_json_key_u64_text(&w, "received", r->received_bytes);
	nx_json_end_object(&w);
	return NX_OK;
}
