/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_writer: writes the file that store/timeline/timeline.h reads.
 *
 *	nx_timeline_writer_open(&writer, "timeline.nxl", 0, err);
 *	track = nx_timeline_writer_add_track(writer, &(struct nx_track){...});
 *	name = nx_timeline_writer_add_name(writer, nx_slice_text("matmul"));
 *	nx_timeline_writer_add_span(writer, track, &(struct nx_span){...}, err);
 *	...
 *	nx_timeline_writer_commit(writer, err);
 *
 * Rows of different tracks may be interleaved, but the rows of one track must come in order of
 * start. If spans start together, add the longest first, so that it is above the others. Declare
 * tracks and names at any time before their use.
 *
 * Memory is the budget given at opening, plus some bytes for each track, depth and different name;
 * rows beyond it go to unlinked temporary files ($TMPDIR or /var/tmp). The file gets its name with
 * commit, when it is complete.
 */
#ifndef NX_STORE_TIMELINE_TIMELINE_WRITER_H
#define NX_STORE_TIMELINE_TIMELINE_WRITER_H

#include "store/timeline/timeline.h"

#define NX_TIMELINE_MEMORY_BYTES ((size_t)32 << 20) /* when the budget is 0 */

struct nx_timeline_writer;

NX_MUST_CHECK enum nx_status nx_timeline_writer_open(struct nx_timeline_writer **writer,
						     const char *path, size_t memory_bytes,
						     struct nx_error *err);

/* The same text gives the same id; ids count from 0. */
uint32_t nx_timeline_writer_add_name(struct nx_timeline_writer *writer, struct nx_slice text);
/* Texts are copied. Tracks count from 0. */
uint32_t nx_timeline_writer_add_track(struct nx_timeline_writer *writer,
				      const struct nx_track *track);
/* Counts a row among the track's lost_count. */
void nx_timeline_writer_lose(struct nx_timeline_writer *writer, uint32_t track);

/* Fails if a row starts before the previous one of its track, or if the disk fails. */
NX_MUST_CHECK enum nx_status nx_timeline_writer_add_span(struct nx_timeline_writer *writer,
							 uint32_t track, const struct nx_span *span,
							 struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_timeline_writer_add_sample(struct nx_timeline_writer *writer,
							   uint32_t track,
							   const struct nx_sample *sample,
							   struct nx_error *err);

/* Both free the writer, whatever happens. */
NX_MUST_CHECK enum nx_status nx_timeline_writer_commit(struct nx_timeline_writer *writer,
						       struct nx_error *err);
void nx_timeline_writer_abort(struct nx_timeline_writer *writer);

#endif
