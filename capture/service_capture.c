/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/service_capture.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/path.h"
#include "base/progress.h"
#include "capture/service_answer.h"
#include "capture/service_clock.h"
#include "capture/service_folder.h"
#include "format/xspace.h"
#include "rpc/rpc_client.h"

#define NS_PER_MS UINT64_C(1000000)
#define ATTEMPTS 3
#define TURN_MS 50
/* Calls that measure the clock: cheap, so a host that does not answer them soon is not there. */
#define PROBES 5
#define PROBE_TIMEOUT_MS 5000
/* Several hosts need time to receive the request before the common start. */
#define COMMON_DELAY_MS 500
/* Collecting may take long, and XProf's client waits at least this long. */
#define ANSWER_TIMEOUT_MS 60000
#define RETRY_PATIENCE_MS 5000
#define ANSWER_LIMIT_BYTES INT32_MAX
/* No session has this name, so terminating it does nothing. */
#define PROBE_SESSION "neuron-explorer-clock"

struct capture;

struct host {
	struct capture *all;
	size_t index;
	const char *address, *stem;
	struct nx_session_host *out;
	enum nx_service_stage stage;
	uint64_t call;	 /* that runs; 0: none */
	uint64_t due_ns; /* monotonic: when to try again; 0: not waiting */
	struct nx_backoff backoff;
	unsigned attempt_count, probe_count;
	const char *lost; /* why the first recording broke off */
	struct nx_service_clock clock;
	struct nx_clock_sample sample;
	struct nx_service_answer answer;
	uint64_t told_bytes;
};

struct capture {
	const struct nx_service_wishes *wishes;
	struct nx_service_result *result;
	struct nx_rpc_client *client;
	struct nx_service_folder folder;
	struct host *hosts;
	size_t host_count;
	uint64_t start_ns, end_ns; /* epoch, of the recording, on our clock */
	bool is_started;	   /* all hosts were reached, or failed */
	bool is_terminated;
};

const char *nx_service_stage_text(enum nx_service_stage stage)
{
#define TEXT(name, text) text,
	static const char *const texts[] = {NX_SERVICE_STAGE_MAP(TEXT)};
#undef TEXT

	assert(stage < NX_SERVICE_STAGE_COUNT);
	return texts[stage];
}

static uint64_t epoch_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* --- addresses ------------------------------------------------------------------ */

enum nx_status nx_service_addresses_parse(const char *text, struct nx_arena *arena,
					  const char *const **addresses, size_t *count,
					  struct nx_error *err)
{
	size_t room = 1;
	const char **list;

	for (const char *at = text; *at; at++)
		room += *at == ',';
	list = NX_NEW_ARRAY(arena, const char *, room);
	*addresses = list;
	*count = 0;
	for (const char *at = text, *end;; at = end + 1) {
		struct nx_rpc_address parsed;
		enum nx_status st;

		end = at + strcspn(at, ",");
		st = nx_rpc_address_parse(nx_slice_of(at, (size_t)(end - at)), &parsed, err);
		if (st)
			return st;
		list[(*count)++] = nx_arena_copy(arena, nx_slice_of(at, (size_t)(end - at)));
		if (!*end)
			return NX_OK;
	}
}

static enum nx_status check_hosts(const struct capture *all, struct nx_error *err)
{
	if (!all->host_count || all->host_count > NX_SERVICE_MAX_HOSTS)
		return nx_fail(err, NX_USAGE, "give 1 to %d addresses, not %zu",
			       NX_SERVICE_MAX_HOSTS, all->host_count);
	for (size_t i = 0; i < all->host_count; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(all->hosts[i].stem, all->hosts[k].stem))
				return nx_fail(err, NX_USAGE, "%s is given twice",
					       all->hosts[i].address);
	return NX_OK;
}

/* --- stages --------------------------------------------------------------------- */

static void enter(struct host *host, enum nx_service_stage stage)
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

static void warn(const struct capture *all, const char *sentence)
{
	const struct nx_service_listener *listener = all->wishes->listener;

	if (listener && listener->warn)
		listener->warn(listener->context, sentence);
}

