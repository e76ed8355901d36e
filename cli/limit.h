/* SPDX-License-Identifier: Apache-2.0 */
/* limit: --fail-if of compare and bench: a name, < or >, and a number; with a sign, the number
 * limits the change against the baseline, else the value. */
#ifndef NX_CLI_LIMIT_H
#define NX_CLI_LIMIT_H

#include "cli/command.h"
#include "model/comparison.h"

struct nx_limit {
	const char *text;
	const struct nx_compared *row;
	bool is_above;	  /* '>': exceeded by larger values */
	bool is_change;	  /* signed: the change is limited, not the value */
	bool is_relative; /* the change in per cent of the baseline */
	double value;	  /* in the unit of the row */
};

struct nx_limits {
	struct nx_limit items[NX_LIST_MAX];
	size_t count;
};

/* Before anything is printed. A comparison of one side has no baseline: it can limit values only.
 */
NX_MUST_CHECK enum nx_status nx_limits_parse(struct nx_limits *limits,
					     const struct nx_list_value *texts,
					     const struct nx_comparison *comparison,
					     struct nx_error *err);
/* LIMIT, with what was measured, if one is exceeded. */
NX_MUST_CHECK enum nx_status nx_limits_check(const struct nx_limits *limits,
					     const struct nx_comparison *comparison,
					     struct nx_error *err);

#endif
