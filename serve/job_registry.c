/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/job_registry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/progress.h"
#include "format/service_record.h"
#include "serve/reply.h"
#include "store/durable.h"

#define FILE_BYTES_MAX ((size_t)1 << 20)
#define OUTPUT_BYTES_MAX ((size_t)64 << 10)
#define COMMAND_NS (UINT64_C(10) * 1000000000)
#define WORDS_MAX 32
#define ADDRESS_MAX 300u
#define ADDRESSES_MAX 1024u

extern char **environ;

bool nx_job_address_is_valid(const char *address)
{
	static const char names[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	const char *colon = strrchr(address, ':');
	size_t len = colon ? (size_t)(colon - address) : 0;
	uint64_t port;

	if (!len || strlen(address) > ADDRESS_MAX ||
	    !nx_slice_to_u64(nx_slice_text(colon + 1), &port) || !port || port > UINT16_MAX)
		return false;
	if (address[0] == '[')
		return len > 2 && address[len - 1] == ']' &&
		       strspn(address + 1, "0123456789abcdefABCDEF:.%") == len - 2;
	/* one that begins with a dash would be an option */
	return address[0] != '-' && strspn(address, names) == len;
}

/* --- commands ------------------------------------------------------------------ */

/* Reads until the end, a limit of bytes, or a limit of time; the command is killed after that. */
static enum nx_status read_output(int fd, pid_t pid, struct nx_bytes *output, struct nx_error *err)
{
	uint64_t due_ns = nx_now_ns() + COMMAND_NS;
	enum nx_status st = NX_OK;

	for (;;) {
		uint64_t now_ns = nx_now_ns();
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		char piece[4096];
		ssize_t n;

		if (now_ns >= due_ns || output->len > OUTPUT_BYTES_MAX) {
			st = nx_fail(err, NX_LIMIT, "it %s",
				     now_ns >= due_ns ? "takes longer than 10 s"
						      : "prints more than 64 KiB");
			kill(-pid, SIGKILL);
			break;
		}
		if (poll(&wait, 1, (int)((due_ns - now_ns) / 1000000) + 1) <= 0)
			continue;
		n = read(fd, piece, sizeof(piece));
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		if (n > 0)
			nx_bytes_append(output, piece, (size_t)n);
	}
	return st;
}

static enum nx_status run_command(char *const *words, struct nx_bytes *output, struct nx_error *err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	int ends[2], failure, result = 0;
	enum nx_status st;
	sigset_t none;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return nx_fail_errno(err, errno, "cannot start it");
	sigemptyset(&none);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&how, 0);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, ends[1], 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	failure = posix_spawnp(&pid, words[0], &files, &how, words, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	close(ends[1]);
	if (failure) {
		close(ends[0]);
		return nx_fail_errno(err, failure, "cannot start it");
	}
	st = read_output(ends[0], pid, output, err);
	close(ends[0]);
	while (waitpid(pid, &result, 0) < 0 && errno == EINTR)
		continue;
	if (!st && (!WIFEXITED(result) || WEXITSTATUS(result)))
		st = nx_fail(err, NX_IO, "it fails with code %d",
			     WIFEXITED(result) ? WEXITSTATUS(result) : -1);
	return st;
}

/* --- jobs ------------------------------------------------------------------------- */

static void put_address(struct nx_json_writer *w, struct nx_slice word, uint64_t port,
			struct nx_arena *arena, size_t *count)
{
	const char *text = nx_arena_copy(arena, word);

	if (!nx_job_address_is_valid(text) && port)
		text = nx_arena_printf(arena, "%s:%llu", text, (unsigned long long)port);
	if (*count >= ADDRESSES_MAX || !nx_job_address_is_valid(text))
		return;
	nx_json_text(w, text);
	*count += 1;
}

static const char *put_printed(struct nx_json_writer *w, const struct nx_json *command,
			       uint64_t port, struct nx_arena *arena, size_t *count)
{
	char *words[WORDS_MAX + 1] = {NULL};
	struct nx_bytes output = {0};
	const char *failure = "";
	struct nx_error why = {0};

	if (command->kind != NX_JSON_ARRAY || !command->count || command->count > WORDS_MAX)
		return "hosts_command should be a list of 1 to 32 words";
	for (size_t i = 0; i < command->count; i++)
		words[i] = (char *)(uintptr_t)nx_json_as_text(&command->children[i], arena, "");
	if (run_command(words, &output, &why))
		failure = nx_arena_printf(arena, "%s: %s", words[0], why.message);
	for (size_t at = 0; at < output.len;) {
		size_t from = at;

		while (at < output.len && !strchr(" \t\r\n,", output.items[at]))
			at++;
		if (at > from)
			put_address(w, nx_slice_of(output.items + from, at - from), port, arena,
				    count);
		at++;
	}
	nx_vec_release(&output);
	return failure;
}

static void put_job(struct nx_json_writer *w, const struct nx_json *job, struct nx_arena *arena)
{
	const struct nx_json *addresses = nx_json_get(job, "addresses");
	const struct nx_json *command = nx_json_get(job, "hosts_command");
	uint64_t port = nx_json_as_u64(nx_json_get(job, "port"), 0);
	const char *failure = "";
	size_t count = 0;

	nx_json_begin_object(w);
	nx_json_key_text(w, "name", nx_json_as_text(nx_json_get(job, "name"), arena, "job"));
	nx_json_key_array(w, "addresses");
	for (size_t i = 0; addresses && addresses->kind == NX_JSON_ARRAY && i < addresses->count;
	     i++)
		put_address(w, nx_json_as_slice(&addresses->children[i]), port, arena, &count);
	if (command)
		failure = put_printed(w, command, port, arena, &count);
	nx_json_end_array(w);
	if (!*failure && !count)
		failure = "it has no hosts";
	nx_json_key_text(w, "failure", failure);
	nx_json_end_object(w);
}

static void put_jobs(struct nx_json_writer *w, const struct nx_workspace *ws,
		     struct nx_arena *arena)
{
	struct nx_bytes bytes = {0};
	struct nx_json *root = NULL;
	const struct nx_json *jobs = NULL;
	struct nx_error why = {0};
	const char *path = nx_arena_printf(arena, "%s/" NX_JOBS_FILE, nx_workspace_path(ws));
	enum nx_status st = nx_durable_read(AT_FDCWD, path, FILE_BYTES_MAX, &bytes, "", &why);

	if (!st)
		st = nx_json_parse(nx_slice_of(bytes.items, bytes.len), arena, &root, &why);
	if (!st)
		jobs = nx_json_get(root, "jobs");
	nx_json_key_array(w, "jobs");
	for (size_t i = 0;
	     jobs && jobs->kind == NX_JSON_ARRAY && i < jobs->count && i < NX_JOBS_MAX; i++)
		put_job(w, &jobs->children[i], arena);
	nx_json_end_array(w);
	nx_json_key_text(w, "failure",
			 st && st != NX_NOT_FOUND
				 ? nx_arena_printf(arena, NX_JOBS_FILE ": %s", why.message)
				 : "");
	nx_vec_release(&bytes);
}

/* --- this machine ------------------------------------------------------------------- */

static void put_service(struct nx_json_writer *w, int folder, const char *name,
			struct nx_arena *arena)
{
	struct nx_service_record record;
	struct nx_bytes bytes = {0};
	bool is_long;

	if (!nx_durable_read(folder, name, FILE_BYTES_MAX, &bytes, "", NULL) &&
	    !nx_service_record_read(nx_slice_of(bytes.items, bytes.len), &record, arena, NULL) &&
	    nx_service_record_is_alive(&record)) {
		is_long = strchr(record.host, ':') != NULL;
		nx_json_begin_object(w);
		nx_json_key_u64(w, "pid", record.pid);
		nx_json_key_text(w, "command", record.command);
		nx_json_key_text(w, "address",
				 nx_arena_printf(arena, "%s%s%s:%llu", is_long ? "[" : "",
						 record.host, is_long ? "]" : "",
						 (unsigned long long)record.port));
		nx_json_key_bool(w, "needs_token", record.needs_token);
		nx_json_end_object(w);
	}
	nx_vec_release(&bytes);
}

static void put_folder(struct nx_json_writer *w, const char *path, struct nx_arena *arena)
{
	int fd = nx_durable_open_folder(AT_FDCWD, path);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!entries && fd >= 0)
		close(fd);
	while (entries && (entry = readdir(entries)))
		if (nx_slice_ends(nx_slice_text(entry->d_name), ".json"))
			put_service(w, fd, entry->d_name, arena);
	if (entries)
		closedir(entries);
}

void nx_job_registry_put(struct nx_json_writer *w, const struct nx_workspace *ws,
			 struct nx_arena *arena)
{
	char first[PATH_MAX], second[PATH_MAX];
	bool has_first = nx_service_record_folder(first, sizeof(first));

	put_jobs(w, ws, arena);
	nx_json_key_array(w, "local");
	if (has_first)
		put_folder(w, first, arena);
	/* a service that was started without the variable */
	if (nx_service_record_fallback(second, sizeof(second)) &&
	    (!has_first || strcmp(first, second) != 0))
		put_folder(w, second, arena);
	nx_json_end_array(w);
}
