/* SPDX-License-Identifier: Apache-2.0 */
/* One host: its clock, its recording, what it answers, and when to ask again. */
#include "capture/service_host_internal.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/progress.h"
#include "format/xspace.h"

#define ATTEMPTS 3
/* Calls that measure the clock: cheap, so a host that does not answer them soon is not there. */
#define PROBES 5
#define PROBE_TIMEOUT_MS 10000
/* Collecting may take long, and XProf's client waits at least this long. */
#define ANSWER_TIMEOUT_MS 60000
#define ANSWER_LIMIT_BYTES INT32_MAX
/* No session has this name, so terminating it does nothing. */
#define PROBE_SESSION "neuron-explorer-clock"

uint64_t nx_service_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* --- stages --------------------------------------------------------------------- */

void nx_service_host_enter(struct nx_service_host *host, enum nx_service_stage stage)
{
	const struct nx_service_listener *listener = host->all->wishes->listener;
	struct nx_service_progress progress = {host->index, stage, host->answer.size_bytes};

	if (host->stage == stage && host->told_bytes == progress.received_bytes)
		return;
	host->stage = stage;
	host->told_bytes = progress.received_bytes;
	if (listener && listener->progress)
		listener->progress(listener->context, &progress);
}

static void warn(const struct nx_service_run *all, const char *sentence)
{
	const struct nx_service_listener *listener = all->wishes->listener;

	if (listener && listener->warn)
		listener->warn(listener->context, sentence);
}

bool nx_service_host_has_ended(const struct nx_service_host *host)
{
	return host->stage == NX_SERVICE_STAGE_DONE || host->stage == NX_SERVICE_STAGE_FAILED;
}

void nx_service_host_fail(struct nx_service_host *host, const char *sentence)
{
	host->out->state = NX_SESSION_HOST_FAILED;
	host->out->failure = nx_arena_copy_text(&host->all->result->arena, sentence);
	nx_service_answer_close(&host->answer);
	nx_service_host_enter(host, NX_SERVICE_STAGE_FAILED);
}

/* A server in the middle of a restart, or that recorded nothing, may do better next time. */
static bool may_retry(const struct nx_rpc_result *result)
{
	if (result->end == NX_RPC_UNREACHED || result->end == NX_RPC_BROKEN)
		return true;
	return result->end == NX_RPC_STATUS &&
	       (result->status == NX_GRPC_UNAVAILABLE || result->status == NX_GRPC_ALREADY_EXISTS ||
		(result->status == NX_GRPC_UNKNOWN && strstr(result->text, "Stream removed")));
}

/* False if the host has had all its attempts, or the user wants to end. */
static bool retry_later(struct nx_service_host *host)
{
	const struct nx_service_wishes *wishes = host->all->wishes;
	unsigned most = wishes->attempts ? wishes->attempts : ATTEMPTS;
	uint64_t wait_ms;

	if (++host->attempt_count >= most || (wishes->stop && *wishes->stop))
		return false;
	wait_ms = nx_backoff_next(&host->backoff);
	host->due_ns = nx_now_ns() + wait_ms * NX_SERVICE_NS_PER_MS + 1;
	return true;
}

/* --- reaching a host and its clock ------------------------------------------------- */

static void see_metadata(void *context, struct nx_slice name, struct nx_slice value)
{
	struct nx_service_host *host = context;

	if (nx_slice_is(name, NX_GRPC_RECEIVED_NS))
		(void)nx_slice_to_u64(value, &host->sample.received_ns);
	else if (nx_slice_is(name, NX_GRPC_SENT_NS))
		(void)nx_slice_to_u64(value, &host->sample.sent_ns);
}

static void probed(void *context, const struct nx_rpc_result *result)
{
	struct nx_service_host *host = context;
	bool is_there = result->end == NX_RPC_ANSWERED ||
			(result->end == NX_RPC_STATUS && !may_retry(result) &&
			 result->error.status != NX_PERMISSION);

	host->call = 0;
	if (!is_there) {
		if (!may_retry(result) || !retry_later(host))
			nx_service_host_fail(host, result->error.message);
		return;
	}
	host->sample.asked_ns = result->asked_ns;
	host->sample.answered_ns = result->answered_ns;
	if (host->sample.received_ns)
		nx_service_clock_add(&host->clock, &host->sample);
	if (host->sample.received_ns && ++host->probe_count < PROBES) {
		nx_service_host_reach(host);
		return;
	}
	host->out->has_clock = host->clock.is_known;
	host->out->clock_offset_ns = host->clock.offset_ns;
	host->out->clock_uncertainty_ns = host->clock.uncertainty_ns;
	host->attempt_count = 0;
	nx_service_host_enter(host, NX_SERVICE_STAGE_WAIT);
}

