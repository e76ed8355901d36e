/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/child_run.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_STARTED 127
#define NOT_ALLOWED 126
#define KILLED_BY 128

static const int passed_signals[] = {SIGINT,  SIGTERM, SIGHUP,	SIGQUIT, SIGUSR1,
				     SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH};

static sigset_t waited_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_signals) / sizeof(passed_signals[0]); i++)
		sigaddset(&set, passed_signals[i]);
	return set;
}

/* In the child: becomes the command, or reports why not. */
static void become(const struct nx_child_command *command, const sigset_t *mask, int report)
{
	int failure;

	signal(SIGPIPE, SIG_DFL); /* ours is ignored, and that would be inherited */
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (command->environment)
		execvpe(command->argv[0], command->argv, command->environment);
	else
		execvp(command->argv[0], command->argv);
	failure = errno;
	(void)!write(report, &failure, sizeof(failure));
}

static enum nx_status refuse(const char *name, int errno_value, struct nx_child_end *end,
			     struct nx_error *err)
{
	end->exit_code = errno_value == ENOENT ? NOT_STARTED : NOT_ALLOWED;
	if (errno_value == ENOENT && !strchr(name, '/'))
		return nx_fail(err, NX_NOT_FOUND,
			       "there is no command '%.200s' in PATH; give its path, or check its "
			       "spelling",
			       name);
	return nx_fail_errno(err, errno_value, "cannot run %.200s", name);
}

/* The pipe closes when the command starts. */
static int read_failure(int fd)
{
	int failure = 0;
	ssize_t len;

	do
		len = read(fd, &failure, sizeof(failure));
	while (len < 0 && errno == EINTR);
	return len == (ssize_t)sizeof(failure) ? failure : 0;
}

static enum nx_status start(const struct nx_child_command *command, const sigset_t *mask,
			    struct nx_child_end *end, struct nx_error *err)
{
	int report[2], failure;

	if (pipe2(report, O_CLOEXEC))
		return nx_fail_errno(err, errno, "cannot start %.200s", command->argv[0]);
	end->pid = fork();
	if (end->pid < 0) {
		failure = errno;
		close(report[0]);
		close(report[1]);
		return nx_fail_errno(err, failure, "cannot start %.200s", command->argv[0]);
	}
	if (!end->pid) {
		become(command, mask, report[1]);
		kill(getpid(), SIGKILL); /* runs no exit handler of the parent */
	}
	close(report[1]);
	failure = read_failure(report[0]);
	close(report[0]);
	if (!failure) {
		end->is_started = true;
		return NX_OK;
	}
	while (waitpid(end->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return refuse(command->argv[0], failure, end, err);
}

/*
 * If the terminal stops the child, we stop too, or the shell would wait for us. SIGCONT wakes us
 * although it is blocked, and is then forwarded. SIGSTOP was meant for the child alone.
 */
static bool has_ended(struct nx_child_end *end)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(end->pid, &status, WNOHANG | WUNTRACED)) > 0) {
		int stop = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (stop == SIGTSTP || stop == SIGTTIN || stop == SIGTTOU)
			kill(getpid(), SIGSTOP);
		if (stop)
			continue;
		end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		end->exit_code = end->signal ? KILLED_BY + end->signal : WEXITSTATUS(status);
		return true;
	}
	return pid < 0 && errno != EINTR;
}

/* The kernel sends its own signals (ctrl-c, a resized window) to the terminal's whole group. */
static void wait_for(const sigset_t *signals, struct nx_child_end *end)
{
	siginfo_t info = {0};

	while (!has_ended(end)) {
		int number = sigwaitinfo(signals, &info);
		bool has_it = info.si_code == SI_KERNEL && getpgid(end->pid) == getpgrp();

		if (number > 0 && number != SIGCHLD && !has_it)
			kill(end->pid, number);
	}
}

/*
 * The command may die of ctrl-c before the signal reaches us. Discard it and what else is pending,
 * which would otherwise end us as soon as signals are unblocked.
 */
static void discard_pending(const sigset_t *signals, const struct nx_child_end *end)
{
	struct timespec patience = {.tv_nsec = 100000000}, none = {0};
	sigset_t same;

	sigemptyset(&same);
	if (end->signal && sigismember(signals, end->signal)) {
		sigaddset(&same, end->signal);
		sigtimedwait(&same, NULL, &patience);
	}
	while (sigtimedwait(signals, NULL, &none) > 0)
		;
}

enum nx_status nx_child_command_run(const struct nx_child_command *command,
				    struct nx_child_end *end, struct nx_error *err)
{
	assert(command->argv && command->argv[0]);
	sigset_t signals = waited_signals(), before;
	struct sigaction usual = {.sa_handler = SIG_DFL}, child_action;
	enum nx_status st;

	*end = (struct nx_child_end){.exit_code = NOT_ALLOWED};
	sigaction(SIGCHLD, &usual, &child_action); /* if ignored, there would be no exit status */
	sigprocmask(SIG_BLOCK, &signals, &before);
	st = start(command, &before, end, err);
	if (!st) {
		wait_for(&signals, end);
		discard_pending(&signals, end);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGCHLD, &child_action, NULL);
	return st;
}
