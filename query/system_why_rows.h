/* SPDX-License-Identifier: Apache-2.0 */
/* system_why_rows: asks a system profile what bound its run. */
#ifndef NX_QUERY_SYSTEM_WHY_ROWS_H
#define NX_QUERY_SYSTEM_WHY_ROWS_H

#include "model/system_why.h"
#include "query/query_engine.h"

/* NOT_FOUND if it is no system profile, or has no events. Release it after a failure too. */
NX_MUST_CHECK enum nx_status nx_system_why_ask(struct nx_system_why *why,
					       const struct nx_query_engine *engine,
					       struct nx_error *err);
void nx_system_why_release(struct nx_system_why *why);

#endif
