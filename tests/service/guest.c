/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A traced program with a profiler server. It prints its port, then obeys the lines on its stdin
 * and records events in every session. At the end of stdin it ends.
 *
 * usage: guest SPANS     how many spans it records in each session
 */
#include <nx/profiler.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPANS_PER_FLUSH 5000

/* Each span has attributes, so that a profile is large. All of them are recorded: a flush waits
 * until the buffer is empty. */
static void record(long count)
{
	static const char text[] = "an attribute with a text of sixty bytes, repeated many times";
	nx_name step = nx_profiler_name("step"), work = nx_profiler_name("work");
	nx_name key = nx_profiler_name("note"), index = nx_profiler_name("index");
	nx_span outer = nx_profiler_step_begin(step, 7);

	for (long i = 0; i < count; i++) {
		const nx_attribute attributes[] = {
			nx_attribute_text(key, text, sizeof(text) - 1),
			nx_attribute_i64(index, i),
		};

		nx_profiler_end(nx_profiler_begin_with(work, attributes, 2));
		if (i % SPANS_PER_FLUSH == 0)
			(void)nx_profiler_flush();
	}
	nx_profiler_step_end(outer);
	(void)nx_profiler_flush();
}

static unsigned count_sockets(void)
{
	unsigned count = 0;

	for (int fd = 3; fd < 256; fd++) {
		struct stat st;

		count += !fstat(fd, &st) && S_ISSOCK(st.st_mode);
	}
	return count;
}

#if defined(__SANITIZE_THREAD__) /* it cannot follow threads of the child of a fork */
static const bool can_start_threads = false;
#else
static const bool can_start_threads = true;
#endif

/* The child has no server and can start its own. */
static void fork_child(void)
{
	nx_profiler_server_options options = nx_profiler_server_options_default();
	pid_t pid;
	int status = 1;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		unsigned before = count_sockets(), port = nx_profiler_server_port();
		int started = can_start_threads ? nx_profiler_start_server(&options) : 0;

		printf("child %u %u %d\n", before, port, started);
		fflush(stdout);
		(void)nx_profiler_stop_server();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("parent %d %u\n", status, nx_profiler_server_port());
}

static void obey(const char *line)
{
	if (!strcmp(line, "fork\n"))
		fork_child();
	else if (!strcmp(line, "stop\n"))
		printf("stopped %d\n", nx_profiler_stop_server());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	nx_profiler_server_options options = nx_profiler_server_options_default();
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	long count = argc > 1 ? atol(argv[1]) : 10;
	uint64_t last = 0;
	char line[64];

	options.output_dir = "kept";
	if (!getenv("NEURON_PROFILER_PORT") && nx_profiler_start_server(&options)) {
		fprintf(stderr, "%s\n", nx_profiler_error());
		return 1;
	}
	printf("port %u\n", nx_profiler_server_port());
	fflush(stdout);
	for (;;) {
		/* changes with each session and with each start of continuous recording */
		uint64_t now = 2 * nx_profiler_session() + nx_profiler_continuous_is_on();

		if (nx_profiler_is_on() && now != last) {
			last = now;
			record(count);
			printf("recorded\n");
			fflush(stdout);
		}
		if (poll(&input, 1, 1) > 0) {
			if (!fgets(line, sizeof(line), stdin))
				return 0;
			obey(line);
		}
	}
}
