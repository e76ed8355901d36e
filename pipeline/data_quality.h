/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data_quality: what a reader of the profile must know about its gaps, as rows
 * of the Warning table. Nothing is dropped in silence.
 */
#ifndef NX_PIPELINE_DATA_QUALITY_H
#define NX_PIPELINE_DATA_QUALITY_H

#include "analyse/activity.h"
#include "decode/ntff/ntff_decoder.h"
#include "decode/ntrace/ntrace_decoder.h"
#include "model/system.h"

#define NX_WARN_MISSING "Missing Data" /* the capture or the NEFF never had it */
#define NX_WARN_LOSS "Data Loss"       /* it was there and is damaged or cut */
#define NX_WARN_UNKNOWN "Unknown Data" /* it is there, but its meaning is not known */
#define NX_WARN_MISMATCH "Mismatch"
#define NX_WARN_HARDWARE "Hardware"

void nx_data_quality_report(struct nx_profile *profile, const struct nx_ntff_decoder *decoder,
			    const struct nx_activity *activity, uint64_t fault_count);
/* What one process of a system profile lacks or lost. */
void nx_data_quality_report_process(struct nx_system_profile *profile, uint32_t process,
				    const struct nx_ntrace_decoder *decoder);

#endif
