/* SPDX-License-Identifier: Apache-2.0 */
#include "format/parquet/parquet_plain.h"

#include "base/bare/bits.h"

void nx_parquet_plain_store(enum nx_parquet_type type, const void *values, size_t count,
			    uint8_t *out)
{
	const uint8_t *wide = values;

	if (type == NX_PARQUET_I32) {
		for (size_t i = 0; i < count; i++)
			nx_store32(out + i * sizeof(int32_t),
				   nx_load32(wide + i * sizeof(int64_t)));
	} else if (type == NX_PARQUET_F32) {
		for (size_t i = 0; i < count; i++) {
			double from;
			float to;

			memcpy(&from, wide + i * sizeof(from), sizeof(from));
			to = (float)from;
			memcpy(out + i * sizeof(to), &to, sizeof(to));
		}
	} else if (count) {
		memcpy(out, values, count * sizeof(uint64_t));
	}
}

void nx_parquet_plain_append(enum nx_parquet_type type, const void *values, size_t count,
			     struct nx_bytes *out)
{
	size_t bytes = count * nx_parquet_plain_size(type);

	if (!count)
		return;
	nx_vec_reserve(out, out->len + bytes);
	nx_parquet_plain_store(type, values, count, out->items + out->len);
	out->len += bytes;
}

void nx_parquet_plain_load(enum nx_parquet_type type, const uint8_t *bytes, size_t count,
			   void *values)
{
	int64_t *i64 = values;
	double *f64 = values;

	if (type == NX_PARQUET_I32) {
		for (size_t i = 0; i < count; i++)
			i64[i] = (int32_t)nx_load32(bytes + i * sizeof(int32_t));
	} else if (type == NX_PARQUET_F32) {
		for (size_t i = 0; i < count; i++)
			f64[i] = (double)nx_load_f32(bytes + i * sizeof(float));
	} else if (count) {
		memcpy(values, bytes, count * sizeof(uint64_t));
	}
}

int64_t nx_parquet_plain_integer(enum nx_parquet_type type, struct nx_slice bytes)
{
	int64_t value;

	assert(nx_parquet_is_integer(type) && bytes.len == nx_parquet_plain_size(type));
	nx_parquet_plain_load(type, bytes.data, 1, &value);
	return value;
}
