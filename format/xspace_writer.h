/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xspace_writer: writes an XSpace from events in any order of planes and lines.
 *
 *	struct nx_xspace_writer *w = nx_xspace_writer_new(&options);
 *	uint32_t plane = nx_xspace_writer_plane(w, 0, NX_XPLANE_HOST);
 *	uint32_t line = nx_xspace_writer_line(w, plane, 4711, "main");
 *	nx_xspace_writer_event(w, line, "step", start_ns, end_ns, stats, count);
 *	st = nx_xspace_writer_finish(w, &err);
 *
 * A message begins with its length, so a plane is written when it is complete. Events wait in a
 * buffer of fixed size; when it is full, they go to an unlinked temporary file, and their line is
 * continued by a second message with the same id, as the format allows. Beyond that, memory grows
 * with the number of planes, lines and distinct names.
 *
 * Events of a line must be in order of time and must nest: the caller assigns lanes to overlapping
 * ones (base/lanes.h).
 */
#ifndef NX_FORMAT_XSPACE_WRITER_H
#define NX_FORMAT_XSPACE_WRITER_H

#include "format/xspace.h"

struct nx_xspace_writer;

struct nx_xspace_writer_options {
	/* Nothing is written before finish, and nothing if the space is too large. */
	void (*write)(void *context, const void *data, size_t len);
	void *context;
	/* Times of lines: 0 writes them as they are; otherwise relative to this, as in a saved
	 * file, whose plane "Task Environment" has the start. */
	uint64_t start_ns;
	size_t buffer_bytes; /* of events; 0: 16 MiB */
	uint64_t max_bytes;  /* of the space; 0: NX_XSPACE_MAX_BYTES */
};

struct nx_xspace_writer *nx_xspace_writer_new(const struct nx_xspace_writer_options *options);
void nx_xspace_writer_host(struct nx_xspace_writer *w, const char *hostname);
void nx_xspace_writer_warn(struct nx_xspace_writer *w, const char *text);

/* Each returns a handle. Planes are written in the order of these calls. */
uint32_t nx_xspace_writer_plane(struct nx_xspace_writer *w, int64_t id, const char *name);
uint32_t nx_xspace_writer_line(struct nx_xspace_writer *w, uint32_t plane, int64_t id,
			       const char *name);

struct nx_xspace_attribute {
	const char *name;
	struct nx_xstat value; /* its metadata_id is not used */
};

void nx_xspace_writer_stat(struct nx_xspace_writer *w, uint32_t plane,
			   const struct nx_xspace_attribute *attribute);
/* Of the line with number at; end_ns == start_ns is an instant. */
void nx_xspace_writer_event(struct nx_xspace_writer *w, uint32_t at, const char *name,
			    uint64_t start_ns, uint64_t end_ns,
			    const struct nx_xspace_attribute *attributes, size_t count);

/* Ends all lines so far: further events continue them, and may start before those. */
void nx_xspace_writer_cut(struct nx_xspace_writer *w);

/* Writes and frees. LIMIT if the space exceeds max_bytes. */
NX_MUST_CHECK enum nx_status nx_xspace_writer_finish(struct nx_xspace_writer *w,
						     struct nx_error *err);
/* Frees without writing. */
void nx_xspace_writer_abort(struct nx_xspace_writer *w);

#endif
