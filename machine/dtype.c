/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/dtype.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const struct {
	const char *name, *neff_name, *npy;
	uint8_t bytes;
	bool is_integer;
} dtypes[] = {
	[NX_DTYPE_UINT64] = {"uint64", "uint64", "<u8", 8, true},
	[NX_DTYPE_INT8] = {"int8", "int8", "|i1", 1, true},
	[NX_DTYPE_UINT8] = {"uint8", "uint8", "|u1", 1, true},
	[NX_DTYPE_INT16] = {"int16", "int16", "<i2", 2, true},
	[NX_DTYPE_UINT16] = {"uint16", "uint16", "<u2", 2, true},
	[NX_DTYPE_BF16] = {"bfloat16", "bfloat16", NULL, 2, false},
	[NX_DTYPE_FP16] = {"fp16", "float16", "<f2", 2, false},
	[NX_DTYPE_INT32] = {"int32", "int32", "<i4", 4, true},
	[NX_DTYPE_UINT32] = {"uint32", "uint32", "<u4", 4, true},
	[NX_DTYPE_FP32] = {"fp32", "float32", "<f4", 4, false},
	[NX_DTYPE_FP32R] = {"fp32r", "float32r", "<f4", 4, false},
	[NX_DTYPE_INT64] = {"int64", "int64", "<i8", 8, true},
	[NX_DTYPE_FP8E3] = {"fp8e3", "float8e3", NULL, 1, false},
	[NX_DTYPE_FP8E4] = {"fp8e4", "float8e4", NULL, 1, false},
	[NX_DTYPE_FP8E5] = {"fp8e5", "float8e5", NULL, 1, false},
};
static_assert(COUNT(dtypes) == NX_DTYPE_COUNT, "every element type has a row");
static_assert(NX_DTYPE_COUNT == 16, "two codes share a byte in some words");

static const struct {
	const char *name;
	enum nx_dtype dtype;
} other_names[] = {
	{"bf16", NX_DTYPE_BF16},	   {"bool", NX_DTYPE_UINT8},
	{"float8_e3m4", NX_DTYPE_FP8E3},   {"float8_e4m3", NX_DTYPE_FP8E4},
	{"float8_e4m3fn", NX_DTYPE_FP8E4}, {"float8_e5m2", NX_DTYPE_FP8E5},
};

const char *nx_dtype_name(unsigned dtype)
{
	return dtype < NX_DTYPE_COUNT ? dtypes[dtype].name : NULL;
}

const char *nx_dtype_neff_name(unsigned dtype)
{
	return dtype < NX_DTYPE_COUNT ? dtypes[dtype].neff_name : NULL;
}

const char *nx_dtype_npy(unsigned dtype)
{
	return dtype < NX_DTYPE_COUNT ? dtypes[dtype].npy : NULL;
}

unsigned nx_dtype_bytes(unsigned dtype)
{
	return dtype < NX_DTYPE_COUNT ? dtypes[dtype].bytes : 0;
}

bool nx_dtype_is_integer(unsigned dtype)
{
	return dtype < NX_DTYPE_COUNT && dtypes[dtype].is_integer;
}

enum nx_dtype nx_dtype_find(struct nx_slice name)
{
	for (unsigned i = 1; i < NX_DTYPE_COUNT; i++)
		if (nx_slice_is(name, dtypes[i].name) || nx_slice_is(name, dtypes[i].neff_name))
			return i;
	for (size_t i = 0; i < COUNT(other_names); i++)
		if (nx_slice_is(name, other_names[i].name))
			return other_names[i].dtype;
	return NX_DTYPE_UNKNOWN;
}
