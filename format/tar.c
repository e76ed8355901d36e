/* SPDX-License-Identifier: Apache-2.0 */
#include "format/tar.h"

#include <assert.h>
#include <stdio.h>

#define BLOCK_BYTES 512

/* Offsets in a header block (POSIX.1-1988 ustar). */
#define AT_NAME 0
#define AT_MODE 100
#define AT_OWNER 108
#define AT_GROUP 116
#define AT_SIZE 124
#define AT_TIME 136
#define AT_SUM 148
#define AT_TYPE 156
#define AT_MAGIC 257
#define AT_OWNER_NAME 265
#define AT_GROUP_NAME 297
#define AT_MAJOR 329
#define AT_MINOR 337
#define AT_PREFIX 345

#define NAME_BYTES 100
#define SIZE_BYTES 12
#define SUM_BYTES 8
#define PREFIX_BYTES 155
static_assert(AT_PREFIX + PREFIX_BYTES <= BLOCK_BYTES, "the fields fit a block");

/* What extension records say about the member after them. */
struct overrides {
	struct nx_slice name;
	uint64_t size_bytes;
	bool has_name, has_size;
};

static struct nx_slice text_field(const uint8_t *field, size_t cap)
{
	return nx_slice_of(field, strnlen((const char *)field, cap));
}

/* Octal digits between blanks and NULs, or GNU's big-endian binary after a set top bit. */
static bool read_number(const uint8_t *field, size_t len, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	if (field[0] & 0x80) {
		for (i = 1; i < len; i++) {
			if (*value >> 56)
				return false;
			*value = *value << 8 | field[i];
		}
		return field[0] == 0x80;
	}
	while (i < len && field[i] == ' ')
		i++;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		*value = *value << 3 | (uint64_t)(field[i] - '0');
	return i == len || field[i] == ' ' || field[i] == '\0';
}

static uint32_t header_sum(const uint8_t *header)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < BLOCK_BYTES; i++)
		sum += i >= AT_SUM && i < AT_SUM + SUM_BYTES ? ' ' : header[i];
	return sum;
}

/* "<length> <key>=<value>\n"; false at the end or if the record is invalid. */
static bool pax_next(struct nx_slice *records, struct nx_slice *key, struct nx_slice *value)
{
	const uint8_t *equals;
	size_t len = 0, i = 0;

	for (; i < records->len && i < 9 && records->data[i] >= '0' && records->data[i] <= '9'; i++)
		len = len * 10 + (size_t)(records->data[i] - '0');
	if (i == 0 || i >= records->len || records->data[i] != ' ' || len > records->len ||
	    len < i + 2)
		return false;
	i++;
	*key = nx_slice_part(*records, i, len - i - 1);
	*records = nx_slice_part(*records, len, records->len);
	equals = key->len ? memchr(key->data, '=', key->len) : NULL;
	if (!equals)
		return false;
	*value = nx_slice_part(*key, (uint64_t)(equals - key->data) + 1, key->len);
	key->len = (size_t)(equals - key->data);
	return true;
}

static void apply_pax(struct nx_slice records, struct overrides *next)
{
	struct nx_slice key, value;

	while (pax_next(&records, &key, &value)) {
		if (nx_slice_is(key, "path")) {
			next->name = value;
			next->has_name = true;
		} else if (nx_slice_is(key, "size")) {
			next->has_size = nx_slice_to_u64(value, &next->size_bytes);
		}
	}
}

static struct nx_slice header_name(const uint8_t *header, struct nx_arena *arena)
{
	struct nx_slice name = text_field(header + AT_NAME, NAME_BYTES);
	struct nx_slice prefix = text_field(header + AT_PREFIX, PREFIX_BYTES);
	const char *joined;

	/* GNU's dialect ("ustar  ") has other fields in place of the prefix. */
	if (memcmp(header + AT_MAGIC, "ustar\0", 6) != 0 || prefix.len == 0)
		return name;
	joined = nx_arena_printf(arena, "%.*s/%.*s", (int)prefix.len, (const char *)prefix.data,
				 (int)name.len, (const char *)name.data);
	return nx_slice_text(joined);
}

