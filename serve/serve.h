/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve: a profile as web pages, from this process, until told to stop.
 *
 *	static volatile sig_atomic_t stop;  (set by a signal handler)
 *	struct nx_serve_options options = {.port = 3001, .on_ready = print_url, .stop = &stop};
 *	st = nx_serve_profile(profile, &options, err);
 *
 * Everything a page shows is computed before on_ready is called, so a big
 * profile takes its time there and no visitor waits. The profile is borrowed and
 * must not change meanwhile.
 */
#ifndef NX_SERVE_SERVE_H
#define NX_SERVE_SERVE_H

#include <signal.h>
#include <stdint.h>

#include "base/error.h"
#include "model/profile.h"

#define NX_SERVE_DEFAULT_PORT 3001

struct nx_serve_options {
	const char *host; /* name or address to listen on; NULL: this machine only */
	uint16_t port;	  /* 0: any free one */
	/* Called once, from the calling thread, when visitors are welcome. The URL is
	 * that of the profile's page: http://localhost:3001/profile/n_… */
	void (*on_ready)(void *context, const char *url);
	void *context;
	volatile sig_atomic_t *stop; /* serving ends a moment after it is not 0 */
};

NX_MUST_CHECK enum nx_status nx_serve_profile(const struct nx_profile *profile,
					      const struct nx_serve_options *options,
					      struct nx_error *err);

#endif
