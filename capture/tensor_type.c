/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/tensor_type.h"

#include <string.h>

static const struct {
	nrt_dtype_t dtype;
	const char *name;     /* the first of a type is the one we write */
	const char *npy;      /* NULL: NumPy has no such type */
	const char *accepted; /* what arrays may say, separated by blanks */
} types[] = {
	{NRT_DTYPE_FLOAT32, "float32", "<f4", "<f4"},
	{NRT_DTYPE_FLOAT32, "fp32", "<f4", "<f4"},
	{NRT_DTYPE_FP32R, "float32r", "<f4", "<f4"},
	{NRT_DTYPE_FP32R, "fp32r", "<f4", "<f4"},
	{NRT_DTYPE_FLOAT16, "float16", "<f2", "<f2"},
	{NRT_DTYPE_FLOAT16, "fp16", "<f2", "<f2"},
	{NRT_DTYPE_BFLOAT16, "bfloat16", NULL, "<u2 <V2 |V2"},
	{NRT_DTYPE_BFLOAT16, "bf16", NULL, "<u2 <V2 |V2"},
	{NRT_DTYPE_FP8_E3, "float8e3", NULL, "|u1 |V1"},
	{NRT_DTYPE_FP8_E4, "float8e4", NULL, "|u1 |V1"},
	{NRT_DTYPE_FP8_E4, "float8_e4m3", NULL, "|u1 |V1"},
	{NRT_DTYPE_FP8_E5, "float8e5", NULL, "|u1 |V1"},
	{NRT_DTYPE_FP8_E5, "float8_e5m2", NULL, "|u1 |V1"},
	{NRT_DTYPE_UINT8, "uint8", "|u1", "|u1 |b1"},
	{NRT_DTYPE_UINT8, "bool", "|u1", "|u1 |b1"},
	{NRT_DTYPE_INT8, "int8", "|i1", "|i1"},
	{NRT_DTYPE_UINT16, "uint16", "<u2", "<u2"},
	{NRT_DTYPE_INT16, "int16", "<i2", "<i2"},
	{NRT_DTYPE_UINT32, "uint32", "<u4", "<u4"},
	{NRT_DTYPE_INT32, "int32", "<i4", "<i4"},
	{NRT_DTYPE_UINT64, "uint64", "<u8", "<u8"},
	{NRT_DTYPE_INT64, "int64", "<i8", "<i8"},
};
static const size_t type_count = sizeof(types) / sizeof(types[0]);

nrt_dtype_t nx_tensor_type_named(const char *name)
{
	for (size_t i = 0; i < type_count; i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].dtype;
	return NRT_DTYPE_UNKNOWN;
}

const char *nx_tensor_type_name(nrt_dtype_t dtype)
{
	for (size_t i = 0; i < type_count; i++)
		if (types[i].dtype == dtype)
			return types[i].name;
	return "";
}

const char *nx_tensor_type_npy(nrt_dtype_t dtype)
{
	for (size_t i = 0; i < type_count; i++)
		if (types[i].dtype == dtype)
			return types[i].npy;
	return NULL;
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; len && (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

bool nx_tensor_type_accepts(nrt_dtype_t dtype, const char *npy)
{
	for (size_t i = 0; i < type_count; i++)
		if (types[i].dtype == dtype)
			return has_word(types[i].accepted, npy);
	return true;
}
