/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip_stream: the bytes of a file in pieces, unpacked if they are gzip, in memory for one piece.
 *
 * Bytes that are not gzip are passed through in one piece. Joined gzip files read as one, as gunzip
 * does. If the file is cut or damaged, the stream ends early with what could be unpacked.
 */
#ifndef NX_FORMAT_GZIP_STREAM_H
#define NX_FORMAT_GZIP_STREAM_H

#include "base/bare/slice.h"

#define NX_GZIP_PIECE_BYTES ((size_t)256 << 10)

struct z_stream_s;

struct nx_gzip_stream {
	struct nx_slice packed;
	struct z_stream_s *z; /* NULL for text that is not packed */
	uint8_t *piece;
	bool is_over;
	bool is_cut;	    /* the file ends inside the gzip stream */
	bool is_damaged;    /* its bytes contradict themselves or their checksum */
	const char *damage; /* then: zlib's reason, or NULL */
};

/* packed is borrowed until close. */
void nx_gzip_stream_open(struct nx_gzip_stream *stream, struct nx_slice packed);
/* False at the end; the piece lives until the next call. */
bool nx_gzip_stream_next(struct nx_gzip_stream *stream, struct nx_slice *piece);
void nx_gzip_stream_close(struct nx_gzip_stream *stream);

#endif
