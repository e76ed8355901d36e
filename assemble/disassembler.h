/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disassembler: the directives that make a NEFF again, from the NEFF.
 *
 * Instructions are written by format/instruction_source.h; here is what stands
 * around them: variables, queues, blocks of transfers, activation sets. Constants
 * and tables are named as files, where `neff --extract` puts them. What a file
 * lacks or has wrong is left out; a text written from a whole NEFF assembles.
 */
#ifndef NX_ASSEMBLE_DISASSEMBLER_H
#define NX_ASSEMBLE_DISASSEMBLER_H

#include "base/file.h"
#include "base/json_reader.h"
#include "format/neff.h"

struct nx_disassembly {
	struct nx_arena *arena;
	const struct nx_neff *neff;
	const struct nx_json *graph_list; /* of kelf-0.json; NULL when it cannot be read */
	const char *target;
};

/* Everything lives in the arena or is borrowed from the NEFF. */
void nx_disassembly_init(struct nx_disassembly *d, const struct nx_neff *neff,
			 struct nx_arena *arena);

/* .name and .arch */
void nx_disassembly_write_head(const struct nx_disassembly *d, struct nx_output *out);
/* .core, then its variables, queues and activation sets. */
void nx_disassembly_write_core(const struct nx_disassembly *d, size_t graph, struct nx_output *out);
/* The blocks that an engine (an enum nx_engine) starts. */
void nx_disassembly_write_blocks(const struct nx_disassembly *d, size_t graph, unsigned engine,
				 struct nx_output *out);

/* ".layer NAME" and the like, with the text in quotes where it needs them. */
void nx_disassembly_write_word(const char *directive, const char *text, struct nx_output *out);

#endif
