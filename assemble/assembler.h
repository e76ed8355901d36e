/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assembler: makes a NEFF from a text, as `neff --disassemble` prints it or people write it by
 * hand. docs/assembler.md is the reference. The same text and files give the same bytes.
 */
#ifndef NX_ASSEMBLE_ASSEMBLER_H
#define NX_ASSEMBLE_ASSEMBLER_H

#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

#define NX_ASSEMBLY_MAX_CORES 8

struct nx_assembly_options {
	const char *path;   /* of the text, for messages and as the source of its lines */
	const char *folder; /* where files are looked for; NULL: the text may not name any */
	const char *target; /* sunda, cayman, mariana; NULL: what .arch says, else cayman */
	/* Limits on what repetition and literals may expand to; 0 for the defaults below. */
	uint64_t max_lines;
	uint64_t max_constant_bytes;
};

#define NX_ASSEMBLY_MAX_LINES (UINT64_C(4) << 20)
#define NX_ASSEMBLY_MAX_CONSTANT_BYTES (UINT64_C(1) << 30)

/*
 * FORMAT with "path:line:column: what is wrong; what to do" for a faulty text, LIMIT when it
 * expands to too much, NOT_FOUND and IO for the files it names. On failure out is unchanged.
 */
NX_MUST_CHECK enum nx_status nx_assemble(struct nx_slice text,
					 const struct nx_assembly_options *options,
					 struct nx_bytes *out, struct nx_error *err);

/* "trn1" -> "sunda"; NULL for unknown devices. */
const char *nx_assembly_target(struct nx_slice arch);

#endif
