/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_holders: names whatever holds memory in a profile, before the memory tracker runs.
 *
 * What an instruction computes is named after the line of its kernel, else its HLO operation, else
 * its BIR instruction, else its engine. What a DMA moves is named after its variable in the NEFF.
 * HBM is what the capture states that the runtime allocated; inputs, outputs and weights of the
 * NEFF are taken out of the kinds "Tensors", "IO" and "Weights" as long as these are large enough,
 * and what remains keeps the name of its kind.
 */
#ifndef NX_ANALYSE_MEMORY_HOLDERS_H
#define NX_ANALYSE_MEMORY_HOLDERS_H

#include "model/profile.h"

/* Sets profile->memory, in the profile's arena. Needs the program. */
void nx_memory_holders_find(struct nx_profile *profile);

/* Fills shares and peaks of profile->memory by reading the rows of NX_TABLE_MEMORY_USE. */
NX_MUST_CHECK enum nx_status nx_memory_peaks_find(struct nx_profile *profile, struct nx_error *err);

#endif
