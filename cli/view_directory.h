/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_directory: view -d: the system profile of a directory, and every device
 * capture in it. Child processes read the captures, a bounded number at once,
 * so that a capture that fails does not affect the others.
 */
#ifndef NX_CLI_VIEW_DIRECTORY_H
#define NX_CLI_VIEW_DIRECTORY_H

#include "cli/status_file.h"
#include "export/exporters.h"
#include "export/system_exporters.h"
#include "pipeline/device_session.h"
#include "pipeline/stored_profile.h"
#include "pipeline/system_profile.h"

struct nx_directory_view {
	struct nx_system_options system;
	struct nx_device_session_options device; /* paths are filled in per capture */
	struct nx_export_options device_export;
	struct nx_system_export_options system_export;
	const char *format;
	bool as_tables; /* into the workspace, or below output_dir; format is not used */
	struct nx_store_target store;
	const char *output_dir; /* NULL: the current folder */
	uint32_t jobs;		/* at once; 0: one per processor */
	unsigned verbosity;
	struct nx_status_file *status_file;
	struct nx_stored system_stored; /* the system profile as stored tables */
	/* Without a system profile: its only device profile, or what the ranks of a model are
	 * called together. */
	char devices_name[NX_PROFILE_NAME_MAX];
	bool has_ranks;
};

NX_MUST_CHECK enum nx_status nx_view_directory(struct nx_directory_view *view,
					       struct nx_error *err);

#endif
