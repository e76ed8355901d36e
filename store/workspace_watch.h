/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace_watch: whether a workspace is still as it was.
 *
 * The number is made of the names and times of all profiles, finished or in the making,
 * and of all uploads; it is another one after every change that a list would show. It
 * costs one look per profile and works on file systems that notify nobody.
 */
#ifndef NX_STORE_WORKSPACE_WATCH_H
#define NX_STORE_WORKSPACE_WATCH_H

#include "store/workspace.h"

uint64_t nx_workspace_fingerprint(const struct nx_workspace *ws);

#endif
