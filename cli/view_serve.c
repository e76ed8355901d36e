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

static_assert(NX_VIEW_DEFAULT_PORT == NX_SERVE_DEFAULT_PORT, "what is printed is served");

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
	if (ready->is_api)
		printf("The API answers at %s\nctrl-c to exit\n", ready->url);
	else
		printf("%s at %s\nctrl-c to exit\n",
		       ready->is_of_profile ? "View profile" : "View a list of profiles",
		       ready->url);
	/* Scripts wait for this line through a pipe. */
	fflush(stdout);
}

static struct nx_serve_options options_of(const struct nx_view_options *v)
{
	assert(v->port.value <= UINT16_MAX && v->api_port.value <= UINT16_MAX);
	return (struct nx_serve_options){
		.workspace_path = v->data_path,
		.host = v->host,
		.port = v->port.is_given ? (uint16_t)v->port.value : NX_SERVE_DEFAULT_PORT,
		.api_port = v->api_port.is_given ? (uint16_t)v->api_port.value
						 : NX_SERVE_DEFAULT_API_PORT,
		.is_api_port_asked = v->api_port.is_given,
		.disable_ui = v->disable_ui,
		.query_memory_limit_bytes = v->query_memory_limit_bytes,
		.token = v->token,
		.on_ready = say_ready,
		.stop = &is_stopped,
	};
}

/* Tools that run this for the API alone, beside a server that is running, expect the profile to be
 * stored for that server even if they do not get a port. */
enum nx_status nx_view_check_ports(const struct nx_view_options *v, struct nx_error *err)
{
	struct nx_serve_options how = options_of(v);
	enum nx_status st = nx_serve_check(&how, err);

	if (st == NX_USAGE && v->disable_ui && (v->session_path || v->directory)) {
		nx_say_warning("%s; the profile will be stored, not served", err->message);
		st = NX_OK;
	}
	return st;
}

enum nx_status nx_view_serve(const struct nx_view_options *v, const char *open_name,
			     bool opens_ranks, struct nx_error *err)
{
	struct nx_serve_options how = options_of(v);
	/* The second ctrl-c ends the program at once, in case the first has no effect. */
	struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND};
	struct nx_arena arena = {0};
	enum nx_status st = NX_OK;

	how.open_name = *open_name ? open_name : NULL;
	how.opens_ranks = opens_ranks;
	how.shows_id = v->is_legacy && !v->display_name;
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

enum nx_status nx_view_check_ports(const struct nx_view_options *v, struct nx_error *err)
{
	return nx_view_serve(v, "", false, err);
}

enum nx_status nx_view_serve(const struct nx_view_options *v, const char *open_name,
			     bool opens_ranks, struct nx_error *err)
{
	(void)v, (void)open_name, (void)opens_ranks;
	return nx_fail(err, NX_UNSUPPORTED,
		       "this build has no browser view; choose --output-format json, summary-json "
		       "or summary-text");
}

#endif
