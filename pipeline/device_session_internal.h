/* SPDX-License-Identifier: Apache-2.0 */
/* device_session_internal: what device_session.c and device_scan.c share. */
#ifndef NX_PIPELINE_DEVICE_SESSION_INTERNAL_H
#define NX_PIPELINE_DEVICE_SESSION_INTERNAL_H

#include "analyse/activity.h"
#include "analyse/static_dma.h"
#include "base/file.h"
#include "base/spool.h"
#include "decode/ntff/ntff_decoder.h"
#include "pipeline/device_session.h"

struct nx_device_session {
	struct nx_profile profile;
	struct nx_device_session_options options;
	struct nx_file session, neff;
	struct nx_ntff_decoder decoder;
	struct nx_spool *instructions; /* struct nx_instruction by start */
	struct nx_spool *packets;      /* struct nx_packet by start */
	struct nx_static_dma static_dma;
	struct nx_activity activity;
	struct nx_throttle_sums *throttles;
	struct nx_progress progress;
	uint64_t fault_count;
	enum nx_status status; /* first failure of a row sink */
	struct nx_error error;
};

/* device_scan.c: streams any table, from the sorted rows. */
NX_MUST_CHECK enum nx_status nx_device_scan(void *context, enum nx_table table, nx_row_fn fn,
					    void *fn_context, struct nx_error *err);
uint32_t nx_device_find_transfer(void *context, const struct nx_packet *packet);
NX_MUST_CHECK enum nx_status nx_device_each_row(const struct nx_spool *spool, nx_row_fn fn,
						void *context, struct nx_error *err);
struct nx_throttle nx_device_closed_throttle(const struct nx_profile *p,
					     const struct nx_throttle *row);

#endif
