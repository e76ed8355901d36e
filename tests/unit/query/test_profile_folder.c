/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "query/profile_folder.h"

struct fixture {
	char path[64];
	struct nx_profile_folder folder;
	struct nx_error err;
};

static const char *in(struct fixture *f, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	return path;
}

static void put(struct fixture *f, const char *name)
{
	FILE *file = fopen(in(f, name), "w");

	assert_non_null(file);
	fclose(file);
}

static int set_up(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));

	*f = (struct fixture){.path = "/tmp/nx-profile-XXXXXX"};
	*state = f;
	return mkdtemp(f->path) ? 0 : 1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char command[128];

	nx_profile_folder_release(&f->folder);
	snprintf(command, sizeof(command), "rm -rf %s", f->path);
	nx_heap_free(f);
	return system(command); /* NOLINT: a path of our own */
}

static const struct nx_folder_table *open_and_find(struct fixture *f, const char *name)
{
	assert_int_equal(nx_profile_folder_open(&f->folder, f->path, &f->err), NX_OK);
	return nx_profile_folder_find(&f->folder, name);
}

static void files_become_tables(void **state)
{
	struct fixture *f = *state;
	const struct nx_folder_table *table;

	put(f, "Layer.parquet");
	put(f, "Instruction.parquet");
	put(f, "notes.txt");
	put(f, ".Hidden.parquet");
	put(f, ".parquet");
	put(f, "x_.parquet");
	put(f, "_1.parquet");
	table = open_and_find(f, "layer");
	assert_int_equal(f->folder.tables.len, 4);
	assert_string_equal(f->folder.tables.items[1].name, "Instruction");
	assert_string_equal(table->name, "Layer");
	assert_int_equal(table->file_count, 1);
	assert_null(table->fault);
	assert_non_null(strstr(table->files[0], "/Layer.parquet"));
	assert_non_null(nx_profile_folder_find(&f->folder, "x_"));
	assert_non_null(nx_profile_folder_find(&f->folder, "_1"));
	assert_null(nx_profile_folder_find(&f->folder, "notes"));
}

static void parts_are_in_the_order_of_their_numbers(void **state)
{
	struct fixture *f = *state;
	const struct nx_folder_table *table;
	char name[32];

	for (int i = 11; i >= 0; i--) {
		snprintf(name, sizeof(name), "Dma_%d.parquet", i);
		put(f, name);
	}
	table = open_and_find(f, "Dma");
	assert_null(table->fault);
	assert_int_equal(table->file_count, 12);
	assert_non_null(strstr(table->files[2], "/Dma_2.parquet"));
	assert_non_null(strstr(table->files[10], "/Dma_10.parquet"));
}

static void a_missing_part_is_told(void **state)
{
	struct fixture *f = *state;
	const struct nx_folder_table *table;

	put(f, "Dma_0.parquet");
	put(f, "Dma_2.parquet");
	put(f, "Other.parquet");
	table = open_and_find(f, "Dma");
	assert_string_equal(table->fault, "part 1 is missing: there is no Dma_1.parquet");
	assert_int_equal(table->file_count, 0);
	assert_null(nx_profile_folder_find(&f->folder, "Other")->fault);
}

static void two_files_of_one_name_are_told(void **state)
{
	struct fixture *f = *state;
	const struct nx_folder_table *table;

	put(f, "Dma.parquet");
	put(f, "Dma_0.parquet");
	table = open_and_find(f, "Dma");
	assert_string_equal(table->fault, "Dma_0.parquet and Dma.parquet name the same table; "
					  "remove or rename one of them");
}

static void names_that_differ_in_case_are_told(void **state)
{
	struct fixture *f = *state;
	const struct nx_folder_table *table;

	put(f, "DMA.parquet");
	put(f, "dma.parquet");
	table = open_and_find(f, "dma");
	assert_int_equal(f->folder.tables.len, 1);
	assert_non_null(strstr(table->fault, "name the same table"));
}

static void links_out_of_the_folder_are_not_followed(void **state)
{
	struct fixture *f = *state;

	put(f, "Real.parquet");
	assert_int_equal(symlink("/etc/passwd", in(f, "Out.parquet")), 0);
	assert_int_equal(symlink("Real.parquet", in(f, "In.parquet")), 0);
	assert_int_equal(symlink("nowhere", in(f, "Dead.parquet")), 0);
	assert_int_equal(nx_make_directories(in(f, "Folder.parquet"), NULL), NX_OK);
	assert_string_equal(open_and_find(f, "Out")->fault,
			    "Out.parquet is a link out of the profile; copy the file into it");
	assert_null(nx_profile_folder_find(&f->folder, "In")->fault);
	assert_non_null(
		strstr(nx_profile_folder_find(&f->folder, "In")->files[0], "/Real.parquet"));
	assert_string_equal(nx_profile_folder_find(&f->folder, "Dead")->fault,
			    "Dead.parquet cannot be opened: No such file or directory");
	assert_string_equal(nx_profile_folder_find(&f->folder, "Folder")->fault,
			    "Folder.parquet is not a file");
}

static void what_is_no_profile_is_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nx_profile_folder_open(&f->folder, f->path, &f->err), NX_NOT_FOUND);
	assert_non_null(strstr(f->err.message, "holds no Parquet files"));
	nx_profile_folder_release(&f->folder);
	put(f, "a.parquet");
	assert_int_equal(nx_profile_folder_open(&f->folder, in(f, "a.parquet"), &f->err), NX_USAGE);
	nx_profile_folder_release(&f->folder);
	assert_int_equal(nx_profile_folder_open(&f->folder, in(f, "nothing"), &f->err),
			 NX_NOT_FOUND);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(files_become_tables),
		CASE(parts_are_in_the_order_of_their_numbers),
		CASE(a_missing_part_is_told),
		CASE(two_files_of_one_name_are_told),
		CASE(names_that_differ_in_case_are_told),
		CASE(links_out_of_the_folder_are_not_followed),
		CASE(what_is_no_profile_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