void nx_service_host_reach(struct nx_service_host *host)
{
	struct nx_service_terminate_request terminate = {.session_id =
								 nx_slice_text(PROBE_SESSION)};
	struct nx_rpc_request request = {
		.path = NX_SERVICE_TERMINATE,
		.token = host->all->wishes->token,
		.timeout_ms = PROBE_TIMEOUT_MS,
		.limit_bytes = NX_GRPC_DEFAULT_MAX_BYTES,
		.metadata = see_metadata,
		.done = probed,
		.context = host,
	};
	struct nx_bytes message = {0};

	host->sample = (struct nx_clock_sample){0};
	nx_wire_encode(&nx_service_terminate_request_message, &terminate, &message);
	request.message = nx_slice_of(message.items, message.len);
	host->call = nx_rpc_client_call(host->all->client, host->address, &request);
	nx_vec_release(&message);
}

/* --- recording --------------------------------------------------------------------- */

static enum nx_status take(void *context, struct nx_slice piece, struct nx_error *err)
{
	struct nx_service_host *host = context;

	return nx_service_answer_take(&host->answer, piece, err);
}

/* Whether a server that shares our disk has saved its file where ours would be. */
static bool find_shared(struct nx_service_host *host)
{
	struct nx_arena *arena = &host->all->result->arena;
	const char *name = nx_arena_printf(arena, "%s" NX_XSPACE_SUFFIX, host->stem);
	struct stat st;
	const char **files;

	if (stat(nx_arena_printf(arena, "%s/%s", host->all->folder.path, name), &st) != 0 ||
	    !st.st_size)
		return false;
	files = NX_NEW_ARRAY(arena, const char *, 1);
	files[0] = name;
	host->out->files = files;
	host->out->file_count = 1;
	return true;
}

/* No file came with the answer. */
static void settle_without_files(struct nx_service_host *host, bool is_empty)
{
	struct nx_service_run *all = host->all;
	struct nx_arena *arena = &all->result->arena;

	if (find_shared(host)) {
		host->out->state = NX_SESSION_HOST_CAPTURED;
	} else if (!is_empty) {
		host->out->state = NX_SESSION_HOST_ELSEWHERE;
		host->out->failure = nx_arena_printf(
			arena, "%s saved its profile on its own disk: %s/%s%s; copy it to %s",
			host->address, all->folder.path, host->stem, NX_XSPACE_SUFFIX,
			all->folder.path);
	} else if (retry_later(host)) {
		return;
	} else {
		host->out->state = NX_SESSION_HOST_EMPTY;
		host->out->failure = nx_arena_printf(
			arena, "%s recorded no event; record longer, or check what it does",
			host->address);
	}
	nx_service_host_enter(host, NX_SERVICE_STAGE_DONE);
}

static void unpack(struct nx_service_host *host)
{
	struct nx_arena *arena = &host->all->result->arena;
	struct nx_service_answer_found found;
	struct nx_error why;
	enum nx_status st = nx_service_answer_unpack(&host->answer, arena, &found, &why);

	host->all->result->size_bytes += host->answer.size_bytes;
	nx_service_answer_close(&host->answer);
	if (found.files.len) {
		host->out->files = NX_COPY_ARRAY(arena, found.files.items, found.files.len);
		host->out->file_count = found.files.len;
	}
	if (found.skipped_count)
		warn(host->all,
		     nx_arena_printf(arena,
				     "%s sent %llu files with names that cannot be "
				     "used; they were skipped",
				     host->address, (unsigned long long)found.skipped_count));
	if (st) {
		(void)!nx_context(&why, "%s", host->address);
		nx_service_host_fail(host, why.message);
	} else if (found.has_trace) {
		host->out->state = NX_SESSION_HOST_CAPTURED;
		nx_service_host_enter(host, NX_SERVICE_STAGE_DONE);
	} else {
		settle_without_files(host, found.is_empty);
	}
	nx_vec_release(&found.files);
}

static void recorded(void *context, const struct nx_rpc_result *result)
{
	struct nx_service_host *host = context;

	host->call = 0;
	if (result->end == NX_RPC_ANSWERED) {
		unpack(host);
		return;
	}
	nx_service_answer_close(&host->answer);
	host->answer.size_bytes = 0;
	if (result->end == NX_RPC_BROKEN && !host->lost)
		host->lost = nx_arena_copy_text(&host->all->result->arena, result->error.message);
	if (host->all->wishes->kind == NX_SESSION_SNAPSHOT && result->end == NX_RPC_STATUS &&
	    result->status == NX_GRPC_NOT_FOUND) {
		nx_service_host_fail(
			host, nx_arena_printf(&host->all->result->arena,
					      "%s does not record continuously; start it with "
					      "'snapshot --start'",
					      host->address));
		return;
	}
	/* that it cannot be reached any more says less than why it broke off */
	if (!may_retry(result) || !retry_later(host))
		nx_service_host_fail(host, result->end == NX_RPC_UNREACHED && host->lost
						   ? host->lost
						   : result->error.message);
}

