/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_filter: which events of a system profile to keep.
 *
 * cores: "0,2,3" (local to an instance). types: names, `hardware`, `software`,
 * each may be negated with `^`: "^nrt_tensor_write" keeps all but that.
 * instances: ids. An empty filter keeps everything. A name that matches nothing
 * is an error that lists what there is.
 */
#ifndef NX_PIPELINE_SYSTEM_FILTER_H
#define NX_PIPELINE_SYSTEM_FILTER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "model/system.h"

struct nx_filter_words {
	const char **words;
	size_t count;
};

struct nx_system_filter {
	struct nx_filter_words cores, types, instances;
	bool has_positive_type; /* some type is included, not only excluded */
	/* which words matched something so far */
	bool *core_matched, *type_matched, *instance_matched;
};

struct nx_system_filter_options {
	const char *cores, *event_types, *instances; /* comma-separated; NULL = all */
};

NX_MUST_CHECK enum nx_status nx_system_filter_init(struct nx_system_filter *filter,
						   const struct nx_system_filter_options *options,
						   struct nx_arena *arena, struct nx_error *err);
bool nx_system_filter_keeps_process(struct nx_system_filter *filter,
				    const struct nx_system_process *process);
bool nx_system_filter_keeps(struct nx_system_filter *filter, const struct nx_system_event *event,
			    const char *event_name);
/* After all events: NOT_FOUND naming the first word that matched nothing. */
NX_MUST_CHECK enum nx_status nx_system_filter_check(const struct nx_system_filter *filter,
						    const struct nx_system_profile *profile,
						    struct nx_error *err);

#endif
