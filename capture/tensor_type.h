/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_type: which NumPy arrays may fill a tensor; names of types are in machine/dtype.h. */
#ifndef NX_CAPTURE_TENSOR_TYPE_H
#define NX_CAPTURE_TENSOR_TYPE_H

#include <nrt/nrt.h>

/*
 * Whether an array of this NumPy type is one of that type: also bytes and words
 * without a meaning for types that NumPy does not have. UNKNOWN takes any.
 */
bool nx_tensor_type_accepts(nrt_dtype_t dtype, const char *npy);

#endif
