/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/child_run.h"

static struct nx_child_end run_shell(const char *script, char *const *environment)
{
	char shell[] = "sh", option[] = "-c";
	char *argv[] = {shell, option, (char *)(uintptr_t)script, NULL};
	struct nx_child_command command = {argv, environment};
	struct nx_child_end end;

	assert_int_equal(nx_child_command_run(&command, &end, NULL), NX_OK);
	assert_true(end.is_started);
	return end;
}

static void the_exit_code_is_the_commands(void **state)
{
	(void)state;
	assert_int_equal(run_shell("exit 0", NULL).exit_code, 0);
	assert_int_equal(run_shell("exit 7", NULL).exit_code, 7);
	assert_int_equal(run_shell("exit 255", NULL).exit_code, 255);
}

static void a_signal_counts_from_128(void **state)
{
	struct nx_child_end end = run_shell("kill -9 $$", NULL);

	(void)state;
	assert_int_equal(end.exit_code, 137);
	assert_int_equal(end.signal, SIGKILL);
	end = run_shell("kill -PIPE $$; exit 3", NULL); /* although it is ignored here */
	assert_int_equal(end.exit_code, 128 + SIGPIPE);
}

static void the_environment_is_the_one_given(void **state)
{
	char path[] = "PATH=/usr/bin:/bin", enable[] = "NEURON_RT_INSPECT_ENABLE=1";
	char *const environment[] = {path, enable, NULL};

	(void)state;
	setenv("NX_OUTSIDE", "1", 1);
	assert_int_equal(run_shell("exit $((NX_OUTSIDE + 4))", NULL).exit_code, 5);
	assert_int_equal(run_shell("exit $((${NX_OUTSIDE:-0} + NEURON_RT_INSPECT_ENABLE))",
				   environment)
				 .exit_code,
			 1);
}

static void refused(const char *name, enum nx_status status, int exit_code, const char *part)
{
	char *argv[] = {(char *)(uintptr_t)name, NULL};
	struct nx_child_command command = {argv, NULL};
	struct nx_child_end end;
	struct nx_error err = {0};

	assert_int_equal(nx_child_command_run(&command, &end, &err), status);
	assert_int_equal(end.exit_code, exit_code);
	assert_false(end.is_started);
	assert_non_null(strstr(err.message, part));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left behind */
}

static void commands_that_cannot_run_are_told(void **state)
{
	char path[] = "/tmp/child_run.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	refused("nx-no-such-command", NX_NOT_FOUND, 127,
		"there is no command 'nx-no-such-command'");
	refused("/nowhere/at/all", NX_NOT_FOUND, 127, "cannot run /nowhere/at/all");
	refused(path, NX_PERMISSION, 126, "cannot run /tmp/child_run");
	refused("/", NX_PERMISSION, 126, "cannot run /");
	close(fd);
	unlink(path);
}

/* As shells do it. */
static void a_script_without_an_interpreter_is_the_shells(void **state)
{
	char path[] = "/tmp/child_run.XXXXXX";
	char *argv[] = {path, NULL};
	struct nx_child_command command = {argv, NULL};
	struct nx_child_end end;
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, "exit 9\n", 7), 7);
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	assert_int_equal(nx_child_command_run(&command, &end, NULL), NX_OK);
	assert_int_equal(end.exit_code, 9);
	unlink(path);
}

/* --- signals --------------------------------------------------------------------------- */

/* Runs a script in a process of its own, as a shell would start us, and returns its id. */
static pid_t start(const char *script, int *output)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, 0), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		setpgid(0, 0);
		_exit(run_shell(script, NULL).exit_code);
	}
	close(ends[1]);
	*output = ends[0];
	return pid;
}

static void read_word(int fd, const char *word)
{
	char text[64] = "";

	for (size_t i = 0; i < strlen(word); i++)
		assert_int_equal(read(fd, text + i, 1), 1);
	assert_string_equal(text, word);
}

static int exit_code_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void passed_on(int number, const char *name)
{
	char script[128];
	int output;
	pid_t pid;

	/* It ends by itself as well: a signal that never comes fails the test, and nobody stays. */
	snprintf(script, sizeof(script),
		 "trap 'exit 21' %s; echo go; "
		 "for i in $(seq 2000); do sleep 0.01; done",
		 name);
	pid = start(script, &output);
	read_word(output, "go\n");
	assert_int_equal(kill(pid, number), 0);
	assert_int_equal(exit_code_of(pid), 21);
	close(output);
}

static void signals_are_passed_on(void **state)
{
	(void)state;
	passed_on(SIGTERM, "TERM");
	passed_on(SIGHUP, "HUP");
	passed_on(SIGINT, "INT");
	passed_on(SIGQUIT, "QUIT");
	passed_on(SIGUSR1, "USR1");
	passed_on(SIGUSR2, "USR2");
	passed_on(SIGWINCH, "WINCH");
}

static void a_signal_the_command_dies_of_is_its_end(void **state)
{
	int output;
	pid_t pid = start("echo go; exec sleep 60", &output);

	(void)state;
	read_word(output, "go\n");
	kill(pid, SIGTERM);
	assert_int_equal(exit_code_of(pid), 128 + SIGTERM);
	close(output);
}

/* ctrl-z and fg: both stop, both go on. */
static void a_stop_stops_both(void **state)
{
	int output, status;
	pid_t pid = start("echo go; sleep 0.05; echo on; exit 4", &output);

	(void)state;
	read_word(output, "go\n");
	kill(pid, SIGTSTP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	if (WIFSTOPPED(status)) { /* else it was quicker than the signal */
		assert_int_equal(WSTOPSIG(status), SIGSTOP);
		kill(pid, SIGCONT);
		read_word(output, "on\n");
		assert_int_equal(exit_code_of(pid), 4);
	} else {
		assert_int_equal(WEXITSTATUS(status), 4);
	}
	close(output);
}

/* nohup: what was ignored before stays so, here and in the command. */
static void what_is_ignored_stays_ignored(void **state)
{
	int output;
	pid_t pid;

	(void)state;
	signal(SIGHUP, SIG_IGN);
	pid = start("echo go; sleep 0.1; exit 5", &output);
	signal(SIGHUP, SIG_DFL);
	read_word(output, "go\n");
	kill(-pid, SIGHUP);
	assert_int_equal(exit_code_of(pid), 5);
	close(output);
}

static void a_mask_of_before_comes_back(void **state)
{
	sigset_t now;

	(void)state;
	run_shell(":", NULL);
	sigprocmask(SIG_BLOCK, NULL, &now);
	assert_false(sigismember(&now, SIGTERM));
	assert_false(sigismember(&now, SIGCHLD));
}

int main(void)
{
	static const int usual[] = {SIGTERM, SIGHUP,  SIGINT,	SIGQUIT,
				    SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_exit_code_is_the_commands),
		cmocka_unit_test(a_signal_counts_from_128),
		cmocka_unit_test(the_environment_is_the_one_given),
		cmocka_unit_test(commands_that_cannot_run_are_told),
		cmocka_unit_test(a_script_without_an_interpreter_is_the_shells),
		cmocka_unit_test(signals_are_passed_on),
		cmocka_unit_test(a_signal_the_command_dies_of_is_its_end),
		cmocka_unit_test(a_stop_stops_both),
		cmocka_unit_test(what_is_ignored_stays_ignored),
		cmocka_unit_test(a_mask_of_before_comes_back),
	};

	signal(SIGPIPE, SIG_IGN);
	/* nohup and a shell's & ignore some, and the commands' shells cannot undo that. */
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		signal(usual[i], SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
