/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_file: snapshot.json, beside the files of a process that continuous recording saved: why
 * and when, and which records they have.
 *
 * Records of a process are numbered from 0 on, without gaps. Two snapshots of a recording lose
 * nothing between them if the later one begins before the earlier one ends, and if no record was
 * lost before it was numbered. Each snapshot says so about itself and the one before it. Times are
 * JSON texts, as in session.json. docs/formats/snapshot.md has an example.
 */
#ifndef NX_FORMAT_SNAPSHOT_FILE_H
#define NX_FORMAT_SNAPSHOT_FILE_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

#define NX_SNAPSHOT_FILE "snapshot.json"
#define NX_SNAPSHOT_FILE_VERSION 1

/* X(name, its text): what saved the snapshot */
#define NX_SNAPSHOT_TRIGGER_MAP(X)                                                                 \
	X(CALL, "call") /* the program, or a service on behalf of somebody */                      \
	X(SIGNAL, "signal")                                                                        \
	X(SLOW_STEP, "slow_step")                                                                  \
	X(ERROR, "error_status")                                                                   \
	X(MEMORY, "device_memory")                                                                 \
	X(COLLECTIVE, "collective_timeout")                                                        \
	X(PEER, "peer") /* another process of the job saved one, as a collective took too long */

enum nx_snapshot_trigger {
#define NX_SNAPSHOT_TRIGGER_ENUM(name, text) NX_SNAPSHOT_##name,
	NX_SNAPSHOT_TRIGGER_MAP(NX_SNAPSHOT_TRIGGER_ENUM)
#undef NX_SNAPSHOT_TRIGGER_ENUM
		NX_SNAPSHOT_TRIGGER_COUNT
};

struct nx_snapshot_file {
	enum nx_snapshot_trigger trigger;
	const char *reason;		  /* a sentence; "" */
	uint64_t number;		  /* of this recording, from 1 */
	uint64_t recording_ns;		  /* epoch: when the recording began; identifies it */
	uint64_t time_ns;		  /* epoch: what came until then is in the snapshot */
	uint64_t first_sequence;	  /* of its records */
	uint64_t end_sequence;		  /* of the record after the last */
	uint64_t span_count, event_count; /* in spans.pb and ntrace.pb */
	uint64_t cut_count;		  /* ends without their beginning, which are left out */
	uint64_t device_count;		  /* profiles of the device */
	/* Since the recording began: */
	uint64_t overwritten_count; /* numbered, but dropped as the budget was used up */
	uint64_t expired_count;	    /* numbered, but older than the horizon */
	uint64_t lost_count;	    /* overwritten in the rings before they were numbered */
	uint64_t suppressed_count;  /* triggers that came too soon after another */
	/* Records after the previous snapshot that are not in this one either. */
	uint64_t missed_count;
};

const char *nx_snapshot_trigger_text(enum nx_snapshot_trigger trigger);

void nx_snapshot_file_encode(const struct nx_snapshot_file *snapshot, struct nx_bytes *out);
/* Texts lie in the arena or borrow from the input. FORMAT or VERSION if it is not such a file. */
NX_MUST_CHECK enum nx_status nx_snapshot_file_decode(struct nx_slice input, struct nx_arena *arena,
						     struct nx_snapshot_file *snapshot,
						     struct nx_error *err);

#endif
