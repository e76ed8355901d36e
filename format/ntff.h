/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff: the file a device capture is stored in (versions 4, 5 and 6).
 *
 * 128 bytes of header, one protobuf message (struct nx_ntff_info), then raw blobs: instruction
 * images (version 6) and trace rings. docs/formats/ntff.md has the layout, ntff.def the messages.
 */
#ifndef NX_FORMAT_NTFF_H
#define NX_FORMAT_NTFF_H

#include "format/wire.h"

#define NX_NTFF_HEADER_BYTES 128
#define NX_NTFF_OLDEST_VERSION 4
#define NX_NTFF_NEWEST_VERSION 6

/* The runtime's git_hash starts with this if a simulator wrote the file. */
#define NX_NTFF_SIMULATED "simulat"

enum nx_trace_type {
	NX_TRACE_INSTRUCTION,
	NX_TRACE_EVENT,
	NX_TRACE_ERROR,
	NX_TRACE_EXPLICIT,
	NX_TRACE_DMA,
	NX_TRACE_THROTTLE,
};

enum nx_block_type { NX_BLOCK_CORE, NX_BLOCK_DMA, NX_BLOCK_TOPSP };

enum nx_patch_type { NX_PATCH_INSERT, NX_PATCH_MODIFY, NX_PATCH_DELETE };

#define NX_MESSAGE NX_WIRE_STRUCT
#define NX_MEMBER NX_WIRE_MEMBER
#define NX_MESSAGE_END NX_WIRE_STRUCT_END
#include "format/ntff.def"

struct nx_ntff {
	uint8_t version;
	struct nx_ntff_info info;
	struct nx_slice blobs; /* everything after the protobuf */
	struct nx_wire_loss loss;
	bool is_truncated; /* the protobuf or a blob reaches beyond the file */
};

/*
 * Reads header and message; borrows from file. VERSION if the version is not supported, FORMAT if
 * the file cannot be an NTFF at all (empty, shorter than its header, no parsable message).
 */
NX_MUST_CHECK enum nx_status nx_ntff_read(struct nx_slice file, struct nx_arena *arena,
					  struct nx_ntff *out, struct nx_error *err);

/* The bytes of a code image or a ring, inline or in the blobs, as far as the file has them. */
struct nx_slice nx_ntff_code_bytes(const struct nx_ntff *ntff, const struct nx_ntff_code *code);
struct nx_slice nx_ntff_ring_bytes(const struct nx_ntff *ntff, const struct nx_ntff_ring *ring);

/* The first tick of a block's clock that is not before a time; a clock of zeros counts ps. */
uint64_t nx_ntff_clock_ticks(const struct nx_ntff_clock *clock, uint64_t time_ps);

/*
 * Appends header and message; the caller appends the blobs in the order of their offsets. It sets
 * offset and size (version 6) or inline_code and the ring offsets (versions 4, 5).
 */
void nx_ntff_write_head(uint8_t version, const struct nx_ntff_info *info, struct nx_bytes *out);

#endif
