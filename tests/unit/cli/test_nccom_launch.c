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
static struct nx_nccom_hosts hosts;
static struct nx_error err;

static int clear(void **state)
{
	(void)state;
	nx_nccom_launch_release(&launch);
	nx_vec_release(&hosts);
	nx_arena_release(&arena);
	launch = (struct nx_nccom_launch){0};
	clearenv();
	return 0;
}

/* --- lists --------------------------------------------------------------------------------- */

static void lists(void **state)
{
	(void)state;
	assert_int_equal(nx_nccom_hosts_add(&hosts, "a,b c,,[::1],10.0.0.1", &arena, &err), NX_OK);
	assert_int_equal(hosts.len, 5);
	assert_string_equal(hosts.items[0], "a");
	assert_string_equal(hosts.items[2], "c");
	assert_string_equal(hosts.items[4], "10.0.0.1");
	assert_int_equal(nx_nccom_hosts_add(&hosts, "", &arena, &err), NX_OK);
	assert_int_equal(hosts.len, 5);
}

static void names_that_are_none(void **state)
{
	static const char *const wrong[] = {"-rf", "a,$(id)", "a;b", "a/b", "a\nb"};
	char longest[300];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(nx_nccom_hosts_add(&hosts, wrong[i], &arena, &err), NX_USAGE);
	assert_string_equal(err.message, "'a\nb' is not a host name");
	memset(longest, 'a', sizeof(longest));
	longest[254] = '\0';
	assert_int_equal(nx_nccom_hosts_add(&hosts, longest, &arena, &err), NX_USAGE);
	longest[253] = '\0';
	assert_int_equal(nx_nccom_hosts_add(&hosts, longest, &arena, &err), NX_OK);
}

static void too_many(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NX_NCCOM_MAX_HOSTS; i++)
		assert_int_equal(nx_nccom_hosts_add(&hosts, "a", &arena, &err), NX_OK);
	assert_int_equal(nx_nccom_hosts_add(&hosts, "a", &arena, &err), NX_LIMIT);
}

static enum nx_status read_text(const void *text, size_t len)
{
	char path[] = "/tmp/test_nccom_hosts.XXXXXX";
	int fd = mkstemp(path);
	enum nx_status st;

