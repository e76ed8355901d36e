/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server under test, on any free port:
 *	serve_capture WORKSPACE [--token T] [--name P] [--api-port N] [--disable-ui]
 * prints its addresses, ends at SIGINT.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static void print_url(void *context, const struct nx_serve_ready *ready)
{
	(void)context;
	printf("%s %s %s\n", ready->url, ready->api_url ? ready->api_url : "-",
	       ready->note ? ready->note : "-");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct nx_serve_options options = {.on_ready = print_url, .stop = &stop};
	struct nx_error error = {0};

	if (argc < 2)
		return 2;
	options.workspace_path = argv[1];
	for (int i = 2; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--token"))
			options.token = value;
		else if (!strcmp(argv[i], "--name"))
			options.open_name = value;
		else if (!strcmp(argv[i], "--port"))
			options.port = (uint16_t)atoi(value);
		else if (!strcmp(argv[i], "--api-port"))
			options.api_port = (uint16_t)atoi(value);
		else if (!strcmp(argv[i], "--disable-ui"))
			options.disable_ui = true;
	}
	signal(SIGINT, on_signal);
	if (nx_serve(&options, &error)) {
		fprintf(stderr, "%s\n", error.message);
		return nx_status_exit_code(error.status);
	}
	return 0;
}
