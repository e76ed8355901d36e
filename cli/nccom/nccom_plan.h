/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_plan: what nccom-test measures, and the program it runs for that.
 *
 * A case is one operation with one size. Its program is text for the assembler:
 * a NEFF with as many triggers of the operation as fit into one execution.
 */
#ifndef NX_CLI_NCCOM_NCCOM_PLAN_H
#define NX_CLI_NCCOM_NCCOM_PLAN_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

#define NX_NCCOM_MAX_RANKS 1024u
#define NX_NCCOM_MAX_CASES 1024u

struct nx_nccom_op {
	const char *name, *short_name; /* "all_reduce", "allr" */
	int64_t kind;		       /* enum nx_collective_kind */
};

/* All their names, separated by spaces, for shell completion. */
extern const char nx_nccom_op_names[];
/* NULL if there is no such operation. */
const struct nx_nccom_op *nx_nccom_op_find(const char *name);
/* "fp32" -> its code; 0 if there is no such type. */
unsigned nx_nccom_dtype_find(const char *name);
/* "512kb", "32M", "100"; k is 1024. USAGE. */
NX_MUST_CHECK enum nx_status nx_nccom_size_parse(const char *text, uint64_t *out,
						 struct nx_error *err);

struct nx_nccom_sizes {
	uint64_t least, most;
	uint64_t step;	 /* 0: by factor, or a tenth of the range */
	uint64_t factor; /* 0: none */
};
/* All sizes from least to most, both included if a step reaches them. LIMIT. */
NX_MUST_CHECK enum nx_status nx_nccom_sizes_list(const struct nx_nccom_sizes *sizes,
						 struct nx_arena *arena, uint64_t **out,
						 size_t *count, struct nx_error *err);

/* Which ranks take part; zeroed: one group of all ranks. */
struct nx_nccom_groups {
	const char *groups, *pairs; /* "[[0,1],[2,3]]"; NULL: none are given */
	uint32_t group_size;	    /* of each group; 0: all ranks are one */
	const uint32_t *ranks;	    /* of the groups, one after another; NULL: 0, 1, ... */
	size_t rank_count;
	const uint32_t (*pair_list)[2]; /* of pairs */
	size_t pair_count;
	const uint64_t *counts; /* of the v-operations; NULL: all the same */
	size_t count_count;
};

struct nx_nccom_case {
	const struct nx_nccom_op *op;
	unsigned dtype;
	const char *dtype_name;
	uint64_t size_bytes; /* as the table shows it */
	uint32_t rank_count, group_size;
	const struct nx_nccom_groups *groups;
	uint64_t element_count;	      /* size in elements */
	uint64_t in_count, out_count; /* elements of a rank */
	uint64_t word_count;	      /* element count of the word */
	uint32_t op_count;	      /* triggers in one execution */
	uint32_t core_size;	      /* physical cores of a logical one */
};

/* MISMATCH if the size cannot be split as the operation needs it. */
NX_MUST_CHECK enum nx_status nx_nccom_case_measure(struct nx_nccom_case *c, struct nx_error *err);
/* The NEFF of a case. */
NX_MUST_CHECK enum nx_status nx_nccom_case_assemble(const struct nx_nccom_case *c,
						    struct nx_bytes *neff, struct nx_error *err);

#endif
