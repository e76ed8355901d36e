/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/executable_kind.h"

#define MAX_PARTS 3

struct image {
	Elf64_Ehdr head;
	Elf64_Phdr parts[MAX_PARTS];
};

static struct image image_of(uint32_t last_part_type)
{
	struct image image = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
				       .e_phoff = sizeof(Elf64_Ehdr),
				       .e_phentsize = sizeof(Elf64_Phdr),
				       .e_phnum = MAX_PARTS},
			      .parts = {{.p_type = PT_PHDR}, {.p_type = PT_LOAD}}};

	image.parts[MAX_PARTS - 1].p_type = last_part_type;
	return image;
}

static enum nx_executable_kind kind_of(const struct image *image, size_t len)
{
	return nx_executable_kind_of_bytes(nx_slice_of(image, len));
}

static void a_loader_makes_a_program_dynamic(void **state)
{
	struct image dynamic = image_of(PT_INTERP), alone = image_of(PT_LOAD);

	(void)state;
	assert_int_equal(kind_of(&dynamic, sizeof(dynamic)), NX_EXECUTABLE_DYNAMIC);
	assert_int_equal(kind_of(&alone, sizeof(alone)), NX_EXECUTABLE_STATIC);
	assert_int_equal(nx_executable_kind_of("/proc/self/exe", NULL), NX_EXECUTABLE_DYNAMIC);
}

static void lies_are_no_program(void **state)
{
	struct image image = image_of(PT_LOAD);

	(void)state;
	for (size_t len = 0; len < sizeof(image); len++)
		assert_int_equal(kind_of(&image, len), NX_EXECUTABLE_OTHER);
	image.head.e_phnum = UINT16_MAX;
	assert_int_equal(kind_of(&image, sizeof(image)), NX_EXECUTABLE_OTHER);
	image = image_of(PT_LOAD);
	image.head.e_phoff = UINT64_MAX;
	assert_int_equal(kind_of(&image, sizeof(image)), NX_EXECUTABLE_OTHER);
	image = image_of(PT_LOAD);
	image.head.e_phentsize = 0;
	assert_int_equal(kind_of(&image, sizeof(image)), NX_EXECUTABLE_OTHER);
	image = image_of(PT_LOAD);
	image.head.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(kind_of(&image, sizeof(image)), NX_EXECUTABLE_OTHER);
	assert_int_equal(nx_executable_kind_of_bytes(nx_slice_text("#!/bin/sh\n")),
			 NX_EXECUTABLE_OTHER);
}

static void put(const char *path, uint32_t last_part_type, mode_t mode)
{
	struct image image = image_of(last_part_type);
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(&image, sizeof(image), 1, file), 1);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

/* As execvp goes: in order, past what is not executable. */
static void a_name_is_found_as_a_shell_finds_it(void **state)
{
	char folder[] = "/tmp/executable_kind.XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("a", 0700) + mkdir("b", 0700) + mkdir("c", 0700), 0);
	put("a/run", PT_INTERP, 0600);
	put("b/run", PT_LOAD, 0700);
	put("c/run", PT_INTERP, 0700);
	assert_int_equal(nx_executable_kind_of("run", "a:b:c"), NX_EXECUTABLE_STATIC);
	assert_int_equal(nx_executable_kind_of("run", "missing::c:b"), NX_EXECUTABLE_DYNAMIC);
	assert_int_equal(nx_executable_kind_of("b/run", "c"), NX_EXECUTABLE_STATIC);
	assert_int_equal(nx_executable_kind_of("run", "a"), NX_EXECUTABLE_OTHER);
	assert_int_equal(nx_executable_kind_of("run", ""), NX_EXECUTABLE_OTHER);
	assert_int_equal(nx_executable_kind_of("run", NULL), NX_EXECUTABLE_OTHER);
	/* what may be entered cannot be run for that */
	assert_int_equal(mkdir("a/b", 0700), 0);
	put("c/b", PT_INTERP, 0700);
	assert_int_equal(nx_executable_kind_of("b", "a:c"), NX_EXECUTABLE_DYNAMIC);
	assert_int_equal(unlink("c/b") + rmdir("a/b"), 0);
	unlink("a/run");
	unlink("b/run");
	unlink("c/run");
	assert_int_equal(rmdir("a") + rmdir("b") + rmdir("c") + rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loader_makes_a_program_dynamic),
		cmocka_unit_test(lies_are_no_program),
		cmocka_unit_test(a_name_is_found_as_a_shell_finds_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
