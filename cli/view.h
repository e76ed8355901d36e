/* SPDX-License-Identifier: Apache-2.0 */
/* view: the parts of the view command that have files of their own. */
#ifndef NX_CLI_VIEW_H
#define NX_CLI_VIEW_H

#include "base/file.h"
#include "pipeline/stored_profile.h"

/* How much is said on standard error, as -v counts. */
enum nx_verbosity { NX_SAY_ERRORS = 2, NX_SAY_WARNINGS = 3, NX_SAY_ALL = 4 };

/* Warnings about gaps in the profile: a few lines, or all with NX_SAY_ALL. */
void nx_view_say_warnings(const struct nx_profile *profile, unsigned verbosity);
void nx_view_say_warning_list(const struct nx_warnings *warnings, unsigned verbosity);

/* "wrote ntff.json: 2,657 packets, 458 instructions, 4.1 MB in 0.1 s" */
void nx_view_say_result(const struct nx_profile *profile, const char *path, uint64_t written_bytes,
			uint64_t duration_ns);

/* "stored as bert: 2,657 rows, 4.1 MB in 0.1 s", and how many source files were copied. */
void nx_view_say_stored(const struct nx_stored *stored, uint64_t duration_ns);

/* How the workspace is shown in a browser. */
struct nx_serve_view {
	const char *data_path; /* of the workspace; NULL: the usual one */
	const char *open_name; /* the profile to open; NULL: the list of all */
	bool opens_ranks;      /* open_name is a group of profiles, one per rank */
	const char *host;
	const char *token; /* NULL: NEURON_EXPLORER_TOKEN, if it is set */
	uint16_t port, api_port;
	bool is_api_port_asked, disable_ui;
};

/* Serves until ctrl-c. */
NX_MUST_CHECK enum nx_status nx_view_serve(const struct nx_serve_view *view, struct nx_error *err);

/* Terms and metrics, wrapped to the terminal. */
void nx_view_print_terminology(struct nx_output *out);

#endif
