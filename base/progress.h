/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress: a bar with an estimate of the time left, on standard error if that is a terminal, after
 * the first second. Other rooms only count; a NULL or zeroed struct counts silently.
 *
 * After nx_progress_tell the same bars also become lines "0.42 reading the capture" in a descriptor
 * that another program reads. When it stops reading, this program ends.
 */
#ifndef NX_BASE_PROGRESS_H
#define NX_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct nx_progress {
	bool enabled;
	bool shown;
	bool is_told;	  /* reported to a program */
	const char *what; /* "decoding profile.ntff"; borrowed */
	uint64_t total;
	uint64_t done;
	uint64_t started_ns;
	uint64_t last_drawn_ns;
	uint64_t last_told_ns;
};

/* For the whole process; -1: no descriptor. Call it before threads start. From
 * then on this program also ends when nobody reads the descriptor any more. */
void nx_progress_tell(int fd);

void nx_progress_begin(struct nx_progress *p, const char *what, uint64_t total, bool enabled);
void nx_progress_add(struct nx_progress *p, uint64_t done);
void nx_progress_end(struct nx_progress *p);

/* A monotonic clock, for durations. */
uint64_t nx_now_ns(void);

#endif
