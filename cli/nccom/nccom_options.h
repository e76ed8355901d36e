/* SPDX-License-Identifier: Apache-2.0 */
/* nccom_options: the command line of nccom-test. */
#ifndef NX_CLI_NCCOM_NCCOM_OPTIONS_H
#define NX_CLI_NCCOM_NCCOM_OPTIONS_H

#include "cli/command.h"
#include "cli/nccom/nccom_run.h"

#define NX_NCCOM_MAX_STATS 12
#define NX_NCCOM_MAX_OPS 16

/* The options as given. */
struct nx_nccom_words {
	struct nx_number_value ranks, nodes, iterations, warmups, executions, ignored_executions,
		factor, seed, data_parallel, slurm_vcpus;
	const char *least, *most, *step, *dtype, *check, *stats, *counts, *groups, *pairs, *json;
	const char *runtime, *node_rank, *hosts, *hosts_file, *log_folder, *slurm_script,
		*slurm_job;
	const char *ignored[16], *streams;
	bool shows_algorithm, shows_sizes, has_processes, wants_wall_time, has_slurm, sb2sb, unique,
		shared_output, is_quiet, is_debug, head_node, wants_version;
};

/* What they mean, checked. */
struct nx_nccom_request {
	const struct nx_nccom_op *ops[NX_NCCOM_MAX_OPS];
	size_t op_count;
	unsigned dtype;
	const char *dtype_name;
	uint64_t *sizes;
	size_t size_count;
	uint32_t rank_count, node_count;
	struct nx_nccom_groups groups;
	struct nx_nccom_options options;
	int stats[NX_NCCOM_MAX_STATS]; /* percentiles; -1 is the average */
	size_t stat_count;
};

extern const struct nx_option nx_nccom_option_table[];

/*
 * -c and -t have optional values and --hosts has several: joins them into one word with their
 * option, as the parser expects.
 */
int nx_nccom_join_words(int argc, char **argv, struct nx_arena *arena, char ***out);

/* USAGE; the request lives in the arena. */
NX_MUST_CHECK enum nx_status nx_nccom_request_read(const struct nx_nccom_words *words, char **ops,
						   size_t op_count, struct nx_arena *arena,
						   struct nx_nccom_request *out,
						   struct nx_error *err);

/* Its parts in nccom_groups.c: groups of ranks, pairs, and counts of the v-operations. */
NX_MUST_CHECK enum nx_status nx_nccom_read_groups(const struct nx_nccom_words *w,
						  struct nx_nccom_request *r,
						  struct nx_arena *arena, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_nccom_read_pairs(const struct nx_nccom_words *w,
						 struct nx_nccom_request *r, struct nx_arena *arena,
						 struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_nccom_read_counts(const struct nx_nccom_words *w,
						  struct nx_nccom_request *r,
						  struct nx_arena *arena, struct nx_error *err);

#endif
