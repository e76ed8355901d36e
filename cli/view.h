/* SPDX-License-Identifier: Apache-2.0 */
/* view: the parts of the view command that have files of their own. */
#ifndef NX_CLI_VIEW_H
#define NX_CLI_VIEW_H

#include "analyse/rank_times.h"
#include "cli/options.h"
#include "cli/status_file.h"
#include "export/exporters.h"
#include "model/system.h"
#include "pipeline/device_session.h"
#include "pipeline/stored_profile.h"

/* --- options, and the checks of their combinations: view_options.c ------------------------- */

struct nx_view_options {
	const char *neff_path, *session_path, *directory;
	const char *format, *output_file, *status_file, *data_path, *display_name;
	bool is_json;	/* of --recommend: not Markdown */
	bool is_legacy; /* called as neuron-profile: without a format, rows go to InfluxDB too */
	const char *store, *db_endpoint, *db_org, *db_bucket;
	bool ingest_only, recommend, pretty, force, terminology, perfetto_flows;
	bool track_memory, skip_buffer_usage, skip_instructions, skip_events, skip_dma,
		skip_hierarchy;
	bool skip_device_profile, skip_system_profile, show_private, uncompressed;
	const char *stored_name;    /* of a profile in the workspace to show; NULL: none */
	const char *sessions;	    /* of the run in the directory, comma-separated; NULL: all */
	const char *session_prefix; /* of several session files in the directory; NULL: all */
	const char *recipe, *device_recipe; /* once the rest is known */
	const char *core_filter, *type_filter, *instance_filter;
	const char *primary_group, *secondary_group;
	const char *framework_source_root, *nki_source_root, *source_code_root;
	const char *host, *token, *token_file, *query_memory_limit;
	uint64_t query_memory_limit_bytes;
	bool disable_ui;
	struct nx_number_value execution, port, api_port, verbosity, jobs, progress_fd;
	struct nx_list_value features;
};

extern const struct nx_option nx_view_option_table[];

/* "view FILE": what -s or -d would have named. */
NX_MUST_CHECK enum nx_status nx_view_take_operand(struct nx_view_options *v,
						  const struct nx_operands *operands,
						  struct nx_error *err);
