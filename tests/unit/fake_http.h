/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_http: a server on loopback that plays a script, for tests of HTTP clients.
 *
 *	static const struct nx_fake_step steps[] = {
 *		{"SELECT version()", 200, "version()\nString\n18.16.1\n"},
 *		{"INSERT", .harm = NX_FAKE_HANG_UP},
 *	};
 *	nx_fake_http_start(&fake, steps, 2);
 *	... ask http://127.0.0.1:fake.port ...
 *	nx_fake_http_stop(&fake); // asserts that all steps were played and none was missed
 *
 * Each request takes the next step; one that does not hold the step's text, or comes when none is
 * left, is answered with 599 and remembered as a fault.
 */
#ifndef NX_TESTS_FAKE_HTTP_H
#define NX_TESTS_FAKE_HTTP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nx_fake_harm {
	NX_FAKE_NONE,
	NX_FAKE_HANG_UP, /* reads the request, answers nothing */
	NX_FAKE_CUT,	 /* promises more bytes than it sends */
};

struct nx_fake_step {
	const char *wants; /* in the request, URL escapes undone */
	unsigned code;
	const char *body;
	enum nx_fake_harm harm;
	const char *header; /* of the answer; NULL: none */
};

struct nx_fake_http {
	const struct nx_fake_step *steps;
	size_t step_count, played_count;
	int listener;
	unsigned port;
	pthread_t thread;
	char fault[4096]; /* the first request that did not fit */
	char last[16384]; /* the last request, as compared */
};

void nx_fake_http_start(struct nx_fake_http *fake, const struct nx_fake_step *steps, size_t count);
void nx_fake_http_stop(struct nx_fake_http *fake);

#endif
