/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/nccom/nccom_hosts.h"
#include "cli/suggest.h"

#define W(member) NX_FIELD(struct nx_nccom_words, member)
#define DEFAULT_SIZE (UINT64_C(32) << 20)
#define DEFAULT_ITERATIONS 20
#define DEFAULT_WARMUPS 5
#define NOT_HERE "Accepted and without effect: ranks on this machine are threads of nccom-test."

const struct nx_option nx_nccom_option_table[] = {
	{"nworkers", 'r', NX_OPTION_NUMBER, "N", W(ranks), "Ranks in total.", NULL},
	{"nnodes", 'N', NX_OPTION_NUMBER, "N", W(nodes),
	 "Machines the ranks are spread over (default 1). All ranks still run here, and times are "
	 "those of so many machines, unless --node-rank, --hosts or -S spread them.",
	 NULL},
	{"node-rank", 0, NX_OPTION_TEXT, "N", W(node_rank),
	 "Run the ranks of machine N only; the others are reached by NEURON_RT_ROOT_COMM_ID. auto: "
	 "of the machine that mpirun or srun says this is.",
	 "auto"},
	{"minbytes", 'b', NX_OPTION_TEXT, "SIZE", W(least),
	 "Smallest size: 100, 512kb, 32mb, 1gb (default 32M).", NULL},
	{"maxbytes", 'e', NX_OPTION_TEXT, "SIZE", W(most), "Largest size (default 32M).", NULL},
	{"stepbytes", 'i', NX_OPTION_TEXT, "SIZE", W(step),
	 "From one size to the next (default a tenth of the range).", NULL},
	{"stepfactor", 'f', NX_OPTION_NUMBER, "N", W(factor), "Sizes grow by this factor.", NULL},
	{"iters", 'n', NX_OPTION_NUMBER, "N", W(iterations), "Measured operations (default 20).",
	 NULL},
	{"warmup_iters", 'w', NX_OPTION_NUMBER, "N", W(warmups),
	 "Operations before them that do not count (default 5).", NULL},
	{"neff_iters", 'I', NX_OPTION_NUMBER, "N", W(executions),
	 "Measured executions of a program that holds all of -n and -w.", NULL},
	{"neff_warmup_iters", 'W', NX_OPTION_NUMBER, "N", W(ignored_executions),
	 "Executions before them that do not count.", NULL},
	{"datatype", 'd', NX_OPTION_TEXT, "TYPE", W(dtype), "Type of the elements (default uint8).",
	 "uint8 int8 fp8 uint16 int16 fp16 bf16 uint32 int32 fp32"},
	{"check", 'c', NX_OPTION_FLAG_TEXT, "KIND", W(check),
	 "Compare all outputs with what a plain loop computes, from inputs that are random (the "
	 "default) or all_ones.",
	 "random all_ones"},
	{"seed", 0, NX_OPTION_NUMBER, "N", W(seed), "Of random inputs (default 0).", NULL},
	{"stats", 't', NX_OPTION_TEXT, "LIST", W(stats),
	 "Columns of time: avg, p25, p50, p99 and the like (default avg).", NULL},
	{"show-algorithm", 0, NX_OPTION_FLAG, NULL, W(shows_algorithm),
	 "A column with the way the data took.", NULL},
	{"show-input-output-size", 0, NX_OPTION_FLAG, NULL, W(shows_sizes),
	 "Columns with what all ranks put in and get out.", NULL},
	{"report-to-json-file", 0, NX_OPTION_FILE, "FILE", W(json), "The table as JSON as well.",
	 NULL},
	{"variable-size-op-metadata", 0, NX_OPTION_TEXT, "JSON", W(counts),
	 "Elements of each rank ([3,0,5]) for all_gatherv, of each rank for each other "
	 "([[1,2],[0,4]]) for alltoallv; a file or the text itself.",
	 NULL},
	{"custom-replica-groups", 0, NX_OPTION_TEXT, "JSON", W(groups),
	 "Groups of ranks of one size, [[0,1],[2,3]]; a file or the text itself.", NULL},
	{"custom-src-target-pairs", 0, NX_OPTION_TEXT, "JSON", W(pairs),
	 "Who sends to whom in permute and sendrecv, [[0,1],[1,0]]; each to the next without it.",
	 NULL},
	{"data-parallel-dimension", 0, NX_OPTION_NUMBER, "N", W(data_parallel),
	 "Groups of N ranks that lie evenly apart.", NULL},
	{"processes", 0, NX_OPTION_FLAG, NULL, W(has_processes),
	 "A process for each rank, not a thread.", NULL},
	{"wall-time", 0, NX_OPTION_FLAG, NULL, W(wants_wall_time),
	 "Times of this machine's clock, not of the device.", NULL},
	{"runtime", 0, NX_OPTION_FILE, "PATH", W(runtime),
	 "The libnrt.so.1 to measure, or its folder; chosen as by 'neuron-explorer inspect'.",
	 NULL},
	{"hosts", 's', NX_OPTION_TEXT, "HOSTS", W(hosts),
	 "Start nccom-test on these machines by Open MPI's mpirun, once on each: 'a,b' or 'a b'. "
	 "The first one has rank 0.",
	 NULL},
	{"hosts-file", 0, NX_OPTION_FILE, "FILE", W(hosts_file),
	 "The same, a machine in each line.", NULL},
	{"mpi-log-dir", 0, NX_OPTION_FOLDER, "FOLDER", W(log_folder),
	 "With --hosts: what each machine prints, in a file of its own.", NULL},
	{"slurm-mode", 'S', NX_OPTION_FLAG, NULL, W(has_slurm),
	 "Start nccom-test on -N machines by Slurm's srun, once on each.", NULL},
	{"slurm-vcpus-per-node", 'u', NX_OPTION_NUMBER, "N", W(slurm_vcpus),
	 "With -S: processors of a machine (srun -c).", NULL},
	{"slurm-setup-script", 0, NX_OPTION_FILE, "FILE", W(slurm_script),
	 "With -S: a script for sh that each machine reads before.", NULL},
	{"slurm-job-id", 0, NX_OPTION_TEXT, "ID", W(slurm_job),
	 "With -S: machines of this job; without it srun asks for new ones.", NULL},
	{"slurm-use-head-node-neuron-bench", 0, NX_OPTION_FLAG, NULL, W(head_node),
	 "Accepted and without effect: each machine has to have nccom-test at the same path.",
	 NULL},
	{"non-interactive", 0, NX_OPTION_FLAG, NULL, W(is_quiet), "Nothing is ever asked.", NULL},
	{"unique-buff", 0, NX_OPTION_FLAG, NULL, W(unique),
	 "Accepted and without effect: buffers do not change simulated times.", NULL},
	{"shared-output-buff", 0, NX_OPTION_FLAG, NULL, W(shared_output), "As --unique-buff.",
	 NULL},
	{"coalesced-cc-size-ratio", 0, NX_OPTION_TEXT, "RATIO", W(ignored[0]), "As --unique-buff.",
	 NULL},
	{"sb2sb", 0, NX_OPTION_FLAG, NULL, W(sb2sb),
	 "Accepted; transfers between state buffers are measured as those between device memories.",
	 NULL},
	{"input-shape", 0, NX_OPTION_TEXT, "SHAPE", W(ignored[1]), "As --sb2sb.", NULL},
	{"output-shape", 0, NX_OPTION_TEXT, "SHAPE", W(ignored[2]), "As --sb2sb.", NULL},
	{"cc-dim", 0, NX_OPTION_TEXT, "N", W(ignored[3]), "As --sb2sb.", NULL},
	{"streams-json", 0, NX_OPTION_FILE, "FILE", W(streams),
	 "Streams that run side by side, each with ranks of its own and a table of its own: see "
	 "below.",
	 NULL},
	{"vcpu-pin-mode", 0, NX_OPTION_TEXT, "MODE", W(ignored[4]), NOT_HERE, NULL},
	{"data-collector-port", 0, NX_OPTION_TEXT, "PORT", W(ignored[5]), NOT_HERE, NULL},
	{"data-collector-host", 0, NX_OPTION_TEXT, "HOST", W(ignored[6]), NOT_HERE, NULL},
	{"debug", 0, NX_OPTION_FLAG, NULL, W(is_debug), "All lines of the runtime.", NULL},
	{"version", 'V', NX_OPTION_FLAG, NULL, W(wants_version), "Show the version.", NULL},
	{0},
};