static void encode_request(struct nx_service_host *host, struct nx_bytes *out)
{
	struct nx_service_run *all = host->all;
	struct nx_slice tools[] = {nx_slice_text(NX_SERVICE_TOOL_XPLANE),
				   nx_slice_text(NX_SERVICE_TOOL_SESSION)};
	struct nx_service_snapshot_request snapshot = {.tools = {tools, 2}};
	struct nx_service_target target = {
		.repository_root = all->folder.root,
		.session = all->folder.name,
		.address = host->address,
		.start_ns = all->start_ns,
	};

	if (all->wishes->kind == NX_SESSION_SNAPSHOT) {
		nx_wire_encode(&nx_service_snapshot_request_message, &snapshot, out);
		return;
	}
	if (target.start_ns)
		target.start_ns += (uint64_t)host->clock.offset_ns;
	nx_service_request_encode(&all->wishes->recording, &target, out);
}

void nx_service_host_record(struct nx_service_host *host)
{
	struct nx_service_run *all = host->all;
	bool is_snapshot = all->wishes->kind == NX_SESSION_SNAPSHOT;
	uint64_t duration_ms = is_snapshot ? 0 : all->wishes->recording.duration_ms;
	uint64_t now_ns = nx_service_now_ns();
	uint64_t wait_ms =
		all->start_ns > now_ns ? (all->start_ns - now_ns) / NX_SERVICE_NS_PER_MS : 0;
	struct nx_rpc_request request = {
		.path = is_snapshot ? NX_SERVICE_GET_SNAPSHOT : NX_SERVICE_PROFILE,
		.token = all->wishes->token,
		.timeout_ms = wait_ms + duration_ms +
			      (duration_ms > ANSWER_TIMEOUT_MS ? duration_ms : ANSWER_TIMEOUT_MS),
		.limit_bytes = ANSWER_LIMIT_BYTES,
		.take = take,
		.done = recorded,
		.context = host,
	};
	struct nx_bytes message = {0};
	struct nx_error why;

	if (nx_service_answer_open(&host->answer, all->folder.path, host->stem, &why)) {
		nx_service_host_fail(host, why.message);
		return;
	}
	encode_request(host, &message);
	request.message = nx_slice_of(message.items, message.len);
	host->call = nx_rpc_client_call(all->client, host->address, &request);
	nx_vec_release(&message);
}

/* Hosts do not report their stages: the clock tells. */
static void show_stage(struct nx_service_host *host)
{
	const struct nx_service_run *all = host->all;
	uint64_t now_ns = nx_service_now_ns();

	if (nx_service_host_has_ended(host) || !all->is_started)
		return;
	if (host->answer.size_bytes)
		nx_service_host_enter(host, NX_SERVICE_STAGE_SEND);
	else if (now_ns < all->start_ns)
		nx_service_host_enter(host, NX_SERVICE_STAGE_WAIT);
	else if (now_ns < all->end_ns && !all->is_terminated)
		nx_service_host_enter(host, NX_SERVICE_STAGE_RECORD);
	else
		nx_service_host_enter(host, NX_SERVICE_STAGE_COLLECT);
}

static void try_again(struct nx_service_host *host)
{
	if (!host->due_ns || nx_now_ns() < host->due_ns)
		return;
	host->due_ns = 0;
	if (host->stage == NX_SERVICE_STAGE_REACH) {
		nx_service_host_reach(host);
		return;
	}
	/* the common start has passed */
	if (host->all->start_ns < nx_service_now_ns())
		host->all->start_ns = 0;
	nx_service_host_record(host);
}

void nx_service_host_watch(struct nx_service_host *host)
{
	try_again(host);
	show_stage(host);
}

/* --- ending early --------------------------------------------------------------- */

/* The capture's own call says what happened. */
static void terminated(void *context, const struct nx_rpc_result *result)
{
	(void)context;
	(void)result;
}

void nx_service_host_terminate(struct nx_service_host *host)
{
	struct nx_service_terminate_request terminate = {
		.session_id = nx_slice_text(host->all->folder.name)};
	struct nx_rpc_request request = {
		.path = NX_SERVICE_TERMINATE,
		.token = host->all->wishes->token,
		.timeout_ms = PROBE_TIMEOUT_MS,
		.limit_bytes = NX_GRPC_DEFAULT_MAX_BYTES,
		.done = terminated,
	};
	struct nx_bytes message = {0};

	nx_wire_encode(&nx_service_terminate_request_message, &terminate, &message);
	request.message = nx_slice_of(message.items, message.len);
	nx_rpc_client_call(host->all->client, host->address, &request);
	nx_vec_release(&message);
}
