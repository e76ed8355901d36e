/* SPDX-License-Identifier: Apache-2.0 */
/* data_quality: warnings about lost, missing or unknown data, as rows of the Warning table. */
#ifndef NX_PIPELINE_DATA_QUALITY_H
#define NX_PIPELINE_DATA_QUALITY_H

#include "analyse/activity.h"
#include "analyse/packet_transfers.h"
#include "decode/framework/framework_decoder.h"
#include "decode/ntff/ntff_decoder.h"
#include "decode/ntrace/ntrace_decoder.h"
#include "decode/spans/spans_decoder.h"
#include "decode/xspace/xspace_decoder.h"
#include "model/system.h"
#include "pipeline/capture_folders.h"

#define NX_WARN_MISSING "Missing Data" /* the capture or the NEFF never had it */
#define NX_WARN_LOSS "Data Loss"       /* it was there and is damaged or cut */
#define NX_WARN_UNKNOWN "Unknown Data" /* it is there, but its meaning is not known */
#define NX_WARN_MISMATCH "Mismatch"
#define NX_WARN_HARDWARE "Hardware"
#define NX_WARN_HANG "Hang"	    /* ranks wait for one that does not come */
#define NX_WARN_SNAPSHOT "Snapshot" /* why continuous recording saved this, and what it missed */

void nx_data_quality_report(struct nx_profile *profile, const struct nx_ntff_decoder *decoder,
			    const struct nx_packet_transfers *transfers,
			    const struct nx_activity *activity, uint64_t fault_count);
/* A NEFF that is damaged, and one that does not match but was forced. */
void nx_data_quality_report_damage(struct nx_profile *profile, const char *neff_path,
				   const char *damage);
void nx_data_quality_report_mismatch(struct nx_profile *profile);

/* What the memory tracker cannot show. */
void nx_data_quality_report_memory(struct nx_profile *profile);

/* The losses of a capture, each as a short sentence in the arena; returns how many. */
#define NX_DATA_QUALITY_FINDINGS 9
size_t nx_data_quality_findings(const struct nx_decode_loss *loss, struct nx_arena *arena,
				const char *findings[NX_DATA_QUALITY_FINDINGS]);

void nx_data_quality_report_process(struct nx_system_profile *profile, uint32_t process,
				    const struct nx_ntrace_decoder *decoder);
/* Parts of the capture's folder that were not read. */
void nx_data_quality_report_folders(struct nx_system_profile *profile,
				    const struct nx_capture_folders *found);
void nx_data_quality_report_framework(struct nx_system_profile *profile, const char *path,
				      const struct nx_framework_loss *loss);
void nx_data_quality_report_spans(struct nx_system_profile *profile, const char *path,
				  const struct nx_spans_loss *loss);
void nx_data_quality_report_xspace(struct nx_system_profile *profile, const char *path,
				   const struct nx_xspace_decoder *decoder);
/* A framework trace was shifted; is_epoch: although it states its clock's epoch. */
void nx_data_quality_report_shift(struct nx_system_profile *profile, const char *path,
				  bool is_epoch);

#endif
