/* SPDX-License-Identifier: Apache-2.0 */
#include "format/neff.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bare/bits.h"
#include "base/md5.h"
#include "format/gzip_stream.h"
#include "format/neff_internal.h"
#include "format/tar.h"
#include "format/zlib_stream.h"

#define NEWEST_PACKAGE_VERSION 2
#define NEWEST_MAJOR_VERSION 2
/* A larger number means that the file is not a NEFF. */
#define LARGEST_CREDIBLE_VERSION 255

/* Compilers pad the archive with zeros to tar's record size. */
#define DATA_ALIGNMENT 10240
#define DEFLATE_STEP_BYTES ((size_t)1 << 18)

/* --- header ------------------------------------------------------------- */

/* A text has a byte more in the struct, for its NUL. */
#define FIELD(at, member, is_text)                                                                 \
	{                                                                                          \
		at, offsetof(struct nx_neff_header, member),                                       \
			sizeof(((struct nx_neff_header *)0)->member) - (is_text), is_text          \
	}
static const struct {
	uint16_t at, offset, size; /* in the file, in the struct */
	bool is_text;
} header_fields[] = {
	FIELD(0x000, package_version, false),
	FIELD(0x008, header_size, false),
	FIELD(0x010, data_size, false),
	FIELD(0x018, major_version, false),
	FIELD(0x020, minor_version, false),
	FIELD(0x028, build_version, true),
	FIELD(0x0a8, core_count, false),
	FIELD(0x0ac, hash, false),
	FIELD(0x0cc, uuid, false),
	FIELD(0x0dc, name, true),
	FIELD(0x1dc, requested_core_count, false),
	FIELD(0x1e0, cores_per_node, false),
	FIELD(0x220, feature_bits, false),
	FIELD(0x228, logical_core_size, false),
};
#undef FIELD

/* Numbers are little-endian, as in memory. */
static void read_header(const uint8_t *bytes, struct nx_neff_header *header)
{
	memset(header, 0, sizeof(*header));
	for (size_t i = 0; i < sizeof(header_fields) / sizeof(header_fields[0]); i++) {
		const uint8_t *from = bytes + header_fields[i].at;
		size_t size = header_fields[i].size;

		memcpy((uint8_t *)header + header_fields[i].offset, from,
		       header_fields[i].is_text ? strnlen((const char *)from, size) : size);
	}
}

static void write_header(const struct nx_neff_header *header, uint8_t *bytes)
{
	for (size_t i = 0; i < sizeof(header_fields) / sizeof(header_fields[0]); i++) {
		const uint8_t *from = (const uint8_t *)header + header_fields[i].offset;
		size_t size = header_fields[i].size;

		memcpy(bytes + header_fields[i].at, from,
		       header_fields[i].is_text ? strnlen((const char *)from, size) : size);
	}
}

/* There is no magic number: check that the values fit together. */
static enum nx_status check_header(const struct nx_neff_header *header, size_t file_bytes,
				   struct nx_error *err)
{
	uint64_t package = header->package_version, major = header->major_version;

	if (package == 0 || package > LARGEST_CREDIBLE_VERSION || header->header_size == 0 ||
	    header->header_size > file_bytes || major > LARGEST_CREDIBLE_VERSION)
		return nx_fail(err, NX_FORMAT,
			       "not a NEFF: the first 1024 bytes are not a NEFF header; give the "
			       ".neff file that the compiler or the capture wrote");
	if (package > NEWEST_PACKAGE_VERSION)
		return nx_fail(err, NX_VERSION,
			       "NEFF package version %llu is newer than the versions 1 and 2 that "
			       "this program reads",
			       (unsigned long long)package);
	if (major > NEWEST_MAJOR_VERSION)
		return nx_fail(err, NX_VERSION,
			       "NEFF version %llu is newer than version %d, the last one that this "
			       "program reads",
			       (unsigned long long)major, NEWEST_MAJOR_VERSION);
	return NX_OK;
}

/* --- archive ------------------------------------------------------------ */

/* Report the first damage only; what follows is its consequence. */
static void NX_PRINTF(2, 3) note_damage(struct nx_neff *neff, const char *fmt, ...)
{
	va_list args;

	if (neff->is_truncated)
		return;
	neff->is_truncated = true;
	va_start(args, fmt);
	vsnprintf(neff->damage, sizeof(neff->damage), fmt, args);
	va_end(args);
}

static bool is_gzip(struct nx_slice bytes)
{
	return bytes.len >= 3 && memcmp(bytes.data, "\x1f\x8b\x08", 3) == 0;
}

static uint64_t unpacked_bytes_max(size_t packed_bytes)
{
	uint64_t most = (uint64_t)packed_bytes * NX_NEFF_MAX_UNPACKED_RATIO;

	if (most < NX_NEFF_FREE_UNPACKED_BYTES)
		most = NX_NEFF_FREE_UNPACKED_BYTES;
	return most < NX_NEFF_MAX_UNPACKED_BYTES ? most : NX_NEFF_MAX_UNPACKED_BYTES;
}