static bool has_ended(const struct host *host)
{
	return host->stage == NX_SERVICE_STAGE_DONE || host->stage == NX_SERVICE_STAGE_FAILED;
}

static void fail_host(struct host *host, const char *sentence)
{
	host->out->state = NX_SESSION_HOST_FAILED;
	host->out->failure = nx_arena_copy_text(&host->all->result->arena, sentence);
	nx_service_answer_close(&host->answer);
	enter(host, NX_SERVICE_STAGE_FAILED);
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
static bool retry_later(struct host *host)
{
	const struct nx_service_wishes *wishes = host->all->wishes;
	unsigned most = wishes->attempts ? wishes->attempts : ATTEMPTS;
	uint64_t wait_ms;

	if (++host->attempt_count >= most || (wishes->stop && *wishes->stop))
		return false;
	wait_ms = nx_backoff_next(&host->backoff);
	host->due_ns = nx_now_ns() + wait_ms * NS_PER_MS + 1;
	return true;
}

/* --- reaching a host and its clock ------------------------------------------------- */

static void see_metadata(void *context, struct nx_slice name, struct nx_slice value)
{
	struct host *host = context;

	if (nx_slice_is(name, NX_GRPC_RECEIVED_NS))
		(void)nx_slice_to_u64(value, &host->sample.received_ns);
	else if (nx_slice_is(name, NX_GRPC_SENT_NS))
		(void)nx_slice_to_u64(value, &host->sample.sent_ns);
}

static void probe(struct host *host);

static void probed(void *context, const struct nx_rpc_result *result)
{
	struct host *host = context;
	bool is_there = result->end == NX_RPC_ANSWERED ||
			(result->end == NX_RPC_STATUS && !may_retry(result) &&
			 result->error.status != NX_PERMISSION);

	host->call = 0;
	if (!is_there) {
		if (!may_retry(result) || !retry_later(host))
			fail_host(host, result->error.message);
		return;
	}
	host->sample.asked_ns = result->asked_ns;
	host->sample.answered_ns = result->answered_ns;
	if (host->sample.received_ns)
		nx_service_clock_add(&host->clock, &host->sample);
	if (host->sample.received_ns && ++host->probe_count < PROBES) {
		probe(host);
		return;
	}
	host->out->has_clock = host->clock.is_known;
	host->out->clock_offset_ns = host->clock.offset_ns;
	host->out->clock_uncertainty_ns = host->clock.uncertainty_ns;
	host->attempt_count = 0;
	enter(host, NX_SERVICE_STAGE_WAIT);
}

static void probe(struct host *host)
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
	struct host *host = context;

	return nx_service_answer_take(&host->answer, piece, err);
}

/* Whether a server that shares our disk has saved its file where ours would be. */
static bool find_shared(struct host *host)
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
static void settle_without_files(struct host *host, bool is_empty)
{
	struct capture *all = host->all;
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
	enter(host, NX_SERVICE_STAGE_DONE);
}

static void unpack(struct host *host)
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
		fail_host(host, why.message);
	} else if (found.has_trace) {
		host->out->state = NX_SESSION_HOST_CAPTURED;
		enter(host, NX_SERVICE_STAGE_DONE);
	} else {
		settle_without_files(host, found.is_empty);
	}
	nx_vec_release(&found.files);
}

static void recorded(void *context, const struct nx_rpc_result *result)
{
	struct host *host = context;

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
		fail_host(host, nx_arena_printf(&host->all->result->arena,
						"%s does not record continuously; start it with "
						"'snapshot --start'",
						host->address));
		return;
	}
	/* that it cannot be reached any more says less than why it broke off */
	if (!may_retry(result) || !retry_later(host))
		fail_host(host, result->end == NX_RPC_UNREACHED && host->lost
					? host->lost
					: result->error.message);
}

