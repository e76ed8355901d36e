/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view.h"

#ifdef NX_HAVE_SERVE

#include <assert.h>
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

enum nx_status nx_view_serve(const struct nx_view_options *v, const char *open_name,
			     bool opens_ranks, struct nx_error *err)
{
	struct nx_serve_options how = {
		.workspace_path = v->data_path,
		.host = v->host,
		.port = v->port.is_given ? (uint16_t)v->port.value : NX_SERVE_DEFAULT_PORT,
		.api_port = v->api_port.is_given ? (uint16_t)v->api_port.value
						 : NX_SERVE_DEFAULT_API_PORT,
		.is_api_port_asked = v->api_port.is_given,
		.disable_ui = v->disable_ui,
		.token = v->token ? v->token : getenv("NEURON_EXPLORER_TOKEN"),
		.open_name = *open_name ? open_name : NULL,
		.opens_ranks = opens_ranks,
		.on_ready = say_ready,
		.stop = &is_stopped,
	};
	/* The second ctrl-c ends the program at once, in case the first has no effect. */
	struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND};
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	assert(v->port.value <= UINT16_MAX && v->api_port.value <= UINT16_MAX);
	if (!v->data_path)
		st = nx_workspace_default_path(&arena, &how.workspace_path, err);
	if (!st) {
		sigemptyset(&action.sa_mask);
		sigaction(SIGINT, &action, NULL);
		sigaction(SIGTERM, &action, NULL);
		st = nx_serve(&how, err);
	}
	nx_arena_release(&arena);
	return st;
}

#else

enum nx_status nx_view_serve(const struct nx_view_options *v, const char *open_name,
			     bool opens_ranks, struct nx_error *err)
{
	(void)v, (void)open_name, (void)opens_ranks;
	return nx_fail(err, NX_UNSUPPORTED,
		       "this build has no browser view; choose --output-format json, summary-json "
		       "or summary-text");
}

#endif
