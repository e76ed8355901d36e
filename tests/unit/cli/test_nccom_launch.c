/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/nccom/nccom_launch.h"
#include "tests/unit/cli/command_table.h"

static struct nx_arena arena;
static struct nx_nccom_launch launch;
static struct nx_error err;

static int clear(void **state)
{
	(void)state;
	nx_nccom_launch_release(&launch);
	nx_arena_release(&arena);
	launch = (struct nx_nccom_launch){0};
	clearenv();
	return 0;
}

static void expect_refusal(struct nx_nccom_words words, enum nx_status status, const char *part)
{
	launch = (struct nx_nccom_launch){0};
	assert_int_equal(nx_nccom_launch_plan(&launch, &words, &arena, &err), status);
	assert_non_null(strstr(err.message, part));
	nx_nccom_launch_release(&launch);
}

static void who_is_launched(void **state)
{
	(void)state;
	assert_false(nx_nccom_launch_is_wanted(&(struct nx_nccom_words){.hosts = NULL}));
	assert_true(nx_nccom_launch_is_wanted(&(struct nx_nccom_words){.hosts = "a"}));
	assert_true(nx_nccom_launch_is_wanted(&(struct nx_nccom_words){.hosts_file = "a"}));
	assert_true(nx_nccom_launch_is_wanted(&(struct nx_nccom_words){.has_slurm = true}));
	/* A copy has all words of who started it. */
	assert_false(nx_nccom_launch_is_wanted(
		&(struct nx_nccom_words){.has_slurm = true, .node_rank = "auto"}));
}

static void refusals(void **state)
{
	(void)state;
	expect_refusal((struct nx_nccom_words){.hosts = " ,"}, NX_USAGE,
		       "--hosts names no machine");
	expect_refusal((struct nx_nccom_words){.hosts = "a,b", .nodes = {true, 3}}, NX_USAGE,
		       "-N says 3 machines, but 2 are named");
	expect_refusal((struct nx_nccom_words){.hosts = "a", .has_slurm = true}, NX_USAGE,
		       "Slurm chooses");
	expect_refusal((struct nx_nccom_words){.hosts = "localhost,b"}, NX_USAGE,
		       "b cannot reach localhost");
	expect_refusal((struct nx_nccom_words){.has_slurm = true, .slurm_script = "default"},
		       NX_UNSUPPORTED, "a script of your own");
	expect_refusal((struct nx_nccom_words){.has_slurm = true, .slurm_script = "/nowhere"},
		       NX_NOT_FOUND, "cannot read /nowhere");
	expect_refusal((struct nx_nccom_words){.hosts_file = "/nowhere"}, NX_NOT_FOUND,
		       "--hosts-file");
}

static void a_root_of_ones_own_is_believed(void **state)
{
	struct nx_nccom_words words = {.hosts = "127.0.0.1,b"};

	(void)state;
	setenv("NEURON_RT_ROOT_COMM_ID", "10.0.0.1:4000", 1);
	assert_int_equal(nx_nccom_launch_plan(&launch, &words, &arena, &err), NX_OK);
}

/* All words as one line; each of them is one word. */
static const char *line_of(char **words)
{
	const char *line = words[0];

	for (words++; *words; words++)
		line = nx_arena_printf(&arena, "%s|%s", line, *words);
	return line;
}

static const char *command_of(struct nx_nccom_words *words)
{
	char name[] = "nccom-test", ranks[] = "-r", four[] = "4", stats[] = "--stats=avg,p50";
	char op[] = "allr";
	char *argv[] = {name, ranks, four, stats, op, NULL};

	assert_int_equal(nx_nccom_launch_plan(&launch, words, &arena, &err), NX_OK);
	assert_true(words->nodes.is_given);
	return line_of(nx_nccom_launch_command(&launch, words->has_slurm ? "srun" : "mpirun",
					       "/bin/nccom-test", 5, argv));
}

static void words_of_mpirun(void **state)
{
	struct nx_nccom_words words = {.hosts = "a b", .log_folder = "my logs"};

	(void)state;
	setenv("NEURON_RT_LOG_LEVEL", "a b", 1);
	setenv("FI_PROVIDER", "efa", 1);
	setenv("NEURONS", "1", 1);
	setenv("LD_LIBRARY_PATH", "/x", 1);
	setenv("LD_LIBRARY_PATHS", "/x", 1);
	assert_string_equal(
		command_of(&words),
		geteuid() == 0 ? "mpirun|--allow-run-as-root|-np|2|-H|a,b|--map-by|node|"
				 "--bind-to|none|-x|NEURON_RT_LOG_LEVEL|-x|FI_PROVIDER|-x|"
				 "LD_LIBRARY_PATH|--output-filename|my logs|/bin/nccom-test|"
				 "--node-rank|auto|-N|2|-r|4|--stats=avg,p50|allr"
			       : "mpirun|-np|2|-H|a,b|--map-by|node|--bind-to|none|-x|"
				 "NEURON_RT_LOG_LEVEL|-x|FI_PROVIDER|-x|LD_LIBRARY_PATH|"
				 "--output-filename|my logs|/bin/nccom-test|--node-rank|auto|-N|"
				 "2|-r|4|--stats=avg,p50|allr");
}

static void words_of_srun(void **state)
{
	struct nx_nccom_words words = {.has_slurm = true, .nodes = {true, 3}, .slurm_job = "alloc"};

	(void)state;
	assert_string_equal(command_of(&words),
			    "srun|-N|3|--ntasks-per-node=1|--export=ALL|/bin/nccom-test|"
			    "--node-rank|auto|-N|3|-r|4|--stats=avg,p50|allr");
}

static void words_of_srun_with_a_script(void **state)
{
	struct nx_nccom_words words = {.has_slurm = true,
				       .slurm_vcpus = {true, 16},
				       .slurm_job = "77",
				       .slurm_script = "/dev/../dev/null"};

	(void)state;
	assert_string_equal(command_of(&words),
			    "srun|-N|1|--ntasks-per-node=1|-c|16|--jobid=77|--export=ALL|sh|-c|"
			    ". \"$0\" && exec \"$@\"|/dev/null|/bin/nccom-test|--node-rank|auto|-N|"
			    "1|-r|4|--stats=avg,p50|allr");
}

static void no_starter(void **state)
{
	struct nx_nccom_words words = {.hosts = "a,b"};
	char name[] = "nccom-test";
	char *argv[] = {name, NULL};
	int exit_code = 0;

	(void)state;
	setenv("PATH", "/nowhere::/dev", 1);
	assert_int_equal(nx_nccom_launch_plan(&launch, &words, &arena, &err), NX_OK);
	assert_int_equal(nx_nccom_launch_run(&launch, 1, argv, &exit_code, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "install openmpi-bin"));
	words.has_slurm = true;
	assert_int_equal(nx_nccom_launch_run(&launch, 1, argv, &exit_code, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "no srun in PATH"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, clear, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_is_launched), TEST(refusals),	    TEST(a_root_of_ones_own_is_believed),
		TEST(words_of_mpirun), TEST(words_of_srun), TEST(words_of_srun_with_a_script),
		TEST(no_starter),
	};

	/* clearenv would take the wish for TAP away, which cmocka reads at the end. */
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
