/* SPDX-License-Identifier: Apache-2.0 */
/* captured_output: what a function prints, as text. */
#ifndef NX_TESTS_UNIT_CLI_CAPTURED_OUTPUT_H
#define NX_TESTS_UNIT_CLI_CAPTURED_OUTPUT_H

#include <string.h>
#include <unistd.h>

#include "base/file.h"

struct captured_output {
	struct nx_output out;
	char path[64];
	char text[4096];
};

static inline struct nx_output *captured_begin(struct captured_output *c)
{
	int fd;

	memset(c, 0, sizeof(*c));
	memcpy(c->path, "/tmp/nx-printed-XXXXXX", sizeof("/tmp/nx-printed-XXXXXX"));
	fd = mkstemp(c->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(nx_output_open(&c->out, c->path, NULL), NX_OK);
	return &c->out;
}

static inline const char *captured_end(struct captured_output *c)
{
	struct nx_file file;

	assert_int_equal(nx_output_commit(&c->out, NULL), NX_OK);
	assert_int_equal(nx_file_map(&file, c->path, NULL), NX_OK);
	assert_true(file.bytes.len < sizeof(c->text));
	memcpy(c->text, file.bytes.data, file.bytes.len);
	nx_file_unmap(&file);
	unlink(c->path);
	return c->text;
}

#endif
