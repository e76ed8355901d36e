/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_rle.h"

#include <assert.h>

#include "format/parquet/parquet_bits.h"

#define GROUP ((size_t)8)

void nx_parquet_rle_encode_run(uint32_t value, size_t count, unsigned width, struct nx_bytes *out)
{
	uint8_t bytes[4];

	nx_parquet_put_varint(out, (uint64_t)count << 1);
	nx_store32(bytes, value);
	nx_bytes_append(out, bytes, (width + 7) / 8);
}

/* Zeros pad the last group; readers do not count them. */
static void put_packed(const uint32_t *values, size_t count, unsigned width, struct nx_bytes *out)
{
	size_t groups = (count + GROUP - 1) / GROUP;
	struct nx_parquet_packer packer = {0};

	if (!count)
		return;
	nx_parquet_put_varint(out, (uint64_t)groups << 1 | 1);
	nx_vec_reserve(out, out->len + groups * width + sizeof(uint64_t));
	packer.out = out->items + out->len;
	for (size_t i = 0; i < count; i++)
		nx_parquet_pack(&packer, values[i], width);
	for (size_t i = count; i < groups * GROUP; i++)
		nx_parquet_pack(&packer, 0, width);
	nx_parquet_pack_rest(&packer);
	out->len += groups * width;
}

static bool is_uniform(const uint32_t *v)
{
	uint32_t differs = 0;

	for (size_t i = 1; i < GROUP; i++)
		differs |= v[0] ^ v[i];
	return !differs;
}

static size_t run_length(const uint32_t *values, size_t count)
{
	size_t n = GROUP;

	while (n < count && values[n] == values[0])
		n++;
	return n;
}

/* A run costs its header, its value and the header of what follows it. */
static size_t shortest_run(unsigned width)
{
	return width == 1 ? 64 : width <= 3 ? 24 : width <= 8 ? 16 : GROUP;
}

void nx_parquet_rle_encode(const uint32_t *values, size_t count, unsigned width,
			   struct nx_bytes *out)
{
	size_t packed_from = 0, at = 0, shortest = shortest_run(width);

	assert(width <= 32);
	if (!width && count)
		nx_parquet_rle_encode_run(0, count, 0, out);
	if (!width)
		return;
	while (count - at >= GROUP) {
		size_t run = is_uniform(values + at) ? run_length(values + at, count - at) : 0;

		if (run < shortest) {
			/* Advance by whole groups, so that packed values are whole groups too. */
			at += run ? run / GROUP * GROUP : GROUP;
			continue;
		}
		put_packed(values + packed_from, at - packed_from, width, out);
		nx_parquet_rle_encode_run(values[at], run, width, out);
		at += run;
		packed_from = at;
	}
	put_packed(values + packed_from, count - packed_from, width, out);
}

static bool take_run(struct nx_slice *bytes, unsigned width, uint32_t *values, size_t count)
{
	size_t value_bytes = (width + 7) / 8;
	uint32_t value = 0;

	if (bytes->len < value_bytes)
		return false;
	memcpy(&value, bytes->data, value_bytes);
	*bytes = nx_slice_part(*bytes, value_bytes, bytes->len);
	for (size_t i = 0; i < count; i++)
		values[i] = value;
	return true;
}

static bool take_packed(struct nx_slice *bytes, unsigned width, uint32_t *values, size_t count,
			uint64_t groups)
{
	size_t need = (count * width + 7) / 8;

	if (bytes->len < need)
		return false;
	if (width)
		for (size_t i = 0; i < count; i++)
			values[i] = (uint32_t)nx_parquet_unpack(*bytes, i * width, width);
	else
		memset(values, 0, count * sizeof(*values));
	*bytes = nx_slice_part(*bytes, groups < SIZE_MAX / 64 ? groups * width : SIZE_MAX,
			       bytes->len);
	return true;
}

bool nx_parquet_rle_decode(struct nx_slice bytes, unsigned width, uint32_t *values, size_t count)
{
	size_t done = 0;

	if (width > 32)
		return false;
	while (done < count) {
		size_t left = count - done, n;
		uint64_t header;

		if (!nx_parquet_take_varint(&bytes, &header) || header < 2)
			return false;
		if (header & 1) {
			n = header >> 1 < left / GROUP + 1 ? (size_t)(header >> 1) * GROUP : left;
			n = n < left ? n : left;
			if (!take_packed(&bytes, width, values + done, n, header >> 1))
				return false;
		} else {
			n = header >> 1 < left ? (size_t)(header >> 1) : left;
			if (!take_run(&bytes, width, values + done, n))
				return false;
		}
		done += n;
	}
	return true;
}
