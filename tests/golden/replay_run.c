/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicts how long a captured run would take with something changed, and prints picoseconds; or
 * prints how long all computations of an engine take, each counted whole.
 * usage: replay_run NEFF NTFF [no_reloads | no_skew | ENGINE=PPM]...
 *        replay_run NEFF NTFF work ENGINE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/why/why.h"
#include "pipeline/device_session.h"

static bool read_change(const char *word, struct nx_why_change *change)
{
	const char *equals = strchr(word, '=');

	if (!strcmp(word, "no_reloads"))
		change->no_reloads = true;
	else if (!strcmp(word, "no_skew"))
		change->no_skew = true;
	for (unsigned e = 0; equals && e < NX_ENGINE_COUNT; e++) {
		size_t len = strlen(nx_engines[e].label);

		if ((size_t)(equals - word) != len || strncmp(word, nx_engines[e].label, len) != 0)
			continue;
		change->is_scaled[e] = true;
		change->scale_ppm[e] = (uint32_t)strtoul(equals + 1, NULL, 10);
		return true;
	}
	return change->no_reloads || change->no_skew;
}

static long long work_of(const struct nx_release_graph *graph, const char *engine)
{
	long long sum = 0;

	for (uint32_t i = 0; i < graph->instruction_count; i++) {
		const struct nx_release_node *n = &graph->nodes.items[i];

		if (!(n->flags & (NX_NODE_FRAME | NX_NODE_CONTROL)) &&
		    !strcmp(nx_engines[n->engine].label, engine))
			sum += n->end_ps - n->work_ps;
	}
	return sum;
}

/* engine: print its work instead; NULL: predict. */
static enum nx_status answer(const struct nx_profile *profile, const struct nx_why_change *change,
			     const char *engine, struct nx_error *err)
{
	struct nx_why *why;
	enum nx_status st = nx_why_build(&why, profile, true, err);

	if (st)
		return st;
	printf("%lld\n", engine ? work_of(nx_why_graph(why), engine)
				: (long long)nx_why_replay(why, change).end_ps);
	nx_why_free(why);
	return NX_OK;
}

int main(int argc, char **argv)
{
	struct nx_device_session_options options = {.skip_buffer_usage = true};
	struct nx_why_change change = {0};
	struct nx_device_session *session;
	struct nx_error err = {0};
	const char *engine = NULL;
	enum nx_status st;

	if (argc < 3)
		return 2;
	if (argc == 5 && !strcmp(argv[3], "work")) {
		engine = argv[4];
		argc = 3;
	}
	options.neff_path = argv[1];
	options.session_path = argv[2];
	for (int i = 3; i < argc; i++)
		if (!read_change(argv[i], &change)) {
			fprintf(stderr, "%s: not a change\n", argv[i]);
			return 2;
		}
	st = nx_device_session_open(&session, &options, &err);
	if (!st) {
		st = answer(nx_device_session_borrow(session), &change, engine, &err);
		nx_device_session_close(session);
	}
	if (st)
		fprintf(stderr, "%s\n", err.message);
	return st != NX_OK;
}
