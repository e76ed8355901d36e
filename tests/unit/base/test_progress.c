/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/progress.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int master = -1;
static int saved_stderr = -1;

/* Standard error becomes a terminal whose other end the test reads. */
static int open_terminal(void **state)
{
	int slave;

	(void)state;
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return -1;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	saved_stderr = dup(STDERR_FILENO);
	dup2(slave, STDERR_FILENO);
	close(slave);
	return 0;
}

static int close_terminal(void **state)
{
	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(master);
	return 0;
}

static const char *drawn(void)
{
	static char text[2048];
	ssize_t len = read(master, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	return text;
}

static void pretend_elapsed(struct nx_progress *p, uint64_t ns)
{
	p->started_ns -= ns;
	p->last_drawn_ns = 0;
}

static void nothing_counts_silently(void **state)
{
	struct nx_progress zeroed = {0};

	(void)state;
	nx_progress_begin(NULL, "x", 1, true);
	nx_progress_add(NULL, 1);
	nx_progress_end(NULL);
	nx_progress_add(&zeroed, 3);
	nx_progress_add(&zeroed, 4);
	nx_progress_end(&zeroed);
	assert_int_equal(zeroed.done, 7);
	assert_string_equal(drawn(), "");
}

static void first_second_is_quiet(void **state)
{
	struct nx_progress p;

	(void)state;
	nx_progress_begin(&p, "work", 100, true);
	assert_true(p.enabled);
	nx_progress_add(&p, 10);
	nx_progress_end(&p);
	assert_string_equal(drawn(), "");
}

static void bar_shows_part_and_time_left_and_erases_itself(void **state)
{
	struct nx_progress p;

	(void)state;
	nx_progress_begin(&p, "work", 100, true);
	/* 25 % in 30.5 s leaves 91.5 s */
	pretend_elapsed(&p, UINT64_C(30500000000));
	nx_progress_add(&p, 25);
	assert_string_equal(drawn(), "\rwork  [#####...............]  25 %  01:31 left\033[K");
	nx_progress_end(&p);
	assert_string_equal(drawn(), "\r\033[K");
	nx_progress_end(&p);
	assert_string_equal(drawn(), "");
}

static void redraws_are_rare(void **state)
{
	struct nx_progress p;

	(void)state;
	nx_progress_begin(&p, "work", 1000000, true);
	pretend_elapsed(&p, UINT64_C(5000000000));
	nx_progress_add(&p, 1);
	assert_string_not_equal(drawn(), "");
	nx_progress_add(&p, 1);
	assert_string_equal(drawn(), "");
	p.last_drawn_ns -= 200000000;
	nx_progress_add(&p, 1);
	assert_string_not_equal(drawn(), "");
	nx_progress_end(&p);
}

static void more_done_than_expected_is_all(void **state)
{
	struct nx_progress p;

	(void)state;
	nx_progress_begin(&p, "work", 10, true);
	pretend_elapsed(&p, UINT64_C(2000000000));
	nx_progress_add(&p, UINT64_C(1) << 60);
	assert_string_equal(drawn(), "\rwork  [####################]  100 %  00:00 left\033[K");
	nx_progress_end(&p);
}

static void unknown_time_is_not_invented(void **state)
{
	struct nx_progress p;

	(void)state;
	nx_progress_begin(&p, "a name of far more than the forty characters shown", 10, true);
	pretend_elapsed(&p, UINT64_C(2000000000));
	nx_progress_add(&p, 0);
	assert_string_equal(drawn(), "\ra name of far more than the forty charac  "
				     "[....................]  0 %  --:-- left\033[K");
	nx_progress_end(&p);
}

static void colour_unless_refused(void **state)
{
	struct nx_progress p;

	(void)state;
	unsetenv("NO_COLOR");
	nx_progress_begin(&p, "work", 10, true);
	pretend_elapsed(&p, UINT64_C(2000000000));
	nx_progress_add(&p, 5);
	assert_non_null(strstr(drawn(), "[\033[32m##########\033[0m..........]"));
	nx_progress_end(&p);
}

static void disabled_dumb_or_endless_draws_nothing(void **state)
{
	struct nx_progress p;

	(void)state;
	nx_progress_begin(&p, "work", 10, false);
	assert_false(p.enabled);
	nx_progress_begin(&p, "work", 0, true);
	assert_false(p.enabled);
	setenv("TERM", "dumb", 1);
	nx_progress_begin(&p, "work", 10, true);
	assert_false(p.enabled);
	setenv("TERM", "xterm", 1);
	dup2(saved_stderr, STDERR_FILENO);
	if (!isatty(STDERR_FILENO)) {
		nx_progress_begin(&p, "work", 10, true);
		assert_false(p.enabled);
	}
}

static void a_program_is_told_lines(void **state)
{
	char text[256] = "";
	struct nx_progress p;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	nx_progress_tell(ends[1]);
	nx_progress_begin(&p, "work", 10, true);
	nx_progress_add(&p, 1); /* too soon after the first line */
	p.last_told_ns -= 200000000;
	nx_progress_add(&p, 4);
	p.last_told_ns -= 200000000;
	nx_progress_add(&p, 50);
	nx_progress_end(&p);
	nx_progress_begin(&p, "quiet", 10, false);
	nx_progress_tell(-1);
	nx_progress_begin(&p, "unheard", 10, true);
	assert_int_not_equal(read(ends[0], text, sizeof(text) - 1), 0);
	assert_string_equal(text, "0.0000 work\n0.5000 work\n1.0000 work\n");
	close(ends[0]);
	close(ends[1]);
}

static volatile sig_atomic_t was_ended;

static void note_end(int number)
{
	(void)number;
	was_ended = 1;
}

static void when_nobody_listens_it_ends(void **state)
{
	struct nx_progress p;
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, note_end);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	nx_progress_tell(ends[1]);
	nx_progress_begin(&p, "work", 10, true);
	nx_progress_tell(-1);
	assert_true(was_ended);
	assert_false(p.is_told);
	signal(SIGTERM, SIG_DFL);
	close(ends[1]);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, open_terminal, close_terminal)
	const struct CMUnitTest tests[] = {
		T(nothing_counts_silently),
		T(first_second_is_quiet),
		T(bar_shows_part_and_time_left_and_erases_itself),
		T(redraws_are_rare),
		T(more_done_than_expected_is_all),
		T(unknown_time_is_not_invented),
		T(colour_unless_refused),
		T(disabled_dumb_or_endless_draws_nothing),
		T(a_program_is_told_lines),
		T(when_nobody_listens_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
