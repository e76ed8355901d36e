/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view.h"

#ifdef NX_HAVE_SERVE

#include <signal.h>
#include <stdio.h>

#include "cli/terminal.h"
#include "serve/serve.h"

static volatile sig_atomic_t is_stopped;

static void on_stop(int sig)
{
	(void)sig;
	is_stopped = 1;
}

static void install_stop(void)
{
	/* The second ctrl-c ends the program at once, should the first not get through. */
	struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void say_ready(void *context, const char *url)
{
	(void)context;
	printf("View profile at %s\nctrl-c to exit\n", url);
	/* Scripts wait for this line through a pipe. */
	fflush(stdout);
}

enum nx_status nx_view_serve(const struct nx_profile *profile, uint16_t port, struct nx_error *err)
{
	struct nx_serve_options how = {.port = port, .on_ready = say_ready, .stop = &is_stopped};

	install_stop();
	return nx_serve_profile(profile, &how, err);
}

#else

enum nx_status nx_view_serve(const struct nx_profile *profile, uint16_t port, struct nx_error *err)
{
	(void)profile, (void)port;
	return nx_fail(err, NX_UNSUPPORTED,
		       "this build has no browser view; choose --output-format json, summary-json "
		       "or summary-text");
}

#endif
