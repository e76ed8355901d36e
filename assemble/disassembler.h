/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disassembler: writes the directives from which a NEFF can be assembled again; instructions are
 * written by format/instruction_source.h. Constants and tables are named as files, where
 * `neff --extract` puts them. Missing or damaged parts are left out.
 */
#ifndef NX_ASSEMBLE_DISASSEMBLER_H
#define NX_ASSEMBLE_DISASSEMBLER_H

#include "base/file.h"
#include "format/neff.h"

/* .name and .arch */
void nx_disassembly_write_head(const struct nx_neff *neff, struct nx_output *out);
/* The .core of a graph, then its variables, queues and activation sets. */
void nx_disassembly_write_core(const struct nx_neff *neff, size_t index, struct nx_output *out);
/* The blocks of a graph that an engine (an enum nx_engine) starts. */
void nx_disassembly_write_blocks(const struct nx_neff *neff, size_t index, unsigned engine,
				 struct nx_output *out);

/* ".layer NAME" and the like, with the text in quotes where it needs them. */
void nx_disassembly_write_word(const char *directive, const char *text, struct nx_output *out);

#endif