/* "view NAME": a path that does not exist may be a profile of the workspace. */
NX_MUST_CHECK enum nx_status nx_view_take_name(struct nx_view_options *v, struct nx_arena *arena,
					       struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_view_options_check(struct nx_view_options *v, struct nx_error *err);

/*
 * Looks at the files: a path that only begins the names of several session files becomes a
 * directory and a prefix. FORMAT if -n and -s were confused.
 */
NX_MUST_CHECK enum nx_status nx_view_find_sessions(struct nx_view_options *v,
						   struct nx_arena *arena, struct nx_error *err);

/* Whether to show the workspace in the browser: no format, and no other output was requested. */
bool nx_view_wants_browser(const struct nx_view_options *v);
/* Whether the profile is stored as tables, here or in a database, not as a file. */
bool nx_view_wants_tables(const struct nx_view_options *v);
/*
 * The program version and the options that affect the rows of a profile, as text: two profiles of
 * the same files and recipe are the same.
 */
const char *nx_view_recipe(const struct nx_view_options *v, struct nx_arena *arena);
/* The same for device profiles, whose rows the filters of a directory do not affect. */
const char *nx_view_device_recipe(const struct nx_view_options *v, struct nx_arena *arena);
struct nx_device_session_options nx_view_device_options(const struct nx_view_options *v);
struct nx_export_options nx_view_export_options(const struct nx_view_options *v);
struct nx_store_target nx_view_store_target(const struct nx_view_options *v);

/* --- messages on standard error: view_messages.c ------------------------------------------- */

/* How much to report, as -v counts. */
enum nx_verbosity { NX_SAY_ERRORS = 2, NX_SAY_WARNINGS = 3, NX_SAY_ALL = 4 };
unsigned nx_view_verbosity(const struct nx_view_options *v);
/* Whether to report more than errors. */
bool nx_view_says(const struct nx_view_options *v);

/* Warnings about gaps in the profile: a few lines, or all with NX_SAY_ALL. */
void nx_view_say_warnings(const struct nx_warnings *warnings, unsigned verbosity);
/* "wrote ntff.json: 2,657 packets, 458 instructions, 4.1 MB in 0.1 s" */
void nx_view_say_result(const struct nx_profile *profile, const char *path, uint64_t written_bytes,
			uint64_t duration_ns);
/* "stored as bert: 2,657 rows, 4.1 MB in 0.1 s", and how many source files were copied. */
void nx_view_say_stored(const struct nx_stored *stored, uint64_t duration_ns);
/* Terms and metrics, wrapped to the terminal. */
void nx_view_print_terminology(struct nx_output *out);

/* --- the browser: view_serve.c ------------------------------------------------------------- */

#define NX_VIEW_DEFAULT_PORT 3001u
/* USAGE if a port that the server needs is in use: to be known before a capture is processed. */
NX_MUST_CHECK enum nx_status nx_view_check_ports(const struct nx_view_options *v,
						 struct nx_error *err);
/* Serves the workspace until ctrl-c. open_name is the profile to open, or with opens_ranks a group
 * of profiles, one per rank; "": the list of all. */
NX_MUST_CHECK enum nx_status nx_view_serve(const struct nx_view_options *v, const char *open_name,
					   bool opens_ranks, struct nx_error *err);

/* Prints what the rules find in the tables of a folder, the largest gain first: view_recommend.c.
 */
NX_MUST_CHECK enum nx_status nx_recommend(const char *path, const char *name, bool is_json,
					  struct nx_error *err);
/* The same for a profile that view has just stored. */
NX_MUST_CHECK enum nx_status nx_view_recommend(const struct nx_view_options *v, const char *name,
					       struct nx_error *err);

/* --- a directory: view_directory.c --------------------------------------------------------- */

/*
 * The system profile of a directory, and every device capture in it. stored receives the system
 * profile as stored tables; without one, the name of its only device profile or, with has_ranks,
 * what the ranks of a model are called together.
 */
NX_MUST_CHECK enum nx_status nx_view_directory(const struct nx_view_options *v,
					       struct nx_status_file *status_file,
					       struct nx_stored *stored, bool *has_ranks,
					       struct nx_error *err);

/* --- many device captures: device_jobs.c --------------------------------------------------- */

struct nx_device_result { /* sent by the child through a pipe */
	enum nx_status status;
	uint64_t total_time_ps, instruction_count, packet_count;
	uint32_t rank;				 /* UINT32_MAX: not known */
	uint64_t start_epoch_ns;		 /* 0 = no common clock */
	char collective[NX_RANK_COLLECTIVE_MAX]; /* the first; "" for none */
	uint64_t collective_end_ns;
	bool is_known;			/* already stored and unchanged */
	char name[NX_PROFILE_NAME_MAX]; /* in the workspace; "" for none */
	char message[1024];		/* of a failure */
	char note[1024];		/* for the user, also after success */
	char warnings[1200]; /* of the profile: texts one after the other, then an empty one */
};

struct nx_device_job {
	struct nx_device_session_options options;
	const char *target;		     /* file of the export; NULL: stored as tables */
	const struct nx_store_target *store; /* where tables go; NULL: exported */
	struct nx_device_result result;
};

struct nx_device_jobs NX_VEC_BODY(struct nx_device_job);

/* One row for each capture that was processed now, and a sentence about their common clock. */
void nx_view_report_devices(const struct nx_device_jobs *jobs, struct nx_output *out);
/* The same for programs (docs/formats/json.md), if at least two captures have a rank. */
NX_MUST_CHECK enum nx_status nx_view_write_ranks(const struct nx_device_jobs *jobs,
						 const char *path, bool pretty,
						 struct nx_error *err);

/*
 * Opens a job's capture. A NEFF that was chosen by its name may belong to another
 * model: then the capture is read without one and the result's note says so.
 */
NX_MUST_CHECK enum nx_status nx_device_job_open(struct nx_device_job *job,
						struct nx_device_session **out,
						struct nx_error *err);
/* Puts the warnings of a job's profile into its result, as many as fit. */
void nx_device_job_keep_warnings(struct nx_device_job *job, const struct nx_warnings *warnings);
/*
 * Prints the warnings of all device profiles, those of one cause together, or each with
 * NX_SAY_ALL: view_messages.c.
 */
void nx_view_say_device_warnings(const struct nx_device_jobs *jobs, unsigned verbosity);
/*
 * Runs each job in its own child process, at most at_once at a time (0: one per processor). Memory
 * grows with that number only, and a capture that cannot be read does not affect the others.
 * Fails only if no child can be started.
 */
NX_MUST_CHECK enum nx_status nx_device_jobs_run(struct nx_device_jobs *jobs,
						const struct nx_exporter *exporter,
						const struct nx_export_options *how,
						uint32_t at_once, struct nx_error *err);

#endif
