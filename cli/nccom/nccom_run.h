/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_run: a case of nccom-test, which is one operation with one size, and how to run it.
 *
 * The program of a case is text for the assembler: a NEFF with as many triggers of the operation
 * as fit into one execution. Ranks are threads of this process, or a process each. Times are
 * device times, from the profile that libnrt writes for rank 0; without one, the host's clock.
 */
#ifndef NX_CLI_NCCOM_NCCOM_RUN_H
#define NX_CLI_NCCOM_NCCOM_RUN_H

#include "base/arena.h"
#include "base/vec.h"
#include "capture/runtime_library.h"

#define NX_NCCOM_MAX_RANKS 1024u
#define NX_NCCOM_MAX_CASES 1024u
#define NX_NCCOM_PATH_MAX 512

/* --- what to measure: nccom_plan.c --------------------------------------------------------- */

struct nx_nccom_op {
	const char *name, *short_name, *word; /* "all_reduce", "allr", "ALL_REDUCE" */
	int64_t kind;			      /* enum nx_collective_kind */
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
	uint64_t word_count;	      /* element count in the instruction word */
	uint32_t op_count;	      /* triggers in one execution */
	uint32_t core_size;	      /* physical cores of a logical one */
};

/* MISMATCH if the size cannot be split as the operation needs it. */
NX_MUST_CHECK enum nx_status nx_nccom_case_measure(struct nx_nccom_case *c, struct nx_error *err);
/* The NEFF of a case. */
NX_MUST_CHECK enum nx_status nx_nccom_case_assemble(const struct nx_nccom_case *c,
						    struct nx_bytes *neff, struct nx_error *err);

/* --- running it ---------------------------------------------------------------------------- */

struct nx_nccom_runtime {
	struct nx_runtime_library calls;
	bool is_started;
};

/* path as nx_runtime_library_open takes it. NOT_FOUND, VERSION, UNSUPPORTED. */
NX_MUST_CHECK enum nx_status nx_nccom_runtime_open(struct nx_nccom_runtime *runtime,
						   const char *path, struct nx_error *err);
/* Initialises it and gets the number of its cores; IO. */
NX_MUST_CHECK enum nx_status nx_nccom_runtime_start(struct nx_nccom_runtime *runtime,
						    uint32_t *core_count, struct nx_error *err);
/* A zeroed runtime, or one that failed to open, may be closed. */
void nx_nccom_runtime_close(struct nx_nccom_runtime *runtime);

enum nx_nccom_check { NX_NCCOM_UNCHECKED, NX_NCCOM_RANDOM, NX_NCCOM_ONES };

struct nx_nccom_options {
	uint32_t warmup_count, measured_count; /* operations of an execution, or of all */
	bool has_executions;		       /* the two below count */
	uint32_t execution_count, ignored_count;
	enum nx_nccom_check check;
	uint32_t seed;
	bool has_processes, wants_wall_time;
	uint32_t first_rank, local_rank_count; /* that run on this machine */
};

struct nx_nccom_result {
	double *times_us; /* of each measured operation; heap */
	size_t time_count;
	const char *algorithm; /* borrowed from format; "": unknown */
	bool is_wall_time;
	struct nx_bytes said; /* after a failure: a line for each rank that failed */
};

/* runtime must be started, except with processes: each process starts its own. */
NX_MUST_CHECK enum nx_status nx_nccom_run(struct nx_nccom_runtime *runtime,
					  const struct nx_nccom_case *c,
					  const struct nx_nccom_options *options,
					  struct nx_nccom_result *out, struct nx_error *err);
void nx_nccom_result_release(struct nx_nccom_result *result);
/* A name below TMPDIR, or /tmp, that ends in XXXXXX; /tmp also if TMPDIR is too long. */
void nx_nccom_temporary(const char *name, char out[NX_NCCOM_PATH_MAX]);

/* --- inputs and expected outputs: nccom_values.c ------------------------------------------- */

/* Fills in elements first to first + count of a rank's input. */
void nx_nccom_fill(const struct nx_nccom_case *c, const struct nx_nccom_options *options,
		   uint32_t rank, uint64_t first, uint64_t count, uint8_t *in);
/* Checks the same range of its output. MISMATCH names the first element that differs from a plain
 * reduction of all inputs. */
NX_MUST_CHECK enum nx_status nx_nccom_verify(const struct nx_nccom_case *c,
					     const struct nx_nccom_options *options, uint32_t rank,
					     uint64_t first, uint64_t count, const uint8_t *out,
					     struct nx_error *err);

#endif
