/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neff: the container of a compiled model. 1024 bytes of header, then a tar,
 * gzipped (package 2) or plain (package 1). docs/formats/neff.md has the layout.
 */
#ifndef NX_FORMAT_NEFF_H
#define NX_FORMAT_NEFF_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

#define NX_NEFF_HEADER_BYTES 1024
/* An archive that unpacks to more is refused: 8 GiB of code is no model, it is a bomb. */
#define NX_NEFF_MAX_UNPACKED_BYTES ((uint64_t)8 << 30)

struct nx_neff_header {
	uint64_t package_version;
	uint64_t header_size;
	uint64_t data_size; /* of the archive as stored */
	uint64_t major_version, minor_version;
	char build_version[129];
	uint32_t core_count;
	uint8_t hash[32];
	uint8_t uuid[16];
	char name[257];
	uint32_t requested_core_count;
	uint8_t cores_per_node[64];
	uint64_t feature_bits;
	uint32_t logical_core_size; /* physical cores per logical core */
};

struct nx_neff_member {
	struct nx_slice name;
	struct nx_slice bytes;
};

struct nx_neff {
	struct nx_neff_header header;
	uint32_t packed_at_s; /* gzip mtime: when it was packaged; 0 unknown */
	struct nx_neff_member *members;
	size_t member_count;
	bool is_truncated; /* the archive is cut or damaged; members are what could be read */
	char damage[256];  /* then: one sentence */
};

/*
 * Reads header and archive. Members borrow from the arena (gzip) or from file
 * (plain tar). FORMAT when the header or the very first archive byte makes no
 * sense; a damaged or cut archive keeps all members before the damage.
 */
NX_MUST_CHECK enum nx_status nx_neff_read(struct nx_slice file, struct nx_arena *arena,
					  struct nx_neff *out, struct nx_error *err);

/* Empty slice when absent. */
struct nx_slice nx_neff_member(const struct nx_neff *neff, struct nx_slice name);

/* How the stored hash relates to the archive; compilers differ (docs/formats/neff.md). */
enum nx_neff_hash_state { NX_HASH_PLAIN, NX_HASH_SWAPPED, NX_HASH_UNKNOWN };
enum nx_neff_hash_state nx_neff_hash_check(const struct nx_neff_header *header,
					   struct nx_slice archive);

/* "virtual-core, v3-2x-4x-dve-perf-mode"; unknown bits as "bit-21". Returns its length. */
size_t nx_neff_features_text(uint64_t feature_bits, char *out, size_t cap);

/* Packs members into a NEFF; fills data_size and hash. gzip when package_version is 2. */
void nx_neff_write(const struct nx_neff_header *header, const struct nx_neff_member *members,
		   size_t member_count, struct nx_bytes *out);

#endif
