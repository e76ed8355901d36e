/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor_loads: how often and how much of each tensor static DMAs brought into
 * the state buffer. A total far above the tensor's size means it is reloaded.
 */
#ifndef NX_ANALYSE_TENSOR_LOADS_H
#define NX_ANALYSE_TENSOR_LOADS_H

#include "model/profile.h"

/* Fills profile->tensor_loads, parallel to the binary's tensors. Needs the transfers. */
void nx_tensor_loads_sum(struct nx_profile *profile);

#endif
