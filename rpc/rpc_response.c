/* SPDX-License-Identifier: Apache-2.0 */
/* Responses: headers, the message in pieces as the peer takes them, trailers. */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "rpc/rpc_internal.h"

/* --- answers ----------------------------------------------------------------- */

static void add_part(struct nx_rpc_answer *answer, bool is_file, uint64_t offset, uint64_t len)
{
	struct nx_rpc_part *last =
		answer->part_count ? &answer->parts[answer->part_count - 1] : NULL;

	if (last && last->is_file == is_file && last->offset + last->len == offset)
		last->len += len;
	else if (answer->part_count < NX_RPC_MAX_PARTS)
		answer->parts[answer->part_count++] = (struct nx_rpc_part){is_file, offset, len};
}

void nx_rpc_answer_add_bytes(struct nx_rpc_answer *answer, struct nx_slice bytes)
{
	uint64_t offset = answer->bytes.len;

	nx_bytes_append(&answer->bytes, bytes.data, bytes.len);
	add_part(answer, false, offset, bytes.len);
}

void nx_rpc_answer_add_file(struct nx_rpc_answer *answer, uint64_t offset, uint64_t len)
{
	add_part(answer, true, offset, len);
}

uint64_t nx_rpc_answer_bytes(const struct nx_rpc_answer *answer)
{
	uint64_t len = 0;

	for (size_t i = 0; i < answer->part_count; i++)
		len += answer->parts[i].len;
	return len;
}

void nx_rpc_answer_release(struct nx_rpc_answer *answer)
{
	nx_vec_release(&answer->bytes);
	if (answer->fd >= 0)
		close(answer->fd);
	answer->fd = -1;
	answer->part_count = 0;
}

/* --- headers ------------------------------------------------------------------- */

#define NV(name_, value_, len_)                                                                    \
	{                                                                                          \
		(uint8_t *)(name_), (uint8_t *)(value_), sizeof(name_) - 1, (len_),                \
			NGHTTP2_NV_FLAG_NONE                                                       \
	}
#define NV_TEXT(name_, value_) NV(name_, value_, sizeof(value_) - 1)

struct trailers {
	char status[4], message[768], received[24], sent[24];
	nghttp2_nv lines[7];
	size_t count;
};

static uint64_t epoch_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void add_line(struct trailers *t, nghttp2_nv line)
{
	t->lines[t->count++] = line;
}

static void fill_trailers(struct trailers *t, const struct nx_rpc_call *call)
{
	size_t len;

	len = (size_t)snprintf(t->status, sizeof(t->status), "%u", (unsigned)call->answer.status);
	add_line(t, (nghttp2_nv)NV("grpc-status", t->status, len));
	if (call->answer.status != NX_GRPC_OK) {
		len = nx_grpc_text_encode(t->message, sizeof(t->message),
					  nx_slice_text(call->answer.message));
		add_line(t, (nghttp2_nv)NV("grpc-message", t->message, len));
	}
	len = (size_t)snprintf(t->received, sizeof(t->received), "%llu",
			       (unsigned long long)call->received_ns);
	add_line(t, (nghttp2_nv)NV(NX_GRPC_RECEIVED_NS, t->received, len));
	len = (size_t)snprintf(t->sent, sizeof(t->sent), "%llu", (unsigned long long)epoch_ns());
	add_line(t, (nghttp2_nv)NV(NX_GRPC_SENT_NS, t->sent, len));
}

/* --- the message --------------------------------------------------------------- */