static void encode_request(struct host *host, struct nx_bytes *out)
{
	struct capture *all = host->all;
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

static void record(struct host *host)
{
	struct capture *all = host->all;
	bool is_snapshot = all->wishes->kind == NX_SESSION_SNAPSHOT;
	uint64_t duration_ms = is_snapshot ? 0 : all->wishes->recording.duration_ms;
	uint64_t now_ns = epoch_ns();
	uint64_t wait_ms = all->start_ns > now_ns ? (all->start_ns - now_ns) / NS_PER_MS : 0;
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
		fail_host(host, why.message);
		return;
	}
	encode_request(host, &message);
	request.message = nx_slice_of(message.items, message.len);
	host->call = nx_rpc_client_call(all->client, host->address, &request);
	nx_vec_release(&message);
}

/* --- all hosts ---------------------------------------------------------------------- */

/* Chooses the common start and asks the hosts that were reached. */
static void start_all(struct capture *all)
{
	const struct nx_service_wishes *wishes = all->wishes;
	size_t reached = 0;
	uint64_t now_ns = epoch_ns(), delay_ms = wishes->delay_ms;

	for (size_t i = 0; i < all->host_count; i++)
		reached += !has_ended(&all->hosts[i]);
	if (reached > 1 && delay_ms < COMMON_DELAY_MS)
		delay_ms = COMMON_DELAY_MS;
	if (wishes->kind == NX_SESSION_SNAPSHOT)
		delay_ms = 0;
	all->is_started = true;
	all->start_ns = delay_ms ? now_ns + delay_ms * NS_PER_MS : 0;
	all->end_ns = now_ns + (delay_ms + wishes->recording.duration_ms) * NS_PER_MS;
	all->result->session.started_ns = now_ns + delay_ms * NS_PER_MS;
	for (size_t i = 0; i < all->host_count; i++)
		if (!has_ended(&all->hosts[i]))
			record(&all->hosts[i]);
}

static bool all_are_reached(const struct capture *all)
{
	for (size_t i = 0; i < all->host_count; i++)
		if (all->hosts[i].stage == NX_SERVICE_STAGE_REACH)
			return false;
	return true;
}

static bool all_have_ended(const struct capture *all)
{
	for (size_t i = 0; i < all->host_count; i++)
		if (!has_ended(&all->hosts[i]))
			return false;
	return true;
}

/* Hosts do not report their stages: the clock tells. */
static void watch(struct host *host)
{
	const struct capture *all = host->all;
	uint64_t now_ns = epoch_ns();

	if (has_ended(host) || !all->is_started)
		return;
	if (host->answer.size_bytes)
		enter(host, NX_SERVICE_STAGE_SEND);
	else if (now_ns < all->start_ns)
		enter(host, NX_SERVICE_STAGE_WAIT);
	else if (now_ns < all->end_ns && !all->is_terminated)
		enter(host, NX_SERVICE_STAGE_RECORD);
	else
		enter(host, NX_SERVICE_STAGE_COLLECT);
}

static void try_again(struct host *host)
{
	if (!host->due_ns || nx_now_ns() < host->due_ns)
		return;
	host->due_ns = 0;
	if (host->stage == NX_SERVICE_STAGE_REACH) {
		probe(host);
		return;
	}
	/* the common start has passed */
	if (host->all->start_ns < epoch_ns())
		host->all->start_ns = 0;
	record(host);
}

/* The capture's own call says what happened. */
static void terminated(void *context, const struct nx_rpc_result *result)
{
	(void)context;
	(void)result;
}

static void terminate(struct host *host)
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

/* Ends the recordings, which are then saved; hosts that do not record yet are given up. */
static void obey_stop(struct capture *all)
{
	int stop = all->wishes->stop ? *all->wishes->stop : 0;

	if (!stop || (all->is_terminated && stop < 2))
		return;
	for (size_t i = 0; i < all->host_count; i++) {
		struct host *host = &all->hosts[i];

		if (has_ended(host))
			continue;
		if (host->call && all->is_started && stop < 2) {
			terminate(host);
			continue;
		}
		if (host->call)
			nx_rpc_client_cancel(all->client, host->call);
		else
			fail_host(host, nx_arena_printf(&all->result->arena,
							"%s: interrupted before it "
							"was captured",
							host->address));
	}
	all->is_terminated = true;
}

