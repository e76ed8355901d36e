/* SPDX-License-Identifier: Apache-2.0 */
/* measures: what a profile measured, by name, for comparisons. */
#ifndef NX_QUERY_MEASURES_H
#define NX_QUERY_MEASURES_H

#include "model/comparison.h"
#include "query/query_engine.h"

/* Leaves out the sections whose tables the profile lacks. Release after a failure too. */
NX_MUST_CHECK enum nx_status nx_measures_ask(struct nx_measures *measures,
					     const struct nx_query_engine *engine,
					     struct nx_error *err);

#endif
