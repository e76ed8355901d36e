/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_set: tensors by name, the inputs or outputs of an execution; it holds its tensors. */
#ifndef NX_RUNTIME_NRT_TENSOR_SET_H
#define NX_RUNTIME_NRT_TENSOR_SET_H

#include "runtime/nrt/tensor.h"

struct nx_tensor_set;

/* A reference to drop with nx_object_drop; NRT_INVALID_HANDLE when it is no set. */
NRT_STATUS nx_tensor_set_acquire(const nrt_tensor_set_t *handle, struct nx_tensor_set **set);
/* A reference to the tensor of that name, or NULL. */
struct nx_nrt_tensor *nx_tensor_set_find(struct nx_tensor_set *set, const char *name);

#endif
