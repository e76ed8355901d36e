/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_profile: from an output directory to a struct nx_system_profile. Events are sorted by time
 * in bounded memory; their attributes stay in the files and are read on demand.
 */
#ifndef NX_PIPELINE_SYSTEM_PROFILE_H
#define NX_PIPELINE_SYSTEM_PROFILE_H

#include "base/progress.h"
#include "model/system.h"

/*
 * Which events to keep. cores: "0,2,3" (local to an instance). event_types: names, `hardware`,
 * `software`, each may be negated: "^nrt_tensor_write" keeps all but that. instances: ids. A word
 * that matches nothing is an error that lists what there is.
 */
struct nx_system_filter_options {
	const char *cores, *event_types, *instances; /* comma-separated; NULL = all */
};

struct nx_system_options {
	const char *directory;
	const char *neff_path; /* NEFF of all session files (several ranks of one model); NULL */
	const char *session_prefix; /* only session files whose paths begin so; NULL: all */
	const char *sessions;	    /* of the run, comma-separated; NULL: all */
	struct nx_system_filter_options filter;
	bool skip_system; /* only look for device captures */
	bool skip_device; /* only read system traces */
	bool show_progress;
};

struct nx_system_run; /* the profile and what it stands on */

NX_MUST_CHECK enum nx_status nx_system_run_open(struct nx_system_run **out,
						const struct nx_system_options *options,
						struct nx_error *err);
const struct nx_system_profile *nx_system_run_borrow(const struct nx_system_run *run);
void nx_system_run_close(struct nx_system_run *run);

#endif