/* --- words ------------------------------------------------------------------------------ */

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

static bool is_stat(const char *word)
{
	char *end = NULL;

	if (!strcmp(word, "avg"))
		return true;
	return word[0] == 'p' && word[1] && strtoul(word + 1, &end, 10) <= 100 && end && !*end;
}

/* Behind --hosts; an operation may stand there as well. */
static bool is_host(const char *word)
{
	return word[0] != '-' && !nx_nccom_op_find(word);
}

int nx_nccom_join_words(int argc, char **argv, struct nx_arena *arena, char ***out)
{
	char **words = NX_NEW_ARRAY(arena, char *, (size_t)argc + 1);
	int count = 0;

	for (int i = 0; i < argc; i++) {
		char *word = argv[i];

		if (is_one_of(word, "-c", "--check") && i + 1 < argc &&
		    is_one_of(argv[i + 1], "random", "all_ones"))
			word = nx_arena_printf(arena, "--check=%s", argv[++i]);
		else if (!strcmp(word, "-c"))
			word = nx_arena_printf(arena, "--check");
		if (is_one_of(word, "-t", "--stats") && i + 1 < argc && is_stat(argv[i + 1])) {
			word = nx_arena_printf(arena, "--stats=%s", argv[++i]);
			while (i + 1 < argc && is_stat(argv[i + 1]))
				word = nx_arena_printf(arena, "%s,%s", word, argv[++i]);
		}
		if (is_one_of(word, "-s", "--hosts") && i + 1 < argc)
			word = nx_arena_printf(arena, "--hosts=%s", argv[++i]);
		while (!strncmp(word, "--hosts=", 8) && i + 1 < argc && is_host(argv[i + 1]))
			word = nx_arena_printf(arena, "%s,%s", word, argv[++i]);
		words[count++] = word;
	}
	*out = words;
	return count;
}

