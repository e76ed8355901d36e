/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that forks while its threads execute, as servers with worker processes do. A child
 * uses what it inherited, closes the runtime and starts anew.
 * usage: forking NEFF
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/clients/client.h"

#define THREADS 4
#define CHILDREN 20
#define HANGS_AFTER_S 60

static struct client_model models[THREADS];
static atomic_bool is_over;

static void *execute(void *model)
{
	const struct client_model *m = model;

	while (!is_over)
		SUCCEED(nrt_execute(m->model, m->inputs, m->outputs));
	return NULL;
}

static void live_as_child(const char *path)
{
	struct client_model own;

	alarm(HANGS_AFTER_S);
	for (unsigned i = 0; i < THREADS; i++)
		SUCCEED(nrt_execute(models[i].model, models[i].inputs, models[i].outputs));
	nrt_close();
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""));
	own = client_load(path, 0);
	SUCCEED(nrt_execute(own.model, own.inputs, own.outputs));
	nrt_close();
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	if (argc != 2)
		return 2;
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""));
	for (unsigned i = 0; i < THREADS; i++) {
		models[i] = client_load(argv[1], (int)i);
		EXPECT(pthread_create(&threads[i], NULL, execute, &models[i]) == 0);
	}
	for (unsigned i = 0; i < CHILDREN; i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0)
			live_as_child(argv[1]);
		EXPECT(child > 0 && waitpid(child, &status, 0) == child);
		if (status)
			fprintf(stderr, "a child ended with status 0x%x\n", (unsigned)status);
		EXPECT(status == 0);
	}
	is_over = true;
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	nrt_close();
	puts("20 children ended");
	return 0;
}
