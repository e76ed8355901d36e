/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_launch.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/child_run.h"
#include "capture/executable_kind.h"
#include "cli/nccom/nccom_ports.h"
#include "cli/nccom/nccom_streams.h"

#define BY_HAND                                                                                    \
	"start nccom-test with -N and --node-rank on each machine, " NX_NCCOM_ROOT                 \
	" naming the first"

/* --- plan ---------------------------------------------------------------------------------- */

bool nx_nccom_launch_is_wanted(const struct nx_nccom_words *words)
{
	return !words->node_rank && (words->has_slurm || words->hosts || words->hosts_file);
}

static enum nx_status plan_slurm(const struct nx_nccom_words *w, struct nx_error *err)
{
	if (w->slurm_script && !strcmp(w->slurm_script, "default"))
		return nx_fail(err, NX_UNSUPPORTED,
			       "--slurm-setup-script default would install AWS's software; give a "
			       "script of your own, or leave it out");
	if (w->slurm_script && access(w->slurm_script, R_OK) != 0)
		return nx_fail(err, NX_NOT_FOUND, "--slurm-setup-script: cannot read %.300s",
			       w->slurm_script);
	return NX_OK;
}

/* "localhost" means another machine to each that uses it. */
static enum nx_status check_first(const struct nx_nccom_hosts *hosts, struct nx_error *err)
{
	for (size_t i = 1; i < hosts->len && !getenv(NX_NCCOM_ROOT); i++)
		if (nx_nccom_host_is_here(hosts->items[0]) &&
		    !nx_nccom_host_is_here(hosts->items[i]))
			return nx_fail(err, NX_USAGE,
				       "%.100s cannot reach %.100s, where rank 0 would be; name "
				       "that machine as the others know it, or set " NX_NCCOM_ROOT
				       "=host:port",
				       hosts->items[i], hosts->items[0]);
	return NX_OK;
}

static enum nx_status plan_hosts(struct nx_nccom_launch *launch, struct nx_error *err)
{
	const struct nx_nccom_words *w = launch->words;
	enum nx_status st = NX_OK;

	if (w->hosts)
		st = nx_nccom_hosts_add(&launch->hosts, w->hosts, launch->arena, err);
	if (!st && w->hosts_file)
		st = nx_nccom_hosts_read(&launch->hosts, w->hosts_file, launch->arena, err);
	if (st)
		return st;
	if (!launch->hosts.len)
		return nx_fail(err, NX_USAGE, "%s names no machine",
			       w->hosts_file ? w->hosts_file : "--hosts");
	launch->node_count = (uint32_t)launch->hosts.len;
	if (w->nodes.is_given && w->nodes.value != launch->node_count)
		return nx_fail(err, NX_USAGE,
			       "-N says %u machines, but %u are named; leave -N out or name "
			       "that many",
			       w->nodes.value, launch->node_count);
	return check_first(&launch->hosts, err);
}

enum nx_status nx_nccom_launch_plan(struct nx_nccom_launch *launch, struct nx_nccom_words *words,
				    struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st;

	launch->words = words;
	launch->arena = arena;
	if (words->has_slurm && (words->hosts || words->hosts_file))
		return nx_fail(err, NX_USAGE,
			       "Slurm chooses the machines itself; leave --slurm-mode or the hosts "
			       "out");
	launch->node_count = words->nodes.is_given ? words->nodes.value : 1;
	st = words->has_slurm ? plan_slurm(words, err) : plan_hosts(launch, err);
	words->nodes = (struct nx_number_value){true, launch->node_count};
	return st;
}

/* --- the command --------------------------------------------------------------------------- */

struct line NX_VEC_BODY(char *);

static void add(struct line *line, struct nx_arena *arena, const char *word)
{
	nx_vec_push(line, nx_arena_copy_text(arena, word));
}

static void add_number(struct line *line, struct nx_arena *arena, const char *option,
		       uint32_t number)
{
	add(line, arena, option);
	nx_vec_push(line, nx_arena_printf(arena, "%u", number));
}

/* Copies on other machines need the variables that runtimes and networks read. */
static void add_variables(struct line *line, struct nx_arena *arena)
{
	static const char *const prefixes[] = {"NEURON_", "FI_", "LD_LIBRARY_PATH="};

	for (char **variable = environ; *variable; variable++)
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
			size_t len = strcspn(*variable, "=");

			if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) != 0)
				continue;
			add(line, arena, "-x");
			nx_vec_push(line, nx_arena_copy(arena, nx_slice_of(*variable, len)));
		}
}