/* --- the rest ------------------------------------------------------------------------ */

static enum nx_status read_stats(const char *text, struct nx_nccom_request *r, struct nx_error *err)
{
	while (text && *text) {
		size_t len = strcspn(text, ",");
		char word[16];

		snprintf(word, sizeof(word), "%.*s", (int)(len < 15 ? len : 15), text);
		if (!is_stat(word) || r->stat_count == NX_NCCOM_MAX_STATS)
			return nx_fail(err, NX_USAGE,
				       "--stats is a list of avg, p50, p99; not '%s'", word);
		r->stats[r->stat_count++] = word[0] == 'a' ? -1 : atoi(word + 1);
		text += len + (text[len] == ',');
	}
	if (!r->stat_count)
		r->stats[r->stat_count++] = -1;
	return NX_OK;
}

static enum nx_status read_sizes(const struct nx_nccom_words *w, struct nx_nccom_request *r,
				 struct nx_arena *arena, struct nx_error *err)
{
	struct nx_nccom_sizes sizes = {.least = DEFAULT_SIZE, .most = DEFAULT_SIZE};
	enum nx_status st = w->least ? nx_nccom_size_parse(w->least, &sizes.least, err) : NX_OK;

	if (!st && w->most)
		st = nx_nccom_size_parse(w->most, &sizes.most, err);
	if (!st && w->least && !w->most && sizes.least > sizes.most)
		sizes.most = sizes.least;
	if (!st && w->most && !w->least && sizes.most < sizes.least)
		sizes.least = sizes.most;
	if (!st && w->step)
		st = nx_nccom_size_parse(w->step, &sizes.step, err);
	sizes.factor = w->factor.is_given ? w->factor.value : 0;
	if (!st && w->factor.is_given && sizes.factor < 2)
		return nx_fail(err, NX_USAGE, "--stepfactor has to be 2 or more");
	return st ? st : nx_nccom_sizes_list(&sizes, arena, &r->sizes, &r->size_count, err);
}

static uint32_t or_default(struct nx_number_value given, uint32_t fallback)
{
	return given.is_given ? given.value : fallback;
}

static enum nx_status read_node(const char *text, struct nx_nccom_request *r, struct nx_error *err)
{
	struct nx_nccom_options *o = &r->options;
	uint32_t node = 0;
	enum nx_status st = nx_nccom_node_read(text, &node, err);

	if (!st)
		st = nx_nccom_root_complete(err);
	if (st)
		return st;
	if (node >= r->node_count || !getenv(NX_NCCOM_ROOT))
		return nx_fail(err, NX_USAGE,
			       "--node-rank is 0 to %u, and needs NEURON_RT_ROOT_COMM_ID=host:port "
			       "of the machine of rank 0",
			       r->node_count - 1);
	o->local_rank_count = r->rank_count / r->node_count;
	o->first_rank = node * o->local_rank_count;
	return NX_OK;
}

static enum nx_status read_ranks(const struct nx_nccom_words *w, struct nx_nccom_request *r,
				 struct nx_error *err)
{
	struct nx_nccom_options *o = &r->options;

