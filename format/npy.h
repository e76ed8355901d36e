/* SPDX-License-Identifier: Apache-2.0 */
/* npy: NumPy's array files, which hold the constants of a NEFF. */
#ifndef NX_FORMAT_NPY_H
#define NX_FORMAT_NPY_H

#include <stdbool.h>

#include "base/bare/slice.h"
#include "base/vec.h"

#define NX_NPY_MAX_DIMS 16

struct nx_npy {
	char dtype[16]; /* "<f4" */
	bool is_fortran_order;
	uint64_t shape[NX_NPY_MAX_DIMS];
	unsigned dims;
	struct nx_slice payload;
};

/* Whether the bytes begin as a .npy does; what follows may still be damaged. */
bool nx_npy_has_magic(struct nx_slice file);
/* False if the bytes are not a .npy (versions 1 to 3). */
bool nx_npy_read(struct nx_slice file, struct nx_npy *out);
void nx_npy_write(const struct nx_npy *array, struct nx_bytes *out);

#endif
