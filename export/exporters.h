/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporters: the ways out of a device profile. Adding one is a file and a row
 * in exporters.c.
 */
#ifndef NX_EXPORT_EXPORTERS_H
#define NX_EXPORT_EXPORTERS_H

#include "base/file.h"
#include "base/progress.h"
#include "model/profile.h"

struct nx_export_options {
	bool pretty;
	bool compress;	     /* Perfetto: deflated packets */
	bool perfetto_flows; /* Perfetto: arrows between instructions that depend on each other */
	struct nx_progress *progress; /* counts rows written; may be NULL */
};

struct nx_exporter {
	const char *name;	  /* as given to --output-format */
	const char *default_file; /* NULL: standard output, and --output-file is not used */
	const char *description;
	enum nx_status (*write)(const struct nx_profile *profile,
				const struct nx_export_options *options, struct nx_output *out,
				struct nx_error *err);
};

extern const struct nx_exporter nx_exporters[];
extern const size_t nx_exporter_count;
const struct nx_exporter *nx_exporter_find(const char *name);

enum nx_status nx_export_json(const struct nx_profile *profile,
			      const struct nx_export_options *options, struct nx_output *out,
			      struct nx_error *err);
enum nx_status nx_export_perfetto(const struct nx_profile *profile,
				  const struct nx_export_options *options, struct nx_output *out,
				  struct nx_error *err);
enum nx_status nx_export_summary_json(const struct nx_profile *profile,
				      const struct nx_export_options *options,
				      struct nx_output *out, struct nx_error *err);
enum nx_status nx_export_summary_text(const struct nx_profile *profile,
				      const struct nx_export_options *options,
				      struct nx_output *out, struct nx_error *err);

#endif
