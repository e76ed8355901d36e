/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_debug: the compiler's debug files for a synthetic program. */
#ifndef NX_TESTS_SYNTHETIC_DEBUG_H
#define NX_TESTS_SYNTHETIC_DEBUG_H

#include "tests/data/synthetic_inside.h"

enum nx_synthetic_level {
	NX_SYNTHETIC_PENGUIN,
	NX_SYNTHETIC_HLO,
	NX_SYNTHETIC_FRAMEWORK,
	NX_SYNTHETIC_LEVELS
};
extern const char *const nx_synthetic_level_files[NX_SYNTHETIC_LEVELS];

#define NX_SYNTHETIC_STACK_FILE "debug_info_stack_frame_index.dbg"
#define NX_SYNTHETIC_KERNEL_LIST_FILE "kernel_debug_info.json"
#define NX_SYNTHETIC_KERNEL_TREE_FILE "attention.klir.debuginfo.json"

void nx_synthetic_debug_asm(const struct nx_synthetic_program *program, unsigned graph,
			    unsigned engine, struct nx_bytes *out);
void nx_synthetic_debug_backend(const struct nx_synthetic_program *program, unsigned graph,
				unsigned engine, struct nx_bytes *out);
/* The levels above the backend are the same for all graphs. */
void nx_synthetic_debug_level(const struct nx_synthetic_program *program,
			      enum nx_synthetic_level level, struct nx_bytes *out);
/* Every layer was called from one line of the model's main function. */
void nx_synthetic_debug_stack(const struct nx_synthetic_program *program, struct nx_bytes *out);
/* The kernel's one loop ran once for each penguin instruction. */
void nx_synthetic_debug_kernel_list(struct nx_bytes *out);
void nx_synthetic_debug_kernel_tree(const struct nx_synthetic_program *program,
				    struct nx_bytes *out);

#endif
