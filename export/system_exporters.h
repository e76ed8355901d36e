/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_exporters: the ways out of a system profile. Adding one is a file and
 * a row in system_exporters.c.
 */
#ifndef NX_EXPORT_SYSTEM_EXPORTERS_H
#define NX_EXPORT_SYSTEM_EXPORTERS_H

#include "base/file.h"
#include "base/progress.h"
#include "model/system.h"

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

struct nx_system_exporter {
	const char *name;	  /* as given to --output-format */
	const char *default_file; /* NULL: standard output */
	const char *description;
	/* USAGE errors come before the first byte is written. */
	enum nx_status (*write)(const struct nx_system_profile *profile,
				const struct nx_system_export_options *options,
				struct nx_output *out, struct nx_error *err);
};

extern const struct nx_system_exporter nx_system_exporters[];
extern const size_t nx_system_exporter_count;
const struct nx_system_exporter *nx_system_exporter_find(const char *name);

enum nx_status nx_system_export_json(const struct nx_system_profile *profile,
				     const struct nx_system_export_options *options,
				     struct nx_output *out, struct nx_error *err);
enum nx_status nx_system_export_summary_json(const struct nx_system_profile *profile,
					     const struct nx_system_export_options *options,
					     struct nx_output *out, struct nx_error *err);
enum nx_status nx_system_export_summary_text(const struct nx_system_profile *profile,
					     const struct nx_system_export_options *options,
					     struct nx_output *out, struct nx_error *err);
enum nx_status nx_system_export_perfetto(const struct nx_system_profile *profile,
					 const struct nx_system_export_options *options,
					 struct nx_output *out, struct nx_error *err);

#endif