/* Returns 0 at the end, -1 if the file cannot be read. */
static ssize_t read_answer(struct nx_rpc_call *call, uint8_t *out, size_t cap)
{
	const struct nx_rpc_answer *answer = &call->answer;
	size_t done = 0;

	while (done < cap && call->head_at < NX_GRPC_PREFIX_BYTES)
		out[done++] = call->head[call->head_at++];
	while (done < cap && call->part_idx < answer->part_count) {
		const struct nx_rpc_part *part = &answer->parts[call->part_idx];
		uint64_t left = part->len - call->part_at;
		size_t want = left < cap - done ? (size_t)left : cap - done;
		uint64_t from = part->offset + call->part_at;

		if (!left) {
			call->part_idx++;
			call->part_at = 0;
			continue;
		}
		if (part->is_file) {
			ssize_t got = pread(answer->fd, out + done, want, (off_t)from);

			if (got <= 0) /* the file is ours: it cannot be too short */
				return -1;
			want = (size_t)got;
		} else {
			memcpy(out + done, answer->bytes.items + from, want);
		}
		done += want;
		call->part_at += want;
	}
	return (ssize_t)done;
}

static ssize_t on_read(nghttp2_session *session, int32_t stream_id, uint8_t *out, size_t cap,
		       uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct nx_rpc_call *call = source->ptr;
	struct trailers t = {.count = 0};
	ssize_t len = read_answer(call, out, cap);

	(void)user;
	call->moved_ns = call->connection->now_ns;
	if (len < 0)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* resets the stream */
	if (call->part_idx < call->answer.part_count || call->head_at < NX_GRPC_PREFIX_BYTES)
		return len;
	*flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
	fill_trailers(&t, call);
	return nghttp2_submit_trailer(session, stream_id, t.lines, t.count)
		       ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE
		       : len;
}

/* --- responses ------------------------------------------------------------------- */

static void reset(struct nx_rpc_call *call)
{
	(void)nghttp2_submit_rst_stream(call->connection->session, NGHTTP2_FLAG_NONE,
					call->stream_id, NGHTTP2_INTERNAL_ERROR);
}

void nx_rpc_respond(struct nx_rpc_call *call)
{
	nghttp2_data_provider data = {.source.ptr = call, .read_callback = on_read};
	uint64_t len = nx_rpc_answer_bytes(&call->answer);
	struct trailers t = {.count = 0};

	call->is_responded = true;
	call->moved_ns = call->connection->now_ns;
	if (call->answer.status == NX_GRPC_OK && len > UINT32_MAX) {
		call->answer.status = NX_GRPC_RESOURCE_EXHAUSTED;
		snprintf(call->answer.message, sizeof(call->answer.message),
			 "the answer of %llu bytes exceeds what a message can hold",
			 (unsigned long long)len);
	}
	add_line(&t, (nghttp2_nv)NV_TEXT(":status", "200"));
	add_line(&t, (nghttp2_nv)NV_TEXT("content-type", NX_GRPC_CONTENT_TYPE));
	add_line(&t, (nghttp2_nv)NV_TEXT("grpc-accept-encoding", "identity"));
	if (call->answer.status == NX_GRPC_OK)
		nx_grpc_prefix_write(call->head, (uint32_t)len);
	else
		fill_trailers(&t, call);
	if (nghttp2_submit_response(call->connection->session, call->stream_id, t.lines, t.count,
				    call->answer.status == NX_GRPC_OK ? &data : NULL))
		reset(call);
}

void nx_rpc_refuse(struct nx_rpc_call *call, enum nx_grpc_status status, const char *sentence)
{
	call->is_complete = true;
	call->answer.status = status;
	snprintf(call->answer.message, sizeof(call->answer.message), "%s", sentence);
	nx_rpc_respond(call);
}

void nx_rpc_refuse_http(struct nx_rpc_call *call, unsigned http_status)
{
	char status[4];
	size_t len = (size_t)snprintf(status, sizeof(status), "%03u", http_status % 1000);
	const nghttp2_nv line = NV(":status", status, len);

	call->is_complete = call->is_responded = true;
	call->moved_ns = call->connection->now_ns;
	if (nghttp2_submit_response(call->connection->session, call->stream_id, &line, 1, NULL))
		reset(call);
}
