/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view.h"

#ifdef NX_HAVE_SERVE

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "cli/terminal.h"
#include "serve/serve.h"
#include "store/workspace.h"

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

static void say_ready(void *context, const struct nx_serve_ready *ready)
{
	(void)context;
	if (ready->note)
		nx_say_warning("%s", ready->note);
	printf("%s at %s\nctrl-c to exit\n",
	       ready->is_of_profile ? "View profile" : "View a list of profiles", ready->url);
	/* Scripts wait for this line through a pipe. */
	fflush(stdout);
}

static enum nx_status serve_workspace(const struct nx_serve_view *view, const char *path,
				      struct nx_error *err)
{
	const char *token = view->token ? view->token : getenv("NEURON_EXPLORER_TOKEN");
	struct nx_serve_options how = {
		.workspace_path = path,
		.host = view->host,
		.port = view->port,
		.api_port = view->api_port,
		.is_api_port_asked = view->is_api_port_asked,
		.disable_ui = view->disable_ui,
		.token = token,
		.open_name = view->open_name,
		.opens_ranks = view->opens_ranks,
		.on_ready = say_ready,
		.stop = &is_stopped,
	};

	install_stop();
	return nx_serve(&how, err);
}

enum nx_status nx_view_serve(const struct nx_serve_view *view, struct nx_error *err)
{
	struct nx_arena arena = {0};
	const char *path = view->data_path;
	enum nx_status st = NX_OK;

	if (!path)
		st = nx_workspace_default_path(&arena, &path, err);
	if (!st)
		st = serve_workspace(view, path, err);
	nx_arena_release(&arena);
	return st;
}

#else

enum nx_status nx_view_serve(const struct nx_serve_view *view, struct nx_error *err)
{
	(void)view;
	return nx_fail(err, NX_UNSUPPORTED,
		       "this build has no browser view; choose --output-format json, summary-json "
		       "or summary-text");
}

#endif
