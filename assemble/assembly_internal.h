/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_internal: the state of an assembly, which directives read and extend. */
#ifndef NX_ASSEMBLE_ASSEMBLY_INTERNAL_H
#define NX_ASSEMBLE_ASSEMBLY_INTERNAL_H

#include <assert.h>

#include "assemble/assembler.h"
#include "base/expression.h"
#include "base/file.h"
#include "base/map.h"
#include "format/instruction_source.h"
#include "format/neff_plan.h"

#define NX_ASSEMBLY_NO_ENGINE NX_ENGINE_COUNT
#define NX_ASSEMBLY_FIRST_SEMAPHORE 8 /* those below are the runtime's and the engines' own */

enum nx_assembly_line_kind { NX_LINE_PLAIN, NX_LINE_REPEAT, NX_LINE_IF, NX_LINE_END };

struct nx_assembly_line {
	struct nx_slice text; /* without its comment */
	uint32_t number;
	enum nx_assembly_line_kind kind;
	uint32_t end; /* of REPEAT and IF: the index of their .end; 0 when it is missing */
};

struct nx_assembly_block {
	struct nx_plan_block plan;
	NX_VEC(struct nx_plan_descriptor) descriptors;
};

struct nx_assembly_engine {
	struct nx_bytes code;
	NX_VEC(uint32_t) origins;
	NX_VEC(struct nx_assembly_block) blocks;
};

struct nx_assembly_texts NX_VEC_BODY(const char *);

struct nx_assembly_core {
	NX_VEC(struct nx_plan_variable) variables;
	struct nx_text_map variable_of_name;
	NX_VEC(struct nx_plan_queue) queues;
	struct nx_assembly_texts queue_names;
	NX_VEC(uint32_t) block_counts; /* per queue: the next block's number */
	struct nx_assembly_texts sets;
	struct nx_assembly_texts replica_groups, source_target_pairs, element_counts;
	struct nx_assembly_engine engines[NX_ENGINE_COUNT];
	uint64_t scratch_bytes;
};

struct nx_assembly {
	struct nx_arena arena;
	const struct nx_assembly_options *options;
	NX_VEC(struct nx_assembly_line) lines;
	NX_VEC(struct nx_file) files; /* mapped until the end */
	NX_VEC(struct nx_expression_value) values;
	struct nx_text_map value_of_name;
	struct nx_expression_names names;
	NX_VEC(struct nx_assembly_core) cores;
	NX_VEC(struct nx_plan_origin) origins;
	NX_VEC(struct nx_neff_member) members;
	const char *name, *target;
	const char *directive; /* being read, without its point */
	unsigned core;	       /* that directives are for */
	unsigned engine; /* that instructions are for, NX_ASSEMBLY_NO_ENGINE before the first */
	bool has_block;	 /* descriptors go to the engine's last block */
	uint32_t next_semaphore;
	const char *layer, *source_file; /* "" unknown */
	uint32_t source_line;		 /* 0: the line of the text */
	uint32_t line;			 /* being read */
	uint64_t line_budget, constant_budget;
};

static inline struct nx_assembly_core *nx_assembly_core(struct nx_assembly *a)
{
	assert(a->core < a->cores.len);
	return &a->cores.items[a->core];
}

/* --- words of a line (assembly_words.c) ---------------------------------------- */

/* A name, or any text in quotes; FORMAT, naming what was expected. */
NX_MUST_CHECK enum nx_status nx_assembly_word(struct nx_assembly *a, struct nx_cursor *c,
					      const char *what, const char **out,
					      struct nx_error *err);
/* Steps over "key=" when it comes next, and over blanks before it. */
bool nx_assembly_key(struct nx_cursor *c, const char *key);
NX_MUST_CHECK enum nx_status nx_assembly_number(struct nx_cursor *c, int64_t low, int64_t high,
						int64_t *out, struct nx_error *err);
/* "[a,b,c]", at most NX_PLAN_MAX_DIMS. */
NX_MUST_CHECK enum nx_status nx_assembly_list(struct nx_cursor *c, int64_t low, int64_t *items,
					      unsigned *count, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_assembly_end(struct nx_cursor *c, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_assembly_define(struct nx_assembly *a, struct nx_slice name,
						struct nx_expression_value value,
						struct nx_error *err);
/* The bytes of a file named in the text; they live as long as the assembly. */
NX_MUST_CHECK enum nx_status nx_assembly_file(struct nx_assembly *a, const char *name,
					      struct nx_slice *out, struct nx_error *err);

/* --- directives ------------------------------------------------------------------ */

/* Reads what follows the directive's word; the caller checks that the line ends there. */
typedef enum nx_status nx_directive(struct nx_assembly *a, struct nx_cursor *c,
				    struct nx_error *err);

/* assembly_settings.c */
nx_directive nx_directive_arch, nx_directive_name, nx_directive_core, nx_directive_engine;
nx_directive nx_directive_set, nx_directive_semaphore;
nx_directive nx_directive_layer, nx_directive_file, nx_directive_line;
nx_directive nx_directive_member, nx_directive_activation_set;
/* assembly_variables.c */
nx_directive nx_directive_tensor, nx_directive_scratch, nx_directive_constant;
nx_directive nx_directive_variable, nx_directive_table;
/* assembly_transfers.c */
nx_directive nx_directive_queue, nx_directive_block, nx_directive_dma;
nx_directive nx_directive_transfer, nx_directive_transpose;
/* assembly_ranks.c */
nx_directive nx_directive_replica_groups, nx_directive_source_target_pairs;
nx_directive nx_directive_element_counts;

/* Appends the slot to the current engine, which must be chosen. */
NX_MUST_CHECK enum nx_status nx_assembly_emit(struct nx_assembly *a,
					      const uint8_t slot[NX_SLOT_BYTES],
					      struct nx_error *err);
/* One instruction from the cursor to its end. */
NX_MUST_CHECK enum nx_status nx_assembly_instruction(struct nx_assembly *a, struct nx_cursor *c,
						     struct nx_error *err);
/* Writes the NEFF (assembly_plan.c). */
NX_MUST_CHECK enum nx_status nx_assembly_write(struct nx_assembly *a, struct nx_bytes *out,
					       struct nx_error *err);

/* An engine: pe, act, pool, dve, sp or the profiler's names. */
NX_MUST_CHECK enum nx_status nx_assembly_read_engine(struct nx_assembly *a, struct nx_cursor *c,
						     unsigned *engine, struct nx_error *err);

#endif
