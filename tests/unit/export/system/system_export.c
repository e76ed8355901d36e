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

void nx_fixture_fill_summary(struct nx_system_fixture *f)
{
	nx_fixture_event(f, NAME_EXECUTE, 100, 350);
	nx_fixture_event(f, NAME_EXECUTE, 400, 401);
	nx_fixture_event(f, NAME_RUNNING, 500, 510)->source = NX_SOURCE_HARDWARE;
	nx_fixture_attribute(f, "device_core_idx", "4");
	f->cpu[0].util_percent = 12.5f;
	f->p.rows[NX_SYSTEM_CPU] = 1;
	f->memory[0].usage_bytes = 250;
	f->p.rows[NX_SYSTEM_MEMORY] = 1;
	f->hbm[0] = (struct nx_hbm_sample){
		.total_bytes = 2048, .category_bytes = 1536, .category = NAME_WEIGHT};
	f->p.rows[NX_SYSTEM_HBM] = 1;
	f->transfers[0] = (struct nx_host_transfer){.start_ns = 10, .end_ns = 14, .size_bytes = 8};
	f->p.rows[NX_SYSTEM_TRANSFER] = 1;
	nx_fixture_device(f, 5, false);
	nx_system_warn(&f->p, "Data Loss", "2 records lost");
}

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
