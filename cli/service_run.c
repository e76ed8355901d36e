/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/service_run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/progress.h"
#include "capture/service_continuous.h"
#include "cli/options.h"
#include "cli/terminal.h"

#define DEFAULT_DURATION_MS 1000
#define NS_PER_MS UINT64_C(1000000)

/* --- options -------------------------------------------------------------------- */

static uint32_t number_or(struct nx_number_value value, uint64_t otherwise)
{
	return value.is_given ? value.value : (uint32_t)otherwise;
}

static uint64_t device_type_of(const char *text)
{
	static const char *const types[] = {"any", "cpu", "gpu", "tpu", "pluggable"};
	uint64_t type = 0;

	while (text && strcmp(text, types[type]) != 0)
		type++;
	return type;
}

static struct nx_service_options options_of(const struct nx_service_values *v)
{
	struct nx_service_options o = nx_service_options_default();

	o.host_tracer_level = number_or(v->host_level, o.host_tracer_level);
	o.device_tracer_level = number_or(v->device_level, o.device_tracer_level);
	o.python_tracer_level = number_or(v->python_level, o.python_tracer_level);
	o.device_type = device_type_of(v->device_type);
	o.include_dataset_ops = !v->has_no_dataset_ops;
	o.enable_hlo_proto = !v->has_no_programs;
	o.has_trace_options = v->filter_mask.is_given;
	o.trace_options.host_traceme_filter_mask = v->filter_mask.value;
	return o;
}

enum nx_status nx_service_values_read(const struct nx_service_values *v,
				      const struct nx_service_job *job, struct nx_arena *arena,
				      struct nx_service_wishes *w, struct nx_error *err)
{
	const struct nx_rule rules[] = {
		{v->duration.is_given && !v->duration.value, "--duration-ms is at least 1"},
		{v->repeat.is_given && !v->repeat.value, "--repeat is at least 1"},
		{v->attempts.is_given && !v->attempts.value, "--attempts is at least 1"},
		{v->interval.is_given && !v->repeat.is_given, "--interval-ms needs --repeat"},
		{0},
	};
	const char *token_file =
		v->token_file ? v->token_file : getenv("NEURON_PROFILER_TOKEN_FILE");
	enum nx_status st = nx_rules_check(rules, err);

	*w = (struct nx_service_wishes){
		.logdir = v->logdir ? v->logdir : ".",
		.name = v->session,
		.reason = job->reason,
		.kind = job->kind,
		.recording = {.options = options_of(v),
			      .advanced = v->advanced.items,
			      .advanced_count = v->advanced.count,
			      .duration_ms = number_or(v->duration, DEFAULT_DURATION_MS)},
		.delay_ms = v->delay.value,
		.attempts = v->attempts.value,
	};
	if (!st)
		st = nx_service_addresses_parse(job->addresses, arena, &w->addresses,
						&w->address_count, err);
	/* NEURON_EXPLORER_TOKEN is for our own server: no other may learn it */
	if (!st && token_file)
		st = nx_token_find(token_file, &w->token, err);
	return st;
}