static void add_mpirun(struct line *line, const struct nx_nccom_launch *launch)
{
	struct nx_arena *arena = launch->arena;
	struct nx_bytes list = {0};

	for (size_t i = 0; i < launch->hosts.len; i++) {
		nx_bytes_append(&list, ",", i > 0);
		nx_bytes_append(&list, launch->hosts.items[i], strlen(launch->hosts.items[i]));
	}
	if (geteuid() == 0)
		add(line, arena, "--allow-run-as-root");
	add_number(line, arena, "-np", launch->node_count);
	add(line, arena, "-H");
	nx_vec_push(line, nx_arena_copy(arena, nx_slice_of(list.items, list.len)));
	nx_vec_release(&list);
	add(line, arena, "--map-by");
	add(line, arena, "node");
	/* A copy has a thread for each rank of its machine. */
	add(line, arena, "--bind-to");
	add(line, arena, "none");
	add_variables(line, arena);
	if (launch->words->log_folder) {
		add(line, arena, "--output-filename");
		add(line, arena, launch->words->log_folder);
	}
}

static void add_srun(struct line *line, const struct nx_nccom_launch *launch)
{
	const struct nx_nccom_words *w = launch->words;
	struct nx_arena *arena = launch->arena;
	char path[PATH_MAX];

	add_number(line, arena, "-N", launch->node_count);
	add(line, arena, "--ntasks-per-node=1");
	if (w->slurm_vcpus.is_given)
		add_number(line, arena, "-c", w->slurm_vcpus.value);
	if (w->slurm_job && strcmp(w->slurm_job, "alloc") != 0)
		nx_vec_push(line, nx_arena_printf(arena, "--jobid=%s", w->slurm_job));
	add(line, arena, "--export=ALL");
	if (!w->slurm_script)
		return;
	add(line, arena, "sh");
	add(line, arena, "-c");
	add(line, arena, ". \"$0\" && exec \"$@\"");
	add(line, arena, realpath(w->slurm_script, path) ? path : w->slurm_script);
}

char **nx_nccom_launch_command(const struct nx_nccom_launch *launch, const char *starter,
			       const char *program, int argc, char **argv)
{
	struct nx_arena *arena = launch->arena;
	struct line line = {0};
	char **words;

	assert(starter && program && argc > 0 && launch->node_count > 0);
	add(&line, arena, starter);
	if (launch->words->has_slurm)
		add_srun(&line, launch);
	else
		add_mpirun(&line, launch);
	add(&line, arena, program);
	add(&line, arena, "--node-rank");
	add(&line, arena, "auto");
	add_number(&line, arena, "-N", launch->node_count);
	for (int i = 1; i < argc; i++)
		add(&line, arena, argv[i]);
	words = NX_NEW_ARRAY(arena, char *, line.len + 1);
	memcpy(words, line.items, line.len * sizeof(*words));
	nx_vec_release(&line);
	return words;
}

/* --- starting ------------------------------------------------------------------------------ */

/* NULL if it is not there. */
static const char *find_program(const char *name, struct nx_arena *arena)
{
	return nx_executable_find(arena, name, getenv("PATH"));
}

/* Absolute, but with the name it was called by: that name makes it nccom-test. */
static const char *own_path(const char *called, struct nx_arena *arena)
{
	char folder[PATH_MAX];
	const char *found = find_program(called, arena);

	if (!found || found[0] == '/' || !getcwd(folder, sizeof(folder)))
		return found ? found : called;
	return nx_arena_printf(arena, "%s/%s", folder, found + 2 * !strncmp(found, "./", 2));
}

static enum nx_status find_starter(const struct nx_nccom_launch *launch, const char **out,
				   struct nx_error *err)
{
	if (launch->words->has_slurm) {
		*out = find_program("srun", launch->arena);
		return *out ? NX_OK
			    : nx_fail(err, NX_NOT_FOUND,
				      "there is no srun in PATH; install slurm-client, "
				      "or " BY_HAND);
	}
	*out = find_program("mpirun", launch->arena);
	if (!*out)
		*out = find_program("mpiexec", launch->arena);
	return *out ? NX_OK
		    : nx_fail(err, NX_NOT_FOUND,
			      "there is no mpirun in PATH; install openmpi-bin, or " BY_HAND);
}

enum nx_status nx_nccom_launch_run(const struct nx_nccom_launch *launch, int argc, char **argv,
				   int *exit_code, struct nx_error *err)
{
	struct nx_child_command command = {0};
	struct nx_child_end end = {0};
	const char *starter = NULL;
	enum nx_status st = find_starter(launch, &starter, err);

	/* Only the copies know the first machine that Slurm chose. */
	if (!st && !getenv(NX_NCCOM_ROOT))
		st = nx_nccom_root_choose(launch->hosts.len ? launch->hosts.items[0] : "",
					  launch->words->streams ? NX_NCCOM_MAX_STREAMS : 1, err);
	if (!st && launch->words->log_folder)
		st = nx_make_directories(launch->words->log_folder, err);
	if (st)
		return st;
	command.argv = nx_nccom_launch_command(launch, starter, own_path(argv[0], launch->arena),
					       argc, argv);
	st = nx_child_command_run(&command, &end, err);
	*exit_code = end.exit_code;
	return st;
}

void nx_nccom_launch_release(struct nx_nccom_launch *launch)
{
	nx_vec_release(&launch->hosts);
}
