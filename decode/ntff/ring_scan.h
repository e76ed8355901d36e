/* SPDX-License-Identifier: Apache-2.0 */
/* ring_scan: walking the records of a ring without keeping the file resident. */
#ifndef NX_DECODE_NTFF_RING_SCAN_H
#define NX_DECODE_NTFF_RING_SCAN_H

#include "base/file.h"
#include "decode/ntff/ntff_decoder.h"
#include "format/notification.h"

#define NX_SCAN_CHUNK_BYTES ((size_t)8 << 20)

struct nx_ring_scan {
	struct nx_slice records;
	size_t at;
	size_t forgotten;
	struct nx_progress *progress;
};

static inline struct nx_ring_scan nx_ring_scan_of(struct nx_slice records,
						  struct nx_progress *progress)
{
	return (struct nx_ring_scan){records, 0, 0, progress};
}

static inline void nx_ring_scan_forget(struct nx_ring_scan *scan)
{
	nx_file_forget(nx_slice_part(scan->records, scan->forgotten, scan->at - scan->forgotten));
	if (scan->progress)
		nx_progress_add(scan->progress, scan->at - scan->forgotten);
	scan->forgotten = scan->at;
}

static inline bool nx_ring_scan_next(struct nx_ring_scan *scan, struct nx_notification *record)
{
	if (scan->records.len - scan->at < NX_NOTIFICATION_BYTES) {
		if (scan->forgotten < scan->at)
			nx_ring_scan_forget(scan);
		return false;
	}
	*record = nx_notification_load(scan->records.data + scan->at);
	scan->at += NX_NOTIFICATION_BYTES;
	if (scan->at - scan->forgotten >= NX_SCAN_CHUNK_BYTES)
		nx_ring_scan_forget(scan);
	return true;
}

/* Where a time lies in the capture's window: false when it is outside. */
static inline bool nx_in_window(const struct nx_capture *capture, int64_t time_ps)
{
	return time_ps >= capture->window_start_ps &&
	       (!capture->has_window_end || time_ps <= capture->window_end_ps);
}

static inline uint64_t nx_since_start(const struct nx_capture *capture, int64_t time_ps)
{
	return (uint64_t)time_ps - (uint64_t)capture->window_start_ps;
}

/* Slot of a pc in an image; NX_NONE when it belongs to no code of this program. */
uint32_t nx_image_slot(const struct nx_engine_image *image, uint32_t pc);

#endif