/* Each host needs a socket and a file; many systems allow 1024 unless a program asks for more. */
static void raise_descriptor_limit(size_t host_count)
{
	struct rlimit limit;
	rlim_t need = 2 * (rlim_t)host_count + 64;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
		return;
	limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* --- ctrl-c ---------------------------------------------------------------------- */

static volatile sig_atomic_t stop_count;

static void count_stop(int signal_number)
{
	(void)signal_number;
	stop_count++;
}

struct old_signals {
	struct sigaction interrupt, terminate;
};

/* Until nx_output_guard_install's handlers, which exit, are restored. */
static void catch_stops(struct old_signals *old)
{
	struct sigaction action = {.sa_handler = count_stop};

	stop_count = 0;
	sigaction(SIGINT, &action, &old->interrupt);
	sigaction(SIGTERM, &action, &old->terminate);
}

static void restore_stops(const struct old_signals *old)
{
	sigaction(SIGINT, &old->interrupt, NULL);
	sigaction(SIGTERM, &old->terminate, NULL);
}

/* --- progress ---------------------------------------------------------------------- */

struct screen {
	const struct nx_service_wishes *wishes;
	bool is_terminal, is_drawn;
	int progress_fd; /* of a program that listens; -1: none */
	uint8_t *stages; /* by host */
	uint64_t *received_bytes;
};

static void clear(struct screen *screen)
{
	if (screen->is_drawn)
		(void)fputs("\r\033[K", stderr);
	screen->is_drawn = false;
}

/* One host: what it does. Several: how many do what. */
static void draw(struct screen *screen)
{
	size_t counts[NX_SERVICE_STAGE_COUNT] = {0}, count = screen->wishes->address_count;
	uint64_t received_bytes = 0;
	char line[256], size[NX_COUNT_TEXT_MAX];
	size_t used;

	for (size_t i = 0; i < count; i++) {
		counts[screen->stages[i]]++;
		received_bytes += screen->received_bytes[i];
	}
	if (count == 1)
		used = (size_t)snprintf(line, sizeof(line), "%.60s: %s",
					screen->wishes->addresses[0],
					nx_service_stage_text(screen->stages[0]));
	else
		used = (size_t)snprintf(line, sizeof(line), "%zu hosts:", count);
	for (size_t i = 0; count > 1 && i < NX_SERVICE_STAGE_COUNT; i++)
		if (counts[i] && used < sizeof(line))
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s %zu %s",
						 line[used - 1] == ':' ? "" : ",", counts[i],
						 nx_service_stage_text((enum nx_service_stage)i));
	if (received_bytes && used < sizeof(line))
		(void)snprintf(line + used, sizeof(line) - used, " (%s)",
			       nx_size_text(received_bytes, size));
	clear(screen);
	(void)fputs(line, stderr);
	screen->is_drawn = true;
}

static void show_progress(void *context, const struct nx_service_progress *progress)
{
	struct screen *screen = context;

	if (screen->progress_fd >= 0 && screen->stages[progress->host] != progress->stage)
		dprintf(screen->progress_fd, "0 %zu %s\n", progress->host,
			nx_service_stage_text(progress->stage));
	screen->stages[progress->host] = (uint8_t)progress->stage;
	screen->received_bytes[progress->host] = progress->received_bytes;
	if (screen->is_terminal)
		draw(screen);
}

static void warn(void *context, const char *sentence)
{
	clear(context);
	nx_say_warning("%s", sentence);
}

/* --- the end ----------------------------------------------------------------------- */

static void say_clocks(const struct nx_session_file *session)
{
	const struct nx_session_host *worst = NULL, *silent = NULL;
	size_t silent_count = 0;

	for (size_t i = 0; i < session->host_count; i++) {
		const struct nx_session_host *host = &session->hosts[i];

		if (host->state != NX_SESSION_HOST_CAPTURED)
			continue;
		if (!host->has_clock && !silent_count++)
			silent = host;
		if (host->has_clock &&
		    (!worst || host->clock_uncertainty_ns > worst->clock_uncertainty_ns))
			worst = host;
	}
	if (silent_count == 1)
		nx_say("%s does not state its clock: its times are its own", silent->address);
	else if (silent)
		nx_say("%s and %zu more do not state their clocks: their times are their own",
		       silent->address, silent_count - 1);
	if (worst)
		nx_say("%sclocks are aligned to within %.3f ms", silent ? "the other " : "",
		       (double)worst->clock_uncertainty_ns / 1e6);
}

static void say_end(const struct nx_invocation *call, const struct nx_service_result *result)
{
	const struct nx_session_file *session = &result->session;
	char size[NX_COUNT_TEXT_MAX];

	for (size_t i = 0; i < session->host_count; i++)
		if (session->hosts[i].failure)
			nx_say_warning("%s", session->hosts[i].failure);
	if (!result->captured_count)
		return;
	nx_say("captured %zu of %zu %s in %s, %s", result->captured_count, session->host_count,
	       session->host_count == 1 ? "host" : "hosts", result->folder,
	       nx_size_text(result->size_bytes, size));
	if (session->host_count > 1)
		say_clocks(session);
	nx_say("to view it: %s view -d %s", call->program, result->folder);
}

static void report_end(int fd, const struct nx_service_result *result, const char *failure)
{
	for (size_t i = 0; i < result->session.host_count; i++)
		if (result->session.hosts[i].failure)
			dprintf(fd, "0 %zu !%.200s\n", i, result->session.hosts[i].failure);
	if (failure)
		dprintf(fd, "1 ! %.200s\n", failure);
	else
		dprintf(fd, "1 = %s\n", result->folder);
}

