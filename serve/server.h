/* SPDX-License-Identifier: Apache-2.0 */
/* server: what handlers may use of the server; serve/serve.h starts it. */
#ifndef NX_SERVE_SERVER_H
#define NX_SERVE_SERVER_H

#include <stdatomic.h>

#include "query/engine_pool.h"
#include "serve/answer_cache.h"
#include "serve/asking.h"
#include "serve/events.h"
#include "serve/guard.h"
#include "serve/processing.h"
#include "serve/serve.h"
#include "serve/tasks.h"

struct nx_server {
	const struct nx_serve_options *options;
	const char *host;
	struct nx_workspace *workspace;
	struct nx_open_profiles *profiles;
	struct nx_engine_pool *engines;
	struct nx_answer_cache *answers;
	struct nx_guard guard;
	struct nx_streams *streams;
	struct nx_events *events;
	struct nx_processing *processing;
	struct nx_tasks *tasks;
	struct nx_timer *timer;
	struct nx_workers *quick, *slow;
	atomic_bool is_stopping;
};

#endif
