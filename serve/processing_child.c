/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/processing_child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json_reader.h"
#include "base/vec.h"
#include "store/durable.h"

#define PROGRESS_FD 3
#define LOOK_MS 200
#define LINE_BYTES_MAX 1024u
#define STATUS_BYTES_MAX ((size_t)1 << 20)
#define ARGUMENTS_MAX 32
#define MEMORY_BYTES_LEAST (UINT64_C(2) << 30)
#define PROCESSOR_SECONDS_USUAL (6 * 3600u)
#define FILE_BYTES_MAX ((rlim_t)256 << 30)
#define FILES_MAX 4096
#define LESS_IMPORTANT 5 /* than answering visitors */

extern char **environ;

static void prepare(posix_spawnattr_t *how, posix_spawn_file_actions_t *files, int pipe)
{
	sigset_t none;

	sigemptyset(&none);
	posix_spawnattr_init(how);
	/* a process group of its own: ctrl-c of the server does not reach it, and it can be killed
	 * with its children */
	posix_spawnattr_setflags(how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(how, 0);
	posix_spawnattr_setsigmask(how, &none);
	posix_spawn_file_actions_init(files);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(files, pipe, PROGRESS_FD);
}

static void set_limit(pid_t pid, __rlimit_resource_t resource, rlim_t most)
{
	/* At the soft limit of processor time it gets SIGXCPU, which names the reason. */
	struct rlimit limit = {most, resource == RLIMIT_CPU ? most + 5 : most};

	prlimit(pid, resource, &limit, NULL);
}

static uint64_t memory_limit_of(const struct nx_processing_child *run)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t half = pages > 0 ? (uint64_t)pages / 2 * (uint64_t)page_bytes : 0;

	if (run->memory_limit_bytes)
		return run->memory_limit_bytes;
	return half > MEMORY_BYTES_LEAST ? half : MEMORY_BYTES_LEAST;
}

static uint32_t seconds_of(const struct nx_processing_child *run)
{
	return run->processor_seconds ? run->processor_seconds : PROCESSOR_SECONDS_USUAL;
}

/* From outside: the program runs already, but it has not read a byte of the capture yet. */
static void set_limits(const struct nx_processing_child *run, pid_t pid)
{
	set_limit(pid, RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they map terabytes */
	set_limit(pid, RLIMIT_DATA, memory_limit_of(run));
#endif
	set_limit(pid, RLIMIT_CPU, seconds_of(run));
	set_limit(pid, RLIMIT_FSIZE, FILE_BYTES_MAX);
	set_limit(pid, RLIMIT_NOFILE, FILES_MAX);
}

static int spawn(const struct nx_processing_child *run, int pipe, pid_t *pid)
{
	char *arguments[ARGUMENTS_MAX + 2] = {(char *)(uintptr_t) "neuron-explorer"};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	int failure;

	for (int i = 0; i < ARGUMENTS_MAX && run->arguments[i]; i++)
		arguments[i + 1] = (char *)(uintptr_t)run->arguments[i];
	prepare(&how, &files, pipe);
	failure = posix_spawn(pid, run->program, &files, &how, arguments, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	if (!failure) {
		set_limits(run, *pid);
		setpriority(PRIO_PROCESS, (id_t)*pid, LESS_IMPORTANT);
	}
	return failure;
}

static enum nx_status start(const struct nx_processing_child *run, pid_t *pid, int *pipe_end,
			    struct nx_error *err)
{
	int ends[2], failure;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return nx_fail_errno(err, errno, "cannot start processing");
	failure = spawn(run, ends[1], pid);
	close(ends[1]);
	*pipe_end = ends[0];
	if (!failure)
		return NX_OK;
	close(ends[0]);
	return nx_fail_errno(err, failure, "cannot start processing");
}

/* Lines are "0.42 reading the capture". */
static void take_lines(const struct nx_processing_child *run, char *text, size_t *len)
{
	char *end, *stage;

	while ((end = memchr(text, '\n', *len))) {
		double fraction;

		*end = '\0';
		fraction = strtod(text, &stage);
		if (*stage == ' ' && fraction >= 0 && fraction <= 1)
			run->on_step(run->context, fraction, stage + 1);
		*len -= (size_t)(end + 1 - text);
		memmove(text, end + 1, *len);
	}
	/* drop what is too long to be a line */
	if (*len == LINE_BYTES_MAX)
		*len = 0;
}

/* Until the child closes its end, which it does at the latest when it dies. */
static void follow(const struct nx_processing_child *run, pid_t pid, int fd)
{
	struct pollfd progress = {.fd = fd, .events = POLLIN};
	char text[LINE_BYTES_MAX];
	size_t len = 0;

	for (;;) {
		int ready = poll(&progress, 1, LOOK_MS);
		ssize_t n;

		if (atomic_load(run->is_cancelled))
			kill(-pid, SIGKILL);
		if (ready <= 0)
			continue;
		n = read(fd, text + len, sizeof(text) - len);
		if (n <= 0)
			return;
		len += (size_t)n;
		take_lines(run, text, &len);
	}
}

static enum nx_status read_reason(const struct nx_processing_child *run, int exit_code,
				  struct nx_error *err)
{
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0};
	struct nx_json *root = NULL;
	const char *message = "";

	if (!nx_durable_read(AT_FDCWD, run->status_file, STATUS_BYTES_MAX, &bytes, "", NULL) &&
	    !nx_json_parse(nx_slice_of(bytes.items, bytes.len), &arena, &root, NULL))
		message = nx_json_as_text(nx_json_get(root, "message"), &arena, "");
	if (!*message && exit_code == nx_status_exit_code(NX_LIMIT))
		nx_fail(err, NX_LIMIT,
			"processing needs more memory than the limit of %.1f GB; is a file "
			"damaged?",
			(double)memory_limit_of(run) / 1e9);
	else
		nx_fail(err, NX_FORMAT, "%s",
			*message ? message
				 : "processing ended without a message; upload the files again");
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
	return err ? err->status : NX_FORMAT;
}

static enum nx_status judge(const struct nx_processing_child *run, int how, struct nx_error *err)
{
	if (atomic_load(run->is_cancelled))
		return nx_fail(err, NX_CANCELLED, "processing was cancelled");
	if (WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU)
		return nx_fail(err, NX_LIMIT,
			       "processing took more than %u s of processor time, the limit; is a "
			       "file damaged?",
			       seconds_of(run));
	if (WIFSIGNALED(how) && WTERMSIG(how) == SIGXFSZ)
		return nx_fail(err, NX_LIMIT,
			       "processing wrote a file of more than %llu GiB, the limit",
			       (unsigned long long)(FILE_BYTES_MAX >> 30));
	if (WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL)
		return nx_fail(err, NX_LIMIT,
			       "the system killed the processing, probably because memory was "
			       "full; upload it again when the server is less busy");
	if (WIFSIGNALED(how))
		return nx_fail(err, NX_FORMAT,
			       "processing crashed (signal %d); a file may be damaged, please "
			       "report it",
			       WTERMSIG(how));
	return WEXITSTATUS(how) ? read_reason(run, WEXITSTATUS(how), err) : NX_OK;
}

enum nx_status nx_processing_child_run(const struct nx_processing_child *run, struct nx_error *err)
{
	pid_t pid = -1;
	int fd = -1, how = 0;
	enum nx_status st = start(run, &pid, &fd, err);

	assert(run->on_step && run->is_cancelled && run->status_file);
	if (st)
		return st;
	follow(run, pid, fd);
	close(fd);
	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		continue;
	return judge(run, how, err);
}
