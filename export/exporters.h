/* SPDX-License-Identifier: Apache-2.0 */
/* exporters: the output formats of device and system profiles. Adding one is a file and a row in
 * exporters.c. */
#ifndef NX_EXPORT_EXPORTERS_H
#define NX_EXPORT_EXPORTERS_H

#include "base/file.h"
#include "base/progress.h"
#include "model/profile.h"
#include "model/system.h"

struct nx_export_options {
	bool pretty;
	bool compress;	     /* Perfetto: deflated packets */
	bool perfetto_flows; /* Perfetto: arrows between instructions that depend on each other */
	struct nx_progress *progress; /* counts rows written; may be NULL */
};

typedef enum nx_status nx_export_fn(const struct nx_profile *profile,
				    const struct nx_export_options *options, struct nx_output *out,
				    struct nx_error *err);

struct nx_exporter {
	const char *name;	  /* as given to --output-format */
	const char *default_file; /* NULL: standard output, and --output-file is not used */
	const char *description;
	nx_export_fn *write;
};

extern const struct nx_exporter nx_exporters[];
extern const size_t nx_exporter_count;
/* NULL if there is none of that name. */
const struct nx_exporter *nx_exporter_find(const char *name);
nx_export_fn nx_export_json, nx_export_perfetto, nx_export_summary_json, nx_export_summary_text;

struct nx_system_export_options {
	bool pretty;
	bool include_private; /* addresses and names of hosts */
	bool cpu_per_core;    /* Perfetto: a counter per CPU beside their average */
	bool compress;	      /* Perfetto: deflated packets */
	/* Perfetto: comma-separated fields that make processes and threads; NULL: the defaults */
	const char *primary_group;
	const char *secondary_group;
	struct nx_progress *progress; /* counts events written; may be NULL */
};

/* USAGE errors come before the first byte is written. */
typedef enum nx_status nx_system_export_fn(const struct nx_system_profile *profile,
					   const struct nx_system_export_options *options,
					   struct nx_output *out, struct nx_error *err);

struct nx_system_exporter {
	const char *name;	  /* as given to --output-format */
	const char *default_file; /* NULL: standard output */
	const char *description;
	nx_system_export_fn *write;
};

extern const struct nx_system_exporter nx_system_exporters[];
extern const size_t nx_system_exporter_count;
const struct nx_system_exporter *nx_system_exporter_find(const char *name);
nx_system_export_fn nx_system_export_json, nx_system_export_perfetto, nx_system_export_summary_json,
	nx_system_export_summary_text, nx_system_export_xspace;

#endif
