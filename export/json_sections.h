/* SPDX-License-Identifier: Apache-2.0 */
/* json_sections: the parts of the JSON export. Each writes one value, an array of rows;
 * docs/formats/json.md lists the fields. */
#ifndef NX_EXPORT_JSON_SECTIONS_H
#define NX_EXPORT_JSON_SECTIONS_H

#include "base/json_writer.h"
#include "base/progress.h"
#include "model/profile.h"
#include "model/system.h"

/* One object: the summary's metrics. */
void nx_json_summary(struct nx_json_writer *w, const struct nx_profile *profile);
/* As summary-json prints it: with the columns of the Summary table that are no metrics, because
 * scripts for AWS's newer tool read them here. The JSON of the whole profile does not have them. */
void nx_json_summary_alone(struct nx_json_writer *w, const struct nx_profile *profile);

/* Tables that grow with the trace; *rows becomes the number written. */
enum nx_status nx_json_instructions(struct nx_json_writer *w, const struct nx_profile *profile,
				    struct nx_progress *progress, uint64_t *rows,
				    struct nx_error *err);
enum nx_status nx_json_dma(struct nx_json_writer *w, const struct nx_profile *profile,
			   struct nx_progress *progress, uint64_t *rows, struct nx_error *err);
enum nx_status nx_json_table(struct nx_json_writer *w, const struct nx_profile *profile,
			     enum nx_table table, uint64_t *rows, struct nx_error *err);

/* Tables of the capture and the NEFF; each returns its number of rows. */
typedef uint64_t nx_json_section(struct nx_json_writer *w, const struct nx_profile *profile);
nx_json_section nx_json_layer_summary, nx_json_model_info, nx_json_memory_usage, nx_json_queues,
	nx_json_neff_nodes, nx_json_stack_frames, nx_json_collectives, nx_json_neff_header,
	nx_json_profile_info, nx_json_summary_groups, nx_json_summary_group_order,
	nx_json_terminology;

void nx_json_warnings(struct nx_json_writer *w, const struct nx_warnings *warnings);
void nx_json_metadata(struct nx_json_writer *w, const struct nx_profile *profile,
		      uint64_t total_point_count);

/* "subgraph" is written only if there is more than one graph. */
static inline void nx_json_subgraph(struct nx_json_writer *w, const struct nx_profile *profile,
				    uint32_t graph)
{
	if (profile->capture.graph_count > 1)
		nx_json_key_text(w, "subgraph", profile->capture.graphs[graph].name);
}

/* Members that are the same in many rows, rendered once (compact output only). */
struct nx_json_fragment {
	const char *text;
	size_t len;
};
typedef void (*nx_json_members_fn)(struct nx_json_writer *w, const void *what);
struct nx_json_fragment nx_json_render(struct nx_arena *arena, nx_json_members_fn members,
				       const void *what);

/* A number as text, as ids and process ids are. */
void nx_json_key_digits(struct nx_json_writer *w, const char *key, uint64_t number);

/* --- system profiles ------------------------------------------------------ */

/* Members system_profile_metadata, process_list, device_profile_list of the open object. */
void nx_json_system_stated(struct nx_json_writer *w, const struct nx_system_profile *profile,
			   bool include_private);

/* Members steps, step_summary, execution_gaps if wanted, execution_gap_summary. */
NX_MUST_CHECK enum nx_status nx_json_system_steps(struct nx_json_writer *w,
						  const struct nx_system_profile *profile,
						  bool with_gaps, struct nx_error *err);

/* One array. */
void nx_json_system_devices(struct nx_json_writer *w, const struct nx_system_profile *profile);

#endif