/* *header is NULL at the end of the archive. */
static enum nx_status next_header(struct nx_tar_reader *tar, const uint8_t **header,
				  uint64_t *size_bytes, struct nx_error *err)
{
	struct nx_slice block = nx_slice_part(tar->archive, tar->at, BLOCK_BYTES);
	uint64_t sum;

	*header = NULL;
	if (block.len < BLOCK_BYTES) {
		tar->is_truncated |= block.len > 0;
		return NX_OK;
	}
	if (block.data[0] == 0 && !memcmp(block.data, block.data + 1, BLOCK_BYTES - 1)) /* zeros */
		return NX_OK;
	if (!read_number(block.data + AT_SUM, SUM_BYTES, &sum) || sum != header_sum(block.data))
		return nx_fail(err, NX_FORMAT, "the tar header at offset %zu has a wrong checksum",
			       tar->at);
	if (!read_number(block.data + AT_SIZE, SIZE_BYTES, size_bytes))
		return nx_fail(err, NX_FORMAT, "the tar header at offset %zu has no valid size",
			       tar->at);
	*header = block.data;
	return NX_OK;
}

/* Takes the member's bytes, as far as they exist. */
static struct nx_slice take_bytes(struct nx_tar_reader *tar, uint64_t size_bytes)
{
	struct nx_slice bytes;
	size_t padded;

	tar->at += BLOCK_BYTES;
	bytes = nx_slice_part(tar->archive, tar->at, size_bytes);
	tar->is_truncated |= bytes.len < size_bytes;
	padded = (bytes.len + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
	tar->at += padded;
	if (tar->at > tar->archive.len)
		tar->at = tar->archive.len;
	return bytes;
}

enum nx_status nx_tar_next(struct nx_tar_reader *tar, struct nx_tar_member *member, bool *found,
			   struct nx_error *err)
{
	struct overrides next = {0};