	r->rank_count = or_default(w->ranks, 0);
	r->node_count = or_default(w->nodes, 1);
	if (!r->rank_count || r->rank_count > NX_NCCOM_MAX_RANKS)
		return nx_fail(err, NX_USAGE, "--nworkers says how many ranks there are, 1 to %u",
			       NX_NCCOM_MAX_RANKS);
	if (!r->node_count || r->rank_count % r->node_count)
		return nx_fail(err, NX_USAGE, "%u ranks cannot be spread over %u machines",
			       r->rank_count, r->node_count);
	o->local_rank_count = r->rank_count;
	return w->node_rank ? read_node(w->node_rank, r, err) : NX_OK;
}

static enum nx_status read_options(const struct nx_nccom_words *w, struct nx_nccom_request *r,
				   struct nx_error *err)
{
	struct nx_nccom_options *o = &r->options;

	o->measured_count = or_default(w->iterations, DEFAULT_ITERATIONS);
	o->warmup_count = or_default(w->warmups, DEFAULT_WARMUPS);
	o->has_executions = w->executions.is_given || w->ignored_executions.is_given;
	o->execution_count = or_default(w->executions, 1);
	o->ignored_count = or_default(w->ignored_executions, 0);
	o->seed = or_default(w->seed, 0);
	o->has_processes = w->has_processes;
	o->wants_wall_time = w->wants_wall_time;
	if (!o->measured_count || o->measured_count > 100000 || o->warmup_count > 100000 ||
	    !o->execution_count || o->execution_count > 10000 || o->ignored_count > 10000)
		return nx_fail(err, NX_USAGE,
			       "-n has to be 1 to 100,000, -w 0 to 100,000, -I 1 to 10,000");
	if (w->check && *w->check && !is_one_of(w->check, "random", "all_ones"))
		return nx_fail(err, NX_USAGE, "--check is random or all_ones, not '%.40s'",
			       w->check);
	if (w->check)
		o->check = strcmp(w->check, "all_ones") ? NX_NCCOM_RANDOM : NX_NCCOM_ONES;
	r->dtype_name = w->dtype ? w->dtype : "uint8";
	r->dtype = nx_nccom_dtype_find(r->dtype_name);
	if (!r->dtype)
		return nx_fail(err, NX_USAGE,
			       "there is no type '%.40s'; uint8, int8, fp8, uint16, int16, fp16, "
			       "bf16, uint32, int32 and fp32 are",
			       r->dtype_name);
	return NX_OK;
}

static const char op_words[] =
	"all_reduce allr all_gather allg all_gatherv allgv reduce_scatter redsct sendrecv alltoall "
	"alltoallv permute broadcast bcast";

static enum nx_status read_ops(char **ops, size_t count, struct nx_nccom_request *r,
			       struct nx_error *err)
{
	if (!count || count > NX_NCCOM_MAX_OPS)
		return nx_fail(err, NX_USAGE,
			       "name 1 to %d operations: all_reduce (allr), all_gather (allg), "
			       "all_gatherv (allgv), reduce_scatter (redsct), sendrecv, alltoall, "
			       "alltoallv, permute, broadcast",
			       NX_NCCOM_MAX_OPS);
	for (r->op_count = 0; r->op_count < count; r->op_count++) {
		const char *name = ops[r->op_count], *near = nx_suggest_word(op_words, name);

		r->ops[r->op_count] = nx_nccom_op_find(name);
		if (!r->ops[r->op_count])
			return nx_fail(err, NX_USAGE, "there is no operation '%.40s'; %s%.*s%s",
				       name, near ? "did you mean '" : "--help lists them",
				       near ? (int)strcspn(near, " ") : 0, near ? near : "",
				       near ? "'?" : "");
	}
	return NX_OK;
}

enum nx_status nx_nccom_request_read(const struct nx_nccom_words *words, char **ops,
				     size_t op_count, struct nx_arena *arena,
				     struct nx_nccom_request *out, struct nx_error *err)
{
	enum nx_status st = read_ops(ops, op_count, out, err);

	if (!st)
		st = read_ranks(words, out, err);
	if (!st)
		st = read_options(words, out, err);
	if (!st)
		st = read_stats(words->stats, out, err);
	if (!st)
		st = read_sizes(words, out, arena, err);
	if (!st)
		st = nx_nccom_read_groups(words, out, arena, err);
	if (!st)
		st = nx_nccom_read_pairs(words, out, arena, err);
	return st ? st : nx_nccom_read_counts(words, out, arena, err);
}
