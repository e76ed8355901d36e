/* SPDX-License-Identifier: Apache-2.0 */
/* release: the runtime version whose interface we have, and the one whose captures we write. */
#ifndef NX_RUNTIME_NRT_RELEASE_H
#define NX_RUNTIME_NRT_RELEASE_H

#define NX_RELEASE_MAJOR 2
#define NX_RELEASE_MINOR 33
#define NX_RELEASE_PATCH 10
#define NX_CAPTURE_MINOR 30
#define NX_CAPTURE_PATCH 51
#define NX_RELEASE_DETAIL "Open Neuron Explorer"

#endif
