/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_launch.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/child_run.h"
#include "capture/executable_kind.h"
#include "cli/nccom/nccom_measure.h"
#include "cli/nccom/nccom_streams.h"

#define MAX_FILE_BYTES ((size_t)1 << 20)
#define MAX_NAME 253u /* of DNS */
#define BY_HAND                                                                                    \
	"start nccom-test with -N and --node-rank on each machine, " NX_NCCOM_ROOT                 \
	" naming the first"

/* --- names --------------------------------------------------------------------------------- */

/* A name must not look like an option to mpirun or srun. */
static enum nx_status add_name(struct nx_nccom_hosts *hosts, struct nx_slice name,
			       struct nx_arena *arena, struct nx_error *err)
{
	bool is_good = name.data && name.len && name.len <= MAX_NAME && name.data[0] != '-';

	for (size_t i = 0; i < name.len && is_good; i++) {
		int c = name.data[i];

		is_good = c && c < 0x80 && (isalnum(c) || strchr(".-_:%[]", c));
	}
	if (!is_good)
		return nx_fail(err, NX_USAGE, "'%.*s' is not a host name",
			       (int)(name.len < 60 ? name.len : 60), (const char *)name.data);
	if (hosts->len == NX_NCCOM_MAX_HOSTS)
		return nx_fail(err, NX_LIMIT, "there are more than %u machines",
			       NX_NCCOM_MAX_HOSTS);
	nx_vec_push(hosts, nx_arena_copy(arena, name));
	return NX_OK;
}

enum nx_status nx_nccom_hosts_add(struct nx_nccom_hosts *hosts, const char *list,
				  struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	assert(list);
	while (!st && *(list += strspn(list, ", "))) {
		size_t len = strcspn(list, ", ");

		st = add_name(hosts, nx_slice_of(list, len), arena, err);
		list += len;
	}
	return st;
}

static size_t span_of(struct nx_slice text, const char *ends)
{
	size_t len = 0;

	while (len < text.len && text.data[len] && !strchr(ends, (char)text.data[len]))
		len++;
	return len;
}

static enum nx_status read_lines(struct nx_nccom_hosts *hosts, struct nx_slice text,
				 struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t line = 1; text.len && !st; line++) {
		struct nx_slice name = nx_slice_part(text, 0, span_of(text, "\n"));
		size_t len = name.len;

		while (name.len && strchr(" \t", (char)name.data[0]))
			name = nx_slice_of(name.data + 1, name.len - 1);
		name.len = span_of(name, " \t\r#");
		if (name.len)
			st = add_name(hosts, name, arena, err);
		if (st)
			return nx_context(err, "line %zu", line);
		text = nx_slice_part(text, len + 1, SIZE_MAX);
	}
	return NX_OK;
}

enum nx_status nx_nccom_hosts_read(struct nx_nccom_hosts *hosts, const char *path,
				   struct nx_arena *arena, struct nx_error *err)
{
	struct nx_file file = {0};
	enum nx_status st = nx_file_map(&file, path, err);

	if (st)
		return nx_context(err, "--hosts-file");
	if (file.bytes.len > MAX_FILE_BYTES)
		st = nx_fail(err, NX_LIMIT, "it has %zu bytes; the limit is %zu", file.bytes.len,
			     MAX_FILE_BYTES);
	else
		st = read_lines(hosts, file.bytes, arena, err);
	nx_file_unmap(&file);
	return st ? nx_context(err, "%.200s", path) : NX_OK;
}

bool nx_nccom_host_is_here(const char *host)
{
	return !strncmp(host, "127.", 4) || !strcmp(host, "localhost") || !strcmp(host, "::1") ||
	       !strcmp(host, "[::1]");
}

/* --- which machine this is ------------------------------------------------------------------ */

enum nx_status nx_nccom_node_read(const char *text, uint32_t *node, struct nx_error *err)
{
	/* of Open MPI, MPICH and its relatives, Slurm */
	static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
	const char *name = "--node-rank";
	uint64_t number;

	if (!strcmp(text, "auto")) {
		text = NULL;
		for (size_t i = 0; i < 3 && !text; i++) {
			name = variables[i];
			text = getenv(name);
		}
	}
	if (!text)
		return nx_fail(err, NX_USAGE,
			       "--node-rank auto: neither mpirun nor srun started this process; "
			       "give the number of this machine");
	if (!nx_slice_to_u64(nx_slice_text(text), &number) || number > UINT32_MAX)
		return nx_fail(err, NX_USAGE,
			       "%s must be the number of a machine, from 0, not '%.60s'", name,
			       text);
	*node = (uint32_t)number;
	return NX_OK;
}

