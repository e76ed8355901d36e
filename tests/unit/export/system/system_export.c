/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "system_export.h"

const char *nx_fixture_export(struct nx_system_fixture *f, const char *exporter,
			      const struct nx_system_export_options *options, size_t *len)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	struct nx_output out;
	struct nx_file file;
	const char *text;
	int fd;

	snprintf(path, sizeof(path), "%s/nx-system-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(nx_output_open(&out, path, &f->err), NX_OK);
	assert_int_equal(nx_system_exporter_find(exporter)->write(&f->p, options, &out, &f->err),
			 NX_OK);
	assert_int_equal(nx_output_commit(&out, &f->err), NX_OK);
	assert_int_equal(nx_file_map(&file, path, &f->err), NX_OK);
	text = nx_arena_copy(&f->arena, file.bytes);
	if (len)
		*len = file.bytes.len;
	nx_file_unmap(&file);
	unlink(path);
	return text;
}
