/* SPDX-License-Identifier: Apache-2.0 */
/* server: what handlers may use of the server; serve/serve.h starts it. */
#ifndef NX_SERVE_SERVER_H
#define NX_SERVE_SERVER_H

#include "serve/asking.h"
#include "serve/events.h"
#include "serve/open_profiles.h"
#include "serve/processing.h"
#include "serve/serve.h"
#include "serve/stream.h"
#include "store/workspace.h"

struct nx_server;

struct nx_workspace *nx_server_workspace(struct nx_server *server);
struct nx_open_profiles *nx_server_profiles(struct nx_server *server);
struct nx_asking *nx_server_asking(struct nx_server *server);
struct nx_streams *nx_server_streams(struct nx_server *server);
struct nx_events *nx_server_events(struct nx_server *server);
struct nx_processing *nx_server_processing(struct nx_server *server);
const struct nx_serve_options *nx_server_options(const struct nx_server *server);

#endif
