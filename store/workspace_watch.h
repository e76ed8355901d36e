/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace_watch: detects changes of a workspace.
 *
 * The number is computed from the names and times of all profiles, finished or in progress, and of
 * all uploads; it differs after every change that a list would show. It costs one stat per profile
 * and works on file systems without notification.
 */
#ifndef NX_STORE_WORKSPACE_WATCH_H
#define NX_STORE_WORKSPACE_WATCH_H

#include "store/workspace.h"

uint64_t nx_workspace_fingerprint(const struct nx_workspace *ws);

#endif
