/* SPDX-License-Identifier: Apache-2.0 */
/* engine_name: engines as people type them: Tensor, tensor, PE, act, GpSimd, ... */
#ifndef NX_CLI_ENGINE_NAME_H
#define NX_CLI_ENGINE_NAME_H

#include "base/error.h"
#include "model/engine.h"

#define NX_ENGINE_LABELS "Tensor Scalar GpSimd Vector Sync"

/* NX_ENGINE_COUNT if no engine has that name. */
enum nx_engine nx_engine_find(const char *name);
NX_MUST_CHECK enum nx_status nx_engine_parse(const char *name, enum nx_engine *engine,
					     struct nx_error *err);

#endif