	assert(tar->at <= tar->archive.len && tar->arena);
	*found = false;
	while (!tar->is_truncated) {
		const uint8_t *header;
		uint64_t size_bytes;
		enum nx_status st = next_header(tar, &header, &size_bytes, err);
		uint8_t type;

		if (st || !header)
			return st;
		type = header[AT_TYPE];
		if (type == 'x' || type == 'L' || type == 'g' || type == 'K') {
			struct nx_slice extension = take_bytes(tar, size_bytes);

			if (type == 'x') {
				apply_pax(extension, &next);
			} else if (type == 'L' && extension.len) {
				next.name = text_field(extension.data, extension.len);
				next.has_name = true;
			}
			continue;
		}
		member->bytes = take_bytes(tar, next.has_size ? next.size_bytes : size_bytes);
		member->name = next.has_name ? next.name : header_name(header, tar->arena);
		while (nx_slice_starts(member->name, "./"))
			member->name = nx_slice_part(member->name, 2, member->name.len);
		/* Before ustar a directory was a file whose name ends in a slash. */
		if ((type == '0' || type == '\0' || type == '7') &&
		    !nx_slice_ends(member->name, "/")) {
			*found = true;
			return NX_OK;
		}
		next = (struct overrides){0};
	}
	return NX_OK;
}

/* --- writing ------------------------------------------------------------ */

static void put_octal(uint8_t *field, unsigned digits, uint64_t value)
{
	for (unsigned i = digits; i-- > 0; value >>= 3)
		field[i] = (uint8_t)('0' + (value & 7));
}

static void put_size(uint8_t *field, uint64_t size_bytes)
{
	if (size_bytes >> 33 == 0) {
		put_octal(field, 11, size_bytes);
		field[11] = ' ';
		return;
	}
	field[0] = 0x80;
	for (unsigned i = SIZE_BYTES; i-- > SIZE_BYTES - 8; size_bytes >>= 8)
		field[i] = (uint8_t)size_bytes;
}

/* The slash at which a long name can be cut so that both halves fit; 0 if there is none. */
static size_t split_of(struct nx_slice name)
{
	for (size_t i = name.len; i-- > 1;)
		if (name.data[i] == '/' && i <= PREFIX_BYTES && name.len - i - 1 <= NAME_BYTES &&
		    i + 1 < name.len)
			return i;
	return 0;
}

static void put_name(uint8_t *header, struct nx_slice name)
{
	size_t cut = name.len > NAME_BYTES ? split_of(name) : 0;

	if (cut) {
		memcpy(header + AT_PREFIX, name.data, cut);
		name = nx_slice_part(name, cut + 1, name.len);
	}
	if (name.len)
		memcpy(header + AT_NAME, name.data, name.len > NAME_BYTES ? NAME_BYTES : name.len);
}

static void append_header(struct nx_bytes *archive, struct nx_slice name, uint64_t size_bytes,
			  uint8_t type)
{
	uint8_t header[BLOCK_BYTES] = {0};

	put_name(header, name);
	memcpy(header + AT_MODE, "000664 ", 7);
	memcpy(header + AT_OWNER, "001750 ", 7);
	memcpy(header + AT_GROUP, "001750 ", 7);
	put_size(header + AT_SIZE, size_bytes);
	memcpy(header + AT_TIME, "00000000000 ", 12);
	header[AT_TYPE] = type;
	memcpy(header + AT_MAGIC,
	       "ustar\0"
	       "00",
	       8);
	memcpy(header + AT_OWNER_NAME, "nobody", 6);
	memcpy(header + AT_GROUP_NAME, "nobody", 6);
	memcpy(header + AT_MAJOR, "000000 ", 7);
	memcpy(header + AT_MINOR, "000000 ", 7);
	put_octal(header + AT_SUM, 6, header_sum(header));
	header[AT_SUM + 6] = '\0';
	header[AT_SUM + 7] = ' ';
	nx_bytes_append(archive, header, sizeof(header));
}

size_t nx_tar_padding(uint64_t size_bytes)
{
	return (size_t)((BLOCK_BYTES - size_bytes % BLOCK_BYTES) % BLOCK_BYTES);
}

static void append_block(struct nx_bytes *archive, struct nx_slice name, struct nx_slice bytes,
			 uint8_t type)
{
	append_header(archive, name, bytes.len, type);
	if (bytes.len)
		nx_bytes_append(archive, bytes.data, bytes.len);
	nx_bytes_append_zeros(archive, nx_tar_padding(bytes.len));
}

/* The length of a record includes its own digits. */
static void append_pax_path(struct nx_bytes *archive, struct nx_slice name)
{
	struct nx_bytes record = {0};
	size_t len = name.len + strlen(" path=\n");
	size_t digit_count = 0;
	char digits[24];
	int n;

	do
		n = snprintf(digits, sizeof(digits), "%zu", len + ++digit_count);
	while ((size_t)n != digit_count);
	nx_bytes_append(&record, digits, (size_t)n);
	nx_bytes_append(&record, " path=", 6);
	nx_bytes_append(&record, name.data, name.len);
	nx_bytes_append(&record, "\n", 1);
	append_block(archive, nx_slice_text("PaxHeaders/path"),
		     nx_slice_of(record.items, record.len), 'x');
	nx_vec_release(&record);
}

void nx_tar_append_header(struct nx_bytes *archive, struct nx_slice name, uint64_t size_bytes)
{
	if (name.len > NAME_BYTES && !split_of(name))
		append_pax_path(archive, name);
	append_header(archive, name, size_bytes, '0');
}

void nx_tar_append(struct nx_bytes *archive, struct nx_slice name, struct nx_slice bytes)
{
	nx_tar_append_header(archive, name, bytes.len);
	if (bytes.len)
		nx_bytes_append(archive, bytes.data, bytes.len);
	nx_bytes_append_zeros(archive, nx_tar_padding(bytes.len));
}

void nx_tar_finish(struct nx_bytes *archive)
{
	nx_bytes_append_zeros(archive, (size_t)2 * BLOCK_BYTES);
}
