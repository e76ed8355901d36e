/* SPDX-License-Identifier: Apache-2.0 */
/* view_source: --framework-source-root and its like: source code that is kept with a profile. */
#ifndef NX_CLI_VIEW_SOURCE_H
#define NX_CLI_VIEW_SOURCE_H

#include "base/error.h"
#include "base/vec.h"
#include "model/binary.h"

#define NX_SOURCE_ROOTS_MAX 3

struct nx_source_names NX_VEC_BODY(const char *);

/* Every source file that the model names, once; borrowed from it. The caller releases. */
void nx_view_source_names(const struct nx_binary *binary, struct nx_source_names *names);

/* Copies what is found below the roots into the profile's folder and says how much that was. */
NX_MUST_CHECK enum nx_status nx_view_source_keep(const struct nx_binary *binary,
						 const char *const *roots, const char *folder,
						 bool says, struct nx_error *err);

#endif
