/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/view.h"
#include "tests/data/memory_file.h"
#include "tests/data/synthetic.h"

#define JOBS 5

struct fixture {
	struct nx_bytes neff, ntff;
	struct nx_memory_file neff_file, ntff_file;
	char folder[32], targets[JOBS][64];
	struct nx_device_jobs jobs;
	struct nx_error err;
};

/* An exporter that dies in the child whose file is to be called so. */
static enum nx_status write_or_die(const struct nx_profile *profile,
				   const struct nx_export_options *options, struct nx_output *out,
				   struct nx_error *err)
{
	(void)profile;
	if (options->pretty)
		raise(SIGKILL);
	if (options->compress)
		return nx_fail(err, NX_IO, "the disk is full");
	nx_output_write(out, "done", 4);
	return NX_OK;
}

static const struct nx_exporter exporter = {.write = write_or_die};

static void add(struct fixture *f, const char *session_path, const char *neff_path)
{
	struct nx_device_job job = {
		.options = {.session_path = session_path, .neff_path = neff_path}};

	snprintf(f->targets[f->jobs.len], sizeof(f->targets[0]), "%.31s/%zu", f->folder,
		 f->jobs.len);
	job.target = f->targets[f->jobs.len];
	nx_vec_push(&f->jobs, job);
}

static int setup(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));
	struct nx_synthetic_counts counts;

	memset(f, 0, sizeof(*f));
	strcpy(f->folder, "/tmp/nx-jobs-XXXXXX");
	if (!mkdtemp(f->folder))
		return 1;
	nx_synthetic_capture(&nx_synthetic_tiny, &f->neff, &f->ntff, &counts);
	*state = f;
	return !nx_memory_file_open(&f->neff_file, nx_slice_of(f->neff.items, f->neff.len)) ||
	       !nx_memory_file_open(&f->ntff_file, nx_slice_of(f->ntff.items, f->ntff.len));
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st, (void)flag, (void)at;
	return remove(path);
}

/* A child that was killed leaves its temporary file. */
static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_memory_file_close(&f->neff_file);
	nx_memory_file_close(&f->ntff_file);
	nx_vec_release(&f->neff);
	nx_vec_release(&f->ntff);
	nx_vec_release(&f->jobs);
	nftw(f->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	nx_heap_free(f);
	return 0;
}

static bool is_written(const struct fixture *f, size_t job)
{
	struct stat st;

	return !stat(f->targets[job], &st) && st.st_size == 4;
}

static void one_that_cannot_be_read_costs_only_itself(void **state)
{
	struct fixture *f = *state;
	struct nx_export_options how = {0};

	add(f, f->ntff_file.path, f->neff_file.path);
	add(f, "/nowhere/at/all.ntff", NULL);
	add(f, f->neff_file.path, NULL); /* no session file */
	add(f, f->ntff_file.path, NULL);
	add(f, f->ntff_file.path, f->neff_file.path);
	assert_int_equal(nx_device_jobs_run(&f->jobs, &exporter, &how, 2, &f->err), NX_OK);
	for (size_t i = 0; i < JOBS; i++) {
		const struct nx_device_result *r = &f->jobs.items[i].result;
		bool is_bad = i == 1 || i == 2;

		assert_int_equal(r->status != NX_OK, is_bad);
		assert_int_equal(r->message[0] != 0, is_bad);
		assert_int_equal(is_written(f, i), !is_bad);
		assert_int_equal(r->instruction_count > 0, !is_bad);
	}
	assert_non_null(strstr(f->jobs.items[1].result.message, "/nowhere/at/all.ntff"));
}

static void a_child_that_is_killed_is_told(void **state)
{
	struct fixture *f = *state;
	struct nx_export_options how = {.pretty = true};

	for (size_t i = 0; i < 3; i++)
		add(f, f->ntff_file.path, NULL);
	assert_int_equal(nx_device_jobs_run(&f->jobs, &exporter, &how, 1, &f->err), NX_OK);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(f->jobs.items[i].result.status, NX_IO);
		assert_non_null(strstr(f->jobs.items[i].result.message,
				       "ended before it was done; is there enough memory?"));
		assert_false(is_written(f, i));
	}
}

static void a_failed_write_is_told_and_leaves_no_file(void **state)
{
	struct fixture *f = *state;
	struct nx_export_options how = {.compress = true};

	add(f, f->ntff_file.path, NULL);
	assert_int_equal(nx_device_jobs_run(&f->jobs, &exporter, &how, 0, &f->err), NX_OK);
	assert_int_equal(f->jobs.items[0].result.status, NX_IO);
	assert_string_equal(f->jobs.items[0].result.message, "the disk is full");
	assert_int_not_equal(access(f->targets[0], F_OK), 0);
}

static void a_neff_of_another_model_is_left_out(void **state)
{
	struct fixture *f = *state;
	struct nx_synthetic_options other = nx_synthetic_tiny;
	struct nx_synthetic_counts counts;
	struct nx_bytes neff = {0}, ntff = {0};
	struct nx_memory_file file;
	struct nx_export_options how = {0};

	other.seed++;
	nx_synthetic_capture(&other, &neff, &ntff, &counts);
	assert_true(nx_memory_file_open(&file, nx_slice_of(neff.items, neff.len)));
	add(f, f->ntff_file.path, file.path);
	assert_int_equal(nx_device_jobs_run(&f->jobs, &exporter, &how, 1, &f->err), NX_OK);
	assert_int_equal(f->jobs.items[0].result.status, NX_OK);
	assert_non_null(strstr(f->jobs.items[0].result.note, "read without a NEFF"));
	assert_true(is_written(f, 0));
	nx_memory_file_close(&file);
	nx_vec_release(&neff);
	nx_vec_release(&ntff);
}

static void nothing_to_do(void **state)
{
	struct fixture *f = *state;
	struct nx_export_options how = {0};

	assert_int_equal(nx_device_jobs_run(&f->jobs, &exporter, &how, 1000000, &f->err), NX_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_that_cannot_be_read_costs_only_itself, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_child_that_is_killed_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failed_write_is_told_and_leaves_no_file, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_neff_of_another_model_is_left_out, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nothing_to_do, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