static enum nx_status unpack_gzip(struct nx_slice packed, struct nx_arena *arena,
				  struct nx_neff *neff, struct nx_slice *tar, struct nx_error *err)
{
	struct nx_gzip_stream stream;
	struct nx_bytes out = {0};
	struct nx_slice piece;
	uint64_t most = unpacked_bytes_max(packed.len);
	enum nx_status st = NX_OK;

	if (packed.len >= 8)
		neff->packed_at_s = nx_load32(packed.data + 4);
	nx_gzip_stream_open(&stream, packed);
	while (out.len <= most && nx_gzip_stream_next(&stream, &piece))
		nx_bytes_append(&out, piece.data, piece.len);
	if (stream.is_cut)
		note_damage(neff, "the archive ends in the middle, after %zu unpacked bytes",
			    out.len);
	else if (stream.is_damaged)
		note_damage(neff, "the archive is damaged after %zu unpacked bytes (%s)", out.len,
			    stream.damage ? stream.damage : "zlib gives no reason");
	if (stream.is_over && out.len <= most)
		*tar = nx_slice_of(nx_arena_copy(arena, nx_slice_of(out.items, out.len)), out.len);
	else
		st = nx_fail(err, NX_LIMIT,
			     "the archive of %zu bytes unpacks to more than %llu MiB, which no "
			     "model needs; the file is damaged or made to exhaust memory",
			     packed.len, (unsigned long long)(most >> 20));
	nx_gzip_stream_close(&stream);
	nx_vec_release(&out);
	return st;
}

/* In a tar a later member replaces an earlier one of the same name. */
static int by_name(const void *left, const void *right)
{
	const struct nx_neff_member *a = *(const struct nx_neff_member *const *)left;
	const struct nx_neff_member *b = *(const struct nx_neff_member *const *)right;
	int order = nx_slice_compare(a->name, b->name);

	return order ? order : (a > b) - (a < b);
}

static enum nx_status list_members(struct nx_slice archive, struct nx_arena *arena,
				   struct nx_neff *neff, struct nx_error *err)
{
	struct nx_tar_reader tar = {.archive = archive, .arena = arena};
	NX_VEC(struct nx_neff_member) members = {0};
	struct nx_tar_member member;
	enum nx_status st;
	struct nx_error why;
	bool found;

	while (!(st = nx_tar_next(&tar, &member, &found, &why)) && found)
		nx_vec_push(&members, ((struct nx_neff_member){member.name, member.bytes}));
	if (st && members.len == 0 && tar.at == 0)
		return nx_fail(
			err, NX_FORMAT,
			"not a NEFF: what follows its header is neither a tar nor a gzipped tar");
	if (st)
		note_damage(neff, "the archive is damaged: %.160s", why.message);
	else if (tar.is_truncated)
		note_damage(neff, "the archive ends inside member %zu", members.len);
	neff->member_count = members.len;
	neff->members = NX_NEW_ARRAY(arena, struct nx_neff_member, members.len);
	if (members.len)
		memcpy(neff->members, members.items, members.len * sizeof(*members.items));
	neff->by_name = NX_NEW_ARRAY(arena, const struct nx_neff_member *, members.len);
	for (size_t i = 0; i < members.len; i++)
		neff->by_name[i] = &neff->members[i];
	if (members.len)
		qsort(neff->by_name, members.len, sizeof(*neff->by_name), by_name);
	nx_vec_release(&members);
	return NX_OK;
}

enum nx_status nx_neff_read_header(struct nx_slice file, struct nx_neff_header *out,
				   struct nx_error *err)
{
	memset(out, 0, sizeof(*out));
	if (file.len < NX_NEFF_HEADER_BYTES)
		return nx_fail(err, NX_FORMAT,
			       "not a NEFF: %zu bytes are less than its header of %d bytes",
			       file.len, NX_NEFF_HEADER_BYTES);
	read_header(file.data, out);
	return check_header(out, file.len, err);
}

enum nx_status nx_neff_read(struct nx_slice file, struct nx_arena *arena, struct nx_neff *out,
			    struct nx_error *err)
{
	struct nx_slice archive, tar;
	enum nx_status st;

	memset(out, 0, sizeof(*out));
	st = nx_neff_read_header(file, &out->header, err);
	if (st)
		return st;
	archive = nx_slice_part(file, NX_NEFF_HEADER_BYTES, out->header.data_size);
	if (archive.len == 0)
		return nx_fail(err, NX_FORMAT, "not a NEFF: no archive follows its header");
	if (archive.len < out->header.data_size)
		note_damage(out, "the file ends %llu bytes before its archive does",
			    (unsigned long long)(out->header.data_size - archive.len));
	tar = archive;
	if (is_gzip(archive))
		st = unpack_gzip(archive, arena, out, &tar, err);
	if (!st)
		st = list_members(tar, arena, out, err);
	if (!st)
		nx_neff_read_graphs(out, arena);
	return st;
}

