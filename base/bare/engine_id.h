/* SPDX-License-Identifier: Apache-2.0 */
/* engine_id: the engines of a NeuronCore, numbered as runtime and capture files do. */
#ifndef NX_BASE_BARE_ENGINE_ID_H
#define NX_BASE_BARE_ENGINE_ID_H

enum nx_engine {
	NX_ENGINE_TENSOR, /* PE */
	NX_ENGINE_SCALAR, /* ACT */
	NX_ENGINE_GPSIMD, /* POOL */
	NX_ENGINE_VECTOR, /* DVE */
	NX_ENGINE_SYNC,	  /* SP */
	NX_ENGINE_COUNT,
};

#endif
