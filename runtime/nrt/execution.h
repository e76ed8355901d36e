/* SPDX-License-Identifier: Apache-2.0 */
/* execution: one run of a model on its core, with the events a real one leaves. */
#ifndef NX_RUNTIME_NRT_EXECUTION_H
#define NX_RUNTIME_NRT_EXECUTION_H

#include "runtime/nrt/loaded_model.h"
#include "runtime/nrt/tensor.h"

/* Both sets are held by the caller; outputs may be NULL when the model has none. */
NRT_STATUS nx_execution_run(struct nx_model *model, struct nx_tensor_set *inputs,
			    struct nx_tensor_set *outputs);

/* The cores' clocks stand at their epoch again: by nrt_init, while nothing runs. */
void nx_execution_restart(void);

#endif