bool nx_nccom_hosts_first(const char *list, char *out, size_t cap)
{
	bool is_inside = false, is_later = false; /* in [...]; after its first number */
	size_t used = 0;

	for (; *list && (is_inside || *list != ','); list++) {
		if (*list == '[' || *list == ']') {
			is_inside = *list == '[';
			is_later = false;
		} else if (is_inside && (*list == '-' || *list == ',')) {
			is_later = true;
		} else if (!is_later) {
			if (used + 1 >= cap)
				return false;
			out[used++] = *list;
		}
	}
	out[used] = '\0';
	return used > 0;
}

enum nx_status nx_nccom_root_complete(struct nx_error *err)
{
	const char *port = getenv(NX_NCCOM_ROOT), *list = getenv("SLURM_STEP_NODELIST");
	char text[300];
	size_t len;

	if (!port || port[0] != ':')
		return NX_OK;
	if (!list)
		list = getenv("SLURM_JOB_NODELIST");
	if (!list || !nx_nccom_hosts_first(list, text, sizeof(text) - 16) || strlen(port) > 6)
		return nx_fail(err, NX_USAGE,
			       NX_NCCOM_ROOT
			       "=%.20s is a port on the first machine of a Slurm job, but "
			       "SLURM_STEP_NODELIST does not name it; set " NX_NCCOM_ROOT
			       "=host:port",
			       port);
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, "%s", port);
	setenv(NX_NCCOM_ROOT, text, 1);
	return NX_OK;
}

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

static enum nx_status plan_hosts(struct nx_nccom_launch *launch, struct nx_error *err)
{
	const struct nx_nccom_words *w = launch->words;
	const struct nx_nccom_hosts *hosts = &launch->hosts;
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
	/* Each machine is "localhost" to itself only. */
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

enum nx_status nx_nccom_launch_plan(struct nx_nccom_launch *launch, struct nx_nccom_words *words,
				    struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st;

	assert(nx_nccom_launch_is_wanted(words));
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

static void add_all(struct line *line, struct nx_arena *arena, const char *const *words)
{
	for (; *words; words++)
		add(line, arena, *words);
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
	/* Bound to no core: a copy has a thread for each rank of its machine. */
	add_all(line, arena, (const char *const[]){"--map-by", "node", "--bind-to", "none", NULL});
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
	add_all(line, arena, (const char *const[]){"sh", "-c", ". \"$0\" && exec \"$@\"", NULL});
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
	add_all(&line, arena, (const char *const[]){program, "--node-rank", "auto", NULL});
	add_number(&line, arena, "-N", launch->node_count);
	for (int i = 1; i < argc; i++)
		add(&line, arena, argv[i]);
	words = NX_NEW_ARRAY(arena, char *, line.len + 1);
	memcpy(words, line.items, line.len * sizeof(*words));
	nx_vec_release(&line);
	return words;
}

/* --- starting ------------------------------------------------------------------------------ */

/* Absolute, but with the name it was called by: that name makes it nccom-test. */
static const char *own_path(const char *called, struct nx_arena *arena)
{
	char folder[PATH_MAX];
	const char *found = nx_executable_find(arena, called, getenv("PATH"));

	if (!found || found[0] == '/' || !getcwd(folder, sizeof(folder)))
		return found ? found : called;
	return nx_arena_printf(arena, "%s/%s", folder, found + 2 * !strncmp(found, "./", 2));
}

static enum nx_status find_starter(const struct nx_nccom_launch *launch, const char **out,
				   struct nx_error *err)
{
	bool is_slurm = launch->words->has_slurm;
	const char *path = getenv("PATH");

	*out = nx_executable_find(launch->arena, is_slurm ? "srun" : "mpirun", path);
	if (!*out && !is_slurm)
		*out = nx_executable_find(launch->arena, "mpiexec", path);
	if (*out)
		return NX_OK;
	return nx_fail(err, NX_NOT_FOUND, "there is no %s in PATH; install %s, or " BY_HAND,
		       is_slurm ? "srun" : "mpirun", is_slurm ? "slurm-client" : "openmpi-bin");
}

enum nx_status nx_nccom_launch_run(const struct nx_nccom_launch *launch, int argc, char **argv,
				   int *exit_code, struct nx_error *err)
{
	struct nx_child_command command = {0};
	struct nx_child_end end = {0};
	const char *starter = NULL;
	enum nx_status st = find_starter(launch, &starter, err);

	/* With Slurm, only the copies know the first machine: name just the port. */
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
