/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program without a runtime, linked with the static library, that profiles itself in unusual
 * ways.
 *
 * usage: lone_program MODE FOLDER
 */
#include <nx/profiler.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static nx_profiler_options options;

static void span(const char *name)
{
	nx_profiler_end(nx_profiler_begin_text(name, strlen(name)));
}

static int start(void)
{
	int status = nx_profiler_start(&options);

	if (status)
		printf("%s\n", nx_profiler_error());
	return status;
}

static int run_child(bool starts)
{
	int status = 0;
	pid_t child;

	span("parent");
	child = fork();
	if (child == 0) {
		if (nx_profiler_is_on())
			return 1;
		if (starts && start())
			return 1;
		span("child");
		return starts ? nx_profiler_stop() != 0 : 0;
	}
	waitpid(child, &status, 0);
	if (!starts)
		span("parent");
	return status != 0 || nx_profiler_stop();
}

static int overflow(void)
{
	uint64_t recorded, lost;
	nx_name name = nx_profiler_name("one");

	/* Complete spans, so that an event is a row. Far more than fit, faster than can be written.
	 */
	for (int i = 0; i < 3000000; i++)
		nx_profiler_complete(name, nx_profiler_ticks(), nx_profiler_ticks(), NULL, 0);
	if (nx_profiler_stop())
		return 1;
	nx_profiler_counts(&recorded, &lost);
	printf("%llu %llu\n", (unsigned long long)recorded, (unsigned long long)lost);
	return recorded != 3000000;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	options = nx_profiler_options_default();
	options.output_dir = argv[2];
	if (!strcmp(argv[1], "overflow"))
		options.buffer_bytes = 1;
	if (!strcmp(argv[1], "refused"))
		return start() != NX_PROFILER_IO;
	if (start())
		return 1;
	if (!strcmp(argv[1], "fork"))
		return run_child(false);
	if (!strcmp(argv[1], "fork-start"))
		return run_child(true);
	if (!strcmp(argv[1], "overflow"))
		return overflow();
	if (!strcmp(argv[1], "kill")) {
		span("done");
		(void)nx_profiler_begin_text("open", 4);
		nx_profiler_flush();
		puts("flushed");
		fflush(stdout);
		for (;;)
			pause();
	}
	span("work");
	return 0;
}
