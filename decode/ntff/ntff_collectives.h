/* SPDX-License-Identifier: Apache-2.0 */
/* ntff_collectives: operations over ranks, as a graph declares them and as our runtime ran them. */
#ifndef NX_DECODE_NTFF_COLLECTIVES_H
#define NX_DECODE_NTFF_COLLECTIVES_H

#include "format/ntff.h"
#include "model/capture.h"

/* Records of others than our own runtime cannot be read; their operations have no times. */
void nx_ntff_load_collectives(const struct nx_ntff_graph *from, struct nx_arena *arena,
			      struct nx_graph *graph);

#endif
