/* SPDX-License-Identifier: Apache-2.0 */
/* execution: runs a model on its core and traces the events of a real execution. */
#ifndef NX_RUNTIME_NRT_EXECUTION_H
#define NX_RUNTIME_NRT_EXECUTION_H

#include "runtime/nrt/loaded_model.h"
#include "runtime/nrt/tensor.h"

/* The caller holds both sets; a set may be NULL if the model needs no tensor from it. */
NRT_STATUS nx_execution_run(struct nx_model *model, struct nx_tensor_set *inputs,
			    struct nx_tensor_set *outputs);

/* Resets the clocks of all cores. nrt_init calls it, while nothing runs. */
void nx_execution_restart(void);
/* In the child after a fork: frees the cores that threads of the parent hold. */
void nx_execution_abandon(void);

#endif
