/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_type: types of elements as compilers, the runtime and NumPy name them. */
#ifndef NX_CAPTURE_TENSOR_TYPE_H
#define NX_CAPTURE_TENSOR_TYPE_H

#include <nrt/nrt.h>

/* "bfloat16" as a NEFF spells it; NRT_DTYPE_UNKNOWN for other words. */
nrt_dtype_t nx_tensor_type_named(const char *name);
/* The other way round; "" for UNKNOWN. */
const char *nx_tensor_type_name(nrt_dtype_t dtype);

/* "<f4", as which NumPy stores the type; NULL for types NumPy does not have. */
const char *nx_tensor_type_npy(nrt_dtype_t dtype);
/*
 * Whether an array of this NumPy type is one of that type: also bytes and words
 * without a meaning for types that NumPy does not have. UNKNOWN takes any.
 */
bool nx_tensor_type_accepts(nrt_dtype_t dtype, const char *npy);

#endif
