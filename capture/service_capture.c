/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/service_capture.h"

#include <assert.h>
#include <string.h>

#include "capture/service_host_internal.h"

#define TURN_MS 50
/* Several hosts need time to receive the request before the common start. */
#define COMMON_DELAY_MS 500
#define RETRY_PATIENCE_MS 5000

const char *nx_service_stage_text(enum nx_service_stage stage)
{
#define TEXT(name, text) text,
	static const char *const texts[] = {NX_SERVICE_STAGE_MAP(TEXT)};
#undef TEXT

	assert(stage < NX_SERVICE_STAGE_COUNT);
	return texts[stage];
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

static enum nx_status check_hosts(const struct nx_service_run *all, struct nx_error *err)
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

/* --- all hosts ---------------------------------------------------------------------- */

/* Chooses the common start and asks the hosts that were reached. */
static void start_all(struct nx_service_run *all)
{
	const struct nx_service_wishes *wishes = all->wishes;
	size_t reached = 0;
	uint64_t now_ns = nx_service_now_ns(), delay_ms = wishes->delay_ms;

	for (size_t i = 0; i < all->host_count; i++)
		reached += !nx_service_host_has_ended(&all->hosts[i]);
	if (reached > 1 && delay_ms < COMMON_DELAY_MS)
		delay_ms = COMMON_DELAY_MS;
	if (wishes->kind == NX_SESSION_SNAPSHOT)
		delay_ms = 0;
	all->is_started = true;
	all->start_ns = delay_ms ? now_ns + delay_ms * NX_SERVICE_NS_PER_MS : 0;
	all->end_ns = now_ns + (delay_ms + wishes->recording.duration_ms) * NX_SERVICE_NS_PER_MS;
	all->result->session.started_ns = now_ns + delay_ms * NX_SERVICE_NS_PER_MS;
	for (size_t i = 0; i < all->host_count; i++)
		if (!nx_service_host_has_ended(&all->hosts[i]))
			nx_service_host_record(&all->hosts[i]);
}

static bool all_are_reached(const struct nx_service_run *all)
{
	for (size_t i = 0; i < all->host_count; i++)
		if (all->hosts[i].stage == NX_SERVICE_STAGE_REACH)
			return false;
	return true;
}

static bool all_have_ended(const struct nx_service_run *all)
{
	for (size_t i = 0; i < all->host_count; i++)
		if (!nx_service_host_has_ended(&all->hosts[i]))
			return false;
	return true;
}

/* Ends the recordings, which are then saved; hosts that do not record yet are given up. */
static void obey_stop(struct nx_service_run *all)
{
	int stop = all->wishes->stop ? *all->wishes->stop : 0;

	if (!stop || (all->is_terminated && stop < 2))
		return;
	for (size_t i = 0; i < all->host_count; i++) {
		struct nx_service_host *host = &all->hosts[i];

		if (nx_service_host_has_ended(host))
			continue;
		if (host->call && all->is_started && stop < 2) {
			nx_service_host_terminate(host);
			continue;
		}
		if (host->call)
			nx_rpc_client_cancel(all->client, host->call);
		else
			nx_service_host_fail(host, nx_arena_printf(&all->result->arena,
								   "%s: interrupted before it "
								   "was captured",
								   host->address));
	}
	all->is_terminated = true;
}

static void run_all(struct nx_service_run *all)
{
	for (size_t i = 0; i < all->host_count; i++) {
		nx_service_host_enter(&all->hosts[i], NX_SERVICE_STAGE_REACH);
		nx_service_host_reach(&all->hosts[i]);
	}
	while (!all_have_ended(all)) {
		if (!all->is_started && all_are_reached(all))
			start_all(all);
		nx_rpc_client_turn(all->client, TURN_MS);
		obey_stop(all);
		for (size_t i = 0; i < all->host_count; i++)
			nx_service_host_watch(&all->hosts[i]);
	}
}

/* --- the result ---------------------------------------------------------------------- */

static enum nx_status finish(struct nx_service_run *all, struct nx_error *err)
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
		assert(first);
		if (all->wishes->stop && *all->wishes->stop)
			return nx_fail(err, NX_CANCELLED, "interrupted; nothing was captured");
		if (all->host_count == 1)
			return nx_fail(err, NX_IO, "%s", first->failure);
		return nx_fail(err, NX_IO, "none of the %zu hosts could be captured: %s",
			       all->host_count, first->failure);
	}
	result->session.ended_ns = nx_service_now_ns();
	st = nx_session_file_write(all->folder.path, &result->session, err);
	if (st)
		return st;
	result->folder = all->folder.path;
	if (result->captured_count)
		return NX_OK;
	assert(first);
	return nx_fail(err, NX_IO, "%s", first->failure);
}

static void make_hosts(struct nx_service_run *all)
{
	struct nx_arena *arena = &all->result->arena;
	const struct nx_service_wishes *wishes = all->wishes;
	struct nx_session_host *outs =
		NX_NEW_ARRAY(arena, struct nx_session_host, wishes->address_count);

	all->hosts = NX_NEW_ARRAY(arena, struct nx_service_host, wishes->address_count);
	all->host_count = wishes->address_count;
	for (size_t i = 0; i < all->host_count; i++) {
		struct nx_service_host *host = &all->hosts[i];

		outs[i].address = nx_arena_copy_text(arena, wishes->addresses[i]);
		*host = (struct nx_service_host){
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
	struct nx_service_run all = {.wishes = wishes, .result = result};
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
