/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_debug: the compiler's debug files for a synthetic program. */
#ifndef NX_TESTS_SYNTHETIC_DEBUG_H
#define NX_TESTS_SYNTHETIC_DEBUG_H

#include "tests/data/synthetic_inside.h"

#define NX_SYNTHETIC_ASM_FILE "debug_info_asm_%s.dbg"
#define NX_SYNTHETIC_BACKEND_FILE "debug_info_backend_%s.dbg"

enum nx_synthetic_level {
	NX_SYNTHETIC_PENGUIN,
	NX_SYNTHETIC_HLO,
	NX_SYNTHETIC_FRAMEWORK,
	NX_SYNTHETIC_LEVELS
};
extern const char *const nx_synthetic_level_files[NX_SYNTHETIC_LEVELS];

void nx_synthetic_debug_asm(const struct nx_synthetic_program *program, unsigned graph,
			    unsigned engine, struct nx_bytes *out);
void nx_synthetic_debug_backend(const struct nx_synthetic_program *program, unsigned graph,
				unsigned engine, struct nx_bytes *out);
/* The levels above the backend are the same for all graphs. */
void nx_synthetic_debug_level(const struct nx_synthetic_program *program,
			      enum nx_synthetic_level level, struct nx_bytes *out);

#endif