static enum nx_status run_once(const struct nx_invocation *call, struct screen *screen,
			       struct nx_error *err)
{
	struct nx_service_result result;
	enum nx_status st = nx_service_capture(screen->wishes, &result, err);

	clear(screen);
	if (screen->progress_fd >= 0)
		report_end(screen->progress_fd, &result, st ? err->message : NULL);
	/* a single host's failure is the error itself */
	if (!st || result.session.host_count > 1)
		say_end(call, &result);
	if (!st && result.failed_count)
		st = nx_fail(err, NX_IO,
			     "%zu of %zu hosts could not be captured; the session has "
			     "the others",
			     result.failed_count, result.session.host_count);
	nx_service_result_release(&result);
	return st;
}

static void wait_until(uint64_t due_ns)
{
	while (!stop_count) {
		uint64_t now_ns = nx_now_ns(), left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
		struct timespec nap = {.tv_nsec = 100 * (long)NS_PER_MS};

		if (!left_ns)
			return;
		if (left_ns < (uint64_t)nap.tv_nsec)
			nap.tv_nsec = (long)left_ns;
		nanosleep(&nap, NULL);
	}
}

/* A session that fails does not end the series; its failure is reported at the end. */
static enum nx_status run_series(const struct nx_invocation *call, struct screen *screen,
				 const struct nx_service_values *values, struct nx_error *err)
{
	uint64_t started_ns = nx_now_ns();
	enum nx_status first = NX_OK;
	uint32_t count = number_or(values->repeat, 1);

	for (uint32_t i = 0; i < count && !stop_count; i++) {
		struct nx_error one;
		enum nx_status st;

		wait_until(started_ns + i * (values->interval.value * NS_PER_MS));
		if (stop_count)
			break;
		st = run_once(call, screen, &one);
		if (st && !first)
			*err = one;
		else if (st)
			nx_say_warning("%s", one.message);
		first = first ? first : st;
	}
	return first;
}

enum nx_status nx_service_run(const struct nx_invocation *call,
			      const struct nx_service_values *values,
			      const struct nx_service_job *job, struct nx_error *err)
{
	struct nx_arena arena = {0};
	struct nx_service_wishes wishes;
	struct screen screen = {
		.wishes = &wishes,
		.is_terminal = nx_terminal_is_error_shown(),
		.progress_fd = values->progress_fd.is_given ? (int)values->progress_fd.value : -1};
	struct nx_service_listener listener = {show_progress, warn, &screen};
	struct old_signals old;
	enum nx_status st = nx_service_values_read(values, job, &arena, &wishes, err);

	if (screen.progress_fd >= 0)
		nx_progress_tell(screen.progress_fd);
	if (!st) {
		screen.stages = NX_NEW_ARRAY(&arena, uint8_t, wishes.address_count);
		screen.received_bytes = NX_NEW_ARRAY(&arena, uint64_t, wishes.address_count);
		wishes.listener = &listener;
		wishes.stop = &stop_count;
		raise_descriptor_limit(wishes.address_count);
		catch_stops(&old);
		st = run_series(call, &screen, values, err);
		restore_stops(&old);
	}
	nx_arena_release(&arena);
	return st;
}

enum nx_status nx_service_switch(const struct nx_service_values *values,
				 const struct nx_service_job *job, bool is_start,
				 struct nx_error *err)
{
	struct nx_arena arena = {0};
	struct nx_service_wishes wishes;
	struct screen screen = {.wishes = &wishes};
	struct nx_service_listener listener = {NULL, warn, &screen};
	enum nx_status st = nx_service_values_read(values, job, &arena, &wishes, err);

	wishes.listener = &listener;
	if (!st)
		st = is_start ? nx_service_continuous_start(&wishes, err)
			      : nx_service_continuous_stop(&wishes, err);
	if (!st)
		nx_say("%s on %zu %s", is_start ? "recording continuously" : "stopped recording",
		       wishes.address_count, wishes.address_count == 1 ? "host" : "hosts");
	nx_arena_release(&arena);
	return st;
}
