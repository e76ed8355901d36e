/* SPDX-License-Identifier: Apache-2.0 */
/* xspace_internal: shared by the files behind xspace_decoder.h. */
#ifndef NX_DECODE_XSPACE_XSPACE_INTERNAL_H
#define NX_DECODE_XSPACE_XSPACE_INTERNAL_H

#include "decode/xspace/xspace_decoder.h"

enum nx_xspace_wire { NX_XSPACE_VARINT = 0, NX_XSPACE_DELIMITED = 2 };

/* Field by field; at the cut end of a file the last field is what is left of it. */
struct nx_xspace_walk {
	struct nx_wire_reader reader;
	bool may_be_cut; /* the message is the end of the file */
	bool is_cut;	 /* the last field is not whole */
};

struct nx_xspace_walk nx_xspace_walk_of(struct nx_slice message, bool may_be_cut);
bool nx_xspace_walk_next(struct nx_xspace_walk *walk, struct nx_wire_value *value);

/* Notes what stopped a walk before the end of its message. */
void nx_xspace_note_end(struct nx_xspace_decoder *d, const struct nx_xspace_walk *walk);

/* What precedes and follows the events of a line. */
struct nx_xspace_line {
	int64_t id, timestamp_ns, display_id;
	struct nx_slice name, display_name;
};

void nx_xspace_read_line(struct nx_slice bytes, bool may_be_cut, struct nx_xspace_line *line);
/* The thread that stands for the line. */
const struct nx_xspace_thread *nx_xspace_thread_of(const struct nx_xspace_decoder *d, size_t plane,
						   const struct nx_xspace_line *line);

/* The words of a handle: where the event's message is; its length, whether its line is derived, and
 * its plane. */
#define NX_XSPACE_HANDLE_LEN (NX_XSPACE_HANDLE_DERIVED - 1)
#define NX_XSPACE_HANDLE_DERIVED (UINT64_C(1) << 31)
#define NX_XSPACE_HANDLE_PLANE 32
#define NX_XSPACE_MAX_PLANES ((size_t)1 << 16)

#endif
