/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that is ended by a signal while two cores execute, one of them asynchronously, and a
 * session records all of it. It may have a handler of its own, or worker processes that end first.
 * usage: terminated NEFF NEFF FOLDER plain|handler|worker SIGNAL
 */
#include <nrt/nrt_async.h>
#include <nrt/nrt_profile.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/clients/client.h"

#define WORKERS 20

static struct client_model models[2];
static atomic_uint run_counts[2];
static atomic_bool is_over;

static void *serve(void *model)
{
	const struct client_model *m = model;

	for (; !is_over; run_counts[0]++)
		SUCCEED(nrt_execute(m->model, m->inputs, m->outputs));
	return NULL;
}

static void *serve_later(void *model)
{
	const struct client_model *m = model;
	NRT_STATUS status;
	nrta_seq_t seq;

	for (; !is_over; run_counts[1]++) {
		bool has_ended = false;

		SUCCEED(nrta_execute_schedule(m->model, m->inputs, m->outputs, 0, &status, &seq));
		while (!has_ended)
			SUCCEED(nrta_is_completed(seq, &has_ended));
	}
	return NULL;
}

static void end(int number)
{
	(void)number;
	is_over = true;
}

static void begin_session(const char *folder)
{
	nrt_inspect_config_t *config;

	SUCCEED(nrt_inspect_config_allocate(&config));
	SUCCEED(nrt_inspect_config_set_defaults(config));
	SUCCEED(nrt_inspect_config_set_enable_inspect(config, true));
	SUCCEED(nrt_inspect_config_set_inspect_device_profile_mode(
		config, NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION));
	SUCCEED(nrt_inspect_config_set_output_dir(config, folder));
	SUCCEED(nrt_inspect_begin_with_options(config));
	SUCCEED(nrt_inspect_config_free(config));
}

/* At once, so that the signal sometimes arrives before fork returns in the child. */
static void lose_a_worker(int number)
{
	int status;
	pid_t worker = fork();

	if (worker == 0)
		for (;;)
			pause();
	kill(worker, number);
	EXPECT(waitpid(worker, &status, 0) == worker);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == number);
}

int main(int argc, char **argv)
{
	int number = argc == 6 ? atoi(argv[5]) : 0;
	pthread_t threads[2];

	EXPECT(number);
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "server", "1.0"));
	begin_session(argv[3]);
	if (!strcmp(argv[4], "handler"))
		signal(number, end);
	for (int i = 0; i < 2; i++)
		models[i] = client_load(argv[1 + i], i);
	pthread_create(&threads[0], NULL, serve, &models[0]);
	pthread_create(&threads[1], NULL, serve_later, &models[1]);
	while (run_counts[0] < 3 || run_counts[1] < 3)
		usleep(1000);
	for (int i = 0; i < WORKERS && !strcmp(argv[4], "worker"); i++)
		lose_a_worker(number);
	kill(getpid(), number);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	/* Only with a handler of its own does it come this far. */
	return 7;
}