	assert_true(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	close(fd);
	nx_vec_clear(&hosts);
	st = nx_nccom_hosts_read(&hosts, path, &arena, &err);
	remove(path);
	return st;
}

static void files(void **state)
{
	static const char text[] = "# all\na\n\n  b slots=4\r\n\tc#first\n#d\nlast";
	char *large = nx_arena_zalloc(&arena, 1, ((size_t)1 << 20) + 1);

	(void)state;
	assert_int_equal(read_text(text, strlen(text)), NX_OK);
	assert_int_equal(hosts.len, 4);
	assert_string_equal(hosts.items[1], "b");
	assert_string_equal(hosts.items[2], "c");
	assert_string_equal(hosts.items[3], "last");
	assert_int_equal(read_text("", 0), NX_OK);
	assert_int_equal(hosts.len, 0);
	assert_int_equal(read_text("a\nb\n-c\n", 7), NX_USAGE);
	assert_non_null(strstr(err.message, ": line 3: '-c' is not a host name"));
	assert_int_equal(read_text("a\0b\n\0\0\nc", 9), NX_OK);
	assert_int_equal(read_text(large, ((size_t)1 << 20) + 1), NX_LIMIT);
	assert_int_equal(nx_nccom_hosts_read(&hosts, "/nonexistent/hosts", &arena, &err),
			 NX_NOT_FOUND);
}

static void this_machine(void **state)
{
	(void)state;
	assert_true(nx_nccom_host_is_here("127.0.0.1") && nx_nccom_host_is_here("127.9.0.1"));
	assert_true(nx_nccom_host_is_here("localhost") && nx_nccom_host_is_here("::1"));
	assert_false(nx_nccom_host_is_here("localhost.example") ||
		     nx_nccom_host_is_here("128.0.0.1"));
}

/* --- which one ------------------------------------------------------------------------------- */

static void a_machine_by_number(void **state)
{
	uint32_t node = 7;

	(void)state;
	assert_int_equal(nx_nccom_node_read("3", &node, &err), NX_OK);
	assert_int_equal(node, 3);
	assert_int_equal(nx_nccom_node_read("-1", &node, &err), NX_USAGE);
	assert_int_equal(nx_nccom_node_read("4294967296", &node, &err), NX_USAGE);
	assert_int_equal(nx_nccom_node_read("", &node, &err), NX_USAGE);
	assert_int_equal(node, 3);
}

static void a_machine_by_its_starter(void **state)
{
	uint32_t node = 7;

	(void)state;
	assert_int_equal(nx_nccom_node_read("auto", &node, &err), NX_USAGE);
	setenv("SLURM_PROCID", "1", 1);
	assert_int_equal(nx_nccom_node_read("auto", &node, &err), NX_OK);
	assert_int_equal(node, 1);
	setenv("PMI_RANK", "2", 1);
	assert_int_equal(nx_nccom_node_read("auto", &node, &err), NX_OK);
	assert_int_equal(node, 2);
	setenv("OMPI_COMM_WORLD_RANK", "x", 1);
	assert_int_equal(nx_nccom_node_read("auto", &node, &err), NX_USAGE);
	assert_string_equal(
		err.message,
		"OMPI_COMM_WORLD_RANK must be the number of a machine, from 0, not 'x'");
}

static void first_of_slurms_list(void **state)
{
	static const struct {
		const char *list, *first;
	} cases[] = {
		{"trn[007-010],x", "trn007"},
		{"a,b", "a"},
		{"a", "a"},
		{"n[3,5-9]", "n3"},
		{"r[1-2]n[4-5]", "r1n4"},
		{"n[12", "n12"},
		{"a-b-[01-02].x", "a-b-01.x"},
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(nx_nccom_hosts_first(cases[i].list, out, sizeof(out)));
		assert_string_equal(out, cases[i].first);
	}
	assert_false(nx_nccom_hosts_first("", out, sizeof(out)));
	assert_false(nx_nccom_hosts_first(",a", out, sizeof(out)));
	assert_true(nx_nccom_hosts_first("abc", out, 4));
	assert_false(nx_nccom_hosts_first("abcd", out, 4));
}

static void root_on_the_first(void **state)
{
	(void)state;
	assert_int_equal(nx_nccom_root_complete(&err), NX_OK);
	assert_null(getenv("NEURON_RT_ROOT_COMM_ID"));
	setenv("NEURON_RT_ROOT_COMM_ID", ":4000", 1);
	assert_int_equal(nx_nccom_root_complete(&err), NX_USAGE);
	setenv("SLURM_JOB_NODELIST", "q[5-6]", 1);
	assert_int_equal(nx_nccom_root_complete(&err), NX_OK);
	assert_string_equal(getenv("NEURON_RT_ROOT_COMM_ID"), "q5:4000");
	setenv("NEURON_RT_ROOT_COMM_ID", ":40001", 1);
	setenv("SLURM_STEP_NODELIST", "q[6,9]", 1);
	assert_int_equal(nx_nccom_root_complete(&err), NX_OK);
	assert_string_equal(getenv("NEURON_RT_ROOT_COMM_ID"), "q6:40001");
	setenv("NEURON_RT_ROOT_COMM_ID", ":4000000", 1);
	assert_int_equal(nx_nccom_root_complete(&err), NX_USAGE);
}

/* --- launching ------------------------------------------------------------------------------ */

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
		TEST(lists),
		TEST(names_that_are_none),
		TEST(too_many),
		TEST(files),
		TEST(this_machine),
		TEST(a_machine_by_number),
		TEST(a_machine_by_its_starter),
		TEST(first_of_slurms_list),
		TEST(root_on_the_first),
		TEST(who_is_launched),
		TEST(refusals),
		TEST(a_root_of_ones_own_is_believed),
		TEST(words_of_mpirun),
		TEST(words_of_srun),
		TEST(words_of_srun_with_a_script),
		TEST(no_starter),
	};

	/* clearenv would take the wish for TAP away, which cmocka reads at the end. */
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
