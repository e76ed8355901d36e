/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <time.h>

#include "serve/processing.h"
#include "tests/unit/store/workspace_fixture.h"

#define PATIENCE_S 30

struct fixture {
	struct nx_workspace *ws;
	struct nx_timer *timer;
	struct nx_workers *workers;
	struct nx_events *events;
	struct nx_processing *processing;
	struct nx_arena arena;
};

static void start(struct fixture *f)
{
	struct nx_processing_options how = {.workspace = f->ws, .program = "./fake"};

	assert_int_equal(nx_timer_new(&f->timer, NULL), NX_OK);
	f->workers = nx_workers_new("nx-test", 1, 0);
	f->events = nx_events_new(f->ws, f->timer, f->workers);
	how.events = f->events;
	assert_int_equal(nx_processing_new(&f->processing, &how, NULL), NX_OK);
}

static void stop(struct fixture *f)
{
	nx_processing_free(f->processing);
	nx_events_free(f->events);
	nx_workers_free(f->workers);
	nx_timer_free(f->timer);
}

/* script is run instead of the program; $6 is the profile's name. */
static void begin(struct fixture *f, const char *script)
{
	memset(f, 0, sizeof(*f));
	put_file("fake", script);
	assert_int_equal(chmod("fake", 0700), 0);
	f->ws = open_workspace();
	start(f);
}

static void end(struct fixture *f)
{
	stop(f);
	nx_arena_release(&f->arena);
	nx_workspace_close(f->ws);
}

static const char *put_upload(struct fixture *f, const char *name)
{
	const char *json = nx_arena_printf(
		&f->arena,
		"{\"name\":\"%s\",\"state\":\"complete\",\"files\":[{\"path\":\"a\",\"role\":"
		"\"ntff\",\"size_bytes\":0}]}",
		name);
	struct nx_upload u;
	const char *id;

	assert_int_equal(nx_upload_read(nx_slice_text(json), &f->arena, &u, NULL), NX_OK);
	assert_int_equal(nx_upload_begin(f->ws, &u, &f->arena, NULL), NX_OK);
	u.state = NX_UPLOAD_COMPLETE;
	assert_int_equal(nx_upload_save(f->ws, &u, NULL), NX_OK);
	id = u.id;
	nx_upload_release(&u);
	return id;
}

static bool wait_until(struct fixture *f, const char *name, int wanted)
{
	time_t last = time(NULL) + PATIENCE_S;

	while (state_of(f->ws, name) != wanted && time(NULL) < last)
		usleep(10000);
	return state_of(f->ws, name) == wanted;
}

static bool wait_for_file(const char *path)
{
	time_t last = time(NULL) + PATIENCE_S;

	while (!is_there(path) && time(NULL) < last)
		usleep(10000);
	return is_there(path);
}

static void a_failure_is_kept(void **state)
{
	struct fixture f;
	const char *id;

	(void)state;
	begin(&f, "#!/bin/sh\nprintf '{\"message\":\"it is bad\"}' >\"$8\"\nexit 5\n");
	id = put_upload(&f, "bert");
	assert_int_equal(nx_processing_add(f.processing, id, "bert", NULL), NX_OK);
	assert_true(wait_until(&f, "bert", NX_PROFILE_FAILED));
	end(&f);
}

static void success_is_the_end_of_an_upload(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "#!/bin/sh\nexit 0\n");
	assert_int_equal(nx_processing_add(f.processing, put_upload(&f, "bert"), "bert", NULL),
			 NX_OK);
	assert_true(wait_until(&f, "bert", -1));
	end(&f);
	assert_int_equal(count_in("ws/uploads"), 0);
}

static void two_run_and_the_others_wait(void **state)
{
	struct nx_processing_step step;
	struct fixture f;

	(void)state;
	begin(&f, "#!/bin/sh\n: >\"begun-$6\"\nprintf '0.25 busy\\n' >&3\nexec sleep 600\n");
	for (const char *name = "abc"; *name; name++) {
		const char one[2] = {*name, '\0'};

		assert_int_equal(nx_processing_add(f.processing, put_upload(&f, one), one, NULL),
				 NX_OK);
	}
	assert_true(wait_for_file("begun-a") && wait_for_file("begun-b"));
	assert_true(nx_processing_find(f.processing, "c", &step));
	assert_string_equal(step.stage, "waiting");
	assert_false(nx_processing_find(f.processing, "d", &step));
	/* the one that waits is given up at once, though nobody ends */
	assert_true(nx_processing_cancel(f.processing, NULL, "c"));
	assert_int_equal(state_of(f.ws, "c"), -1);
	assert_true(nx_processing_cancel(f.processing, NULL, "a"));
	assert_false(nx_processing_find(f.processing, "a", &step));
	assert_int_equal(state_of(f.ws, "a"), -1);
	assert_false(nx_processing_cancel(f.processing, NULL, "a"));
	end(&f);
	assert_false(is_there("begun-c"));
}

static void an_upload_is_processed_once(void **state)
{
	struct nx_error err = {0};
	struct fixture f;
	const char *id;

	(void)state;
	begin(&f, "#!/bin/sh\nexec sleep 600\n");
	id = put_upload(&f, "bert");
	assert_int_equal(nx_processing_add(f.processing, id, "bert", NULL), NX_OK);
	assert_int_equal(nx_processing_add(f.processing, id, "bert", &err), NX_MISMATCH);
	end(&f);
}

static void what_a_server_leaves_the_next_goes_on_with(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "#!/bin/sh\n: >begun\nexec sleep 600\n");
	assert_int_equal(nx_processing_add(f.processing, put_upload(&f, "bert"), "bert", NULL),
			 NX_OK);
	assert_true(wait_for_file("begun"));
	stop(&f);
	assert_int_equal(state_of(f.ws, "bert"), NX_PROFILE_UNFINISHED);
	put_file("fake", "#!/bin/sh\nexit 0\n");
	start(&f);
	assert_true(wait_until(&f, "bert", -1));
	end(&f);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_failure_is_kept),
		CASE(success_is_the_end_of_an_upload),
		CASE(two_run_and_the_others_wait),
		CASE(an_upload_is_processed_once),
		CASE(what_a_server_leaves_the_next_goes_on_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