const struct nx_neff_member *nx_neff_find(const struct nx_neff *neff, struct nx_slice name)
{
	size_t low = 0, high = neff->member_count;

	assert(!high || neff->by_name);
	while (low < high) { /* finds the first name that is greater */
		size_t middle = low + (high - low) / 2;

		if (nx_slice_compare(neff->by_name[middle]->name, name) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && nx_slice_equal(neff->by_name[low - 1]->name, name) ? neff->by_name[low - 1]
									 : NULL;
}

struct nx_slice nx_neff_member(const struct nx_neff *neff, struct nx_slice name)
{
	const struct nx_neff_member *member = nx_neff_find(neff, name);

	return member ? member->bytes : (struct nx_slice){NULL, 0};
}

size_t nx_neff_features_text(uint64_t feature_bits, char *out, size_t cap)
{
	static const char *const names[64] = {
		[1] = "collective-offset",
		[3] = "coalesced-cc",
		[4] = "queue-set-instances",
		[5] = "on-chip-functions",
		[10] = "virtual-core",
		[11] = "v3-2x-4x-dve-perf-mode",
		[12] = "dge",
		[15] = "dge-cast",
	};
	size_t at = 0;

	if (cap == 0)
		return 0;
	out[0] = '\0';
	for (unsigned bit = 0; bit < 64; bit++) {
		char number[16];
		int n;

		if (!(feature_bits >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "bit-%u", bit);
		n = snprintf(out + at, cap - at, "%s%s", at ? ", " : "",
			     names[bit] ? names[bit] : number);
		at += (size_t)n < cap - at ? (size_t)n : cap - at - 1;
	}
	return at;
}

/* --- writing ------------------------------------------------------------ */

static void append_gzip(struct nx_slice plain, struct nx_bytes *out)
{
	z_stream z = nx_zlib_stream();
	int result = deflateInit2(&z, 1, Z_DEFLATED, NX_ZLIB_GZIP_BITS, 8, Z_DEFAULT_STRATEGY);
	bool is_last;

	z.next_in = (z_const Bytef *)plain.data;
	while (result == Z_OK) {
		size_t left = plain.len - (size_t)(z.next_in - plain.data);

		is_last = left <= NX_ZLIB_MAX_STEP;
		nx_vec_reserve(out, out->len + DEFLATE_STEP_BYTES);
		z.avail_in = (uInt)(is_last ? left : NX_ZLIB_MAX_STEP);
		z.next_out = out->items + out->len;
		z.avail_out = (uInt)DEFLATE_STEP_BYTES;
		result = deflate(&z, is_last ? Z_FINISH : Z_NO_FLUSH);
		out->len += DEFLATE_STEP_BYTES - z.avail_out;
	}
	deflateEnd(&z);
}

/* Compilers of version 2 store the hash as big-endian words. */
static void swap_words(uint8_t digest[NX_MD5_BYTES])
{
	for (size_t i = 0; i < NX_MD5_BYTES; i += 4)
		nx_store32(digest + i, __builtin_bswap32(nx_load32(digest + i)));
}

void nx_neff_write(const struct nx_neff_header *header, const struct nx_neff_member *members,
		   size_t member_count, struct nx_bytes *out)
{
	struct nx_neff_header finished = *header;
	uint8_t bytes[NX_NEFF_HEADER_BYTES] = {0};
	struct nx_bytes tar = {0}, data = {0};

	assert(header->package_version >= 1 && header->package_version <= NEWEST_PACKAGE_VERSION);
	for (size_t i = 0; i < member_count; i++)
		nx_tar_append(&tar, members[i].name, members[i].bytes);
	nx_tar_finish(&tar);
	if (header->package_version == 2)
		append_gzip(nx_slice_of(tar.items, tar.len), &data);
	else
		nx_bytes_append(&data, tar.items, tar.len);
	nx_bytes_append_zeros(&data, (DATA_ALIGNMENT - data.len % DATA_ALIGNMENT) % DATA_ALIGNMENT);
	finished.header_size = NX_NEFF_HEADER_BYTES;
	finished.data_size = data.len;
	memset(finished.hash, 0, sizeof(finished.hash));
	nx_md5_digest(nx_slice_of(data.items, data.len), finished.hash);
	if (header->major_version >= 2)
		swap_words(finished.hash);
	write_header(&finished, bytes);
	nx_bytes_append(out, bytes, sizeof(bytes));
	nx_bytes_append(out, data.items, data.len);
	nx_vec_release(&tar);
	nx_vec_release(&data);
}