static void run_all(struct capture *all)
{
	for (size_t i = 0; i < all->host_count; i++) {
		enter(&all->hosts[i], NX_SERVICE_STAGE_REACH);
		probe(&all->hosts[i]);
	}
	while (!all_have_ended(all)) {
		if (!all->is_started && all_are_reached(all))
			start_all(all);
		nx_rpc_client_turn(all->client, TURN_MS);
		obey_stop(all);
		for (size_t i = 0; i < all->host_count; i++) {
			try_again(&all->hosts[i]);
			watch(&all->hosts[i]);
		}
	}
}

/* --- the result ---------------------------------------------------------------------- */

static enum nx_status finish(struct capture *all, struct nx_error *err)
{
	struct nx_service_result *result = all->result;
	const struct nx_session_host *first = NULL;
	size_t elsewhere_count = 0;
	enum nx_status st;

	for (size_t i = 0; i < all->host_count; i++) {
		const struct nx_session_host *host = all->hosts[i].out;

		result->captured_count += host->state == NX_SESSION_HOST_CAPTURED;
		elsewhere_count += host->state == NX_SESSION_HOST_ELSEWHERE;
		if (!first && host->state != NX_SESSION_HOST_CAPTURED)
			first = host;
	}
	result->failed_count = all->host_count - result->captured_count;
	if (!result->captured_count && !elsewhere_count) {
		nx_service_folder_remove(&all->folder);
		if (all->wishes->stop && *all->wishes->stop)
			return nx_fail(err, NX_CANCELLED, "interrupted; nothing was captured");
		if (all->host_count == 1)
			return nx_fail(err, NX_IO, "%s", first->failure);
		return nx_fail(err, NX_IO, "none of the %zu hosts could be captured: %s",
			       all->host_count, first->failure);
	}
	result->session.ended_ns = epoch_ns();
	st = nx_session_file_write(all->folder.path, &result->session, err);
	if (st)
		return st;
	result->folder = all->folder.path;
	if (result->captured_count)
		return NX_OK;
	return nx_fail(err, NX_IO, "%s", first->failure);
}

static void make_hosts(struct capture *all)
{
	struct nx_arena *arena = &all->result->arena;
	const struct nx_service_wishes *wishes = all->wishes;
	struct nx_session_host *outs =
		NX_NEW_ARRAY(arena, struct nx_session_host, wishes->address_count);

	all->hosts = NX_NEW_ARRAY(arena, struct host, wishes->address_count);
	all->host_count = wishes->address_count;
	for (size_t i = 0; i < all->host_count; i++) {
		struct host *host = &all->hosts[i];

		outs[i].address = nx_arena_copy_text(arena, wishes->addresses[i]);
		*host = (struct host){
			.all = all,
			.index = i,
			.address = outs[i].address,
			.stem = nx_service_stem(outs[i].address, arena),
			.out = &outs[i],
			.stage = NX_SERVICE_STAGE_COUNT,
			.answer = {.fd = -1},
		};
		nx_backoff_init(&host->backoff, RETRY_PATIENCE_MS);
	}
	all->result->session.hosts = outs;
	all->result->session.host_count = all->host_count;
}

enum nx_status nx_service_capture(const struct nx_service_wishes *wishes,
				  struct nx_service_result *result, struct nx_error *err)
{
	struct capture all = {.wishes = wishes, .result = result};
	enum nx_status st;

	*result = (struct nx_service_result){0};
	make_hosts(&all);
	st = check_hosts(&all, err);
	if (!st)
		st = nx_service_recording_check(&wishes->recording, err);
	if (!st)
		st = nx_service_folder_make(wishes->logdir, wishes->name, &result->arena,
					    &all.folder, err);
	if (st)
		return st;
	result->session.kind = wishes->kind;
	result->session.name = all.folder.name;
	result->session.reason = wishes->reason;
	all.client = nx_rpc_client_new();
	run_all(&all);
	nx_rpc_client_free(all.client);
	return finish(&all, err);
}

void nx_service_result_release(struct nx_service_result *result)
{
	nx_arena_release(&result->arena);
}
