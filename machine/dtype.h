/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtype: element types of tensors and operands, and what each program calls them.
 *
 * The codes are those of instruction words; nrt_dtype_t of the public runtime has the same.
 */
#ifndef NX_MACHINE_DTYPE_H
#define NX_MACHINE_DTYPE_H

#include <stdbool.h>

#include "base/bare/slice.h"

enum nx_dtype {
	NX_DTYPE_UNKNOWN,
	NX_DTYPE_UINT64,
	NX_DTYPE_INT8,
	NX_DTYPE_UINT8,
	NX_DTYPE_INT16,
	NX_DTYPE_UINT16,
	NX_DTYPE_BF16,
	NX_DTYPE_FP16,
	NX_DTYPE_INT32,
	NX_DTYPE_UINT32,
	NX_DTYPE_FP32,
	NX_DTYPE_FP32R,
	NX_DTYPE_INT64,
	NX_DTYPE_FP8E3,
	NX_DTYPE_FP8E4,
	NX_DTYPE_FP8E5,
	NX_DTYPE_COUNT,
};

/* The functions below take any number; codes beyond the list have no name and no bytes. */

/* "fp32", as the profiler prints it; NULL if unknown. */
const char *nx_dtype_name(unsigned dtype);
/* "float32", as compilers write it into a NEFF; NULL if unknown. */
const char *nx_dtype_neff_name(unsigned dtype);
/* "<f4", as NumPy stores it; NULL for types NumPy does not have. */
const char *nx_dtype_npy(unsigned dtype);
unsigned nx_dtype_bytes(unsigned dtype); /* 0 if unknown */
bool nx_dtype_is_integer(unsigned dtype);

/* By any of its names, also "bf16", "bool" or "float8_e4m3"; NX_DTYPE_UNKNOWN if there is none. */
enum nx_dtype nx_dtype_find(struct nx_slice name);

#endif
