/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_neff: small NEFFs whose result is known.
 *
 * Members are added by name and packed at the end. made_neff_sum is a whole
 * program: it adds two vectors of 128 x columns numbers, with static DMA in,
 * a TENSOR_TENSOR and static DMA out, all of it held together by semaphores.
 * made_neff_product multiplies: out[m][n] = sum over k of w[k][m] * x[k][n].
 */
#ifndef NX_TESTS_MADE_NEFF_H
#define NX_TESTS_MADE_NEFF_H

#include "base/arena.h"
#include "base/vec.h"
#include "format/neff.h"

struct made_neff {
	struct nx_arena arena;
	NX_VEC(struct nx_neff_member) members;
	struct nx_bytes file;
	struct nx_neff neff;
};

void made_neff_add(struct made_neff *n, const char *name, const void *bytes, size_t len);
void made_neff_add_text(struct made_neff *n, const char *name, const char *text);
/* Takes another one's place. */
void made_neff_replace(struct made_neff *n, const char *name, const char *text);
struct nx_slice made_neff_pack(struct made_neff *n);
/* Packed and read again; lives until it is read once more or released. */
const struct nx_neff *made_neff_read(struct made_neff *n);
void made_neff_release(struct made_neff *n);

/* kelf-0.json with so many graphs, and for each of them def.json and empty streams. */
void made_neff_begin(struct made_neff *n, unsigned core_count, const char *target,
		     const char *variables);
/* With two cores the second one does nothing. */
void made_neff_sum(struct made_neff *n, unsigned columns, unsigned core_count);
/* rows, columns and count up to 128, 128 and 512; fp32 in two passes. */
void made_neff_product(struct made_neff *n, unsigned rows, unsigned columns, unsigned count);

#endif
