/* SPDX-License-Identifier: Apache-2.0 */
/* release: the runtime version we report; captures have the layout of that version. */
#ifndef NX_RUNTIME_NRT_RELEASE_H
#define NX_RUNTIME_NRT_RELEASE_H

#define NX_RELEASE_MAJOR 2
#define NX_RELEASE_MINOR 30
#define NX_RELEASE_PATCH 51
#define NX_RELEASE_DETAIL "Open Neuron Explorer"

#endif
