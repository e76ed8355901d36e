/* SPDX-License-Identifier: Apache-2.0 */
/* view_options: the options of `view`, and the checks of their combinations. */
#ifndef NX_CLI_VIEW_OPTIONS_H
#define NX_CLI_VIEW_OPTIONS_H

#include "base/arena.h"
#include "cli/options.h"

struct nx_view_options {
	const char *neff_path, *session_path, *directory;
	const char *format, *output_file, *status_file, *data_path, *display_name;
	bool is_legacy; /* called as neuron-profile: without a format, rows go to InfluxDB too */
	const char *store, *db_endpoint, *db_org, *db_bucket;
	bool ingest_only, pretty, force, terminology, perfetto_flows;
	bool skip_buffer_usage, skip_instructions, skip_events, skip_dma, skip_hierarchy;
	bool skip_device_profile, skip_system_profile, show_private, uncompressed;
	const char *recipe; /* nx_view_recipe, once the rest is known */
	const char *core_filter, *type_filter, *instance_filter;
	const char *primary_group, *secondary_group;
	const char *framework_source_root, *nki_source_root, *source_code_root;
	const char *host, *token;
	bool disable_ui;
	struct nx_number_value execution, port, api_port, verbosity, jobs, progress_fd;
	struct nx_list_value features;
};

extern const struct nx_option nx_view_option_table[];

NX_MUST_CHECK enum nx_status nx_view_options_check(struct nx_view_options *v, struct nx_error *err);

/* Whether the profile is stored as tables, here or in a database, not as a file. */
bool nx_view_wants_tables(const struct nx_view_options *v);
/*
 * The program version and the options that affect the rows of a profile, as text: two profiles of
 * the same files and recipe are the same.
 */
const char *nx_view_recipe(const struct nx_view_options *v, struct nx_arena *arena);
/* Whether to show the workspace in the browser: no format, and no other output was requested. */
bool nx_view_wants_browser(const struct nx_view_options *v);
bool nx_view_has_format(const struct nx_view_options *v, const char *format);

#endif
